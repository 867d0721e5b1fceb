/* Defaults of a method's own, and what one method asks of its options. */
#include "check.h"
#include "sotto/methods.h"

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
  assert_string_equal(o.aggregator, "gin");
  sotto_options_resolve(&o);
  assert_string_equal(o.aggregator, "gcn");
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
  } rows[] = {{"edge", "1", "", 1, 0.33},  {"edge", "2", "", 1, 0.33}, {"edge", "4", "", 1, 1},
              {"edge", "4", "2", 2, 0.33}, {"edge", "11", "", 1, 1},   {"edge", "12", "", 2, 1},
              {"edge", "inf", "", 2, 1},   {"none", "1", "", 2, 1},    {"edge", "16", "1", 1, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o = of("best");
    CHECK_OK(sotto_options_set(&o, "adjacency", rows[i].adjacency, &err));
    CHECK_OK(sotto_options_set(&o, "epsilon", rows[i].epsilon, &err));
    if (rows[i].asked[0] != '\0') CHECK_OK(sotto_options_set(&o, "layers", rows[i].asked, &err));
    sotto_options_resolve(&o);
    assert_int_equal(o.layers, rows[i].layers);
    assert_true(o.fit_share == rows[i].share);
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

static void node_level_is_refused_and_never_taken_for_edge_level(void **state) {
  static const char *const methods[] = {"best", "gnn"}, *const bounded[] = {"vesper", "gap", "caribou",
                                                                            "dpdgc"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    refuse(methods[i], "adjacency", "node", SOTTO_UNSUPPORTED, methods[i]);
  for (size_t i = 0; i < sizeof bounded / sizeof *bounded; i++)
    refuse(bounded[i], "adjacency", "node", SOTTO_INVALID, "max-degree: node level of");
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
      cmocka_unit_test(node_level_is_refused_and_never_taken_for_edge_level),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
