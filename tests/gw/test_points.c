/* Distances of squared Euclidean costs by their factors, compared with the definition and with the dense
 * solver. */
#include <math.h>

#include "check.h"
#include "gw/solve/problem.h"
#include "inside/gw.h"

enum { most = 40, most_dims = 5 };

typedef struct cloud {
  float rows[most * most_dims];
  double squared[most * most];
  sotto_matrix matrix;
  sotto_gw_space space;
} cloud;

static void fill_squares(cloud *c) {
  const size_t n = c->matrix.rows, d = c->matrix.cols;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = 0;
      for (size_t k = 0; k < d; k++) {
        const double gap = (double)c->rows[i * d + k] - c->rows[j * d + k];
        sum += gap * gap;
      }
      c->squared[i * n + j] = sum;
    }
  c->space = (sotto_gw_space){.points = n, .distance = c->squared};
}

static void random_cloud(cloud *out, sotto_i_random *random, size_t n, size_t d) {
  for (size_t k = 0; k < n * d; k++)
    out->rows[k] = (float)(sotto_i_random_normal(random) * (double)(1 + k % d) + 3);
  out->matrix = (sotto_matrix){out->rows, n, d};
  fill_squares(out);
}

static void random_pair(cloud *x, cloud *y, sotto_i_random *random) {
  random_cloud(x, random, 1 + sotto_i_random_below(random, most),
               1 + sotto_i_random_below(random, most_dims));
  random_cloud(y, random, 1 + sotto_i_random_below(random, most),
               1 + sotto_i_random_below(random, most_dims));
}

static double self_of(const cloud *c) {
  double sum = 0;
  const size_t n = c->matrix.rows;
  for (size_t k = 0; k < n * n; k++) sum += c->squared[k] * c->squared[k] / (double)(n * n);
  return sum;
}

/* Four sums over the cells of the plan. */
static double slow_value(const cloud *x, const cloud *y, const sotto_gw_cell *plan, size_t cells) {
  double sum = 0;
  for (size_t s = 0; s < cells; s++)
    for (size_t t = 0; t < cells; t++) {
      const double gap = x->squared[plan[s].row * x->matrix.rows + plan[t].row] -
                         y->squared[plan[s].col * y->matrix.rows + plan[t].col];
      sum += gap * gap * plan[s].mass * plan[t].mass;
    }
  return sum;
}

static void plans_have_their_marginals_and_values(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 100; round++) {
    cloud x, y;
    sotto_gw_cell plan[2 * most];
    sotto_gw_result result;
    size_t cells = 0;
    double rows[most] = {0}, cols[most] = {0};
    random_pair(&x, &y, &random);
    CHECK_OK(sotto_gw_distance_of_points(&result, plan, &cells, &x.matrix, &y.matrix, NULL, &err));
    for (size_t k = 0; k < cells; k++) {
      rows[plan[k].row] += plan[k].mass;
      cols[plan[k].col] += plan[k].mass;
    }
    for (size_t i = 0; i < x.matrix.rows; i++) CHECK_NEAR(rows[i], 1 / (double)x.matrix.rows, 1e-12);
    for (size_t j = 0; j < y.matrix.rows; j++) CHECK_NEAR(cols[j], 1 / (double)y.matrix.rows, 1e-12);
    CHECK_NEAR(result.value, slow_value(&x, &y, plan, cells), 1e-11 * (self_of(&x) + self_of(&y)));
  }
}

/* From the same start, both go the same way: conditional gradient to a vertex at each step. */
static void the_dense_solver_ends_in_the_same_plan(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 100; round++) {
    cloud x, y;
    sotto_gw_options options = sotto_gw_defaults();
    sotto_i_gw_side left, right;
    sotto_i_gw_problem dense;
    sotto_gw_result result;
    uint32_t steps = 0;
    random_pair(&x, &y, &random);
    options.starts = 1;
    CHECK_OK(sotto_i_gw_side_new(&left, &x.space, "a", &options, true, &err));
    CHECK_OK(sotto_i_gw_side_new(&right, &y.space, "b", &options, false, &err));
    CHECK_OK(sotto_i_gw_problem_new(&dense, &left, &right, &options, &err));
    sotto_i_transport_start(&dense.transport, left.order, right.order);
    sotto_i_transport_plan(&dense.transport, dense.plan);
    sotto_i_gw_product(&dense, dense.product, dense.plan);
    CHECK_OK(sotto_i_gw_descend(&dense, &options, false, &steps, &err));
    CHECK_OK(sotto_gw_distance_of_points(&result, NULL, NULL, &x.matrix, &y.matrix, &options, &err));
    CHECK_NEAR(result.value, sotto_i_gw_value_exact(&dense, dense.plan), 1e-8 * (self_of(&x) + self_of(&y)));
    sotto_i_gw_problem_free(&dense);
    sotto_i_gw_side_free(&left);
    sotto_i_gw_side_free(&right);
  }
}

static void costs_of_factors_are_solved_as_their_matrix(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 200; round++) {
    enum { rank = 3 };
    const size_t n = 1 + sotto_i_random_below(&random, most), m = 1 + sotto_i_random_below(&random, most);
    double left[rank * most], right[rank * most], matrix[most * most], row[most], plans[2][most * most];
    for (size_t k = 0; k < rank * n; k++) left[k] = sotto_i_random_normal(&random);
    for (size_t k = 0; k < rank * m; k++) right[k] = sotto_i_random_normal(&random);
    for (size_t k = 0; k < n * m; k++) {
      matrix[k] = 0;
      for (size_t r = 0; r < rank; r++) matrix[k] += left[r * n + k / m] * right[r * m + k % m];
    }
    const sotto_i_transport_costs costs[] = {{.matrix = matrix},
                                             {.left = left, .right = right, .rank = rank, .row = row}};
    for (size_t k = 0; k < 2; k++) {
      sotto_i_transport_tree t;
      CHECK_OK(sotto_i_transport_new(&t, n, m, NULL, NULL, &err));
      if (round % 2 == 0) sotto_i_transport_greedy(&t, &costs[k]);
      CHECK_OK(sotto_i_transport_solve(&t, &costs[k], &err));
      sotto_i_transport_plan(&t, plans[k]);
      sotto_i_transport_free(&t);
    }
    for (size_t k = 0; k < n * m; k++) assert_true(plans[0][k] == plans[1][k]);
  }
}

static void a_copy_in_another_order_is_at_zero(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 50; round++) {
    cloud x, y;
    sotto_gw_result result;
    uint32_t order[most];
    const size_t n = 2 + sotto_i_random_below(&random, most - 2),
                 d = 1 + sotto_i_random_below(&random, most_dims);
    random_cloud(&x, &random, n, d);
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    sotto_i_random_shuffle(&random, order, n);
    for (size_t k = 0; k < n * d; k++) y.rows[k] = x.rows[order[k / d] * d + k % d] + 2; /* and moved */
    y.matrix = (sotto_matrix){y.rows, n, d};
    CHECK_OK(sotto_gw_distance_of_points(&result, NULL, NULL, &x.matrix, &y.matrix, NULL, &err));
    fill_squares(&x);
    CHECK_NEAR(result.value, 0, 1e-6 * self_of(&x));
    y.rows[0] += 50; /* the planted fault: one point elsewhere */
    CHECK_OK(sotto_gw_distance_of_points(&result, NULL, NULL, &x.matrix, &y.matrix, NULL, &err));
    assert_true(result.value > 1e-3 * self_of(&x));
  }
}

static void memory_is_linear_in_the_points(void **state) {
  (void)state;
  enum { few = 250, times = 4, dims = 3 };
  static float rows[few * times * dims];
  sotto_i_random random = check_random();
  sotto_gw_options options = sotto_gw_defaults();
  sotto_gw_result result;
  uint64_t peak[2];
  options.starts = 1;
  options.iterations = 1;
  for (size_t k = 0; k < few * times * dims; k++) rows[k] = (float)sotto_i_random_normal(&random);
  for (size_t k = 0; k < 2; k++) {
    const sotto_matrix x = {rows, k == 0 ? few : few * times, dims};
    (void)sotto_i_memory_peak();
    CHECK_OK(sotto_gw_distance_of_points(&result, NULL, NULL, &x, &x, &options, &err));
    peak[k] = sotto_i_memory_peak();
  }
  assert_true(peak[1] <= times * peak[0] + 4096);
  assert_true(peak[1] < few * times * 300);
}

static void malformed_points_are_named(void **state) {
  (void)state;
  float rows[] = {1, 2, NAN, 4};
  const sotto_matrix bad = {rows, 2, 2}, good = {rows, 1, 2}, none = {rows, 0, 2};
  sotto_gw_options o = sotto_gw_defaults();
  sotto_gw_result r;
  CHECK_FAILS(SOTTO_NUMERIC, "row 1 of y",
              sotto_gw_distance_of_points(&r, NULL, NULL, &good, &bad, NULL, &err));
  CHECK_FAILS(SOTTO_RANGE, "0 points", sotto_gw_distance_of_points(&r, NULL, NULL, &none, &good, NULL, &err));
  o.loss = SOTTO_GW_KL;
  CHECK_FAILS(SOTTO_UNSUPPORTED, "square loss",
              sotto_gw_distance_of_points(&r, NULL, NULL, &good, &good, &o, &err));
  o = sotto_gw_defaults();
  o.starts = 0;
  CHECK_FAILS(SOTTO_RANGE, "0 starts", sotto_gw_distance_of_points(&r, NULL, NULL, &good, &good, &o, &err));
  (void)sotto_i_memory_fail_at(0);
  CHECK_OK(sotto_gw_distance_of_points(&r, NULL, NULL, &good, &good, NULL, &err));
  const uint64_t count = sotto_i_memory_fail_at(0);
  for (uint64_t n = 1; n <= count; n++) {
    (void)sotto_i_memory_fail_at(n);
    CHECK_FAILS(SOTTO_NOMEM, "allocate",
                sotto_gw_distance_of_points(&r, NULL, NULL, &good, &good, NULL, &err));
  }
  (void)sotto_i_memory_fail_at(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(plans_have_their_marginals_and_values),
                                     cmocka_unit_test(the_dense_solver_ends_in_the_same_plan),
                                     cmocka_unit_test(costs_of_factors_are_solved_as_their_matrix),
                                     cmocka_unit_test(a_copy_in_another_order_is_at_zero),
                                     cmocka_unit_test(memory_is_linear_in_the_points),
                                     cmocka_unit_test(malformed_points_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
