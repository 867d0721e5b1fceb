/* Privacy of method progap: what each release is charged, runs that lose files and go on, refusals, and what
 * all releases of a run together show of one edge. */
#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "canaries.h"
#include "check.h"
#include "inside/pmp.h"
#include "ledgers.h"
#include "made_run.h"
#include "methods/progap/progap.h"
#include "progap_runs.h"
#include "release/plan.h"
#include "run_files.h"

static void all_releases_together_cost_what_was_asked(void **state) {
  (void)state;
  static const struct {
    const char *layers, *aggregator;
  } rows[] = {{"1", "gin"}, {"3", "gin"}, {"2", "gcn"}, {"2", "mean"}};
  sotto_dataset data = check_progap_data(60, 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char folder[32];
    (void)snprintf(folder, sizeof folder, "cost-%zu", i);
    sotto_options o = check_progap_options(folder, rows[i].layers);
    check_set(&o, "aggregator", rows[i].aggregator);
    check_set(&o, "epsilon", "3");
    sotto_result result = check_run(&o, &data);
    double mu = 0, epsilon;
    assert_true(result.private_edges && !result.insecure && result.exposure_count == 0);
    assert_int_equal(result.cost.count, o.layers);
    assert_int_equal(result.spent.charges, o.layers);
    assert_int_equal(result.made.charges, o.layers);
    for (size_t k = 0; k < result.cost.count; k++) mu = hypot(mu, result.cost.items[k].mu);
    CHECK_OK(sotto_gdp_epsilon(&epsilon, mu, o.delta, &err));
    if (!(epsilon <= 3 && epsilon > 2.999)) fail_msg("%s layers: epsilon %.9g", rows[i].layers, epsilon);
    CHECK_NEAR(result.epsilon, epsilon, 1e-9);
    CHECK_NEAR(result.cost.items[0].mechanism.sensitivity,
               sotto_edge_sensitivity(sotto_i_job_aggregator(&o), o.degree_floor, false), 1e-3);
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

static void all_uses_at_node_level_cost_what_was_asked(void **state) {
  (void)state;
  sotto_dataset data = check_progap_data(60, 1);
  sotto_options o = check_progap_node_options("node", "2");
  sotto_result result = check_run(&o, &data);
  double mu = 0, charged;
  const double clip = sqrt(59),
               bound = sotto_node_sensitivity(SOTTO_AGGREGATOR_SUM, 0, 59, clip, false, false);
  assert_int_equal(result.cost.count, 2 * 2 + 1);
  assert_int_equal(result.spent.charges, 2 * 2 + 1);
  assert_string_equal(result.cost.adjacency, "node");
  if (!(result.epsilon <= 3 && result.epsilon > 2.9)) fail_msg("epsilon %.6f", result.epsilon);
  for (size_t k = 0; k < result.cost.count; k++) {
    const sotto_mechanism *m = &result.cost.items[k].mechanism;
    const bool release = k == 1 || k == 2;
    assert_int_equal(m->kind, release ? SOTTO_MECHANISM_GAUSSIAN : SOTTO_MECHANISM_REPLACED_GAUSSIAN);
    if (release) CHECK_NEAR(m->sensitivity, bound, 1e-3);
    mu = hypot(mu, result.cost.items[k].mu);
  }
  /* What the ledger adds up is never less. */
  CHECK_OK(sotto_gdp_epsilon(&charged, mu, o.delta, &err));
  assert_true(charged >= result.epsilon * (1 - 1e-3));
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

/* `files` are removed, the run is resumed: it makes these anew, and is charged so much more. */
static void check_resumed(sotto_options *o, const sotto_dataset *data, const char *const *files,
                          uint64_t more) {
  sotto_options again = *o;
  sotto_result result = check_run(o, data);
  const uint64_t charges = result.spent.charges;
  const double asked = result.epsilon_planned;
  sotto_result_free(&result);
  check_forget_result(o);
  for (size_t i = 0; files[i] != NULL; i++) check_progap_remove(o, files[i]);
  again.resume = true;
  result = check_run(&again, data);
  assert_int_equal(result.spent.charges, charges + more);
  assert_true(more > 0 ? result.epsilon > asked * 1.01 : result.epsilon <= asked * (1 + 1e-9));
  sotto_result_free(&result);
}

static void a_lost_release_is_a_new_draw_and_a_new_charge(void **state) {
  (void)state;
  static const char *const model[] = {"model.safetensors", NULL},
                           *const second[] = {"model.safetensors", "aggregate-2.sotto", NULL},
                           *const both[] = {"model.safetensors",      "aggregate-1.sotto",
                                            "aggregate-1.sotto.made", "aggregate-2.sotto",
                                            "aggregate-2.sotto.made", NULL};
  sotto_dataset data = check_progap_data(60, 1);
  sotto_options o = check_progap_options("lost-none", "2");
  check_resumed(&o, &data, model, 0);
  o = check_progap_options("lost-second", "2");
  check_resumed(&o, &data, second, 1);
  o = check_progap_options("lost-both", "2");
  check_resumed(&o, &data, both, 2);
  sotto_dataset_free(&data);
}

static void a_removed_seed_folder_is_a_second_charge_for_every_release(void **state) {
  (void)state;
  sotto_dataset data = check_progap_data(60, 1);
  for (int node = 0; node < 2; node++) {
    sotto_options o =
        node ? check_progap_node_options("gone-node", "2") : check_progap_options("gone-edge", "2");
    char folder[CHECK_PROGAP_PATH];
    sotto_result first = check_run(&o, &data);
    check_progap_path(folder, &o, "");
    check_remove_folder(folder);
    o.resume = true;
    sotto_result second = check_run(&o, &data);
    assert_int_equal(second.spent.charges, 2 * first.spent.charges);
    assert_true(second.epsilon > first.epsilon * 1.2 && second.epsilon_planned == first.epsilon_planned);
    sotto_result_free(&first);
    sotto_result_free(&second);
  }
  sotto_dataset_free(&data);
}

/* Noise of the stages, under one insecure seed: of two releases of the same rows no value is the same. */
static void stages_have_noise_of_their_own(void **state) {
  (void)state;
  sotto_dataset data = check_progap_data(60, 1);
  sotto_options o = check_progap_options("noise", "2");
  const sotto_i_job job = {.options = &o, .data = &data, .features = &data.features, .folder = o.out};
  sotto_pmp_plan plan;
  sotto_matrix rows = {0}, one = {0}, two = {0};
  CHECK_OK(sotto_matrix_new(&rows, 60, 8, &err));
  CHECK_OK(sotto_i_progap_edge_plan(&plan, &job, &err));
  plan.options.raw = true;
  sotto_i_progap_aggregate a = {.job = &job, .plan = &plan, .rows = &rows, .stage = 1};
  sotto_key key, other;
  sotto_key_insecure(&key, 9);
  sotto_i_key_derive(&other, &key, 1);
  CHECK_OK(sotto_i_progap_sums(&one, &a, &key, &err));
  CHECK_OK(sotto_i_progap_sums(&two, &a, &other, &err));
  size_t same = 0;
  for (size_t i = 0; i < 60 * 8; i++) same += one.data[i] == two.data[i];
  assert_true(same < 3);
  sotto_matrix_free(&rows);
  sotto_matrix_free(&one);
  sotto_matrix_free(&two);
  sotto_dataset_free(&data);
}

static void a_run_over_the_budget_leaves_nothing(void **state) {
  (void)state;
  sotto_dataset data = check_progap_data(60, 1);
  for (int node = 0; node < 2; node++) {
    sotto_options o =
        node ? check_progap_node_options("refused-node", "2") : check_progap_options("refused-edge", "2");
    const sotto_budget budget = {.epsilon = 1, .delta = o.delta};
    sotto_ledger *ledger;
    sotto_result result;
    sotto_spent spent;
    char path[CHECK_PROGAP_PATH];
    struct stat info;
    ledger = check_ledger_at(o.ledger);
    CHECK_OK(
        sotto_ledger_set_budget(ledger, data.account, data.name, node ? "node" : "edge", &budget, "", &err));
    CHECK_FAILS(SOTTO_REFUSED, "budget is 1", sotto_train(&result, &o, &data, NULL, NULL, &err));
    CHECK_OK(sotto_ledger_spent(ledger, &spent, data.account, node ? "node" : "edge", &err));
    assert_int_equal(spent.charges, 0);
    (void)snprintf(path, sizeof path, "%.1000s/seed-1", o.out);
    assert_int_not_equal(stat(path, &info), 0);
    sotto_ledger_close(ledger);
  }
  sotto_dataset_free(&data);
}

static void what_cannot_be_private_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *adjacency, *key, *value, *words;
    sotto_status status;
  } rows[] = {{"edge", "degree-floor", "0", "degree-floor: must be at least 1", SOTTO_RANGE},
              {"node", "combine", "max", "combine: node level has cat alone", SOTTO_UNSUPPORTED},
              {"node", "layers", "32", "layers: at most 31 at node level", SOTTO_RANGE},
              {"node", "epsilon", "inf", "epsilon: must be finite", SOTTO_RANGE},
              {"node", "max-degree", "2", "above the declared bound 2", SOTTO_RANGE},
              {"k-neighbour", "epsilon", "1", "does not protect 'k-neighbour'", SOTTO_UNSUPPORTED},
              {"edge", "clip", "1", "clip: has no meaning with adjacency edge", SOTTO_INVALID},
              {"edge", "combine", "gru", "combine: method progap does not have 'gru'", SOTTO_UNSUPPORTED}};
  sotto_dataset data = check_progap_data(60, 1);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o = check_progap_options("refuse", "1");
    sotto_result result;
    check_set(&o, "aggregator", "mean");
    check_set(&o, "adjacency", rows[i].adjacency);
    check_set(&o, "max-degree", "59");
    check_set(&o, rows[i].key, rows[i].value);
    CHECK_FAILS(rows[i].status, rows[i].words, sotto_train(&result, &o, &data, NULL, NULL, &err));
  }
  sotto_dataset_free(&data);
}

static void an_edge_shows_most_of_what_all_stages_state_and_no_more(void **state) {
  (void)state;
  static const char *const gin[] = {"method", "progap", "epsilon", "4", "hidden", "8", "layers", "3", NULL},
                           *const gcn[] = {"method", "progap", "aggregator", "gcn", "epsilon",      "4",
                                           "hidden", "8",      "layers",     "1",   "degree-floor", "3",
                                           NULL};
  const sotto_options sums = check_canary_options(gin), divided = check_canary_options(gcn);
  check_honest("progap, three stages, a pair", &sums, SOTTO_I_CANARY_PAIR, 0.8, 6000);
  check_honest("progap gcn, stars", &divided, SOTTO_I_CANARY_STARS, 0.7, 6000);
  check_caught("progap, noise is halved", &sums, SOTTO_I_CANARY_PAIR, check_halve_noise, 6000);
}

/* The releases have their share of the budget, which is what is stated of them. */
static void a_node_shows_most_of_what_all_releases_state(void **state) {
  (void)state;
  const sotto_options o = check_canary_node_options("progap", "2");
  check_honest("progap, a node", &o, SOTTO_I_CANARY_NODE, 0.6, 4000);
  check_caught("progap, a node, noise is halved", &o, SOTTO_I_CANARY_NODE, check_halve_noise, 4000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_releases_together_cost_what_was_asked),
      cmocka_unit_test(all_uses_at_node_level_cost_what_was_asked),
      cmocka_unit_test(a_lost_release_is_a_new_draw_and_a_new_charge),
      cmocka_unit_test(a_removed_seed_folder_is_a_second_charge_for_every_release),
      cmocka_unit_test(stages_have_noise_of_their_own),
      cmocka_unit_test(a_run_over_the_budget_leaves_nothing),
      cmocka_unit_test(what_cannot_be_private_is_refused),
      cmocka_unit_test(an_edge_shows_most_of_what_all_stages_state_and_no_more),
      cmocka_unit_test(a_node_shows_most_of_what_all_releases_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
