/* Releases: what they compute, what they cost. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/pmp.h"
#include "made_release.h"
#include "pmp/release.h"
#include "small_graph.h"
#include "sotto/pmp.h"

static void unit(double *row, size_t cols) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += row[j] * row[j];
  for (size_t j = 0; j < cols && square > 0; j++) row[j] /= sqrt(square);
}

/* One noiseless layer in double precision, by the definition. */
static void reference_layer(double *y, const double *z, const sotto_graph *g, size_t cols,
                            sotto_aggregator kind, double floor_degree) {
  for (uint64_t v = 0; v < g->nodes; v++) {
    double dv = fmax((double)sotto_graph_degree(g, v), floor_degree);
    for (size_t j = 0; j < cols; j++) {
      double sum = kind == SOTTO_AGGREGATOR_GCN ? z[v * cols + j] / (dv + 1) : z[v * cols + j];
      for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
        double du = fmax((double)sotto_graph_degree(g, g->targets[e]), floor_degree);
        double weight = kind == SOTTO_AGGREGATOR_GCN ? 1 / sqrt((du + 1) * (dv + 1)) : 1;
        sum += weight * z[g->targets[e] * cols + j];
      }
      y[v * cols + j] = kind == SOTTO_AGGREGATOR_MEAN ? sum / (dv + 1) : sum;
    }
  }
}

static void without_noise_layers_equal_the_definition(void **state) {
  (void)state;
  enum { nodes = 50, cols = 9, layers = 3 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 150);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  for (int kind = SOTTO_AGGREGATOR_SUM; kind <= SOTTO_AGGREGATOR_GCN; kind++) {
    const sotto_pmp_options options =
        check_release_options((sotto_aggregator)kind, layers, SOTTO_ACTIVATION_TANH);
    sotto_pmp_plan plan;
    CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, INFINITY, 1e-6, &err));
    sotto_release *release = check_release(&plan, &graph, &x, 1);
    double z[nodes * cols], y[nodes * cols];
    for (size_t i = 0; i < nodes * cols; i++) z[i] = x.data[i];
    for (size_t v = 0; v < nodes; v++) unit(z + v * cols, cols);
    for (uint32_t k = 0; k <= layers; k++) {
      if (k > 0) {
        reference_layer(y, z, &graph, cols, (sotto_aggregator)kind, 3);
        for (size_t i = 0; i < nodes * cols; i++) z[i] = tanh(y[i]);
        for (size_t v = 0; v < nodes; v++) unit(z + v * cols, cols);
      }
      for (size_t i = 0; i < nodes * cols; i++)
        CHECK_NEAR(sotto_release_layer(release, k)->data[i], z[i], 2e-5);
    }
    sotto_release_free(release);
  }
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

/* Raw layers hold more (their norms) but lead to the same next layers; both scale to the same directions. */
static void raw_layers_are_the_released_ones_before_scaling(void **state) {
  (void)state;
  enum { nodes = 60, cols = 5, layers = 3 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 150);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, layers, SOTTO_ACTIVATION_TANH);
  sotto_pmp_plan plan;
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 4, 1e-6, &err));
  sotto_release *scaled = check_release(&plan, &graph, &x, 7);
  plan.options.raw = true;
  sotto_release *raw = check_release(&plan, &graph, &x, 7);
  double largest = 0;
  for (uint32_t k = 0; k <= layers; k++)
    for (size_t v = 0; v < nodes; v++) {
      double row[cols], square = 0;
      for (size_t j = 0; j < cols; j++) row[j] = sotto_release_layer(raw, k)->data[v * cols + j];
      for (size_t j = 0; j < cols; j++) square += row[j] * row[j];
      if (k > 0) largest = fmax(largest, fabs(sqrt(square) - 1));
      unit(row, cols);
      for (size_t j = 0; j < cols; j++)
        CHECK_NEAR(sotto_release_layer(scaled, k)->data[v * cols + j], row[j], 1e-6);
    }
  assert_true(largest > 0.1);
  CHECK_OK(sotto_release_save(raw, check_path("raw.bin"), &err));
  sotto_release *again;
  CHECK_OK(sotto_release_load(&again, check_path("raw.bin"), &err));
  assert_true(sotto_release_plan(again)->options.raw);
  sotto_release_free(again);
  sotto_release_free(raw);
  sotto_release_free(scaled);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

/* Weights of norm 1 at most leave rows in the unit ball, also when they are not: then rows are cut. */
static void weights_between_layers_equal_the_definition(void **state) {
  (void)state;
  enum { nodes = 40, cols = 6, layers = 2 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 100);
  sotto_matrix x = check_random_matrix(&random, nodes, cols), w = check_random_matrix(&random, cols, cols);
  const sotto_matrix *weights[layers] = {&w, &w};
  sotto_key key;
  sotto_key_insecure(&key, 1);
  for (int kind = SOTTO_AGGREGATOR_SUM; kind <= SOTTO_AGGREGATOR_GCN; kind++) {
    const sotto_pmp_options options =
        check_release_options((sotto_aggregator)kind, layers, SOTTO_ACTIVATION_NONE);
    sotto_pmp_plan plan;
    CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, INFINITY, 1e-6, &err));
    sotto_release *release;
    CHECK_OK(sotto_i_release_weighted(&release, &plan, &graph, &x, weights, &key, "id", "run", "a test", NULL,
                                      &err));
    double z[nodes * cols], y[nodes * cols], u[nodes * cols];
    for (size_t i = 0; i < (size_t)nodes * cols; i++) z[i] = (double)x.data[i];
    for (size_t v = 0; v < nodes; v++) unit(z + v * cols, cols);
    for (uint32_t k = 1; k <= layers; k++) {
      for (size_t v = 0; v < nodes; v++) {
        double square = 0;
        for (size_t j = 0; j < cols; j++) {
          u[v * cols + j] = 0;
          for (size_t i = 0; i < cols; i++) u[v * cols + j] += z[v * cols + i] * (double)w.data[i * cols + j];
          square += u[v * cols + j] * u[v * cols + j];
        }
        for (size_t j = 0; j < cols && square > 1; j++) u[v * cols + j] /= sqrt(square);
      }
      reference_layer(y, u, &graph, cols, (sotto_aggregator)kind, 3);
      memcpy(z, y, sizeof z);
      for (size_t v = 0; v < nodes; v++) unit(z + v * cols, cols);
      for (size_t i = 0; i < (size_t)nodes * cols; i++)
        CHECK_NEAR((double)sotto_release_layer(release, k)->data[i], z[i], 5e-5);
    }
    sotto_release_free(release);
  }
  sotto_matrix_free(&w);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void the_plan_spends_what_was_asked_and_not_more(void **state) {
  (void)state;
  for (int kind = SOTTO_AGGREGATOR_SUM; kind <= SOTTO_AGGREGATOR_GCN; kind++)
    for (uint32_t layers = 1; layers <= 4; layers++)
      for (double epsilon = 0.1; epsilon < 20; epsilon *= 2) {
        const sotto_pmp_options options =
            check_release_options((sotto_aggregator)kind, layers, SOTTO_ACTIVATION_NONE);
        sotto_pmp_plan plan;
        double spent;
        CHECK_OK(sotto_pmp_plan_new(&plan, &options, 13752, 64, epsilon, 1e-6, &err));
        CHECK_NEAR(plan.mu, sqrt(layers) * plan.sensitivity / plan.grid.sigma, 1e-12);
        assert_true(plan.sensitivity >= sotto_edge_sensitivity(options.aggregator, 3, true));
        assert_true(plan.sensitivity <= 1.05 * sotto_edge_sensitivity(options.aggregator, 3, true));
        CHECK_OK(sotto_gdp_epsilon(&spent, plan.mu, 1e-6, &err));
        assert_true(spent <= epsilon * (1 + 1e-7) && spent >= 0.999 * epsilon);
      }
}

/* On a graph without edges and with zero rows, one SUM layer without activation is noise alone; before it is
 * normalised its direction is uniform. With one column only the sign is left, so two columns and their angle.
 */
static void rows_of_pure_noise_point_everywhere(void **state) {
  (void)state;
  enum { nodes = 20000 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 0);
  sotto_matrix x;
  CHECK_OK(sotto_matrix_new(&x, nodes, 2, &err));
  const sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, 1, SOTTO_ACTIVATION_NONE);
  sotto_pmp_plan plan;
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, 2, 1, 1e-6, &err));
  sotto_release *release = check_release(&plan, &graph, &x, sotto_i_random_u32(&random));
  enum { bins = 16 };
  double counts[bins] = {0}, chi = 0;
  for (size_t v = 0; v < nodes; v++) {
    const float *row = sotto_release_layer(release, 1)->data + 2 * v;
    CHECK_NEAR(row[0] * row[0] + row[1] * row[1], 1, 1e-5);
    int bin = (int)((atan2(row[1], row[0]) / 6.283185307179586 + 0.5) * bins);
    counts[bin < bins ? bin : bins - 1]++;
  }
  for (int i = 0; i < bins; i++) chi += pow(counts[i] - nodes / bins, 2) / (nodes / bins);
  assert_true(chi < 54); /* 15 degrees of freedom: exceeded about twice in a million */
  sotto_release_free(release);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void threads_do_not_change_a_release(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 700, 3000);
  sotto_matrix x = check_random_matrix(&random, 700, 20);
  const sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_GCN, 2, SOTTO_ACTIVATION_RELU);
  sotto_pmp_plan plan;
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, 700, 20, 2, 1e-6, &err));
  sotto_release *releases[3];
  for (unsigned i = 0; i < 3; i++) {
    CHECK_OK(sotto_threads_set(i + 1, &err));
    releases[i] = check_release(&plan, &graph, &x, i == 2 ? 8 : 7);
  }
  for (uint32_t k = 1; k <= 2; k++) {
    const float *a = sotto_release_layer(releases[0], k)->data;
    assert_memory_equal(a, sotto_release_layer(releases[1], k)->data, 700 * 20 * sizeof(float));
    assert_memory_not_equal(a, sotto_release_layer(releases[2], k)->data, 700 * 20 * sizeof(float));
  }
  for (int i = 0; i < 3; i++) sotto_release_free(releases[i]);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void a_public_key_makes_no_noise(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 5, 5);
  sotto_matrix x = check_random_matrix(&random, 5, 2);
  const sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, 1, SOTTO_ACTIVATION_NONE);
  sotto_pmp_plan plan;
  sotto_key key;
  sotto_release *release;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, 5, 2, 1, 1e-6, &err));
  CHECK_FAILS(SOTTO_INVALID, "key",
              sotto_release_new(&release, &plan, &graph, &x, &key, "id", "run", "", NULL, &err));
  x.data[3] = NAN;
  sotto_key_insecure(&key, 1);
  CHECK_FAILS(SOTTO_NUMERIC, "finite",
              sotto_release_new(&release, &plan, &graph, &x, &key, "id", "run", "", NULL, &err));
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 10, 20);
  sotto_matrix x = check_random_matrix(&random, 10, 3);
  const sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, 2, SOTTO_ACTIVATION_NONE);
  sotto_pmp_plan plan;
  sotto_key key;
  sotto_key_insecure(&key, 1);
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, 10, 3, 1, 1e-6, &err));
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    sotto_release *release;
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_release_new(&release, &plan, &graph, &x, &key, "id", "run", "", NULL, NULL);
    sotto_release_free(release);
    assert_true(nth < 100);
  }
  (void)sotto_i_memory_fail_at(0);
  assert_int_equal(status, SOTTO_OK);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void wrong_plans_are_refused(void **state) {
  (void)state;
  sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, 0, SOTTO_ACTIVATION_NONE);
  sotto_pmp_plan plan;
  CHECK_FAILS(SOTTO_RANGE, "layers", sotto_pmp_plan_new(&plan, &options, 5, 2, 1, 1e-6, &err));
  options.layers = 1;
  CHECK_FAILS(SOTTO_RANGE, "", sotto_pmp_plan_new(&plan, &options, 5, 2, 0, 1e-6, &err));
  CHECK_FAILS(SOTTO_RANGE, "", sotto_pmp_plan_new(&plan, &options, 5, 2, NAN, 1e-6, &err));
  CHECK_FAILS(SOTTO_RANGE, "", sotto_pmp_plan_new(&plan, &options, 5, 2, 1, 0, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_noise_layers_equal_the_definition),
      cmocka_unit_test(raw_layers_are_the_released_ones_before_scaling),
      cmocka_unit_test(weights_between_layers_equal_the_definition),
      cmocka_unit_test(the_plan_spends_what_was_asked_and_not_more),
      cmocka_unit_test(rows_of_pure_noise_point_everywhere),
      cmocka_unit_test(threads_do_not_change_a_release),
      cmocka_unit_test(a_public_key_makes_no_noise),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(wrong_plans_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
