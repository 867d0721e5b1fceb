/* Perturbed adjacency: laws of edges and non-edges, densities, refusals. */
#include <math.h>

#include "check.h"
#include "graph/csr.h"
#include "inside/dp.h"
#include "inside/graph.h"
#include "inside/pmp.h"
#include "pmp/pairs.h"
#include "small_graph.h"

static sotto_key insecure(sotto_i_random *random) {
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(random));
  return key;
}

static double add_of(const sotto_edge_response *r) {
  return -expm1(-ldexp((double)r->add, -40));
}

static void walking_by_jumps_of_zero_visits_every_pair_once(void **state) {
  (void)state;
  sotto_i_pair_walk walk = {.nodes = 7};
  uint64_t seen = 0;
  while (sotto_i_pair_next(&walk, 0)) {
    assert_true(walk.u < walk.v && walk.v < 7);
    seen++;
  }
  assert_int_equal(seen, 21);
  sotto_i_pair_walk far = {.nodes = 7}, none = {.nodes = 1};
  assert_true(sotto_i_pair_next(&far, 20) && far.u == 5 && far.v == 6);
  assert_false(sotto_i_pair_next(&far, 0));
  assert_false(sotto_i_pair_next(&none, 0));
}

static void an_edge_response_never_costs_more_than_asked(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 5000; round++) {
    double epsilon = exp(sotto_i_random_double(&random) * 10.5 - 6.9); /* up to 36 */
    uint64_t nodes = 2 + sotto_i_random_below(&random, 1000000);
    uint64_t edges = 1 + sotto_i_random_below(&random, nodes * (nodes - 1) / 2);
    sotto_edge_response r;
    if (round % 2 == 0)
      CHECK_OK(sotto_edge_response_symmetric(&r, epsilon, &err));
    else
      CHECK_OK(sotto_edge_response_asymmetric(&r, nodes, edges, epsilon, &err));
    double a = ldexp((double)r.keep, -64), b = add_of(&r);
    assert_true(log(a / b) <= epsilon + 1e-15 && log((1 - b) / (1 - a)) <= epsilon + 1e-15);
    assert_true(log(a / b) >= -epsilon && log((1 - b) / (1 - a)) >= -epsilon);
    assert_true(r.epsilon <= epsilon);
    sotto_mechanism mechanism = sotto_edge_response_mechanism(&r);
    CHECK_OK(sotto_mechanism_check(&mechanism, &err));
  }
}

static void edges_and_other_pairs_answer_with_their_chances(void **state) {
  (void)state;
  enum { nodes = 400 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 4000), told;
  sotto_key key = insecure(&random);
  sotto_edge_response r;
  double m = (double)graph.entries / 2, pairs = nodes * (nodes - 1) / 2.0, stayed = 0, came = 0;
  CHECK_OK(sotto_edge_response_asymmetric(&r, nodes, (uint64_t)m, 3, &err));
  CHECK_OK(sotto_edge_response_apply(&told, &graph, &r, &key, 0, &err));
  CHECK_OK(sotto_graph_check(&told, &err));
  for (uint64_t u = 0; u < nodes; u++)
    for (uint64_t e = told.offsets[u]; e < told.offsets[u + 1]; e++)
      *(sotto_i_graph_has(&graph, u, told.targets[e]) ? &stayed : &came) += 0.5;
  double a = ldexp((double)r.keep, -64), b = add_of(&r);
  assert_true(fabs(stayed - m * a) < 5 * sqrt(m * a * (1 - a)));
  assert_true(fabs(came - (pairs - m) * b) < 5 * sqrt(pairs * b));
  CHECK_NEAR((m * a + (pairs - m) * b) / m, 1, 1e-3); /* density is kept */
  sotto_graph_free(&told);
  sotto_graph_free(&graph);
}

static void added_edges_fall_on_all_pairs_alike(void **state) {
  (void)state;
  enum { nodes = 12, rounds = 4000 };
  sotto_i_random random = check_random();
  sotto_key key = insecure(&random);
  sotto_graph empty, told;
  CHECK_OK(sotto_graph_from_pairs(&empty, nodes, NULL, NULL, 0, &err));
  sotto_edge_response r;
  CHECK_OK(sotto_edge_response_symmetric(&r, 2, &err));
  double seen[nodes][nodes] = {{0}}, b = add_of(&r);
  for (uint32_t round = 0; round < rounds; round++) {
    CHECK_OK(sotto_edge_response_apply(&told, &empty, &r, &key, round, &err));
    for (uint64_t u = 0; u < nodes; u++)
      for (uint64_t e = told.offsets[u]; e < told.offsets[u + 1]; e++) seen[u][told.targets[e]]++;
    sotto_graph_free(&told);
  }
  for (int u = 0; u < nodes; u++)
    for (int v = 0; v < nodes; v++)
      if (u != v) assert_true(fabs(seen[u][v] - rounds * b) < 5.5 * sqrt(rounds * b * (1 - b)));
  sotto_graph_free(&empty);
}

/* A large sparse graph: the cost goes with the output, or this test would not end. */
static void a_million_nodes_are_perturbed_sparsely(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 1000000, 20000), told;
  sotto_key key = insecure(&random);
  sotto_edge_response r;
  CHECK_OK(sotto_edge_response_asymmetric(&r, 1000000, 20000, 8, &err));
  CHECK_OK(sotto_edge_response_apply(&told, &graph, &r, &key, 0, &err));
  assert_true(fabs((double)told.entries / 2 - 20000) < 5 * sqrt(20000) + 10);
  sotto_graph_free(&told);
  CHECK_OK(sotto_lapgraph(&told, &graph, 20000, 8, &key, 1, &err));
  assert_int_equal(told.entries, 40000);
  sotto_graph_free(&told);
  sotto_graph_free(&graph);
}

/* The slow way: Laplace noise on all pairs in floating point, and the largest. */
static double slow_hits(sotto_i_random *random, const sotto_graph *graph, size_t edges, double epsilon) {
  enum { nodes = 60 };
  static double value[nodes * nodes];
  double hits = 0, low = -1e3, high = 1e3;
  for (int u = 0; u < nodes; u++)
    for (int v = u + 1; v < nodes; v++) {
      double noise = -log(1 - sotto_i_random_double(random)) / epsilon;
      if (sotto_i_random_below(random, 2) == 0) noise = -noise;
      value[u * nodes + v] = noise + (sotto_i_graph_has(graph, (uint64_t)u, (uint32_t)v) ? 1 : 0);
    }
  for (int step = 0; step < 60; step++) { /* the threshold that `edges` pass */
    double middle = (low + high) / 2;
    size_t above = 0;
    for (int u = 0; u < nodes; u++)
      for (int v = u + 1; v < nodes; v++) above += value[u * nodes + v] > middle;
    *(above > edges ? &low : &high) = middle;
  }
  for (int u = 0; u < nodes; u++)
    for (int v = u + 1; v < nodes; v++)
      hits += value[u * nodes + v] > high && sotto_i_graph_has(graph, (uint64_t)u, (uint32_t)v);
  return hits;
}

static void lapgraph_finds_as_many_true_edges_as_the_slow_way(void **state) {
  (void)state;
  enum { nodes = 60, edges = 150, rounds = 200 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 150), told;
  sotto_key key = insecure(&random);
  static const double epsilons[] = {0.5, 2, 5};
  for (size_t c = 0; c < 3; c++) {
    double fast = 0, slow = 0;
    for (uint32_t round = 0; round < rounds; round++) {
      CHECK_OK(sotto_lapgraph(&told, &graph, edges, epsilons[c], &key, (uint32_t)c << 16 | round, &err));
      assert_int_equal(told.entries, 2 * edges);
      for (uint64_t u = 0; u < nodes; u++)
        for (uint64_t e = told.offsets[u]; e < told.offsets[u + 1]; e++)
          fast += 0.5 * sotto_i_graph_has(&graph, u, told.targets[e]);
      sotto_graph_free(&told);
      slow += slow_hits(&random, &graph, edges, epsilons[c]);
    }
    /* Hits of one round deviate by less than sqrt(edges). */
    assert_true(fabs(fast - slow) < 5 * sqrt(2.0 * rounds * edges));
  }
  sotto_graph_free(&graph);
}

static void the_edge_count_is_noisy_and_stays_in_range(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 30, 40);
  sotto_key key = insecure(&random);
  double size = 0, truth = (double)graph.entries / 2;
  for (uint32_t round = 0; round < 2000; round++) {
    uint64_t edges;
    CHECK_OK(sotto_edge_count(&edges, &graph, 0.5, &key, round, &err));
    assert_true(edges >= 1 && edges <= 435);
    size += fabs((double)edges - truth);
  }
  double q = exp(-0.5);
  assert_true(fabs(size / 2000 - 2 * q / (1 - q * q)) < 5 * 2 / sqrt(2000)); /* E|X| of the discrete law */
  sotto_graph_free(&graph);
}

static void wrong_requests_are_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 20, 30), told;
  sotto_edge_response r;
  sotto_key key = insecure(&random), open;
  uint64_t edges;
  sotto_key_public(&open, 1);
  CHECK_FAILS(SOTTO_RANGE, "0.001", sotto_edge_response_symmetric(&r, 0, &err));
  CHECK_FAILS(SOTTO_RANGE, "40", sotto_edge_response_symmetric(&r, 40.5, &err));
  CHECK_FAILS(SOTTO_RANGE, "edges", sotto_edge_response_asymmetric(&r, 20, 191, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "quarter", sotto_lapgraph(&told, &graph, 48, 1, &key, 0, &err));
  CHECK_FAILS(SOTTO_RANGE, "0.001", sotto_lapgraph(&told, &graph, 40, NAN, &key, 0, &err));
  CHECK_OK(sotto_edge_response_symmetric(&r, 1, &err));
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_edge_response_apply(&told, &graph, &r, &open, 0, &err));
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_lapgraph(&told, &graph, 40, 1, &open, 0, &err));
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_edge_count(&edges, &graph, 1, &open, 0, &err));
  sotto_graph_free(&graph);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 20, 30), told;
  sotto_key key = insecure(&random);
  sotto_edge_response r;
  CHECK_OK(sotto_edge_response_symmetric(&r, 1, &err));
  for (int which = 0; which < 2; which++) {
    sotto_status status = SOTTO_NOMEM;
    for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
      (void)sotto_i_memory_fail_at(nth);
      status = which == 0 ? sotto_edge_response_apply(&told, &graph, &r, &key, 0, NULL)
                          : sotto_lapgraph(&told, &graph, 40, 1, &key, 0, NULL);
      assert_true(nth < 100);
    }
    (void)sotto_i_memory_fail_at(0);
    assert_int_equal(status, SOTTO_OK);
    sotto_graph_free(&told);
  }
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walking_by_jumps_of_zero_visits_every_pair_once),
      cmocka_unit_test(an_edge_response_never_costs_more_than_asked),
      cmocka_unit_test(edges_and_other_pairs_answer_with_their_chances),
      cmocka_unit_test(added_edges_fall_on_all_pairs_alike),
      cmocka_unit_test(a_million_nodes_are_perturbed_sparsely),
      cmocka_unit_test(lapgraph_finds_as_many_true_edges_as_the_slow_way),
      cmocka_unit_test(the_edge_count_is_noisy_and_stays_in_range),
      cmocka_unit_test(wrong_requests_are_refused),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
