/* Gromov-Wasserstein distances: pieces against their definitions, and laws of the whole. */
#include <math.h>

#include "check.h"
#include "gw/solve/problem.h"

enum { most = 8 };

typedef struct points {
  double distance[most * most], weight[most];
  sotto_gw_space space;
} points;

/* Distances of points in the plane; weights at random when `weighted`. */
static void random_points(points *out, sotto_i_random *random, size_t n, bool weighted) {
  double x[most][2], sum = 0;
  for (size_t i = 0; i < n; i++) {
    x[i][0] = sotto_i_random_normal(random);
    x[i][1] = sotto_i_random_normal(random);
    out->weight[i] = 0.1 + sotto_i_random_double(random);
    sum += out->weight[i];
  }
  for (size_t i = 0; i < n; i++) {
    out->weight[i] /= sum;
    for (size_t j = 0; j < n; j++) out->distance[i * n + j] = hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]);
  }
  out->space = (sotto_gw_space){n, out->distance, weighted ? out->weight : NULL};
}

static void copy_in_order(points *out, const points *in, const uint32_t *order) {
  const size_t n = in->space.points;
  for (size_t i = 0; i < n; i++) {
    out->weight[i] = in->weight[order[i]];
    for (size_t j = 0; j < n; j++) out->distance[i * n + j] = in->distance[order[i] * n + order[j]];
  }
  out->space = (sotto_gw_space){n, out->distance, in->space.weight == NULL ? NULL : out->weight};
}

static double loss_of(sotto_gw_loss loss, double x, double y) {
  if (loss == SOTTO_GW_SQUARE) return (x - y) * (x - y);
  x = x < 1e-15 ? 1e-15 : x;
  y = y < 1e-15 ? 1e-15 : y;
  return x * log(x / y) - x + y;
}

/* The definition: four sums. */
static double slow_value(const points *a, const points *b, const double *plan, const sotto_gw_options *o) {
  const size_t n = a->space.points, m = b->space.points;
  const double alpha = o->feature_cost == NULL ? 1 : o->alpha;
  double sum = 0, features = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) {
      for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < m; l++)
          sum += loss_of(o->loss, a->distance[i * n + k], b->distance[j * m + l]) * plan[i * m + j] *
                 plan[k * m + l];
      if (alpha < 1) features += o->feature_cost[i * m + j] * plan[i * m + j];
    }
  return alpha * sum + (1 - alpha) * features;
}

/* A plan inside the polytope: the product plan and a random one of the simplex, mixed. */
static void random_plan(sotto_i_gw_problem *s, sotto_i_random *random) {
  const size_t cells = s->n * s->m;
  for (size_t k = 0; k < cells; k++) s->gradient[k] = sotto_i_random_normal(random);
  CHECK_OK(sotto_i_transport_solve(&s->transport, &(sotto_i_transport_costs){.matrix = s->gradient}, &err));
  sotto_i_transport_plan(&s->transport, s->plan);
  for (size_t k = 0; k < cells; k++) s->plan[k] = 0.6 * s->plan[k] + 0.4 * s->p[k / s->m] * s->q[k % s->m];
  sotto_i_gw_product(s, s->product, s->plan);
  sotto_i_gw_gradient(s, s->gradient, s->product);
}

typedef struct setting {
  points a, b;
  double features[most * most];
  sotto_gw_options options;
  sotto_i_gw_side left, right;
  sotto_i_gw_problem problem;
} setting;

static void random_setting(setting *s, sotto_i_random *random, int round) {
  random_points(&s->a, random, 1 + sotto_i_random_below(random, most), round % 2 == 1);
  random_points(&s->b, random, 1 + sotto_i_random_below(random, most), round % 3 == 1);
  s->options = sotto_gw_defaults();
  s->options.loss = round % 4 < 2 ? SOTTO_GW_SQUARE : SOTTO_GW_KL;
  for (size_t k = 0; k < most * most; k++) s->features[k] = sotto_i_random_double(random);
  if (round % 5 < 2) s->options.feature_cost = s->features;
  s->options.alpha = sotto_i_random_double(random);
  CHECK_OK(sotto_i_gw_side_new(&s->left, &s->a.space, "a", &s->options, true, &err));
  CHECK_OK(sotto_i_gw_side_new(&s->right, &s->b.space, "b", &s->options, false, &err));
  CHECK_OK(sotto_i_gw_problem_new(&s->problem, &s->left, &s->right, &s->options, &err));
}

static void end_setting(setting *s) {
  sotto_i_gw_problem_free(&s->problem);
  sotto_i_gw_side_free(&s->left);
  sotto_i_gw_side_free(&s->right);
}

static void values_and_gradients_match_the_definition(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 60; round++) {
    setting s;
    random_setting(&s, &random, round);
    random_plan(&s.problem, &random);
    const double value = slow_value(&s.a, &s.b, s.problem.plan, &s.options);
    CHECK_NEAR(sotto_i_gw_value(&s.problem, s.problem.plan, s.problem.product), value, 1e-10);
    CHECK_NEAR(sotto_i_gw_value_by_gradient(&s.problem, s.problem.plan, s.problem.gradient), value, 1e-10);
    CHECK_NEAR(sotto_i_gw_value_exact(&s.problem, s.problem.plan), value, 1e-10);
    /* Along directions that keep the marginals, where alone the form of the gradient is promised. */
    const size_t n = s.problem.n, m = s.problem.m;
    for (int probe = 0; probe < 10 && n > 1 && m > 1; probe++) {
      const size_t i = sotto_i_random_below(&random, n), j = sotto_i_random_below(&random, m);
      const size_t k = (i + 1) % n, l = (j + 1) % m;
      const double step = 1e-4, *g = s.problem.gradient;
      double *plan = s.problem.plan;
      double difference = 0;
      for (int sign = -1; sign <= 1; sign += 2) {
        plan[i * m + l] += sign * step, plan[k * m + j] += sign * step;
        plan[i * m + j] -= sign * step, plan[k * m + l] -= sign * step;
        difference += sign * slow_value(&s.a, &s.b, plan, &s.options);
        plan[i * m + l] -= sign * step, plan[k * m + j] -= sign * step;
        plan[i * m + j] += sign * step, plan[k * m + l] += sign * step;
      }
      CHECK_NEAR(g[i * m + l] + g[k * m + j] - g[i * m + j] - g[k * m + l], difference / (2 * step), 1e-7);
    }
    end_setting(&s);
  }
}

/* A T B by its definition, for plans inside the polytope and for those of a basis. */
static void products_match_the_definition(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 100; round++) {
    setting s;
    random_setting(&s, &random, round);
    sotto_i_gw_problem *p = &s.problem;
    random_plan(p, &random);
    for (int basis = 0; basis < 2; basis++) {
      if (basis) {
        sotto_i_transport_plan(&p->transport, p->plan);
        sotto_i_gw_product_of_basis(p, p->product);
      }
      for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->m; j++) {
          double sum = 0;
          for (size_t k = 0; k < p->n; k++)
            for (size_t l = 0; l < p->m; l++)
              sum += s.left.matrix[i * s.left.stride + k] * p->plan[k * p->m + l] *
                     s.right.matrix[l * s.right.stride + j];
          CHECK_NEAR(p->product[i * p->m + j], sum, 1e-12);
        }
    }
    end_setting(&s);
  }
}

static void the_line_search_finds_the_least_of_a_parabola(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 1000; round++) {
    const double linear = sotto_i_random_normal(&random), quadratic = sotto_i_random_normal(&random);
    const double found = sotto_i_gw_line_search(linear, quadratic);
    double least = 0;
    for (int k = 0; k <= 1000; k++) {
      const double t = k / 1000.0;
      least = fmin(least, t * (linear + t * quadratic));
    }
    assert_true(found >= 0 && found <= 1);
    assert_true(found * (linear + found * quadratic) <= least + 1e-15);
  }
}

/* The most that an exchange of two cells gains, in full, by the definition. */
static double best_exchange(const setting *s) {
  const size_t n = s->problem.n, m = s->problem.m;
  double *plan = s->problem.plan, most_gain = 0;
  const double now = slow_value(&s->a, &s->b, plan, &s->options);
  for (size_t x = 0; x < n * m; x++)
    for (size_t y = 0; y < x; y++) {
      const size_t i = x / m, j = x % m, k = y / m, l = y % m;
      const double mass = fmin(plan[x], plan[y]);
      if (i == k || j == l || mass <= 0) continue;
      plan[x] -= mass, plan[y] -= mass, plan[i * m + l] += mass, plan[k * m + j] += mass;
      most_gain = fmax(most_gain, now - slow_value(&s->a, &s->b, plan, &s->options));
      plan[x] += mass, plan[y] += mass, plan[i * m + l] -= mass, plan[k * m + j] -= mass;
    }
  return most_gain;
}

static void exchanges_keep_marginals_and_gain_what_they_say(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 60; round++) {
    setting s;
    random_setting(&s, &random, round);
    sotto_i_gw_problem *p = &s.problem;
    random_plan(p, &random);
    const double before = slow_value(&s.a, &s.b, p->plan, &s.options);
    double largest = 0; /* what single precision knows is a part of the largest gradient */
    for (size_t k = 0; k < p->n * p->m; k++) largest = fmax(largest, fabs(p->gradient[k]));
    const double gained = sotto_i_gw_exchange(p, 1e-9);
    const double after = slow_value(&s.a, &s.b, p->plan, &s.options);
    assert_true(gained > 0 ? after < before : after == before);
    CHECK_NEAR(before - gained, after, 1e-5 * largest);
    if (p->alpha > 0) assert_true(best_exchange(&s) <= 1e-5 * largest);
    for (size_t i = 0; i < p->n; i++) {
      double sum = 0;
      for (size_t j = 0; j < p->m; j++) sum += p->plan[i * p->m + j];
      CHECK_NEAR(sum, p->p[i], 1e-12);
    }
    end_setting(&s);
  }
}

static double distance_of(const points *a, const points *b, uint32_t starts) {
  sotto_gw_options options = sotto_gw_defaults();
  sotto_gw_result result;
  double plan[most * most];
  options.starts = starts;
  CHECK_OK(sotto_gw_distance(&result, plan, &a->space, &b->space, &options, &err));
  CHECK_NEAR(slow_value(a, b, plan, &options), result.value, 1e-10);
  assert_true(result.value >= 0);
  return result.value;
}

static void a_copy_in_another_order_is_at_zero(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 100; round++) {
    points a, b;
    uint32_t order[most];
    random_points(&a, &random, 1 + sotto_i_random_below(&random, most), round % 2 == 1);
    for (uint32_t i = 0; i < most; i++) order[i] = i;
    sotto_i_random_shuffle(&random, order, a.space.points);
    copy_in_order(&b, &a, order);
    assert_true(distance_of(&a, &a, 6) < 1e-20);
    assert_true(distance_of(&a, &b, 6) < 1e-20);
    b.distance[0] += 1; /* a planted fault: a point that is at 1 from itself, of weight 0.01 or more */
    assert_true(distance_of(&a, &b, 6) > 1e-6);
  }
}

/* The least value over permutations, each a plan of 1/n a cell. */
static double best_permutation(const points *a, const points *b, size_t *image, size_t row, unsigned used) {
  const size_t n = a->space.points;
  double best = INFINITY, sum = 0;
  if (row == n) {
    for (size_t i = 0; i < n; i++)
      for (size_t k = 0; k < n; k++)
        sum += loss_of(SOTTO_GW_SQUARE, a->distance[i * n + k], b->distance[image[i] * n + image[k]]);
    return sum / (double)(n * n);
  }
  for (size_t j = 0; j < n; j++) {
    if ((used >> j & 1U) != 0) continue;
    image[row] = j;
    best = fmin(best, best_permutation(a, b, image, row + 1, used | 1U << j));
  }
  return best;
}

/* Euclidean distances are of negative type, so the value is concave in the plan, and least at a permutation.
 */
static void the_least_permutation_is_found(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  int found = 0, rounds = 100;
  for (int round = 0; round < rounds; round++) {
    points a, b;
    size_t image[most];
    const size_t n = 2 + sotto_i_random_below(&random, 6);
    random_points(&a, &random, n, false);
    random_points(&b, &random, n, false);
    const double least = best_permutation(&a, &b, image, 0, 0), got = distance_of(&a, &b, 64);
    assert_true(got >= least - 1e-12);
    found += got <= least + 1e-12;
  }
  print_message("the least of all permutations was found in %d of %d\n", found, rounds);
  assert_true(found >= 80);
}

static void distances_are_symmetric_and_keep_the_triangle(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  int even = 0, rounds = 60;
  for (int round = 0; round < rounds; round++) {
    points x[3];
    double d[3];
    for (int k = 0; k < 3; k++) random_points(&x[k], &random, 2 + sotto_i_random_below(&random, 4), false);
    for (int k = 0; k < 3; k++) d[k] = sqrt(distance_of(&x[k], &x[(k + 1) % 3], 64));
    even += fabs(d[0] - sqrt(distance_of(&x[1], &x[0], 64))) < 1e-9;
    for (int k = 0; k < 3; k++) assert_true(d[k] <= d[(k + 1) % 3] + d[(k + 2) % 3] + 1e-9);
  }
  /* The starts are not symmetric, so now and then one side ends in a better minimum. */
  assert_true(even >= rounds * 8 / 10);
}

static void more_starts_are_never_worse(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 30; round++) {
    points a, b;
    random_points(&a, &random, most, false);
    random_points(&b, &random, most, false);
    assert_true(distance_of(&a, &b, 64) <= distance_of(&a, &b, 1) + 1e-9);
  }
}

static void malformed_spaces_are_named(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  points a, b;
  sotto_gw_result r;
  sotto_gw_options o = sotto_gw_defaults();
  random_points(&a, &random, 3, true);
  b = a;
  b.space.distance = b.distance;
  b.space.weight = b.weight;
  const sotto_gw_space none = {.points = 0, .distance = a.distance},
                       one = {.points = 1, .distance = (double[]){0}};
  CHECK_FAILS(SOTTO_RANGE, "0 points", sotto_gw_distance(&r, NULL, &none, &a.space, NULL, &err));
  CHECK_OK(sotto_gw_distance(&r, NULL, &one, &a.space, NULL, &err));
  CHECK_OK(sotto_gw_distance(&r, NULL, &one, &one, NULL, &err));
  assert_true(r.value == 0);
  b.distance[1] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "not finite", sotto_gw_distance(&r, NULL, &a.space, &b.space, NULL, &err));
  b.distance[1] = INFINITY;
  CHECK_FAILS(SOTTO_NUMERIC, "not finite", sotto_gw_distance(&r, NULL, &a.space, &b.space, NULL, &err));
  b.distance[1] = a.distance[1] + 1;
  CHECK_FAILS(SOTTO_INVALID, "not symmetric", sotto_gw_distance(&r, NULL, &b.space, &a.space, NULL, &err));
  b.distance[1] = b.distance[3] = -1;
  CHECK_OK(sotto_gw_distance(&r, NULL, &a.space, &b.space, NULL, &err));
  o.loss = SOTTO_GW_KL;
  CHECK_FAILS(SOTTO_INVALID, "KL loss", sotto_gw_distance(&r, NULL, &a.space, &b.space, &o, &err));
  b.distance[1] = b.distance[3] = a.distance[1];
  o.loss = SOTTO_GW_SQUARE;
  b.weight[0] += 0.1;
  CHECK_FAILS(SOTTO_INVALID, "add up", sotto_gw_distance(&r, NULL, &a.space, &b.space, NULL, &err));
  b.weight[0] = 0;
  CHECK_FAILS(SOTTO_INVALID, "remove points", sotto_gw_distance(&r, NULL, &a.space, &b.space, NULL, &err));
  b.weight[0] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "weight 0", sotto_gw_distance(&r, NULL, &a.space, &b.space, NULL, &err));
  o.starts = 0;
  CHECK_FAILS(SOTTO_RANGE, "starts", sotto_gw_distance(&r, NULL, &a.space, &a.space, &o, &err));
  o = sotto_gw_defaults();
  o.tolerance = NAN;
  CHECK_FAILS(SOTTO_RANGE, "tolerance", sotto_gw_distance(&r, NULL, &a.space, &a.space, &o, &err));
  o = sotto_gw_defaults();
  o.feature_cost = (double[]){0, 0, 0, NAN, 0, 0, 0, 0, 0};
  CHECK_FAILS(SOTTO_NUMERIC, "feature cost 3", sotto_gw_distance(&r, NULL, &a.space, &a.space, &o, &err));
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  points a, b;
  sotto_gw_result r;
  random_points(&a, &random, 5, true);
  random_points(&b, &random, 7, false);
  (void)sotto_i_memory_fail_at(0);
  CHECK_OK(sotto_gw_distance(&r, NULL, &a.space, &b.space, NULL, &err));
  const uint64_t count = sotto_i_memory_fail_at(0);
  assert_true(count >= 4);
  for (uint64_t n = 1; n <= count; n++) {
    (void)sotto_i_memory_fail_at(n);
    CHECK_FAILS(SOTTO_NOMEM, "allocate", sotto_gw_distance(&r, NULL, &a.space, &b.space, NULL, &err));
  }
  (void)sotto_i_memory_fail_at(0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_and_gradients_match_the_definition),
                                     cmocka_unit_test(products_match_the_definition),
                                     cmocka_unit_test(the_line_search_finds_the_least_of_a_parabola),
                                     cmocka_unit_test(exchanges_keep_marginals_and_gain_what_they_say),
                                     cmocka_unit_test(a_copy_in_another_order_is_at_zero),
                                     cmocka_unit_test(the_least_permutation_is_found),
                                     cmocka_unit_test(distances_are_symmetric_and_keep_the_triangle),
                                     cmocka_unit_test(more_starts_are_never_worse),
                                     cmocka_unit_test(malformed_spaces_are_named),
                                     cmocka_unit_test(every_failed_allocation_is_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
