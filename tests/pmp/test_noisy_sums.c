/* Noisy sums of neighbours' rows: what they compute, how far an edge moves them, and their noise. */
#include "pmp/noisy_sums.h"

#include <math.h>

#include "check.h"
#include "small_graph.h"

enum { nodes = 50, cols = 5 };

static sotto_pmp_plan plan_for(uint64_t n, size_t width, double epsilon) {
  const sotto_pmp_options options = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = 1};
  sotto_pmp_plan plan;
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, n, width, epsilon, 1e-6, &err));
  return plan;
}

static sotto_matrix sums_of(const sotto_pmp_plan *plan, const sotto_graph *graph, const sotto_matrix *rows,
                            uint64_t seed) {
  sotto_matrix out;
  sotto_key key;
  sotto_key_insecure(&key, seed);
  CHECK_OK(sotto_i_noisy_sums(&out, plan, graph, rows, &key, &err));
  return out;
}

static void without_noise_they_equal_the_definition(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 150);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  for (size_t i = 0; i < nodes / 2 * cols; i++) x.data[i] *= 0.1F; /* some shorter than 1, some longer */
  const sotto_pmp_plan plan = plan_for(nodes, cols, INFINITY);
  sotto_matrix sums = sums_of(&plan, &graph, &x, 1);
  for (uint64_t v = 0; v < nodes; v++) {
    double wanted[cols] = {0};
    for (uint64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; e++) {
      const float *row = x.data + (size_t)graph.targets[e] * cols;
      double square = 0;
      for (size_t j = 0; j < cols; j++) square += (double)row[j] * row[j];
      for (size_t j = 0; j < cols; j++) wanted[j] += row[j] / fmax(1, sqrt(square));
    }
    for (size_t j = 0; j < cols; j++) CHECK_NEAR(sums.data[v * cols + j], wanted[j], 1e-5);
  }
  sotto_matrix_free(&sums);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static double distance_by_edge(const sotto_matrix *x, sotto_i_random *random, double scale) {
  uint32_t sources[40], targets[40];
  sotto_graph graphs[2];
  sotto_matrix sums[2], rows = *x;
  double square = 0;
  const sotto_pmp_plan plan = plan_for(nodes, cols, INFINITY);
  for (size_t i = 0; i < nodes * cols; i++) rows.data[i] = (float)(rows.data[i] * scale);
  for (uint32_t i = 0; i < 40; i++) {
    sources[i] = i;
    targets[i] = (i + 1 + sotto_i_random_u32(random) % (nodes - 41)) % nodes;
  }
  for (size_t g = 0; g < 2; g++) {
    CHECK_OK(sotto_graph_from_pairs(&graphs[g], nodes, sources, targets, 39 + g, &err));
    sums[g] = sums_of(&plan, &graphs[g], &rows, 1);
  }
  for (size_t i = 0; i < nodes * cols; i++) square += pow(sums[1].data[i] - sums[0].data[i], 2);
  for (size_t g = 0; g < 2; g++) {
    sotto_matrix_free(&sums[g]);
    sotto_graph_free(&graphs[g]);
  }
  return sqrt(square);
}

static void an_edge_moves_them_by_the_sensitivity_at_most(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const sotto_pmp_plan plan = plan_for(nodes, cols, 1);
  double farthest = 0;
  for (int trial = 0; trial < 50; trial++) {
    sotto_matrix x = check_random_matrix(&random, nodes, cols);
    farthest = fmax(farthest, distance_by_edge(&x, &random, trial < 25 ? 1 : 1e6));
    sotto_matrix_free(&x);
  }
  assert_true(farthest <= plan.sensitivity + 1e-5);
  assert_true(farthest > 1.41); /* rows above norm 1 are cut to 1: the bound is attained */
}

static void the_noise_is_the_plan_s(void **state) {
  (void)state;
  enum { many = 20000 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, many, 0);
  sotto_matrix x;
  CHECK_OK(sotto_matrix_new(&x, many, 2, &err));
  const sotto_pmp_plan plan = plan_for(many, 2, 1);
  sotto_matrix sums = sums_of(&plan, &graph, &x, sotto_i_random_u32(&random));
  double mean = 0, square = 0, product = 0;
  for (size_t i = 0; i < 2 * many; i++) {
    mean += sums.data[i] / plan.grid.sigma / (2 * many);
    square += pow(sums.data[i] / plan.grid.sigma, 2) / (2 * many);
    if (i % 2 == 0) product += sums.data[i] * sums.data[i + 1] / pow(plan.grid.sigma, 2) / many;
  }
  /* Six standard deviations each. */
  CHECK_NEAR(mean, 0, 6 / sqrt(2 * many));
  CHECK_NEAR(square, 1, 6 * sqrt(2) / sqrt(2 * many));
  CHECK_NEAR(product, 0, 6 / sqrt(many));
  CHECK_NEAR(plan.mu, plan.sensitivity / plan.grid.sigma, 1e-12);
  sotto_matrix_free(&sums);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void threads_do_not_change_them_and_keys_do(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 700, 3000);
  sotto_matrix x = check_random_matrix(&random, 700, cols);
  const sotto_pmp_plan plan = plan_for(700, cols, 2);
  sotto_matrix sums[3];
  for (unsigned i = 0; i < 3; i++) {
    CHECK_OK(sotto_threads_set(i + 1, &err));
    sums[i] = sums_of(&plan, &graph, &x, i == 2 ? 8 : 7);
  }
  assert_memory_equal(sums[0].data, sums[1].data, 700 * cols * sizeof(float));
  assert_memory_not_equal(sums[0].data, sums[2].data, 700 * cols * sizeof(float));
  for (int i = 0; i < 3; i++) sotto_matrix_free(&sums[i]);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void what_cannot_be_released_is_refused(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 5, 5);
  sotto_matrix x = check_random_matrix(&random, 5, 2), wrong = check_random_matrix(&random, 4, 2), out;
  const sotto_pmp_plan plan = plan_for(5, 2, 1);
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "key", sotto_i_noisy_sums(&out, &plan, &graph, &x, &key, &err));
  sotto_key_insecure(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "rows", sotto_i_noisy_sums(&out, &plan, &graph, &wrong, &key, &err));
  x.data[3] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "not finite", sotto_i_noisy_sums(&out, &plan, &graph, &x, &key, &err));
  sotto_matrix_free(&x);
  sotto_matrix_free(&wrong);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_noise_they_equal_the_definition),
      cmocka_unit_test(an_edge_moves_them_by_the_sensitivity_at_most),
      cmocka_unit_test(the_noise_is_the_plan_s),
      cmocka_unit_test(threads_do_not_change_them_and_keys_do),
      cmocka_unit_test(what_cannot_be_released_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
