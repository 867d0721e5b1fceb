/* A bound on degrees: checked, and met by dropping edges. */
#include "check.h"
#include "inside/graph.h"
#include "small_graph.h"

static sotto_graph cut(const sotto_graph *graph, uint64_t most, uint64_t seed) {
  sotto_graph out;
  sotto_key key;
  sotto_key_public(&key, seed);
  CHECK_OK(sotto_graph_cut_degrees(&out, graph, most, &key, &err));
  CHECK_OK(sotto_graph_check(&out, &err));
  return out;
}

static void the_first_node_above_the_bound_is_named(void **state) {
  (void)state;
  const uint32_t sources[] = {0, 3, 3, 3}, targets[] = {1, 0, 1, 2};
  sotto_graph graph;
  CHECK_OK(sotto_graph_from_pairs(&graph, 5, sources, targets, 4, &err));
  CHECK_OK(sotto_graph_check_degrees(&graph, 3, &err));
  CHECK_FAILS(SOTTO_RANGE, "node 3 has 3 neighbours, above the declared bound 2",
              sotto_graph_check_degrees(&graph, 2, &err));
  sotto_graph_free(&graph);
}

static void a_cut_graph_keeps_edges_while_both_ends_have_room(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 40; round++) {
    uint64_t most = 1 + sotto_i_random_below(&random, 8);
    sotto_graph graph = check_random_graph(&random, 50, 200), less = cut(&graph, most, 7);
    CHECK_OK(sotto_graph_check_degrees(&less, most, &err));
    for (uint32_t u = 0; u < 50; u++)
      for (uint32_t v = 0; v < 50; v++) {
        bool had = u != v && check_has_edge(&graph, u, v), has = u != v && check_has_edge(&less, u, v);
        assert_true(had || !has);
        if (had && !has)
          assert_true(sotto_graph_degree(&less, u) == most || sotto_graph_degree(&less, v) == most);
      }
    sotto_graph again = cut(&graph, most, 7), whole = cut(&graph, 50, 7);
    assert_int_equal(again.entries, less.entries);
    assert_memory_equal(again.targets, less.targets, less.entries * sizeof *less.targets);
    assert_int_equal(whole.entries, graph.entries);
    sotto_graph_free(&graph);
    sotto_graph_free(&less);
    sotto_graph_free(&again);
    sotto_graph_free(&whole);
  }
}

static void wrong_requests_and_failing_memory_leave_nothing(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 20, 60), out;
  sotto_key none = {{0}, SOTTO_KEY_NONE}, key;
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_RANGE, "leaves no edge", sotto_graph_cut_degrees(&out, &graph, 0, &key, &err));
  CHECK_FAILS(SOTTO_INVALID, "empty", sotto_graph_cut_degrees(&out, &graph, 2, &none, &err));
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_graph_cut_degrees(&out, &graph, 2, &key, NULL);
    assert_true(nth < 50);
  }
  (void)sotto_i_memory_fail_at(0);
  assert_int_equal(status, SOTTO_OK);
  sotto_graph_free(&out);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_node_above_the_bound_is_named),
      cmocka_unit_test(a_cut_graph_keeps_edges_while_both_ends_have_room),
      cmocka_unit_test(wrong_requests_and_failing_memory_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
