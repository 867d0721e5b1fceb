/* Defaults of a method's own, and what one method asks of its options. */
#include "check.h"
#include "made_run.h"
#include "protocols/options.h"
#include "run/method/method.h"
#include "run/settings/options.h"

static sotto_options of(const char *method) {
  sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(sotto_options_set(&o, "method", method, &err));
  CHECK_OK(sotto_options_set(&o, "data", "d", &err));
  return o;
}

static void a_method_has_defaults_of_its_own(void **state) {
  (void)state;
  sotto_options o = of("caribou");
  assert_int_equal(o.aggregator, SOTTO_LAYER_GIN);
  sotto_options_resolve(&o);
  assert_int_equal(o.aggregator, SOTTO_LAYER_GCN);
  assert_int_equal(o.degree_floor, 100);
  assert_int_equal(o.hidden, 64);
  CHECK_OK(sotto_options_check(&o, &err));
}

static void a_floor_is_no_default_without_privacy(void **state) {
  (void)state;
  sotto_options o = of("caribou");
  CHECK_OK(sotto_options_set(&o, "adjacency", "none", &err));
  sotto_options_resolve(&o);
  assert_int_equal(o.degree_floor, 0);
  assert_int_equal(o.hidden, 128);
  o = of("caribou");
  CHECK_OK(sotto_options_set(&o, "epsilon", "inf", &err));
  CHECK_OK(sotto_options_set(&o, "degree-floor", "3", &err));
  sotto_options_resolve(&o);
  assert_int_equal(o.degree_floor, 3);
}

static void one_sum_is_the_default_of_gap_with_noise(void **state) {
  (void)state;
  sotto_options o = of("gap");
  sotto_options_resolve(&o);
  assert_int_equal(o.layers, 1);
  o = of("gap");
  CHECK_OK(sotto_options_set(&o, "adjacency", "none", &err));
  sotto_options_resolve(&o);
  assert_int_equal(o.layers, 2);
  o = of("gap");
  CHECK_OK(sotto_options_set(&o, "layers", "3", &err));
  sotto_options_resolve(&o);
  assert_int_equal(o.layers, 3);
}

/* The rule reads epsilon and the number of rounds, never the graph. */
static void best_spends_by_epsilon(void **state) {
  (void)state;
  static const struct {
    const char *adjacency, *epsilon, *asked;
    uint64_t layers;
    double share;
  } rows[] = {{"edge", "1", "", 1, 0.7},  {"edge", "2", "", 1, 0.7},  {"edge", "4", "", 1, 0.9},
              {"edge", "4", "2", 2, 0.7}, {"edge", "11", "", 1, 0.9}, {"edge", "12", "", 2, 0.9},
              {"edge", "inf", "", 2, 1},  {"none", "1", "", 2, 1},    {"edge", "16", "1", 1, 0.9}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o = of("best");
    CHECK_OK(sotto_options_set(&o, "adjacency", rows[i].adjacency, &err));
    CHECK_OK(sotto_options_set(&o, "epsilon", rows[i].epsilon, &err));
    if (rows[i].asked[0] != '\0') CHECK_OK(sotto_options_set(&o, "layers", rows[i].asked, &err));
    sotto_options_resolve(&o);
    assert_int_equal(o.layers, rows[i].layers);
    assert_true(sotto_i_read_share(&o) == rows[i].share);
  }
}

static void what_was_given_by_hand_stays(void **state) {
  (void)state;
  sotto_options o = of("gnn");
  CHECK_OK(sotto_options_set(&o, "aggregator", "gcn", &err));
  CHECK_OK(sotto_options_set(&o, "epochs", "7", &err));
  sotto_options_resolve(&o);
  assert_int_equal(o.epochs, 7);
  assert_true(o.weight_decay == 5e-4);
}

static void resolving_twice_changes_nothing(void **state) {
  (void)state;
  sotto_options o = of("caribou");
  sotto_options_resolve(&o);
  const sotto_options once = o;
  sotto_options_resolve(&o);
  assert_memory_equal(&o, &once, sizeof o);
}

static void refuse(const char *method, const char *key, const char *value, sotto_status status,
                   const char *words) {
  sotto_options o = of(method);
  CHECK_OK(sotto_options_set(&o, key, value, &err));
  sotto_options_resolve(&o);
  CHECK_FAILS(status, words, sotto_options_check(&o, &err));
}

static void wrong_parameters_are_refused_by_name(void **state) {
  (void)state;
  refuse("caribou", "contraction", "1", SOTTO_RANGE, "contraction: must be below 1");
  refuse("caribou", "aggregator", "gin", SOTTO_UNSUPPORTED,
         "aggregator: method caribou does not have 'gin', but: gcn");
  refuse("caribou", "release-activation", "relu", SOTTO_INVALID, "release-activation");
  refuse("caribou", "epsilon", "0", SOTTO_RANGE, "epsilon");
  refuse("gap", "epsilon", "0", SOTTO_RANGE, "epsilon");
  refuse("gap", "delta", "1", SOTTO_RANGE, "delta");
  sotto_options o = of("caribou");
  CHECK_FAILS(SOTTO_RANGE, "layers", sotto_options_set(&o, "layers", "0", &err));
  CHECK_FAILS(SOTTO_RANGE, "contraction", sotto_options_set(&o, "contraction", "1.5", &err));
}

static void at_node_level_the_floor_is_the_declared_bound(void **state) {
  (void)state;
  sotto_options o = of("caribou");
  CHECK_OK(sotto_options_set(&o, "adjacency", "node", &err));
  CHECK_OK(sotto_options_set(&o, "max-degree", "31", &err));
  sotto_options_resolve(&o);
  assert_int_equal(o.degree_floor, 31);
  CHECK_OK(sotto_options_check(&o, &err));
}

/* The key's number in the list of all options. */
static size_t number_of(const char *key) {
  size_t number;
  assert_non_null(sotto_i_option_known(key, &number));
  return number;
}

/* As the list of options was before methods had tables: what a run file of these runs said. */
static void defaults_are_those_of_the_method_and_its_level(void **state) {
  (void)state;
  static const struct {
    const char *method, *asked[8], *wanted[20];
  } rows[] = {
      {"vesper",
       {NULL},
       {"adjacency", "edge", "publication", "counts", "layers", "1", "epochs", "150", "dropout", "0.3",
        "read-share", "0.9", NULL}},
      {"vesper",
       {"publication", "layers", NULL},
       {"adjacency", "edge", "layers", "2", "epochs", "100", "weight-decay", "0", NULL}},
      {"vesper", {"epsilon", "inf", NULL}, {"publication", "layers", "layers", "2", "epochs", "100", NULL}},
      {"vesper",
       {"publication", "layers", "releases", "2", NULL},
       {"release-scale", "raw", "layers", "2", NULL}},
      {"vesper",
       {"accounting", "paper", NULL},
       {"epochs", "5", "activation", "relu", "layers", "2", "fan-out", "20", "batch-size", "256", NULL}},
      {"vesper",
       {"adjacency", "node", "max-degree", "9", NULL},
       {"layers", "1", "encoder-share", "0.5", "degree-floor", "9", "weight-decay", "0", NULL}},
      {"mlp", {NULL}, {"adjacency", "edge", "encoder-epochs", "100", NULL}},
      {"mlp",
       {"adjacency", "node", NULL},
       {"epochs", "100", "weight-decay", "0", "batch-rate", "0.25", "clip", "1", "steps", "0", NULL}},
      {"best", {NULL}, {"epochs", "150", "layers", "1", "read-share", "0.9", "epsilon", "4", NULL}},
      {"gap", {NULL}, {"layers", "1", "aggregator", "gin", "degree-floor", "10", "combine", "cat", NULL}},
      {"gap", {"adjacency", "none", NULL}, {"layers", "2", NULL}},
      {"gap",
       {"adjacency", "node", "max-degree", "9", NULL},
       {"layers", "1", "degree-floor", "9", "encoder-share", "0.2", "release-share", "0.2", NULL}},
      {"caribou",
       {NULL},
       {"aggregator", "gcn", "feature-scale", "none", "epochs", "200", "degree-floor", "100", "layers", "1",
        "hidden", "64", NULL}},
      {"caribou", {"adjacency", "none", NULL}, {"degree-floor", "0", "hidden", "128", "layers", "2", NULL}},
      {"caribou", {"accounting", "paper", NULL}, {"degree-floor", "0", "layers", "1", "hidden", "64", NULL}},
      {"caribou", {"adjacency", "node", "max-degree", "9", NULL}, {"degree-floor", "9", "layers", "2", NULL}},
      {"dpdgc", {NULL}, {"epochs", "100", "encoder-epochs", "100", "hidden", "64", NULL}},
      {"lpgnet", {NULL}, {"layers", "2", "epochs", "100", NULL}},
      {"pertgraph", {NULL}, {"epochs", "200", "weight-decay", "0.0005", "publication", "asymmetric", NULL}},
      {"pertgraph",
       {"adjacency", "node", "max-degree", "9", NULL},
       {"epochs", "20", "batch-rate", "0.02", "fan-out", "1", "weight-decay", "0", NULL}},
      {"sage", {NULL}, {"adjacency", "none", "epochs", "200", "weight-decay", "0.0005", NULL}},
      {"gnn", {NULL}, {"adjacency", "none", "aggregator", "gin", "epochs", "100", "weight-decay", "0", NULL}},
      {"gnn", {"aggregator", "mean", NULL}, {"epochs", "200", "weight-decay", "0.0005", NULL}},
      {"vfgnn",
       {NULL},
       {"publication", "counts", "layers", "1", "epochs", "150", "encoder-epochs", "100", "read-share", "0.7",
        "learning-rate", "0.01", "patience", "50", NULL}},
      {"vfgnn", {"epsilon", "8", NULL}, {"publication", "counts", "layers", "2", "read-share", "0.7", NULL}},
      {"vfgnn", {"epsilon", "20", NULL}, {"layers", "2", "read-share", "0.9", NULL}},
      {"vfgnn", {"adjacency", "none", NULL}, {"publication", "rows", "layers", "4", NULL}},
      {"vfgnn", {"accounting", "paper", NULL}, {"layers", "1", "epochs", "200", NULL}},
      {"vfgnn",
       {"publication", "rows", NULL},
       {"aggregator", "mean", "activation", "tanh", "epochs", "200", "weight-decay", "0.005", "learning-rate",
        "0.003", "layers", "1", "patience", "50", NULL}},
      {"vfgnn", {"epsilon", "inf", NULL}, {"layers", "4", "hop-rate", "0.0003", NULL}},
      {"securegnn",
       {NULL},
       {"adjacency", "none", "aggregator", "mean", "weight-decay", "0.005", "hop-rate", "0.1", "patience",
        "0", NULL}},
      {"fedavg",
       {NULL},
       {"adjacency", "none", "aggregator", "gcn", "hidden", "64", "weight-decay", "0", "rounds", "200",
        "optimiser", "server-adam", "learning-rate", "0.03", NULL}},
      {"fedavg",
       {"optimiser", "adam", NULL},
       {"hidden", "16", "weight-decay", "0.0005", "learning-rate", "0.01", NULL}},
      {"fedavg", {"aggregator", "gin", NULL}, {"layers", "2", "hidden", "64", "weight-decay", "0", NULL}},
      {"fedavg", {"aggregator", "gin", "optimiser", "sgd", NULL}, {"layers", "5", NULL}},
      {"fedsage", {NULL}, {"optimiser", "server-adam", "batch-size", "0", "rounds", "200", NULL}},
      {"fedsage",
       {"adjacency", "edge", NULL},
       {"partition", "alike", "encoder-epochs", "100", "rounds", "200", "epsilon", "4", NULL}},
      {"feddep",
       {"optimiser", "adam", NULL},
       {"batch-size", "64", "rounds", "50", "learning-rate", "0.03", NULL}},
      {"gwldp",
       {NULL},
       {"adjacency", "graph", "publication", "code", "epsilon", "4", "anchors", "shape", NULL}},
      {"gwldp", {"adjacency", "none", NULL}, {"publication", "code", "epsilon", "inf", NULL}},
      {"gwldp",
       {"publication", "multibit", NULL},
       {"adjacency", "graph", "epsilon", "0", "aggregator", "gcn", "hidden", "16", NULL}},
      {"feddep",
       {NULL},
       {"aggregator", "mean", "partition", "communities", "fan-out", "5", "batch-size", "0", "rounds", "200",
        "learning-rate", "0.03", "cross-fit", "1", "generator-weights", "1:10:0.001", "generator-epochs",
        "100", NULL}},
      {"feddep", {"embed-epochs", "3", NULL}, {"cross-fit", "2", NULL}},
      {"feddep", {"prototypes", "classes", NULL}, {"cross-fit", "2", NULL}},
      {"fedsage+",
       {NULL},
       {"generator-epochs", "20", "generator-weights", "1:1:0.001", "partition", "communities", NULL}},
      {"locsage",
       {NULL},
       {"rounds", "50", "learning-rate", "0.03", "fan-out", "5", "batch-size", "64", NULL}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o;
    sotto_options_default(&o);
    check_set(&o, "method", rows[i].method);
    for (size_t j = 0; rows[i].asked[j] != NULL; j += 2)
      check_set(&o, rows[i].asked[j], rows[i].asked[j + 1]);
    sotto_options_resolve(&o);
    for (size_t j = 0; rows[i].wanted[j] != NULL && rows[i].wanted[j + 1] != NULL; j += 2) {
      sotto_i_option row;
      char value[64];
      assert_true(sotto_i_option_has(&row, &o, rows[i].wanted[j]));
      sotto_option_text(&o, number_of(rows[i].wanted[j]), value, sizeof value);
      if (strcmp(value, rows[i].wanted[j + 1]) != 0)
        fail_msg("%s, row %zu: %s is %s, not %s", rows[i].method, i, rows[i].wanted[j], value,
                 rows[i].wanted[j + 1]);
    }
  }
}

static void delta_follows_from_the_number_of_nodes(void **state) {
  (void)state;
  static const struct {
    const char *method, *adjacency;
    uint64_t nodes;
    double delta;
  } rows[] = {{"gap", "edge", 50, 1e-6},
              {"gap", "edge", 100000, 1e-6},
              {"gap", "edge", 100001, 1e-7},
              {"gap", "edge", 20000000, 1e-9},
              {"vesper", "node", 1000, 1e-6},
              {"vesper", "node", 1000000, 1e-7},
              {"mlp", "node", 20000000, 1e-9},
              {"fedavg", "node", 20000000, 1e-9},
              {"fedavg", "client", 20000000, 1e-6},
              {"fedavg", "graph", 20000000, 1e-6}}; /* sizes are private */
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o;
    sotto_options_default(&o);
    check_set(&o, "method", rows[i].method);
    check_set(&o, "adjacency", rows[i].adjacency);
    sotto_options_resolve(&o);
    sotto_options_settle(&o, rows[i].nodes);
    if (o.delta != rows[i].delta) fail_msg("row %zu: delta %.17g, not %g", i, o.delta, rows[i].delta);
    assert_false(sotto_i_option_given(&o, "delta"));
    const sotto_options once = o;
    sotto_options_settle(&o, rows[i].nodes);
    assert_memory_equal(&o, &once, sizeof o);
    check_set(&o, "delta", "0.01");
    sotto_options_settle(&o, rows[i].nodes);
    assert_true(o.delta == 0.01);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_method_has_defaults_of_its_own),
      cmocka_unit_test(a_floor_is_no_default_without_privacy),
      cmocka_unit_test(one_sum_is_the_default_of_gap_with_noise),
      cmocka_unit_test(best_spends_by_epsilon),
      cmocka_unit_test(what_was_given_by_hand_stays),
      cmocka_unit_test(resolving_twice_changes_nothing),
      cmocka_unit_test(wrong_parameters_are_refused_by_name),
      cmocka_unit_test(at_node_level_the_floor_is_the_declared_bound),
      cmocka_unit_test(defaults_are_those_of_the_method_and_its_level),
      cmocka_unit_test(delta_follows_from_the_number_of_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
