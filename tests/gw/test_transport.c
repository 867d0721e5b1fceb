/* The network simplex against two slow references: every permutation, and augmenting paths one unit at a
 * time. */
#include <math.h>

#include "check.h"
#include "gw/solve/transport.h"

enum { most = 9, most_units = 40 };

static double plan_cost(const double *plan, const double *cost, size_t cells) {
  double sum = 0;
  for (size_t k = 0; k < cells; k++) sum += plan[k] * cost[k];
  return sum;
}

static void check_marginals(const double *plan, size_t n, size_t m, const double *p, const double *q) {
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < m; j++) {
      assert_true(plan[i * m + j] >= 0);
      sum += plan[i * m + j];
    }
    CHECK_NEAR(sum, p[i], 1e-14);
  }
  for (size_t j = 0; j < m; j++) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += plan[i * m + j];
    CHECK_NEAR(sum, q[j], 1e-14);
  }
}

/* Successive shortest paths by Bellman-Ford, a unit at a time. */
static double slow_cost(const double *cost, const int *supply, size_t n, size_t m) {
  int flow[most * most] = {0}, left[most], want[most];
  for (size_t i = 0; i < n; i++) left[i] = supply[i];
  for (size_t j = 0; j < m; j++) want[j] = supply[n + j];
  double total = 0;
  for (;;) {
    double distance[2 * most];
    size_t from[2 * most];
    for (size_t v = 0; v < n + m; v++) distance[v] = v < n && left[v] > 0 ? 0 : INFINITY;
    for (size_t v = 0; v < n + m; v++) from[v] = SIZE_MAX;
    for (size_t round = 0; round < n + m; round++)
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
          if (distance[i] + cost[i * m + j] < distance[n + j] - 1e-12) {
            distance[n + j] = distance[i] + cost[i * m + j];
            from[n + j] = i;
          }
          if (flow[i * m + j] > 0 && distance[n + j] - cost[i * m + j] < distance[i] - 1e-12) {
            distance[i] = distance[n + j] - cost[i * m + j];
            from[i] = n + j;
          }
        }
    size_t best = SIZE_MAX;
    for (size_t j = 0; j < m; j++)
      if (want[j] > 0 && (best == SIZE_MAX || distance[n + j] < distance[best])) best = n + j;
    if (best == SIZE_MAX) return total;
    total += distance[best];
    want[best - n]--;
    size_t v = best;
    for (; from[v] != SIZE_MAX; v = from[v]) {
      if (v >= n)
        flow[from[v] * m + (v - n)]++;
      else
        flow[v * m + (from[v] - n)]--;
    }
    left[v]--;
  }
}

static void random_units(sotto_i_random *random, int *supply, size_t count, int total) {
  for (size_t i = 0; i < count; i++) supply[i] = 1;
  for (int k = (int)count; k < total; k++) supply[sotto_i_random_below(random, count)]++;
}

static void costs_match_augmenting_paths(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 400; round++) {
    const size_t n = 1 + sotto_i_random_below(&random, most), m = 1 + sotto_i_random_below(&random, most);
    int supply[2 * most];
    double cost[most * most], plan[most * most], p[most], q[most];
    const bool uniform = sotto_i_random_below(&random, 2) == 0, ties = sotto_i_random_below(&random, 2) == 0;
    for (size_t i = 0; i < n + m; i++) supply[i] = (int)(i < n ? m : n);
    const int total = uniform ? (int)(n * m) : most_units;
    if (!uniform) {
      random_units(&random, supply, n, total);
      random_units(&random, supply + n, m, total);
    }
    for (size_t i = 0; i < n; i++) p[i] = (double)supply[i] / total;
    for (size_t j = 0; j < m; j++) q[j] = (double)supply[n + j] / total;
    sotto_i_transport_tree t;
    CHECK_OK(sotto_i_transport_new(&t, n, m, uniform ? NULL : p, uniform ? NULL : q, &err));
    /* Solved again from the last basis for new costs: the warm start must not matter. */
    for (int again = 0; again < 3; again++) {
      for (size_t k = 0; k < n * m; k++)
        cost[k] = ties ? (double)sotto_i_random_below(&random, 4) - 1 : sotto_i_random_normal(&random);
      CHECK_OK(sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = cost}, &err));
      sotto_i_transport_plan(&t, plan);
      check_marginals(plan, n, m, p, q);
      CHECK_NEAR(plan_cost(plan, cost, n * m), slow_cost(cost, supply, n, m) / total, 1e-9);
    }
    sotto_i_transport_free(&t);
  }
}

static double best_permutation(const double *cost, size_t n, size_t row, unsigned used) {
  if (row == n) return 0;
  double best = INFINITY;
  for (size_t j = 0; j < n; j++)
    if ((used >> j & 1U) == 0)
      best = fmin(best, cost[row * n + j] + best_permutation(cost, n, row + 1, used | 1U << j));
  return best;
}

static void assignments_match_every_permutation(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 60; round++) {
    const size_t n = 1 + sotto_i_random_below(&random, 7);
    double cost[49], plan[49];
    for (size_t k = 0; k < n * n; k++) cost[k] = sotto_i_random_normal(&random);
    sotto_i_transport_tree t;
    CHECK_OK(sotto_i_transport_new(&t, n, n, NULL, NULL, &err));
    CHECK_OK(sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = cost}, &err));
    sotto_i_transport_plan(&t, plan);
    CHECK_NEAR(plan_cost(plan, cost, n * n) * (double)n, best_permutation(cost, n, 0, 0), 1e-12);
    sotto_i_transport_free(&t);
  }
}

static void every_order_starts_a_basis(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const size_t n = 6, m = 9;
  double p[6], q[9], plan[54], before = -1;
  for (size_t i = 0; i < n; i++) p[i] = 1.0 / 6;
  for (size_t j = 0; j < m; j++) q[j] = 1.0 / 9;
  sotto_i_transport_tree t;
  CHECK_OK(sotto_i_transport_new(&t, n, m, NULL, NULL, &err));
  for (int round = 0; round < 50; round++) {
    uint32_t rows[6], cols[9];
    double cost[54];
    for (uint32_t i = 0; i < n; i++) rows[i] = i;
    for (uint32_t j = 0; j < m; j++) cols[j] = j;
    for (size_t k = 0; k < n * m; k++) cost[k] = (double)((k * 7919) % 101);
    sotto_i_random_shuffle(&random, rows, n);
    sotto_i_random_shuffle(&random, cols, m);
    sotto_i_transport_start(&t, rows, cols);
    sotto_i_transport_plan(&t, plan);
    check_marginals(plan, n, m, p, q);
    CHECK_OK(sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = cost}, &err));
    sotto_i_transport_plan(&t, plan);
    const double value = plan_cost(plan, cost, n * m);
    if (before >= 0) CHECK_NEAR(value, before, 1e-12);
    before = value;
  }
  sotto_i_transport_free(&t);
}

/* The tree of the basis: arcs join rows and columns, those without flow leave rows, and a subtree is a run.
 */
static void check_tree(const sotto_i_transport_tree *t) {
  const uint32_t nodes = t->rows + t->cols;
  for (uint32_t x = 0; x < nodes; x++) {
    const uint32_t v = t->order[x], u = t->parent[v];
    assert_true(t->place[v] == x && t->size[v] >= 1 && x + t->size[v] <= nodes);
    if (x == 0) continue;
    assert_true(u < nodes && (u < t->rows) != (v < t->rows) && t->flow[v] >= 0);
    assert_true(t->flow[v] > 0 || v < t->rows);
    assert_true(t->place[u] < x && x + t->size[v] <= t->place[u] + t->size[u]);
  }
  assert_int_equal(t->size[t->order[0]], nodes);
}

static void a_greedy_basis_is_one_and_is_near_the_best(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  uint64_t pivots[2] = {0, 0};
  for (int round = 0; round < 400; round++) {
    const size_t n = 1 + sotto_i_random_below(&random, most), m = 1 + sotto_i_random_below(&random, most);
    const bool uniform = round % 2 == 0, ties = round % 3 == 0;
    int supply[2 * most];
    double cost[most * most], plan[most * most], p[most], q[most], best[2];
    const int total = uniform ? (int)(n * m) : most_units;
    for (size_t i = 0; i < n + m; i++) supply[i] = (int)(i < n ? m : n);
    if (!uniform) {
      random_units(&random, supply, n, total);
      random_units(&random, supply + n, m, total);
    }
    for (size_t i = 0; i < n; i++) p[i] = (double)supply[i] / total;
    for (size_t j = 0; j < m; j++) q[j] = (double)supply[n + j] / total;
    for (size_t k = 0; k < n * m; k++)
      cost[k] = ties ? (double)sotto_i_random_below(&random, 3) : sotto_i_random_normal(&random);
    for (int greedy = 0; greedy < 2; greedy++) {
      sotto_i_transport_tree t;
      CHECK_OK(sotto_i_transport_new(&t, n, m, uniform ? NULL : p, uniform ? NULL : q, &err));
      if (greedy) sotto_i_transport_greedy(&t, &(sotto_i_transport_costs){.matrix = cost});
      check_tree(&t);
      sotto_i_transport_plan(&t, plan);
      check_marginals(plan, n, m, p, q);
      CHECK_OK(sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = cost}, &err));
      check_tree(&t);
      sotto_i_transport_plan(&t, plan);
      best[greedy] = plan_cost(plan, cost, n * m);
      pivots[greedy] += t.pivots;
      sotto_i_transport_free(&t);
    }
    CHECK_NEAR(best[1], best[0], 1e-12);
  }
  print_message("%llu pivots from the north-west corner, %llu from greedy bases\n",
                (unsigned long long)pivots[0], (unsigned long long)pivots[1]);
  assert_true(pivots[1] < pivots[0] * 2 / 3);
}

/* Differences that overflow leave no least one; a basis comes out all the same. */
static void greedy_bases_stand_any_costs(void **state) {
  (void)state;
  const double cost[6] = {1e308, -1e308, 1e308, -1e308, NAN, 1e308};
  double plan[6];
  const double p[2] = {0.5, 0.5}, q[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  sotto_i_transport_tree t;
  CHECK_OK(sotto_i_transport_new(&t, 2, 3, NULL, NULL, &err));
  sotto_i_transport_greedy(&t, &(sotto_i_transport_costs){.matrix = cost});
  check_tree(&t);
  sotto_i_transport_plan(&t, plan);
  check_marginals(plan, 2, 3, p, q);
  CHECK_FAILS(SOTTO_NUMERIC, "not finite",
              sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = cost}, &err));
  sotto_i_transport_free(&t);
}

static void a_basis_that_is_not_optimal_shows(void **state) {
  (void)state;
  const double cost[4] = {1, 0, 0, 1};
  double plan[4];
  sotto_i_transport_tree t;
  CHECK_OK(sotto_i_transport_new(&t, 2, 2, NULL, NULL, &err));
  sotto_i_transport_plan(&t, plan); /* the north-west corner: the planted fault */
  assert_true(plan_cost(plan, cost, 4) > 0.99);
  CHECK_OK(sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = cost}, &err));
  sotto_i_transport_plan(&t, plan);
  CHECK_NEAR(plan_cost(plan, cost, 4), 0, 0);
  sotto_i_transport_free(&t);
}

static void marks_tell_plans_apart(void **state) {
  (void)state;
  const double cost[4] = {1, 0, 0, 1}, other[4] = {0, 1, 1, 0};
  sotto_i_transport_tree t;
  CHECK_OK(sotto_i_transport_new(&t, 2, 2, NULL, NULL, &err));
  CHECK_OK(sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = cost}, &err));
  const uint64_t first = sotto_i_transport_mark(&t);
  CHECK_OK(sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = other}, &err));
  assert_true(first != sotto_i_transport_mark(&t));
  CHECK_OK(sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = cost}, &err));
  assert_true(first == sotto_i_transport_mark(&t));
  sotto_i_transport_free(&t);
}

static void what_cannot_be_solved_is_said(void **state) {
  (void)state;
  const double bad[4] = {0, NAN, 0, 0}, worse[4] = {0, 0, -INFINITY, 0};
  sotto_i_transport_tree t;
  CHECK_FAILS(SOTTO_RANGE, "outside 1", sotto_i_transport_new(&t, 0, 3, NULL, NULL, &err));
  CHECK_FAILS(SOTTO_RANGE, "outside 1", sotto_i_transport_new(&t, SIZE_MAX, SIZE_MAX, NULL, NULL, &err));
  CHECK_OK(sotto_i_transport_new(&t, 2, 2, NULL, NULL, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "not finite",
              sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = bad}, &err));
  CHECK_FAILS(SOTTO_NUMERIC, "not finite",
              sotto_i_transport_solve(&t, &(sotto_i_transport_costs){.matrix = worse}, &err));
  sotto_i_transport_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(costs_match_augmenting_paths),
                                     cmocka_unit_test(assignments_match_every_permutation),
                                     cmocka_unit_test(every_order_starts_a_basis),
                                     cmocka_unit_test(a_basis_that_is_not_optimal_shows),
                                     cmocka_unit_test(a_greedy_basis_is_one_and_is_near_the_best),
                                     cmocka_unit_test(greedy_bases_stand_any_costs),
                                     cmocka_unit_test(marks_tell_plans_apart),
                                     cmocka_unit_test(what_cannot_be_solved_is_said)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
