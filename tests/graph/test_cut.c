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

/* All graphs of 5 nodes as sets of their 10 pairs. */
enum { nodes = 5, pairs = nodes * (nodes - 1) / 2 };
static unsigned pair_of(uint32_t u, uint32_t v) {
  return u < v ? u * (2 * nodes - u - 1) / 2 + v - u - 1 : pair_of(v, u);
}

static unsigned cut_of(unsigned set, uint64_t most) {
  uint32_t sources[pairs], targets[pairs];
  size_t count = 0;
  unsigned out = 0;
  sotto_graph graph;
  for (uint32_t u = 0; u < nodes; u++)
    for (uint32_t v = u + 1; v < nodes; v++)
      if ((set >> pair_of(u, v) & 1U) != 0) sources[count] = u, targets[count++] = v;
  CHECK_OK(sotto_graph_from_pairs(&graph, nodes, sources, targets, count, &err));
  sotto_graph less = cut(&graph, most, 7);
  for (uint32_t u = 0; u < nodes; u++)
    for (uint32_t v = u + 1; v < nodes; v++)
      if (check_has_edge(&less, u, v)) out |= 1U << pair_of(u, v);
  sotto_graph_free(&graph);
  sotto_graph_free(&less);
  return out;
}

/* One edge more changes up to `edges` edges of the cut graph, and up to `far` that touch neither of its ends.
 * So no epsilon of a cut graph holds for the graph itself: statements say NOT protected, and ledgers record
 * it. */
static void cutting_moves_more_than_the_edge_that_differs(void **state) {
  static const struct {
    uint64_t most;
    int edges, far;
  } wanted[] = {{1, 4, 2}, {2, 8, 3}, {3, 6, 3}, {4, 1, 0}};
  (void)state;
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    unsigned cuts[1U << pairs];
    int edges = 0, far = 0;
    for (unsigned set = 0; set < 1U << pairs; set++) cuts[set] = cut_of(set, wanted[k].most);
    for (unsigned set = 0; set < 1U << pairs; set++)
      for (uint32_t u = 0; u < nodes; u++)
        for (uint32_t v = u + 1; v < nodes; v++) {
          unsigned touched = 0;
          const unsigned changed = cuts[set] ^ cuts[set ^ 1U << pair_of(u, v)];
          for (uint32_t w = 0; w < nodes; w++) {
            if (w != u) touched |= 1U << pair_of(u, w);
            if (w != v) touched |= 1U << pair_of(v, w);
          }
          const int all = __builtin_popcount(changed), others = __builtin_popcount(changed & ~touched);
          edges = all > edges ? all : edges;
          far = others > far ? others : far;
        }
    if (edges != wanted[k].edges || far != wanted[k].far)
      fail_msg("at most %d neighbours: %d edges change, %d of them far", (int)wanted[k].most, edges, far);
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
      cmocka_unit_test(cutting_moves_more_than_the_edge_that_differs),
      cmocka_unit_test(wrong_requests_and_failing_memory_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
