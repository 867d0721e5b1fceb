/* Exact bounds on probabilities, and the bound on epsilon that is made of them. */
#include <math.h>

#include "audit/statistics/audit.h"
#include "check.h"

/* Golden values: Abramowitz and Stegun 26.5 by hand for small whole parameters. */
static void the_beta_function_has_its_known_values(void **state) {
  (void)state;
  CHECK_NEAR(sotto_i_beta(0.5, 2, 3), 0.6875, 1e-13);
  CHECK_NEAR(sotto_i_beta(0.3, 1, 1), 0.3, 1e-13);
  CHECK_NEAR(sotto_i_beta(0.25, 0.5, 0.5), 1.0 / 3, 1e-12); /* 2/pi asin sqrt x */
  CHECK_NEAR(sotto_i_beta(0.1, 1, 7), 1 - pow(0.9, 7), 1e-13);
  assert_true(sotto_i_beta(0, 2, 3) == 0 && sotto_i_beta(1, 2, 3) == 1);
}

/* Pr[Binomial(n, p) >= k], term by term. */
static double slow_tail(int k, int n, double p) {
  double sum = 0;
  for (int i = k; i <= n; i++)
    sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) + (n - i) * log1p(-p));
  return sum;
}

static void the_beta_function_is_a_binomial_tail(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 400; round++) {
    int n = 1 + (int)sotto_i_random_below(&random, round % 10 == 0 ? 50000 : 60);
    int k = 1 + (int)sotto_i_random_below(&random, (uint64_t)n);
    double p = 0.001 + 0.998 * sotto_i_random_double(&random);
    double gap = sotto_i_beta(p, k, n - k + 1) - slow_tail(k, n, p);
    if (fabs(gap) > 1e-8) fail_msg("n %d k %d p %.6f: off by %.3g", n, k, p, gap);
  }
}

/* The usual tables of 95% intervals: 5 of 10, 0 of 10, 1 of 100. */
static void clopper_and_pearson_give_the_tabled_intervals(void **state) {
  (void)state;
  CHECK_NEAR(sotto_i_at_least(5, 10, 0.025), 0.18708603, 1e-7);
  CHECK_NEAR(sotto_i_at_most(5, 10, 0.025), 0.81291397, 1e-7);
  CHECK_NEAR(sotto_i_at_most(0, 10, 0.025), 1 - pow(0.025, 0.1), 1e-12);
  CHECK_NEAR(sotto_i_at_most(1, 100, 0.025), 0.05445938, 1e-7);
  assert_true(sotto_i_at_least(0, 10, 0.025) == 0 && sotto_i_at_most(10, 10, 0.025) == 1);
}

/* A lie told with probability 1 / (e^eps + 1): the bound is below eps, 19 times of 20 at least, and near it.
 */
static void the_bound_is_wrong_less_often_than_it_may_be(void **state) {
  (void)state;
  enum { trials = 2000, rounds = 200 };
  static double first[trials], second[trials];
  sotto_i_random random = check_random();
  int wrong = 0;
  double total = 0;
  for (int round = 0; round < rounds; round++) {
    double lie = 1 / (exp(1.5) + 1), lower;
    for (int i = 0; i < trials; i++) {
      first[i] = sotto_i_random_double(&random) < lie;
      second[i] = sotto_i_random_double(&random) >= lie;
    }
    CHECK_OK(sotto_audit_bound(&lower, first, second, trials, 0, &err));
    wrong += lower > 1.5;
    total += lower;
  }
  assert_true(wrong <= 0.05 * rounds);
  assert_true(total / rounds > 1.2);
}

static void equal_inputs_show_nothing_and_certain_ones_show_much(void **state) {
  (void)state;
  enum { trials = 1000 };
  static double first[trials], second[trials];
  double lower;
  CHECK_OK(sotto_audit_bound(&lower, first, second, trials, 0.01, &err));
  assert_true(lower == 0);
  for (int i = 0; i < trials; i++) second[i] = 1;
  CHECK_OK(sotto_audit_bound(&lower, first, second, trials, 0.01, &err));
  assert_true(lower > 4);
  CHECK_OK(sotto_audit_bound(&lower, second, first, trials, 0.01, &err));
  assert_true(lower == 0); /* larger values are to speak for the second input */
}

static void bad_samples_are_refused(void **state) {
  (void)state;
  static double values[200];
  double lower;
  CHECK_FAILS(SOTTO_RANGE, "too few", sotto_audit_bound(&lower, values, values, 99, 0, &err));
  CHECK_FAILS(SOTTO_RANGE, "delta", sotto_audit_bound(&lower, values, values, 200, 1, &err));
  values[7] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "trial 7", sotto_audit_bound(&lower, values, values, 200, 0, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_beta_function_has_its_known_values),
      cmocka_unit_test(the_beta_function_is_a_binomial_tail),
      cmocka_unit_test(clopper_and_pearson_give_the_tabled_intervals),
      cmocka_unit_test(the_bound_is_wrong_less_often_than_it_may_be),
      cmocka_unit_test(equal_inputs_show_nothing_and_certain_ones_show_much),
      cmocka_unit_test(bad_samples_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
