/* Entropic and proximal solvers, costs of rows, barycentres, kernels of paths, edit distances. */
#include <math.h>

#include "check.h"
#include "gw/collection.h"
#include "inside/gw.h"
#include "small_graph.h"

static void check_marginals(const double *plan, size_t n, size_t m) {
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < m; j++) {
      assert_true(plan[i * m + j] >= 0);
      sum += plan[i * m + j];
    }
    CHECK_NEAR(sum, 1.0 / (double)n, 1e-12);
  }
  for (size_t j = 0; j < m; j++) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += plan[i * m + j];
    CHECK_NEAR(sum, 1.0 / (double)m, 1e-12);
  }
}

static double solve(double *plan, const sotto_gw_space *a, const sotto_gw_space *b, sotto_gw_solver solver,
                    double entropy) {
  sotto_gw_options options = sotto_gw_defaults();
  sotto_gw_result result;
  options.solver = solver;
  options.entropy = entropy;
  CHECK_OK(sotto_gw_distance(&result, plan, a, b, &options, &err));
  return result.value;
}

static void graph_space(sotto_gw_space *out, double *distance, sotto_i_random *random, uint32_t nodes) {
  sotto_graph graph = check_random_graph(random, nodes, 2 * nodes);
  CHECK_OK(sotto_gw_paths(distance, &graph, &err));
  *out = (sotto_gw_space){.points = nodes, .distance = distance};
  sotto_graph_free(&graph);
}

static void entropic_plans_keep_marginals_and_come_near(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double proximal = 0, entropic = 0, exact = 0, product = 0;
  for (int round = 0; round < 15; round++) {
    double x[100], y[144], plan[120];
    sotto_gw_space a, b;
    graph_space(&a, x, &random, 10);
    graph_space(&b, y, &random, 12);
    exact += solve(plan, &a, &b, SOTTO_GW_CONDITIONAL, 1);
    check_marginals(plan, 10, 12);
    proximal += solve(plan, &a, &b, SOTTO_GW_PROXIMAL, 0.02);
    check_marginals(plan, 10, 12);
    entropic += solve(plan, &a, &b, SOTTO_GW_ENTROPIC, 0.005);
    check_marginals(plan, 10, 12);
    product += solve(plan, &a, &b, SOTTO_GW_ENTROPIC, 1e5); /* so much entropy leaves the product plan */
    for (size_t k = 0; k < 120; k++) CHECK_NEAR(plan[k] * 120, 1, 1e-3);
  }
  assert_true(exact <= proximal && exact <= entropic);
  assert_true(proximal < 0.8 * product && entropic < 0.9 * product);
}

static void little_entropy_does_not_underflow(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double x[64], y[64], plan[64];
  sotto_gw_space a, b;
  graph_space(&a, x, &random, 8);
  graph_space(&b, y, &random, 8);
  assert_true(isfinite(solve(plan, &a, &b, SOTTO_GW_ENTROPIC, 1e-6)));
  check_marginals(plan, 8, 8);
}

static void costs_match_their_definitions(void **state) {
  (void)state;
  float rows[] = {3, 4, 0, 0, 0, 0, 1, 1, 1, -3, -4, 0};
  const sotto_matrix x = {rows, 4, 3}, bad = {(float[]){NAN, 0, 0}, 1, 3}, narrow = {rows, 2, 2};
  double c[16];
  CHECK_OK(sotto_gw_costs(c, &x, &x, SOTTO_GW_EUCLIDEAN, &err));
  CHECK_NEAR(c[1], 5, 1e-15);
  CHECK_NEAR(c[3], 10, 1e-15);
  CHECK_NEAR(c[2], sqrt(4 + 9 + 1), 1e-15);
  CHECK_OK(sotto_gw_costs(c, &x, &x, SOTTO_GW_COSINE, &err));
  CHECK_NEAR(c[3], 2, 1e-15);
  CHECK_NEAR(c[2], 1 - 7 / (5 * sqrt(3)), 1e-15);
  assert_true(c[1] == 1 && c[5] == 0 && c[0] == 0);
  CHECK_OK(sotto_gw_costs(c, &x, &x, SOTTO_GW_CORRELATION, &err));
  CHECK_NEAR(c[3], 2, 1e-12);
  assert_true(c[1] == 1 && c[2] == 1 && c[6] == 0); /* rows 1 and 2 are constant */
  for (size_t k = 0; k < 16; k++) assert_true(c[k] == c[k % 4 * 4 + k / 4]);
  CHECK_FAILS(SOTTO_NUMERIC, "row 0", sotto_gw_costs(c, &bad, &x, SOTTO_GW_COSINE, &err));
  CHECK_FAILS(SOTTO_INVALID, "compared", sotto_gw_costs(c, &narrow, &x, SOTTO_GW_COSINE, &err));
}

static void the_barycentre_of_copies_is_the_space(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double d[3][49], centre[49], value;
  sotto_gw_space s[3];
  /* Points in the plane, which no symmetry makes alike: a copy of them is always found. */
  sotto_matrix points = check_random_matrix(&random, 7, 2);
  CHECK_OK(sotto_gw_costs(d[0], &points, &points, SOTTO_GW_EUCLIDEAN, &err));
  sotto_matrix_free(&points);
  s[0] = (sotto_gw_space){.points = 7, .distance = d[0]};
  for (size_t k = 1; k < 3; k++) {
    uint32_t order[7] = {0, 1, 2, 3, 4, 5, 6};
    sotto_i_random_shuffle(&random, order, 7);
    for (size_t c = 0; c < 49; c++) d[k][c] = d[0][order[c / 7] * 7 + order[c % 7]];
    s[k] = (sotto_gw_space){.points = 7, .distance = d[k]};
  }
  CHECK_OK(sotto_gw_barycentre(centre, &value, 7, s, NULL, 3, 10, NULL, &err));
  CHECK_NEAR(value, 0, 1e-12);
  const sotto_gw_space found = {.points = 7, .distance = centre};
  CHECK_NEAR(solve(NULL, &found, &s[0], SOTTO_GW_CONDITIONAL, 1), 0, 1e-12);
}

static void a_barycentre_is_nearer_than_each_space(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double d[4][100], centre[64], value, best = INFINITY;
  sotto_gw_space s[4];
  for (uint32_t k = 0; k < 4; k++) graph_space(&s[k], d[k], &random, 6 + k);
  CHECK_OK(sotto_gw_barycentre(centre, &value, 8, s, NULL, 4, 20, NULL, &err));
  for (size_t i = 0; i < 4; i++) {
    double sum = 0;
    for (size_t j = 0; j < 4; j++) sum += solve(NULL, &s[i], &s[j], SOTTO_GW_CONDITIONAL, 1) / 4;
    best = fmin(best, sum);
  }
  assert_true(value <= best * 1.05);
  const double uneven[4] = {0.5, 0.5, 0.5, 0.5};
  CHECK_FAILS(SOTTO_INVALID, "shares", sotto_gw_barycentre(centre, &value, 8, s, uneven, 4, 20, NULL, &err));
  CHECK_FAILS(SOTTO_RANGE, "0 points", sotto_gw_barycentre(centre, &value, 0, s, NULL, 4, 20, NULL, &err));
}

/* Two graphs without features, as a collection. */
typedef struct pair {
  sotto_graph graph[2];
  sotto_gw_space space[2];
  sotto_matrix rows[2];
  double distance[2][64];
  sotto_i_gw_collection collection;
} pair;

static void make_pair(pair *out, sotto_i_random *random, uint32_t n, uint32_t m) {
  const uint32_t nodes[2] = {n, m};
  for (int k = 0; k < 2; k++) {
    out->graph[k] =
        check_random_graph(random, nodes[k], (uint32_t)sotto_i_random_below(random, 2 * nodes[k]));
    CHECK_OK(sotto_gw_paths(out->distance[k], &out->graph[k], &err));
    out->space[k] = (sotto_gw_space){.points = nodes[k], .distance = out->distance[k]};
    out->rows[k] = (sotto_matrix){NULL, nodes[k], 0};
  }
  out->collection =
      (sotto_i_gw_collection){.count = 2, .graph = out->graph, .space = out->space, .rows = out->rows};
}

static void free_pair(pair *p) {
  sotto_graph_free(&p->graph[0]);
  sotto_graph_free(&p->graph[1]);
}

/* Every way to give the nodes of x different images in y, or none. */
static int slow_edits(const pair *p, int *image, size_t v, uint32_t used) {
  const sotto_graph *x = &p->graph[0], *y = &p->graph[1];
  if (v < x->nodes) {
    image[v] = -1;
    int best = slow_edits(p, image, v + 1, used);
    for (uint32_t w = 0; w < y->nodes; w++) {
      if (used >> w & 1U) continue;
      image[v] = (int)w;
      const int got = slow_edits(p, image, v + 1, used | 1U << w);
      if (got < best) best = got;
    }
    return best;
  }
  int placed = 0, kept = 0;
  for (uint32_t a = 0; a < x->nodes; a++) {
    placed += image[a] >= 0;
    for (uint32_t b = 0; b < a; b++)
      kept += image[a] >= 0 && image[b] >= 0 && check_has_edge(x, a, b) &&
              check_has_edge(y, (uint32_t)image[a], (uint32_t)image[b]);
  }
  return (int)(x->nodes + y->nodes) - 2 * placed + (int)(x->entries + y->entries) / 2 - 2 * kept;
}

static void edits_match_every_mapping(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 60; round++) {
    pair p;
    int image[8];
    bool bound = true;
    make_pair(&p, &random, 1 + (uint32_t)sotto_i_random_below(&random, 5),
              1 + (uint32_t)sotto_i_random_below(&random, 5));
    const double got = sotto_i_gw_edits(&p.collection, 0, 1, 60, &bound);
    assert_int_equal((int)got, slow_edits(&p, image, 0, 0));
    assert_int_equal((int)got, (int)sotto_i_gw_edits(&p.collection, 1, 0, 60, &bound));
    assert_false(bound);
    free_pair(&p);
  }
}

static void edits_say_when_time_ran_out(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  pair p;
  bool bound = false;
  sotto_graph big[2] = {check_random_graph(&random, 30, 80), check_random_graph(&random, 30, 80)};
  make_pair(&p, &random, 2, 2);
  const sotto_matrix rows[2] = {{NULL, 30, 0}, {NULL, 30, 0}};
  sotto_i_gw_collection c = {
      .count = 2, .graph = big, .space = p.space, .rows = (sotto_matrix *)(uintptr_t)rows};
  const double got = sotto_i_gw_edits(&c, 0, 1, 0.01, &bound);
  assert_true(bound);
  assert_true(got <= 60 + (double)(big[0].entries + big[1].entries) / 2);
  sotto_graph_free(&big[0]);
  sotto_graph_free(&big[1]);
  free_pair(&p);
}

static void kernels_count_equal_paths(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 30; round++) {
    pair p;
    double got, slow = 0;
    make_pair(&p, &random, 1 + (uint32_t)sotto_i_random_below(&random, 8),
              1 + (uint32_t)sotto_i_random_below(&random, 8));
    const size_t n = p.space[0].points, m = p.space[1].points;
    /* Floyd and Warshall again, where no path is infinite. */
    double d[2][64];
    for (int k = 0; k < 2; k++) {
      const size_t size = p.space[k].points;
      for (uint32_t u = 0; u < size; u++)
        for (uint32_t v = 0; v < size; v++)
          d[k][u * size + v] = u == v ? 0 : check_has_edge(&p.graph[k], u, v) ? 1 : INFINITY;
      for (size_t w = 0; w < size; w++)
        for (size_t c = 0; c < size * size; c++)
          d[k][c] = fmin(d[k][c], d[k][c / size * size + w] + d[k][w * size + c % size]);
    }
    for (size_t a = 0; a < n * n; a++)
      for (size_t b = 0; b < m * m; b++)
        slow += a % n < a / n && b % m < b / m && isfinite(d[0][a]) && d[0][a] == d[1][b];
    CHECK_OK(sotto_i_gw_path_kernel(&got, &p.collection, 0, 1, &err));
    CHECK_NEAR(got, slow, 0);
    free_pair(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(entropic_plans_keep_marginals_and_come_near),
                                     cmocka_unit_test(little_entropy_does_not_underflow),
                                     cmocka_unit_test(costs_match_their_definitions),
                                     cmocka_unit_test(the_barycentre_of_copies_is_the_space),
                                     cmocka_unit_test(a_barycentre_is_nearer_than_each_space),
                                     cmocka_unit_test(edits_match_every_mapping),
                                     cmocka_unit_test(edits_say_when_time_ran_out),
                                     cmocka_unit_test(kernels_count_equal_paths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
