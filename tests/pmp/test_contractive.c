/* Contractive releases: what they compute, what they cost, what stays inside. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/pmp.h"
#include "made_release.h"
#include "plain_files.h"
#include "pmp/contractive.h"
#include "small_graph.h"
#include "sotto/pmp.h"

static const sotto_contractive_options usual = {
    .layers = 5, .degree_floor = 4, .contraction = 0.8, .graph_weight = 0.7, .residual = 0.6};

static sotto_release *make(const sotto_contractive_plan *plan, const sotto_graph *graph,
                           const sotto_matrix *x) {
  sotto_release *release;
  sotto_key key;
  sotto_key_insecure(&key, 3);
  CHECK_OK(sotto_contractive_release(&release, plan, graph, x, &key, "id", "run", "a test", NULL, &err));
  return release;
}

static void project(double *x, size_t cols) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += x[j] * x[j];
  for (size_t j = 0; j < cols && square > 1; j++) x[j] /= sqrt(square);
}

static void reference(double *x, const double *start, const sotto_graph *g, size_t cols) {
  size_t n = g->nodes;
  double *y = calloc(n * cols, sizeof *y);
  assert_non_null(y);
  for (size_t v = 0; v < n; v++)
    for (size_t j = 0; j < cols; j++) {
      double mean = 0, dv = fmax((double)sotto_graph_degree(g, v), 4) + 1, sum = x[v * cols + j] / dv;
      for (size_t u = 0; u < n; u++) mean += x[u * cols + j] / (double)n;
      for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
        sum += x[g->targets[e] * cols + j] /
               sqrt(dv * (fmax((double)sotto_graph_degree(g, g->targets[e]), 4) + 1));
      y[v * cols + j] = 0.8 * (0.7 * sum + 0.3 * mean) + 0.6 * start[v * cols + j];
    }
  for (size_t v = 0; v < n; v++) project(y + v * cols, cols);
  memcpy(x, y, n * cols * sizeof *x);
  free(y);
}

static void without_noise_it_is_the_definition(void **state) {
  (void)state;
  enum { nodes = 150, cols = 6 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 500);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  for (size_t i = 0; i < nodes * cols; i++) x.data[i] *= 0.5F;
  sotto_contractive_plan plan;
  CHECK_OK(sotto_contractive_plan_new(&plan, &usual, nodes, cols, INFINITY, 1e-6, &err));
  sotto_release *release = make(&plan, &graph, &x);
  static double start[nodes * cols], now[nodes * cols];
  for (size_t i = 0; i < nodes * cols; i++) start[i] = x.data[i];
  for (size_t v = 0; v < nodes; v++) project(start + v * cols, cols);
  memcpy(now, start, sizeof now);
  for (uint32_t k = 0; k < usual.layers; k++) reference(now, start, &graph, cols);
  for (size_t i = 0; i < nodes * cols; i++) {
    CHECK_NEAR(sotto_release_layer(release, 0)->data[i], start[i], 1e-6);
    CHECK_NEAR(sotto_release_layer(release, 1)->data[i], now[i], 1e-6);
  }
  sotto_release_free(release);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void the_plan_spends_what_was_asked_by_the_formula(void **state) {
  (void)state;
  for (uint32_t layers = 1; layers <= 1000; layers *= 10)
    for (double epsilon = 0.25; epsilon < 20; epsilon *= 4) {
      sotto_contractive_options options = usual;
      options.layers = layers;
      sotto_contractive_plan plan;
      double spent, l = options.contraction, power = pow(l, layers);
      CHECK_OK(sotto_contractive_plan_new(&plan, &options, 13752, 64, epsilon, 1e-6, &err));
      double ideal = l * 0.7 * sotto_edge_sensitivity(SOTTO_AGGREGATOR_GCN, 4, true);
      assert_true(plan.sensitivity >= ideal && plan.sensitivity <= 1.05 * ideal);
      CHECK_NEAR(plan.mu,
                 plan.sensitivity / plan.grid.sigma * sqrt((1 - power) / (1 + power) * (1 + l) / (1 - l)),
                 1e-9);
      CHECK_OK(sotto_gdp_epsilon(&spent, plan.mu, 1e-6, &err));
      assert_true(spent <= epsilon * (1 + 1e-7) && spent >= 0.999 * epsilon);
      sotto_mechanism mechanism = sotto_contractive_mechanism(&plan);
      CHECK_OK(sotto_account_epsilon(&spent, &mechanism, 1, 1e-6, SOTTO_ACCOUNTANT_GDP, &err));
      CHECK_NEAR(spent, epsilon, 1e-3);
    }
}

/* One layer on two neighbouring graphs, same noise: what differs is the sensitivity of what is computed. */
static void neighbouring_graphs_stay_within_the_sensitivity(void **state) {
  (void)state;
  enum { nodes = 40, cols = 3 };
  sotto_i_random random = check_random();
  sotto_contractive_options options = usual;
  options.layers = 1;
  options.residual = 0.1; /* so that projecting seldom hides a change */
  sotto_contractive_plan plan;
  CHECK_OK(sotto_contractive_plan_new(&plan, &options, nodes, cols, 200, 1e-6, &err));
  for (int round = 0; round < 50; round++) {
    uint32_t sources[61], targets[61];
    for (int i = 0; i < 61; i++) {
      sources[i] = (uint32_t)sotto_i_random_below(&random, 8);
      targets[i] = (uint32_t)sotto_i_random_below(&random, nodes);
    }
    sotto_graph more, less;
    CHECK_OK(sotto_graph_from_pairs(&more, nodes, sources, targets, 61, &err));
    CHECK_OK(sotto_graph_from_pairs(&less, nodes, sources, targets, 60, &err));
    sotto_matrix x = check_random_matrix(&random, nodes, cols);
    sotto_release *a = make(&plan, &more, &x), *b = make(&plan, &less, &x);
    double square = 0;
    for (size_t i = 0; i < nodes * cols; i++)
      square += pow(sotto_release_layer(a, 1)->data[i] - sotto_release_layer(b, 1)->data[i], 2);
    assert_true(sqrt(square) <= plan.sensitivity + 1e-5);
    sotto_release_free(a);
    sotto_release_free(b);
    sotto_matrix_free(&x);
    sotto_graph_free(&more);
    sotto_graph_free(&less);
  }
}

static void the_release_is_charged_kept_and_the_same_for_any_threads(void **state) {
  (void)state;
  enum { nodes = 200, cols = 5 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 600);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  sotto_contractive_plan plan;
  CHECK_OK(sotto_contractive_plan_new(&plan, &usual, nodes, cols, 2, 1e-6, &err));
  CHECK_OK(sotto_threads_set(1, &err));
  sotto_release *one = make(&plan, &graph, &x);
  CHECK_OK(sotto_threads_set(4, &err));
  sotto_release *four = make(&plan, &graph, &x), *back;
  size_t size = nodes * cols * sizeof(float);
  assert_memory_equal(sotto_release_layer(one, 1)->data, sotto_release_layer(four, 1)->data, size);
  sotto_charge charge = sotto_release_charge(one);
  assert_true(charge.mu == plan.mu && charge.insecure);
  CHECK_OK(sotto_release_save(one, check_path("contractive"), &err));
  CHECK_OK(sotto_release_load(&back, check_path("contractive"), &err));
  assert_memory_equal(sotto_release_layer(one, 1)->data, sotto_release_layer(back, 1)->data, size);
  assert_true(sotto_release_plan(back)->mu == plan.mu);
  for (size_t v = 0; v < nodes; v++) {
    double norm = 0;
    for (size_t j = 0; j < cols; j++) norm += pow(sotto_release_layer(one, 1)->data[v * cols + j], 2);
    assert_true(norm <= 1 + 1e-6);
  }
  sotto_release_free(one);
  sotto_release_free(four);
  sotto_release_free(back);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

/* More rows than the slab of 2^14 that a release is made in; the inputs are overwritten meanwhile. */
static void a_release_is_written_to_the_bytes_that_are_saved(void **state) {
  (void)state;
  enum { nodes = 16384 + 77, cols = 5 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 40000);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  for (uint32_t layers = 1; layers <= 3; layers++) {
    sotto_contractive_options options = usual;
    sotto_contractive_plan plan;
    sotto_matrix inputs;
    sotto_release *written;
    sotto_key key;
    options.layers = layers;
    CHECK_OK(sotto_contractive_plan_new(&plan, &options, nodes, cols, 2, 1e-6, &err));
    sotto_release *whole = make(&plan, &graph, &x);
    CHECK_OK(sotto_release_save(whole, check_path("saved"), &err));
    CHECK_OK(sotto_matrix_new(&inputs, nodes, cols, &err));
    memcpy(inputs.data, x.data, sizeof(float) * nodes * cols);
    sotto_key_insecure(&key, 3);
    CHECK_OK(sotto_i_contractive_write(&written, check_path("written"), &plan, &graph, &inputs,
                                       check_folder(), &key, "id", "run", "a test", NULL, &err));
    check_same_files(check_path("saved"), check_path("written"));
    assert_true(sotto_release_charge(written).insecure);
    sotto_release_free(whole);
    sotto_release_free(written);
    sotto_matrix_free(&inputs);
  }
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void wrong_options_and_keys_are_refused(void **state) {
  (void)state;
  sotto_contractive_plan plan;
  sotto_contractive_options bad = usual;
  bad.contraction = 1;
  CHECK_FAILS(SOTTO_RANGE, "contraction", sotto_contractive_plan_new(&plan, &bad, 9, 2, 1, 1e-6, &err));
  bad = usual;
  bad.graph_weight = 1.5;
  CHECK_FAILS(SOTTO_RANGE, "graph_weight", sotto_contractive_plan_new(&plan, &bad, 9, 2, 1, 1e-6, &err));
  bad = usual;
  bad.residual = NAN;
  CHECK_FAILS(SOTTO_RANGE, "residual", sotto_contractive_plan_new(&plan, &bad, 9, 2, 1, 1e-6, &err));
  bad = usual;
  bad.layers = 0;
  CHECK_FAILS(SOTTO_RANGE, "layers", sotto_contractive_plan_new(&plan, &bad, 9, 2, 1, 1e-6, &err));
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 9, 10);
  sotto_matrix x = check_random_matrix(&random, 9, 2);
  sotto_release *release;
  sotto_key key;
  CHECK_OK(sotto_contractive_plan_new(&plan, &usual, 9, 2, 1, 1e-6, &err));
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "key",
              sotto_contractive_release(&release, &plan, &graph, &x, &key, "i", "r", "d", NULL, &err));
  sotto_key_system(&key);
  x.data[3] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "finite",
              sotto_contractive_release(&release, &plan, &graph, &x, &key, "i", "r", "d", NULL, &err));
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 9, 10);
  sotto_matrix x = check_random_matrix(&random, 9, 2);
  sotto_contractive_plan plan;
  sotto_key key;
  sotto_key_insecure(&key, 1);
  CHECK_OK(sotto_contractive_plan_new(&plan, &usual, 9, 2, 1, 1e-6, &err));
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    sotto_release *release;
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_contractive_release(&release, &plan, &graph, &x, &key, "i", "r", "d", NULL, NULL);
    sotto_release_free(release);
    assert_true(nth < 100);
  }
  (void)sotto_i_memory_fail_at(0);
  assert_int_equal(status, SOTTO_OK);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_noise_it_is_the_definition),
      cmocka_unit_test(the_plan_spends_what_was_asked_by_the_formula),
      cmocka_unit_test(neighbouring_graphs_stay_within_the_sensitivity),
      cmocka_unit_test(the_release_is_charged_kept_and_the_same_for_any_threads),
      cmocka_unit_test(a_release_is_written_to_the_bytes_that_are_saved),
      cmocka_unit_test(wrong_options_and_keys_are_refused),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
