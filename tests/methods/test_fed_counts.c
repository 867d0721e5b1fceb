/* Federated averaging at edge level: clients read noisy counts of neighbours, and no edge. */
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "federation.h"
#include "inside/graph.h"
#include "ledgers.h"
#include "sotto/model.h"
#include "spending.h"

enum { clusters = 4, after = 5, rounds = clusters + after };

static check_federation edge_new(const char *folder, const char *epsilon) {
  char ledger[60];
  check_federation f = check_federation_new(folder);
  (void)snprintf(ledger, sizeof ledger, "%.40s.db", folder);
  check_set(&f.options, "adjacency", "edge");
  check_set(&f.options, "epsilon", epsilon);
  check_set(&f.options, "encoder-epochs", "4");
  check_set(&f.options, "rounds", "5");
  check_set(&f.options, "insecure-seed", "3");
  check_set(&f.options, "ledger", check_new_ledger(check_path(ledger)));
  return f;
}

/* The edge between two nodes of one client that comes first, taken out. */
static void without_an_edge(sotto_graph *less, const sotto_graph *g, const uint32_t *owner) {
  uint32_t *pairs[2], left[2] = {UINT32_MAX, UINT32_MAX};
  uint64_t count = 0;
  for (int i = 0; i < 2; i++) assert_non_null(pairs[i] = calloc(g->entries, sizeof(uint32_t)));
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint32_t u = g->targets[e];
      if (left[0] == UINT32_MAX && owner[u] == owner[v]) left[0] = u, left[1] = v;
      if ((u == left[0] && v == left[1]) || (u == left[1] && v == left[0])) continue;
      pairs[0][count] = v;
      pairs[1][count++] = u;
    }
  assert_int_equal(count, g->entries - 2);
  CHECK_OK(sotto_graph_from_pairs(less, g->nodes, pairs[0], pairs[1], count, &err));
  for (int i = 0; i < 2; i++) free(pairs[i]);
}

static void owners(uint32_t owner[90], const check_federation *f) {
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_deal_iid(owner, &f->data, 4, &key, &err));
}

/* Rounds before the counts are the same for any edges; what comes after them is not. */
static void only_the_counts_depend_on_edges(void **state) {
  (void)state;
  double losses[2][rounds];
  for (int i = 0; i < 2; i++) {
    uint32_t owner[90];
    check_federation f = edge_new(i == 0 ? "with" : "without", "1000");
    owners(owner, &f);
    const sotto_graph whole = f.data.graph;
    sotto_graph less;
    without_an_edge(&less, &whole, owner);
    if (i == 1) f.data.graph = less;
    sotto_result result = check_run(&f.options, &f.data);
    check_losses(losses[i], rounds, &f.options, NULL);
    f.data.graph = whole;
    sotto_graph_free(&less);
    sotto_result_free(&result);
    sotto_dataset_free(&f.data);
  }
  assert_memory_equal(losses[0], losses[1], clusters * sizeof(double));
  assert_true(losses[0][clusters] != losses[1][clusters]);
}

/* With next to no noise a row of counts adds up to the neighbours of a node at its own client. */
static void counts_are_of_the_neighbours_at_the_same_client(void **state) {
  (void)state;
  uint32_t owner[90], at = 0;
  check_federation f = edge_new("degrees", "1000");
  owners(owner, &f);
  sotto_result result = check_run(&f.options, &f.data);
  sotto_dataset counts;
  char path[1200];
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/counts-2.sotto", f.options.out);
  CHECK_OK(sotto_dataset_open(&counts, path, NULL, &err));
  assert_int_equal(counts.features.cols, 3);
  for (uint32_t v = 0; v < 90; v++) {
    double degree = 0, sum = 0;
    if (owner[v] != 1) continue;
    for (uint64_t e = f.data.graph.offsets[v]; e < f.data.graph.offsets[v + 1]; e++)
      degree += owner[f.data.graph.targets[e]] == 1;
    for (size_t j = 0; j < 3; j++) sum += counts.features.data[at * 3 + j];
    CHECK_NEAR(sum, degree, 0);
    at++;
  }
  assert_int_equal(at, counts.features.rows);
  sotto_dataset_free(&counts);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

/* Each client's account pays, and that of the whole what one client does. */
static void each_client_is_charged_and_the_whole_once(void **state) {
  (void)state;
  check_federation f = edge_new("charged", "4");
  sotto_result result = check_run(&f.options, &f.data);
  assert_int_equal(check_charges_in(&f.options), 5);
  CHECK_NEAR(result.epsilon, 4, 1e-6);
  sotto_ledger *ledger = check_ledger_at(f.options.ledger);
  CHECK_NEAR(check_spent_on(ledger, f.data.account, "edge").epsilon, 4, 1e-6);
  sotto_ledger_close(ledger);
  sotto_result_free(&result);
  sotto_dataset_free(&f.data);
}

enum { other_nodes = 60, other_classes = 3 };

/* Another graph with the columns of the federation, without labels. */
static sotto_dataset other_graph(void) {
  const sotto_sbm_options sbm = {.nodes = other_nodes,
                                 .classes = other_classes,
                                 .features = 5,
                                 .degree_inside = 5,
                                 .degree_outside = 1,
                                 .feature_signal = 2};
  sotto_dataset out = check_communities(&sbm);
  out.labels = NULL;
  return out;
}

static sotto_status ask_about(float *out, const sotto_options *o, const sotto_dataset *data, double epsilon,
                              uint64_t again, sotto_error *err) {
  const sotto_model_options asked = {
      .seed = SOTTO_UNSET, .epsilon = epsilon, .again = again, .ledger = o->ledger};
  sotto_model *model = NULL;
  uint32_t nodes[other_nodes];
  for (uint32_t v = 0; v < other_nodes; v++) nodes[v] = v;
  sotto_status status = sotto_model_open(&model, o->out, data, &asked, err);
  if (status == SOTTO_OK)
    status = sotto_model_predict(model, out, (size_t)other_nodes * other_classes, nodes, other_nodes, err);
  sotto_model_free(model);
  return status;
}

static void check_degrees(const sotto_options *o, const sotto_dataset *data) {
  sotto_dataset counts;
  CHECK_OK(sotto_dataset_open(&counts, check_in(o, "predictions/1/seed-1/counts-1.sotto"), NULL, &err));
  assert_int_equal(counts.features.rows, other_nodes);
  assert_int_equal(counts.features.cols, other_classes);
  for (uint32_t v = 0; v < other_nodes; v++) {
    double sum = 0;
    for (size_t j = 0; j < other_classes; j++) sum += counts.features.data[v * other_classes + j];
    CHECK_NEAR(sum, (double)sotto_graph_degree(&data->graph, v), 0);
  }
  sotto_dataset_free(&counts);
}

/* With next to no noise the release has each node's neighbours, and its charge is one more. Without epsilon,
 * and where the budget ends, nothing is made. */
static void other_data_is_counted_in_one_charged_release(void **state) {
  (void)state;
  static const char *const partitions[] = {"alike", "linked:alike"};
  static const char *const folders[] = {"asked", "asked-linked"};
  for (int i = 0; i < 2; i++) {
    check_federation f = edge_new(folders[i], "4");
    sotto_dataset other = other_graph();
    static float answers[3][other_nodes * other_classes];
    sotto_error err = {0};
    check_set(&f.options, "partition", partitions[i]);
    sotto_result result = check_run(&f.options, &f.data);
    const uint64_t before = check_charges_in(&f.options);
    assert_int_equal(ask_about(answers[0], &f.options, &other, 0, 0, &err), SOTTO_INVALID);
    assert_non_null(strstr(err.text, "another release"));
    assert_int_equal(check_charges_in(&f.options), before);
    if (ask_about(answers[0], &f.options, &other, 1000, 0, &err) != SOTTO_OK) fail_msg("%s", err.text);
    assert_int_equal(check_charges_in(&f.options), before + 1);
    check_degrees(&f.options, &other);
    assert_int_equal(ask_about(answers[1], &f.options, &other, 0, 1, &err), SOTTO_OK);
    assert_int_equal(check_charges_in(&f.options), before + 1);
    assert_memory_equal(answers[0], answers[1], sizeof answers[0]);
    const sotto_graph whole = other.graph;
    assert_int_equal(sotto_graph_from_pairs(&other.graph, other_nodes, NULL, NULL, 0, &err), SOTTO_OK);
    assert_int_equal(ask_about(answers[2], &f.options, &other, 1000, 0, &err), SOTTO_OK);
    assert_true(memcmp(answers[0], answers[2], sizeof answers[0]) != 0); /* edges are read */
    sotto_graph_free(&other.graph);
    other.graph = whole;
    sotto_ledger *ledger = check_ledger_at(f.options.ledger);
    const sotto_budget little = {.epsilon = 2500, .delta = 1e-6};
    assert_int_equal(sotto_ledger_set_budget(ledger, f.data.account, f.data.name, "edge", &little, "", &err),
                     SOTTO_OK);
    sotto_ledger_close(ledger);
    const uint64_t rows = check_charges_in(&f.options);
    assert_int_equal(ask_about(answers[2], &f.options, &other, 1000, 0, &err), SOTTO_REFUSED);
    assert_int_equal(check_charges_in(&f.options), rows);
    assert_int_not_equal(access(check_in(&f.options, "predictions/3"), F_OK), 0);
    assert_int_equal(remove(check_in(&f.options, "seed-1/clusters.safetensors")), 0);
    assert_int_equal(ask_about(answers[2], &f.options, &other, 0, 1, &err), SOTTO_NOT_FOUND);
    sotto_result_free(&result);
    sotto_dataset_free(&other);
    sotto_dataset_free(&f.data);
  }
}

static void what_has_no_counts_is_refused(void **state) {
  (void)state;
  sotto_result result;
  check_federation gin = edge_new("gin", "4"), bare = edge_new("bare", "4"), whole = edge_new("whole", "4");
  check_set(&gin.options, "aggregator", "gin");
  CHECK_FAILS(SOTTO_INVALID, "gin reads neighbours",
              sotto_train(&result, &gin.options, &gin.data, NULL, NULL, &err));
  bare.data.features.cols = 0;
  CHECK_FAILS(SOTTO_UNSUPPORTED, "needs features",
              sotto_train(&result, &bare.options, &bare.data, NULL, NULL, &err));
  sotto_dataset graphs;
  sotto_key key;
  sotto_key_public(&key, 2);
  CHECK_OK(sotto_split_ego(&graphs, &whole.data, 1, 24, &key, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "nodes that are classified",
              sotto_train(&result, &whole.options, &graphs, NULL, NULL, &err));
  sotto_dataset_free(&graphs);
  sotto_dataset_free(&gin.data);
  sotto_dataset_free(&bare.data);
  sotto_dataset_free(&whole.data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_the_counts_depend_on_edges),
      cmocka_unit_test(counts_are_of_the_neighbours_at_the_same_client),
      cmocka_unit_test(each_client_is_charged_and_the_whole_once),
      cmocka_unit_test(other_data_is_counted_in_one_charged_release),
      cmocka_unit_test(what_has_no_counts_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
