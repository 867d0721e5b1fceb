/* The publication of VFGNN: its bound on graphs, what it computes, and that noise is on all of it. */
#include <math.h>

#include "check.h"
#include "pmp/publish.h"
#include "small_graph.h"

enum { cols = 3 };
static const sotto_pmp_options sums = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = 3, .self = true};

static sotto_release *publish(const sotto_graph *graph, const sotto_matrix *x, double epsilon,
                              uint64_t max_degree, uint64_t seed) {
  sotto_pmp_plan plan;
  sotto_release *release;
  sotto_key key;
  sotto_key_insecure(&key, seed);
  CHECK_OK(sotto_i_publish_plan(&plan, &sums, max_degree, graph->nodes, cols, epsilon, 1e-6, &err));
  CHECK_OK(sotto_i_publish_release(&release, &plan, sums.layers, graph, x, &key, "id", "run", "a test", NULL,
                                   &err));
  return release;
}

static void the_plan_has_the_sensitivity_of_proposition_3(void **state) {
  (void)state;
  sotto_pmp_plan plan;
  double spent;
  CHECK_OK(sotto_i_publish_plan(&plan, &sums, 3, 100000, cols, 4, 1e-6, &err));
  /* Renyi curve alpha S^2/(2 sigma^2) = 4 alpha C^2 (1 + D + D^2)/sigma^2 with C = 1 */
  CHECK_NEAR(plan.sensitivity, sqrt(8.0 * (1 + 3 + 9)), 1e-4);
  assert_true(plan.sensitivity >= sqrt(8.0 * 13));
  CHECK_OK(sotto_gdp_epsilon(&spent, plan.mu, 1e-6, &err));
  assert_true(spent <= 4 * (1 + 1e-7) && spent > 3.99);
  CHECK_OK(sotto_i_publish_plan(&plan, &sums, 1000, 50, cols, 4, 1e-6, &err));
  CHECK_NEAR(plan.sensitivity, 2 * sqrt(50), 1e-4);
  CHECK_FAILS(SOTTO_INVALID, "max-degree", sotto_i_publish_plan(&plan, &sums, 0, 50, cols, 4, 1e-6, &err));
  const sotto_pmp_options gcn = {.aggregator = SOTTO_AGGREGATOR_GCN, .layers = 2};
  CHECK_FAILS(SOTTO_INVALID, "gin alone", sotto_i_publish_plan(&plan, &gcn, 3, 50, cols, 4, 1e-6, &err));
}

/* A ring of `nodes`, with or without its last edge: degrees are at most 2. */
static sotto_graph ring(uint64_t nodes, bool closed) {
  uint32_t from[200], to[200];
  sotto_graph graph;
  uint64_t count = 0;
  for (uint32_t v = 0; v < nodes; v++) {
    if (v + 1 == nodes && !closed) break;
    from[count] = v;
    to[count++] = (uint32_t)((v + 1) % nodes);
  }
  CHECK_OK(sotto_graph_from_pairs(&graph, nodes, from, to, count, &err));
  return graph;
}

static void an_edge_moves_no_more_than_the_bound_and_more_than_one_embedding(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph before = ring(60, true), after = ring(60, false);
  double most = 0;
  for (int round = 0; round < 600; round++) {
    sotto_matrix x = check_random_matrix(&random, 60, cols);
    sotto_release *a = publish(&before, &x, INFINITY, 2, 1), *b = publish(&after, &x, INFINITY, 2, 1);
    double square = 0;
    int rows = 0;
    for (size_t v = 0; v < 60; v++) {
      double row = 0;
      for (size_t j = 0; j < cols; j++)
        row += pow((double)sotto_release_layer(a, 1)->data[v * cols + j] -
                       (double)sotto_release_layer(b, 1)->data[v * cols + j],
                   2);
      square += row;
      rows += row > 0 ? 1 : 0;
    }
    assert_int_equal(rows, 6); /* three hops: the ends, and two more on each side */
    most = fmax(most, sqrt(square));
    sotto_release_free(a);
    sotto_release_free(b);
    sotto_matrix_free(&x);
  }
  (void)printf("VFGNN, 3 hops on a ring: one embedding is said to move by 2, %.4f moves, stated %.4f\n", most,
               2 * sqrt(14));
  /* The bound has each of the rows turn to its opposite, which one edge does to none of a ring. */
  assert_true(most > 2 && most <= 2 * sqrt(14));
  sotto_graph_free(&before);
  sotto_graph_free(&after);
}

static void noise_of_the_planned_size_is_on_every_value(void **state) {
  (void)state;
  enum { nodes = 4000 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 3000);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  sotto_release *clean = publish(&graph, &x, INFINITY, 50, 1);
  sotto_pmp_plan plan;
  sotto_pmp_options options = sums;
  sotto_release *noisy;
  sotto_key key;
  double square = 0;
  options.raw = true;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_i_publish_plan(&plan, &options, 50, nodes, cols, 4, 1e-6, &err));
  CHECK_OK(sotto_i_publish_release(&noisy, &plan, 3, &graph, &x, &key, "id", "run", "a test", NULL, &err));
  for (size_t i = 0; i < (size_t)nodes * cols; i++) {
    double noise =
        (double)sotto_release_layer(noisy, 1)->data[i] - (double)sotto_release_layer(clean, 1)->data[i];
    assert_true(noise != 0);
    square += noise * noise / (nodes * cols);
  }
  CHECK_NEAR(sqrt(square) / plan.grid.sigma, 1, 0.05); /* 7 standard deviations of the estimate */
  const sotto_key public_key = {{0}, SOTTO_KEY_NONE};
  sotto_release *none;
  CHECK_FAILS(SOTTO_INVALID, "secret system key",
              sotto_i_publish_release(&none, &plan, 3, &graph, &x, &public_key, "id", "run", "", NULL, &err));
  sotto_release_free(clean);
  sotto_release_free(noisy);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_plan_has_the_sensitivity_of_proposition_3),
      cmocka_unit_test(an_edge_moves_no_more_than_the_bound_and_more_than_one_embedding),
      cmocka_unit_test(noise_of_the_planned_size_is_on_every_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
