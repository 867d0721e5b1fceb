/* Sums that are released night after night: weights, and estimates against dense least squares. */
#include <math.h>

#include "check.h"
#include "dp/noise/continual.h"

enum { nights = 9 };
static const double step = 0x1p-12;

static void columns_have_norm_one_but_for_rounding_and_never_more(void **state) {
  (void)state;
  for (uint32_t n = 1; n <= 300; n = n < 10 ? n + 1 : n * 3) {
    sotto_i_continual c;
    CHECK_OK(sotto_i_continual_new(&c, n, step, &err));
    for (uint32_t s = 0; s < n; s++) {
      double square = 0;
      for (uint32_t t = 0; t < n; t++) {
        const double w = sotto_i_continual_weight(&c, t, s) * step;
        if (t < s) assert_true(w == 0);
        square += w * w;
      }
      if (!(square <= 1 && square >= 1 - 2 * step * sqrt(n)))
        fail_msg("%u nights, night %u: squared norm %.17g", (unsigned)n, (unsigned)s, square);
    }
    sotto_i_continual_free(&c);
  }
}

/* With endless variances, what any night added counts as 1 in the estimate. */
static void estimates_without_a_prior_are_right_on_the_average(void **state) {
  const sotto_i_continual_prior prior = {3, 1e9, 0.5, 1e9, 0};
  sotto_i_continual c;
  double weights[nights];
  (void)state;
  CHECK_OK(sotto_i_continual_new(&c, nights, step, &err));
  for (uint32_t last = 0; last < nights; last++) {
    sotto_i_continual_solver solver;
    sotto_i_continual_estimate out = {.weights = weights};
    CHECK_OK(sotto_i_continual_solver_new(&solver, &c, last, 2, prior.later_variance, &err));
    for (uint32_t first = 0; first <= last; first++) {
      sotto_i_continual_solve(&out, &solver, first, &prior);
      CHECK_NEAR(out.offset, 0.0, 1e-6);
      for (uint32_t s = first; s <= last; s++) {
        double sum = 0;
        for (uint32_t t = s; t <= last; t++) sum += weights[t] * sotto_i_continual_weight(&c, t, s) * step;
        CHECK_NEAR(sum, 1.0, 1e-6);
      }
    }
    sotto_i_continual_solver_free(&solver);
  }
  sotto_i_continual_free(&c);
}

/* x of a x = b by Gauss, n at most nights; slow and plain. */
static void solve(double a[nights][nights], double *x, size_t n) {
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) {
      const double factor = a[i][k] / a[k][k];
      for (size_t j = k; j < n; j++) a[i][j] -= factor * a[k][j];
      x[i] -= factor * x[k];
    }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) x[k] -= a[k][j] * x[j];
    x[k] /= a[k][k];
  }
}

/* The other form of least squares: weights solve Cov(y) w = Cov(y, sum). */
static void reference(double *weights, double *deviation, const sotto_i_continual *c, uint32_t first,
                      uint32_t last, double sigma, const sotto_i_continual_prior *p) {
  const size_t n = last - first + 1;
  double x[nights][nights], y[nights][nights] = {{0}}, with_sum[nights] = {0}, prior = 0, told = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      const double own = i == 0 ? p->first_mean : p->later_mean,
                   other = j == 0 ? p->first_mean : p->later_mean;
      x[i][j] = p->spread * own * other + (i != j ? 0 : i == 0 ? p->first_variance : p->later_variance);
      prior += x[i][j];
    }
  for (size_t t = 0; t < n; t++)
    for (size_t i = 0; i <= t; i++)
      for (size_t j = 0; j < n; j++) {
        const double at =
            sotto_i_continual_weight(c, first + (uint32_t)t, first + (uint32_t)i) * step * x[i][j];
        with_sum[t] += at;
        for (size_t s = j; s < n; s++)
          y[t][s] += at * sotto_i_continual_weight(c, first + (uint32_t)s, first + (uint32_t)j) * step;
      }
  for (size_t i = 0; i < n; i++) y[i][i] += sigma * sigma;
  memcpy(weights, with_sum, sizeof with_sum);
  solve(y, weights, n);
  for (size_t i = 0; i < n; i++) told += weights[i] * with_sum[i];
  *deviation = sqrt(prior - told);
}

static void estimates_are_those_of_dense_least_squares(void **state) {
  sotto_i_continual c;
  sotto_i_random random = check_random();
  double weights[nights], expected[nights], deviation;
  (void)state;
  CHECK_OK(sotto_i_continual_new(&c, nights, step, &err));
  for (int trial = 0; trial < 50; trial++) {
    const double sigma = 0.2 + 3 * sotto_i_random_double(&random);
    const sotto_i_continual_prior p = {2, 0.1 + sotto_i_random_double(&random), 0.25,
                                       0.001 + sotto_i_random_double(&random),
                                       trial % 2 == 0 ? 0 : 2 * sotto_i_random_double(&random)};
    const uint32_t last = (uint32_t)sotto_i_random_below(&random, nights);
    const uint32_t first = (uint32_t)sotto_i_random_below(&random, last + 1);
    sotto_i_continual_solver solver;
    sotto_i_continual_estimate out = {.weights = weights};
    CHECK_OK(sotto_i_continual_solver_new(&solver, &c, last, sigma, p.later_variance, &err));
    sotto_i_continual_solve(&out, &solver, first, &p);
    reference(expected, &deviation, &c, first, last, sigma, &p);
    CHECK_NEAR(out.deviation, deviation, 1e-9);
    double offset = 2 + 0.25 * (last - first);
    for (uint32_t t = first; t <= last; t++) {
      CHECK_NEAR(weights[t], expected[t - first], 1e-9);
      for (uint32_t s = first; s <= t; s++)
        offset -= weights[t] * sotto_i_continual_weight(&c, t, s) * step * (s == first ? 2 : 0.25);
    }
    CHECK_NEAR(out.offset, offset, 1e-9); /* what the prior expects is estimated as that */
    sotto_i_continual_solver_free(&solver);
  }
  sotto_i_continual_free(&c);
}

static void numbers_outside_of_what_a_plan_can_be_are_refused(void **state) {
  sotto_i_continual c;
  (void)state;
  CHECK_FAILS(SOTTO_RANGE, "nights", sotto_i_continual_new(&c, 0, step, &err));
  CHECK_FAILS(SOTTO_RANGE, "1001", sotto_i_continual_new(&c, 1001, step, &err));
  CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_i_continual_new(&c, 5, 1, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_have_norm_one_but_for_rounding_and_never_more),
      cmocka_unit_test(estimates_without_a_prior_are_right_on_the_average),
      cmocka_unit_test(estimates_are_those_of_dense_least_squares),
      cmocka_unit_test(numbers_outside_of_what_a_plan_can_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
