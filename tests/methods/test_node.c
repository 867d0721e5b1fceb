/* Node level: prices, what one node can change, runs that stop and go on. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/dp.h"
#include "inside/graph.h"
#include "ledgers.h"
#include "made_run.h"
#include "protocols/node_budget.h"
#include "release/plan.h"
#include "run_files.h"
#include "small_graph.h"
#include "sotto/generate.h"

enum { nodes = 200, bound = 12 };

static sotto_dataset make_data(uint64_t count) {
  const sotto_sbm_options sbm = {.nodes = count,
                                 .classes = 4,
                                 .features = 8,
                                 .degree_inside = 3,
                                 .degree_outside = 1,
                                 .feature_signal = 2};
  return check_communities(&sbm);
}

static sotto_options make_options(const char *method) {
  sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(sotto_options_set(&o, "method", method, &err));
  CHECK_OK(sotto_options_set(&o, "adjacency", "node", &err));
  CHECK_OK(sotto_options_set(&o, "data", "made", &err));
  o.max_degree = bound;
  o.epsilon = 2;
  o.hidden = 8;
  check_set_own(&o, (const char *const[]){"steps", "20", NULL});
  sotto_options_resolve(&o);
  return o;
}

static sotto_cost price(const sotto_options *o, const sotto_dataset *data) {
  sotto_cost cost;
  const sotto_i_job job = {.options = o, .data = data, .seed = 1};
  CHECK_OK(sotto_i_variant_of(o)->price(&cost, &job, &err));
  return cost;
}

static const struct {
  const char *method;
  size_t items;
  size_t release; /* which item is the release; 0: none, since the first is a training */
  sotto_mechanism_kind kind;
} rows[] = {{"mlp", 1, 0, SOTTO_MECHANISM_GAUSSIAN},        {"sage", 1, 0, SOTTO_MECHANISM_GAUSSIAN},
            {"pertgraph", 1, 0, SOTTO_MECHANISM_GAUSSIAN},  {"gap", 3, 1, SOTTO_MECHANISM_GAUSSIAN},
            {"caribou", 3, 1, SOTTO_MECHANISM_CONTRACTIVE}, {"dpdgc", 3, 1, SOTTO_MECHANISM_GAUSSIAN},
            {"lpgnet", 5, 3, SOTTO_MECHANISM_LAPLACE},      {"best", 2, 1, SOTTO_MECHANISM_GAUSSIAN}};
enum { row_count = sizeof rows / sizeof *rows };

static void all_uses_of_a_method_together_cost_what_was_asked(void **state) {
  (void)state;
  sotto_dataset data = make_data(nodes);
  for (size_t i = 0; i < row_count; i++) {
    const sotto_options o = make_options(rows[i].method);
    const sotto_cost cost = price(&o, &data);
    double epsilon, charged = 0, pure = 0, mu = 0;
    assert_string_equal(cost.adjacency, "node");
    assert_int_equal(cost.count, rows[i].items);
    CHECK_OK(sotto_i_cost_epsilon(&epsilon, &cost, 1, o.delta, &err));
    if (!(epsilon <= 2 && epsilon > 1.96)) fail_msg("%s: epsilon %.6f", rows[i].method, epsilon);
    for (size_t k = 0; k < cost.count; k++) {
      CHECK_OK(sotto_mechanism_check(&cost.items[k].mechanism, &err));
      pure += cost.items[k].epsilon;
      mu += cost.items[k].mu * cost.items[k].mu;
      const sotto_mechanism_kind kind = cost.items[k].mechanism.kind;
      if (k != rows[i].release || k == 0)
        assert_true(kind == SOTTO_MECHANISM_REPLACED_GAUSSIAN || kind == SOTTO_MECHANISM_SAMPLED_SUBGRAPHS ||
                    rows[i].kind == SOTTO_MECHANISM_LAPLACE);
    }
    if (rows[i].release > 0) assert_int_equal(cost.items[rows[i].release].mechanism.kind, rows[i].kind);
    /* What the ledger adds up is never less. */
    if (mu > 0) CHECK_OK(sotto_gdp_epsilon(&charged, sqrt(mu), o.delta, &err));
    if (charged + pure < epsilon * (1 - 1e-3)) /* pld errs upwards by 1e-3 */
      fail_msg("%s: charged %.6f for %.6f", rows[i].method, charged + pure, epsilon);
  }
  sotto_dataset_free(&data);
}

/* However wide the grid of the noise is. */
static void a_large_bound_costs_no_more_than_was_asked(void **state) {
  (void)state;
  sotto_dataset data = make_data(nodes);
  for (size_t i = 0; i < row_count; i++) {
    if (strcmp(rows[i].method, "sage") == 0 || strcmp(rows[i].method, "pertgraph") == 0)
      continue; /* no release */
    sotto_options o = make_options(rows[i].method);
    double epsilon;
    o.max_degree = 800;
    const sotto_cost cost = price(&o, &data);
    CHECK_OK(sotto_i_cost_epsilon(&epsilon, &cost, 1, o.delta, &err));
    if (!(epsilon <= 2 && epsilon > 1.96)) fail_msg("%s: epsilon %.6f", rows[i].method, epsilon);
  }
  sotto_options o = make_options("lpgnet");
  sotto_cost cost;
  o.max_degree = 1000000;
  const sotto_i_job job = {.options = &o, .data = &data, .seed = 1};
  CHECK_FAILS(SOTTO_RANGE, "use a smaller max-degree", sotto_i_variant_of(&o)->price(&cost, &job, &err));
  sotto_dataset_free(&data);
}

static void a_larger_share_gets_less_noise(void **state) {
  (void)state;
  sotto_dataset data = make_data(nodes);
  sotto_options o = make_options("gap");
  const sotto_cost before = price(&o, &data);
  check_set(&o, "release-share", "0.6");
  const sotto_cost after = price(&o, &data);
  assert_true(after.items[1].mechanism.noise < before.items[1].mechanism.noise);
  assert_true(after.items[2].mechanism.noise > before.items[2].mechanism.noise);
  sotto_dataset_free(&data);
}

/* One node's neighbours and cluster changed at random on graphs with degrees at most `most`. */
typedef struct change {
  sotto_graph graphs[2];
  uint32_t clusters[2][24];
} change;

static change random_change(sotto_i_random *random, uint64_t most) {
  change c;
  sotto_key key;
  bool apart = sotto_i_random_below(random, 2) == 0; /* all neighbours are others, and in another cluster */
  sotto_graph graph = check_random_graph(random, 24, 60);
  uint32_t sources[2][120], targets[2][120];
  uint64_t count[2] = {0, 0};
  for (uint32_t v = 1; v < 24; v++) /* edges away from node 0 are the same */
    for (uint64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; e++)
      if (graph.targets[e] > v)
        for (int side = 0; side < 2; side++) {
          sources[side][count[side]] = v;
          targets[side][count[side]++] = graph.targets[e];
        }
  sotto_graph rest, cut;
  CHECK_OK(sotto_graph_from_pairs(&rest, 24, sources[0], targets[0], count[0], &err));
  sotto_key_public(&key, sotto_i_random_u64(random));
  CHECK_OK(sotto_graph_cut_degrees(&cut, &rest, most - 1, &key, &err));
  for (int side = 0; side < 2; side++) {
    uint64_t edges = 0, chosen = apart ? most : sotto_i_random_below(random, most + 1);
    for (uint32_t v = 1; v < 24; v++)
      for (uint64_t e = cut.offsets[v]; e < cut.offsets[v + 1]; e++)
        if (cut.targets[e] > v) {
          sources[side][edges] = v;
          targets[side][edges++] = cut.targets[e];
        }
    for (uint64_t i = 0; i < chosen; i++) {
      sources[side][edges] = 0;
      targets[side][edges++] =
          apart ? 1 + (uint32_t)(i + (uint64_t)side * most) : 1 + (uint32_t)sotto_i_random_below(random, 23);
    }
    CHECK_OK(sotto_graph_from_pairs(&c.graphs[side], 24, sources[side], targets[side], edges, &err));
    CHECK_OK(sotto_graph_check_degrees(&c.graphs[side], most, &err));
  }
  for (uint32_t v = 0; v < 24; v++)
    c.clusters[0][v] = c.clusters[1][v] = apart ? v > most : (uint32_t)sotto_i_random_below(random, 3);
  c.clusters[1][0] = (uint32_t)sotto_i_random_below(random, 3);
  sotto_graph_free(&graph);
  sotto_graph_free(&rest);
  sotto_graph_free(&cut);
  return c;
}

/* LPGNet's counts by cluster, in the l1 norm, and how many examples of GraphSAGE change. */
static void measure(double *counts, uint64_t *examples, const change *c) {
  *counts = 0;
  *examples = 0;
  for (uint32_t v = 0; v < 24; v++) {
    int number[2][3] = {{0}};
    bool near = v == 0;
    for (int side = 0; side < 2; side++)
      for (uint64_t e = c->graphs[side].offsets[v]; e < c->graphs[side].offsets[v + 1]; e++) {
        number[side][c->clusters[side][c->graphs[side].targets[e]]]++;
        near = near || c->graphs[side].targets[e] == 0;
      }
    for (int k = 0; k < 3; k++) *counts += abs(number[0][k] - number[1][k]);
    *examples += near; /* its row holds something of node 0 before or after */
  }
}

static void one_node_changes_no_more_counts_and_examples_than_is_charged(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double most_counts = 0;
  uint64_t most_examples = 0;
  for (int round = 0; round < 4000; round++) {
    change c = random_change(&random, 4);
    double counts;
    uint64_t examples;
    measure(&counts, &examples, &c);
    most_counts = fmax(most_counts, counts);
    most_examples = examples > most_examples ? examples : most_examples;
    sotto_graph_free(&c.graphs[0]);
    sotto_graph_free(&c.graphs[1]);
  }
  sotto_dataset data = make_data(nodes);
  sotto_options o = make_options("lpgnet");
  o.max_degree = 4;
  const sotto_cost lpgnet = price(&o, &data);
  assert_true(lpgnet.items[1].mechanism.sensitivity >= most_counts);
  CHECK_NEAR(most_counts, 4 * 4, 0); /* the bound is met */
  o = make_options("sage");
  o.max_degree = 4;
  const sotto_cost sampled = price(&o, &data);
  assert_int_equal(sampled.items[0].mechanism.kind, SOTTO_MECHANISM_SAMPLED_SUBGRAPHS);
  assert_true(sampled.items[0].mechanism.degree == 4 && sampled.items[0].mechanism.sample == 1);
  o.fan_out = 0;
  const sotto_cost sage = price(&o, &data);
  assert_int_equal(most_examples, 1 + 2 * 4);
  assert_int_equal(sage.items[0].mechanism.kind, SOTTO_MECHANISM_REPLACED_GAUSSIAN);
  assert_true(sage.items[0].mechanism.sensitivity >= 1 * (double)most_examples);
  assert_true(sage.items[0].mechanism.sensitivity < 1.005 * 1 * (double)most_examples);
  sotto_dataset_free(&data);
}

static void edges_of_one_node_cost_between_an_edge_and_a_node(void **state) {
  (void)state;
  sotto_dataset data = make_data(nodes);
  sotto_options o = make_options("dpdgc");
  double noise[3];
  static const char *const levels[] = {"edge", "k-neighbour", "node"};
  CHECK_OK(sotto_options_set(&o, "neighbours", "3", &err));
  for (int i = 0; i < 3; i++) {
    CHECK_OK(sotto_options_set(&o, "adjacency", levels[i], &err));
    const sotto_cost cost = price(&o, &data);
    noise[i] = cost.items[i == 2 ? 1 : 0].mechanism.noise;
    assert_string_equal(cost.adjacency, i == 2 ? "node" : "edge");
    assert_int_equal(cost.neighbours, i == 1 ? 3 : 0);
    if (i == 1) CHECK_NEAR(cost.items[0].mechanism.sensitivity, sqrt(3 * 3 + 3), 1e-3);
  }
  assert_true(noise[0] < noise[1] && noise[1] < noise[2]);
  sotto_dataset_free(&data);
}

/* A run that was stopped goes on with what was released, and is charged once; a network by DP-SGD that is
 * lost is fitted again, under a charge of its own. */
static void a_run_that_was_stopped_releases_nothing_twice(void **state) {
  (void)state;
  sotto_dataset data = make_data(60);
  static const char *const kept[][3] = {{"gap", "encoder.safetensors", "release.bin"},
                                        {"vesper", "release-1.bin", "release-2.bin"},
                                        {"lpgnet", "stack0.safetensors", "counts-0.sotto"}};
  for (size_t i = 0; i < 3; i++) {
    sotto_options o = make_options(kept[i][0]);
    sotto_result result;
    char path[1200];
    sotto_i_map before[2];
    o.max_degree = 59;
    CHECK_OK(sotto_options_set(&o, "out", check_path(kept[i][0]), &err));
    CHECK_OK(sotto_i_make_folder(o.out, &err));
    (void)snprintf(o.ledger, sizeof o.ledger, "%.900s/ledger.db", o.out);
    (void)check_new_ledger(o.ledger);
    CHECK_OK(sotto_train(&result, &o, &data, NULL, NULL, &err));
    uint64_t charges = result.spent.charges;
    sotto_result_free(&result);
    for (int k = 0; k < 2; k++) {
      (void)snprintf(path, sizeof path, "%.1000s/seed-1/%s", o.out, kept[i][k + 1]);
      CHECK_OK(sotto_i_map_open(&before[k], path, &err));
    }
    o.resume = true;
    for (int lost = 0; lost < 2; lost++) {
      check_forget_result(&o);
      const bool two =
          strcmp(kept[i][0], "vesper") == 0; /* its model follows from labels, by post-processing */
      (void)snprintf(path, sizeof path, "%.1000s/seed-1/%smodel.safetensors", o.out,
                     two ? "owner-only/" : "");
      if (lost == 1) assert_int_equal(remove(path), 0);
      CHECK_OK(sotto_train(&result, &o, &data, NULL, NULL, &err));
      bool fitted_again = lost == 1 && !two;
      assert_int_equal(result.spent.charges, charges + (fitted_again ? 1 : 0));
      assert_int_equal(result.made.charges, result.spent.charges);
      assert_true(fitted_again ? result.epsilon > result.epsilon_planned
                               : result.epsilon == result.epsilon_planned);
      sotto_result_free(&result);
      for (int k = 0; k < 2; k++) {
        (void)snprintf(path, sizeof path, "%.1000s/seed-1/%s", o.out, kept[i][k + 1]);
        check_same_file(path, &before[k]);
      }
    }
    for (int k = 0; k < 2; k++) sotto_i_map_close(&before[k]);
  }
  sotto_dataset_free(&data);
}

/* The ledger has the charge before anything reads what was fitted or released. */
typedef struct watcher {
  sotto_ledger *ledger;
  const sotto_dataset *data;
  uint64_t stages;
  char last[32];
} watcher;

static void look(void *context, const sotto_epoch *epoch) {
  watcher *w = context;
  sotto_spent spent;
  if (strcmp(w->last, epoch->stage) == 0) return;
  (void)snprintf(w->last, sizeof w->last, "%s", epoch->stage);
  CHECK_OK(sotto_ledger_spent(w->ledger, &spent, w->data->account, "node", &err));
  assert_int_equal(spent.charges, w->stages == 0 ? 0 : 2); /* the classifier reads encoder and release */
  w->stages++;
}

static void each_use_is_charged_before_it_is_read(void **state) {
  (void)state;
  sotto_dataset data = make_data(60);
  watcher w = {.data = &data};
  sotto_options o = make_options("caribou");
  sotto_result result;
  o.max_degree = 59;
  CHECK_OK(sotto_options_set(&o, "out", check_path("charged"), &err));
  CHECK_OK(sotto_i_make_folder(o.out, &err));
  (void)snprintf(o.ledger, sizeof o.ledger, "%.900s/ledger.db", o.out);
  (void)check_new_ledger(o.ledger);
  w.ledger = check_ledger_at(o.ledger);
  const sotto_recorder recorder = {.context = &w, .epoch = look};
  CHECK_OK(sotto_train(&result, &o, &data, NULL, &recorder, &err));
  assert_int_equal(w.stages, 2);
  sotto_result_free(&result);
  sotto_ledger_close(w.ledger);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_uses_of_a_method_together_cost_what_was_asked),
      cmocka_unit_test(a_large_bound_costs_no_more_than_was_asked),
      cmocka_unit_test(a_larger_share_gets_less_noise),
      cmocka_unit_test(one_node_changes_no_more_counts_and_examples_than_is_charged),
      cmocka_unit_test(edges_of_one_node_cost_between_an_edge_and_a_node),
      cmocka_unit_test(a_run_that_was_stopped_releases_nothing_twice),
      cmocka_unit_test(each_use_is_charged_before_it_is_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
