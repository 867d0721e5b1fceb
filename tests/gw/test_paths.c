/* Distances within a graph: shortest paths. */
#include <math.h>

#include "check.h"
#include "small_graph.h"
#include "sotto/gw.h"

static void graphs_of_any_shape_have_paths(void **state) {
  (void)state;
  const uint32_t from[] = {0, 1, 3}, to[] = {1, 2, 4};
  double d[25];
  sotto_graph graph = {0}, empty = {0};
  CHECK_OK(sotto_graph_from_pairs(&graph, 5, from, to, 3, &err));
  CHECK_OK(sotto_gw_paths(d, &graph, &err));
  const double expected[25] = {0, 1, 2, 3, 3, 1, 0, 1, 3, 3, 2, 1, 0, 3, 3, 3, 3, 3, 0, 1, 3, 3, 3, 1, 0};
  for (size_t k = 0; k < 25; k++) assert_true(d[k] == expected[k]);
  CHECK_FAILS(SOTTO_RANGE, "0 nodes", sotto_gw_paths(d, &empty, &err));
  sotto_graph_free(&graph);
  CHECK_OK(sotto_graph_from_pairs(&graph, 2, from, to, 0, &err));
  CHECK_OK(sotto_gw_paths(d, &graph, &err));
  assert_true(d[0] == 0 && d[1] == 1 && d[2] == 1 && d[3] == 0);
  sotto_graph_free(&graph);
}

static void random_graphs_have_the_paths_of_floyd_and_warshall(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 30; round++) {
    enum { nodes = 20 };
    sotto_graph graph = check_random_graph(&random, nodes, 5 + (uint32_t)sotto_i_random_below(&random, 40));
    double slow[nodes][nodes], fast[nodes * nodes], largest = 0;
    for (uint32_t u = 0; u < nodes; u++)
      for (uint32_t v = 0; v < nodes; v++)
        slow[u][v] = u == v ? 0 : check_has_edge(&graph, u, v) ? 1 : INFINITY;
    for (int k = 0; k < nodes; k++)
      for (int u = 0; u < nodes; u++)
        for (int v = 0; v < nodes; v++) slow[u][v] = fmin(slow[u][v], slow[u][k] + slow[k][v]);
    for (int k = 0; k < nodes * nodes; k++)
      if (isfinite(slow[k / nodes][k % nodes])) largest = fmax(largest, slow[k / nodes][k % nodes]);
    CHECK_OK(sotto_gw_paths(fast, &graph, &err));
    for (int k = 0; k < nodes * nodes; k++)
      assert_true(fast[k] == fmin(slow[k / nodes][k % nodes], largest + 1));
    sotto_graph_free(&graph);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(graphs_of_any_shape_have_paths),
      cmocka_unit_test(random_graphs_have_the_paths_of_floyd_and_warshall),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
