/* VESPER as its paper has it: the claim, what the ledger is charged instead, and runs. */
#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "methods/vesper/as_published/vesper_paper_plan.h"
#include "paper_run.h"
#include "sotto/generate.h"
#include "sotto/model.h"

enum { nodes = CHECK_PAPER_NODES };

/* The data party does not know which nodes have labels, and plans as if all had. */
static void parties_plan_as_if_every_node_had_a_label(void **state) {
  (void)state;
  static const sotto_i_seat data_seat = {.role = SOTTO_ROLE_DATA}, label_seat = {.role = SOTTO_ROLE_LABEL};
  sotto_dataset data = check_paper_data(), blind = data;
  sotto_options o = check_paper_options("gin", "seats");
  sotto_i_job job = {.options = &o, .data = &data, .seed = 1};
  sotto_i_paper_plan whole, label, graph;
  int32_t some[nodes];
  blind.labels = NULL;
  CHECK_OK(sotto_i_paper_plan_new(&whole, &job, &err));
  job.seat = &label_seat;
  CHECK_OK(sotto_i_paper_plan_new(&label, &job, &err));
  job.seat = &data_seat;
  job.data = &blind;
  CHECK_OK(sotto_i_paper_plan_new(&graph, &job, &err));
  assert_true(label.grid.sigma == whole.grid.sigma && graph.grid.sigma == whole.grid.sigma);
  assert_true(label.steps == whole.steps && graph.steps == whole.steps);
  memcpy(some, data.labels, sizeof some);
  for (size_t i = 0; i < 30; i++) some[i] = -1;
  blind.labels = some;
  CHECK_OK(sotto_i_paper_plan_new(&graph, &job, &err)); /* it reads no label */
  assert_true(graph.steps == whole.steps);
  job.seat = &label_seat;
  CHECK_FAILS(SOTTO_INVALID, "each needs a label", sotto_i_paper_plan_new(&label, &job, &err));
  CHECK_OK(sotto_options_set(&o, "split", "planetoid", &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "take one of these", sotto_i_paper_plan_new(&label, &job, &err));
  sotto_dataset_free(&data);
}

static void the_claim_is_the_papers_and_the_charge_is_not(void **state) {
  (void)state;
  sotto_dataset data = check_paper_data();
  double noise[2];
  for (int gcn = 0; gcn < 2; gcn++) {
    sotto_options o = check_paper_options(gcn ? "gcn" : "gin", "claim");
    const sotto_i_job job = {.options = &o, .data = &data, .seed = 1};
    sotto_cost cost;
    double claimed, gamma, eta = sqrt(2), shown;
    CHECK_OK(sotto_i_variant_of(&o)->price(&cost, &job, &err));
    const sotto_paper_claim *c = &cost.claim;
    noise[gcn] = c->noise;
    if (gcn) CHECK_OK(sotto_paper_vesper_eta(&eta, 2, &err));
    CHECK_OK(sotto_paper_vesper(&claimed, NULL, c->noise, eta, 2, 3, 140, 16, 2 * 9, o.delta, &err));
    CHECK_NEAR(claimed, c->epsilon, 1e-12);
    assert_true(c->epsilon <= 4 && c->epsilon > 3.999);
    CHECK_OK(sotto_paper_vesper_gamma(&gamma, 2, 3, 140, 16, &err));
    CHECK_NEAR(c->gamma, gamma, 1e-12);
    /* 18 steps of 16 roots, and all nodes once; two layers of each, every row by up to 2 clip. */
    const double clip = gcn ? 2 : 4, rows[] = {18 * 16, nodes};
    assert_int_equal(cost.count, 2);
    for (size_t i = 0; i < cost.count; i++) {
      const double mu = 2 * clip / c->noise * sqrt(2 * rows[i]);
      assert_true(cost.items[i].mu >= mu && cost.items[i].mu < 1.1 * mu);
    }
    CHECK_OK(sotto_i_cost_epsilon(&shown, &cost, 1, o.delta, &err));
    assert_true(shown > 100);
  }
  assert_true(noise[1] < noise[0]);
  sotto_dataset_free(&data);
}

/* All seeds are charged alike. */
static void folds_of_other_sizes_are_refused(void **state) {
  (void)state;
  sotto_dataset data = check_paper_data();
  sotto_options o = check_paper_options("gin", "folds");
  const sotto_i_job job = {.options = &o, .data = &data, .seed = o.seed};
  sotto_cost cost;
  CHECK_OK(sotto_options_set(&o, "split", "kfold", &err));
  o.seeds = 3;
  o.folds = 5; /* of 200 nodes */
  CHECK_OK(sotto_i_vesper_paper_price(&cost, &job, &err));
  o.seeds = o.folds = 7;
  CHECK_FAILS(SOTTO_INVALID, "take a number that divides", sotto_i_vesper_paper_price(&cost, &job, &err));
  sotto_dataset_free(&data);
}

static sotto_status train(const sotto_options *o, const sotto_dataset *data, sotto_error *err) {
  sotto_result result = {0};
  sotto_status status = sotto_train(&result, o, data, NULL, NULL, err);
  sotto_result_free(&result);
  return status;
}

/* A budget that the claim would fit refuses the run, and nothing is trained. */
static void a_budget_is_held_to_what_can_be_shown(void **state) {
  (void)state;
  sotto_dataset data = check_paper_data();
  sotto_options o = check_paper_options("gin", "budget");
  sotto_ledger *ledger;
  char path[1200];
  ledger = check_ledger_at(o.ledger);
  CHECK_OK(
      sotto_ledger_set_budget(ledger, data.account, "made", "edge", &(sotto_budget){20, 1e-6}, "", &err));
  sotto_ledger_close(ledger);
  CHECK_FAILS(SOTTO_REFUSED, "budget", train(&o, &data, &err));
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/begun", o.out);
  assert_false(sotto_i_is_file(path));
  sotto_dataset_free(&data);
}

static void training_that_was_cut_short_cannot_go_on(void **state) {
  (void)state;
  sotto_dataset data = check_paper_data();
  sotto_options o = check_paper_options("gcn", "cut");
  char path[1200];
  CHECK_OK(train(&o, &data, &err));
  o.resume = true;
  CHECK_OK(train(&o, &data, &err)); /* it is done, and stands */
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/result.json", o.out);
  assert_int_equal(remove(path), 0);
  CHECK_FAILS(SOTTO_INVALID, "cut short", train(&o, &data, &err));
  sotto_dataset_free(&data);
}

static size_t right_of(const sotto_matrix *answers, const sotto_dataset *data, const uint32_t *rows,
                       size_t count) {
  size_t right = 0;
  for (size_t i = 0; i < count; i++) {
    size_t best = 0;
    const float *row = answers->data + rows[i] * answers->cols;
    for (size_t c = 1; c < answers->cols; c++) best = row[c] > row[best] ? c : best;
    right += (int32_t)best == data->labels[rows[i]];
  }
  return right;
}

static void hear_claim(void *context, sotto_log_level level, const char *text) {
  (void)level;
  if (strstr(text, "as published: ") != NULL && strstr(text, "; charged for a seed: ") != NULL)
    ++*(size_t *)context;
}

/* Answers are those that were measured in the training, from the same release, and nothing is charged. */
static void answers_are_those_of_the_training(void **state) {
  (void)state;
  static const char *const epsilons[] = {"1000", "inf"};
  sotto_dataset data = check_paper_data();
  for (size_t noise_free = 0; noise_free < 2; noise_free++) {
    size_t said = 0, count;
    const sotto_observer observer = {.context = &said, .log = hear_claim};
    sotto_options o = check_paper_options("gcn", noise_free ? "answers-clear" : "answers-noisy");
    sotto_result result;
    sotto_model *model;
    sotto_matrix answers, again;
    CHECK_OK(sotto_options_set(&o, "epsilon", epsilons[noise_free], &err));
    o.epochs = 30;
    CHECK_OK(sotto_train(&result, &o, &data, NULL, NULL, &err));
    const sotto_model_options asked = {.seed = SOTTO_UNSET, .observer = &observer};
    CHECK_OK(sotto_model_open(&model, o.out, &data, &asked, &err));
    CHECK_OK(sotto_model_query(&answers, model, &(sotto_query){.wanted = NULL}, &err));
    const uint32_t *test = sotto_model_part(model, SOTTO_PART_TEST, &count);
    CHECK_NEAR((double)right_of(&answers, &data, test, count) / (double)count,
               result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY], 1e-9);
    assert_int_equal(said, noise_free ? 0 : 1);
    CHECK_OK(sotto_model_query(&again, model, &(sotto_query){.wanted = test, .wanted_count = count}, &err));
    for (size_t i = 0; i < count; i++)
      assert_memory_equal(again.data + i * again.cols, answers.data + test[i] * answers.cols,
                          answers.cols * sizeof(float));
    sotto_matrix_free(&answers);
    sotto_matrix_free(&again);
    sotto_model_free(model);
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

/* Weights between layers follow from the run's edges: no charge covers a release of other data. */
static void other_data_is_answered_without_noise_alone(void **state) {
  (void)state;
  static const char *const epsilons[] = {"4", "inf"};
  sotto_dataset data = check_paper_data(), other = check_paper_data();
  sotto_key key;
  const sotto_sbm_options options = {.nodes = 90, .classes = 2, .features = 6, .degree_inside = 4};
  sotto_dataset_free(&other);
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_generate_sbm(&other, &options, &key, &err));
  for (size_t noise_free = 0; noise_free < 2; noise_free++) {
    sotto_options o = check_paper_options("gin", noise_free ? "other-clear" : "other-noisy");
    sotto_model *model;
    CHECK_OK(sotto_options_set(&o, "epsilon", epsilons[noise_free], &err));
    CHECK_OK(train(&o, &data, &err));
    sotto_model_options asked = {.seed = SOTTO_UNSET};
    if (noise_free) {
      sotto_matrix answers;
      CHECK_OK(sotto_model_open(&model, o.out, &other, &asked, &err));
      CHECK_OK(sotto_model_query(&answers, model, &(sotto_query){.wanted = NULL}, &err));
      assert_int_equal(answers.rows, 90);
      sotto_matrix_free(&answers);
      sotto_model_free(model);
      continue;
    }
    CHECK_FAILS(SOTTO_UNSUPPORTED, "no release of other data has a sound charge",
                sotto_model_open(&model, o.out, &other, &asked, &err));
    asked.epsilon = 1;
    CHECK_FAILS(SOTTO_UNSUPPORTED, "under sound accounting alone",
                sotto_model_open(&model, o.out, &other, &asked, &err));
    asked = (sotto_model_options){.seed = SOTTO_UNSET, .alone = true};
    CHECK_FAILS(SOTTO_UNSUPPORTED, "read a release for each node",
                sotto_model_open(&model, o.out, &other, &asked, &err));
  }
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

static void count_warnings(void *context, sotto_log_level level, const char *text) {
  if (level == SOTTO_LOG_WARNING && strstr(text, "noise as published is ") != NULL) ++*(size_t *)context;
}

/* The network without its message passing is measured in the same split, and no edge is read for it. */
static void the_row_without_edges_is_that_of_features_alone(void **state) {
  (void)state;
  sotto_dataset data = check_paper_data();
  double without[2];
  for (int cut = 0; cut < 2; cut++) {
    sotto_options o = check_paper_options("gin", cut ? "no-edges" : "edges");
    sotto_result result;
    o.epochs = 30;
    o.insecure_seed = 3; /* batches are the same */
    sotto_dataset own = data;
    uint64_t offsets[nodes + 1] = {0};
    uint32_t none[1] = {0};
    if (cut) own.graph = (sotto_graph){.nodes = nodes, .offsets = offsets, .targets = none};
    CHECK_OK(sotto_train(&result, &o, &own, NULL, NULL, &err));
    without[cut] = result.seeds[0].baseline_test.of[SOTTO_MEASURE_ACCURACY];
    assert_true(result.seeds[0].baseline_validation.of[SOTTO_MEASURE_ACCURACY] > 0);
    assert_true(result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] >= 0);
    sotto_result_free(&result);
  }
  assert_true(without[0] > 0.7); /* two classes, features of signal 2 */
  assert_true(without[0] == without[1]);
  sotto_dataset_free(&data);
}

static void noise_that_is_longer_than_rows_has_a_warning(void **state) {
  (void)state;
  static const struct {
    const char *epsilon;
    size_t warnings;
  } cases[] = {{"0.5", 1}, {"1000", 0}, {"inf", 0}};
  sotto_dataset data = check_paper_data();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t heard = 0;
    const sotto_observer observer = {.context = &heard, .log = count_warnings};
    sotto_options o = check_paper_options("gin", cases[i].epsilon);
    sotto_result result;
    CHECK_OK(sotto_options_set(&o, "epsilon", cases[i].epsilon, &err));
    o.seeds = 2; /* it is said once */
    CHECK_OK(sotto_train(&result, &o, &data, &observer, NULL, &err));
    assert_int_equal(heard, cases[i].warnings);
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parties_plan_as_if_every_node_had_a_label),
      cmocka_unit_test(the_claim_is_the_papers_and_the_charge_is_not),
      cmocka_unit_test(folds_of_other_sizes_are_refused),
      cmocka_unit_test(a_budget_is_held_to_what_can_be_shown),
      cmocka_unit_test(training_that_was_cut_short_cannot_go_on),
      cmocka_unit_test(the_row_without_edges_is_that_of_features_alone),
      cmocka_unit_test(answers_are_those_of_the_training),
      cmocka_unit_test(other_data_is_answered_without_noise_alone),
      cmocka_unit_test(noise_that_is_longer_than_rows_has_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
