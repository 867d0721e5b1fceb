/* Gaussian differential privacy against closed forms in 800 digits and the shared golden numbers. */
#include <math.h>

#include "check.h"
#include "sotto/dp.h"

static void delta_matches_an_evaluation_in_800_digits(void **state) {
  (void)state;
  /* Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2) with mpmath 1.2, mp.dps = 800. */
  static const double golden[][3] = {
      {1, 0, 0.38292492254802621},
      {1, 1, 0.12693673750664395},
      {0.5, 0.25, 0.11029839374852847},
      {1e-06, 0, 3.9894228040141604e-7},
      {1e-06, 3e-05, 1.6319812136257011e-205},
      {0.01, 0.37, 1.8591889534672325e-303},
      {3, 0.5, 0.82999580994769031},
      {3, 20, 4.2247546167694101e-8},
      {20, 500, 2.092050285928744e-51},
      {1000, 500500, 0.30818564969545034},
      {1000, 530000, 4.763641621727832e-198},
      {0.999999, 35, 1.1265872001363625e-262},
      {37, 0, 1.0},
  };
  for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
    double wanted = golden[i][2], got = sotto_gdp_delta(golden[i][0], golden[i][1]);
    if (!(fabs(got / wanted - 1) <= 1e-12))
      fail_msg("delta(mu %g, epsilon %g) = %.17g, expected %.17g", golden[i][0], golden[i][1], got, wanted);
  }
}

static void epsilon_matches_a_bisection_in_300_digits(void **state) {
  (void)state;
  static const double golden[][3] = {
      {1, 1e-05, 4.3771780956812246}, {1, 1e-300, 37.448847912139105}, {0.1, 1e-06, 0.39685737764408362},
      {5, 1e-10, 43.662903869019912}, {100, 1e-08, 5560.22720575796},  {0.01, 0.001, 0.009048072593038798},
      {2, 0.5, 1.0542645598853919},
  };
  for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
    double epsilon, mu, wanted = golden[i][2];
    CHECK_OK(sotto_gdp_epsilon(&epsilon, golden[i][0], golden[i][1], &err));
    if (!(epsilon >= wanted * (1 - 4e-16) && epsilon <= wanted * (1 + 1e-9)))
      fail_msg("epsilon(mu %g, delta %g) = %.17g, expected %.17g or just above", golden[i][0], golden[i][1],
               epsilon, wanted);
    CHECK_OK(sotto_gdp_mu(&mu, wanted, golden[i][1], &err));
    if (!(mu <= golden[i][0] * (1 + 1e-15) && mu >= golden[i][0] * (1 - 1e-9)))
      fail_msg("mu(epsilon %g, delta %g) = %.17g, expected %g or just below", wanted, golden[i][1], mu,
               golden[i][0]);
  }
}

static void the_inverses_are_on_the_safe_side_and_tight(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int i = 0; i < 100; i++) {
    double mu = pow(10, 6 * sotto_i_random_double(&random) - 3);
    double delta = pow(10, -12 * sotto_i_random_double(&random) - 1);
    double epsilon, back;
    CHECK_OK(sotto_gdp_epsilon(&epsilon, mu, delta, &err));
    assert_true(sotto_gdp_delta(mu, epsilon) <= delta);
    if (epsilon == 0) continue;
    assert_true(sotto_gdp_delta(mu, epsilon * (1 - 1e-9)) > delta);
    CHECK_OK(sotto_gdp_mu(&back, epsilon, delta, &err));
    assert_true(sotto_gdp_delta(back, epsilon) <= delta);
    CHECK_NEAR(back / mu, 1, 2e-9);
  }
}

static void no_release_costs_nothing_and_extremes_stay_ordered(void **state) {
  (void)state;
  double value;
  assert_true(sotto_gdp_delta(0, 0) == 0);
  assert_true(sotto_gdp_delta(INFINITY, 5) == 1);
  assert_true(sotto_gdp_delta(1, INFINITY) == 0);
  assert_true(sotto_gdp_delta(1e-300, 1) == 0);
  CHECK_OK(sotto_gdp_epsilon(&value, 0, 1e-5, &err));
  assert_true(value == 0);
  CHECK_OK(sotto_gdp_epsilon(&value, 1e200, 1e-5, &err)); /* more than a double holds: still an upper bound */
  assert_true(value == INFINITY);
  CHECK_OK(sotto_gdp_mu(&value, 1e308, 1e-5, &err));
  assert_true(value > 1.41e154 && value < 1.42e154);
  CHECK_OK(sotto_gdp_mu(&value, 1e-300, 0.5, &err));
  CHECK_NEAR(value, 1.3489795003921634, 1e-9); /* 2 Phi^-1(3/4) */
}

static void arguments_out_of_range_are_refused(void **state) {
  (void)state;
  double value;
  CHECK_FAILS(SOTTO_RANGE, "delta", sotto_gdp_epsilon(&value, 1, 0, &err));
  CHECK_FAILS(SOTTO_RANGE, "delta", sotto_gdp_epsilon(&value, 1, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "delta", sotto_gdp_mu(&value, 1, (double)NAN, &err));
  CHECK_FAILS(SOTTO_RANGE, "mu", sotto_gdp_epsilon(&value, -1, 1e-5, &err));
  CHECK_FAILS(SOTTO_RANGE, "mu", sotto_gdp_epsilon(&value, (double)INFINITY, 1e-5, &err));
  CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_gdp_mu(&value, 0, 1e-5, &err));
  CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_gdp_mu(&value, (double)NAN, 1e-5, &err));
}

/* One row of accounting.csv; returns whether it was one of ours. */
static bool check_row(const char *row) {
  double noise, count, layers, lipschitz, epsilon, delta, wanted, got;
  if (sscanf(row, "gaussian,noise=%lf;count=%lf,%lf,gdp,%lf", &noise, &count, &delta, &wanted) == 4) {
    CHECK_OK(sotto_gdp_epsilon(&got, sqrt(count) / noise, delta, &err));
  } else if (sscanf(row, "contractive,noise=%lf;layers=%lf;lipschitz=%lf,%lf,gdp,%lf", &noise, &layers,
                    &lipschitz, &delta, &wanted) == 5) {
    double power = pow(lipschitz, layers);
    double mu = sqrt((1 - power) / (1 + power) * (1 + lipschitz) / (1 - lipschitz)) / noise;
    CHECK_OK(sotto_gdp_epsilon(&got, mu, delta, &err));
  } else if (sscanf(row, "calibrate-gaussian,epsilon=%lf;count=%lf,%lf,gdp,%lf", &epsilon, &count, &delta,
                    &wanted) == 4) {
    CHECK_OK(sotto_gdp_mu(&got, epsilon, delta, &err));
    got = sqrt(count) / got;
  } else {
    return false;
  }
  if (!(fabs(got / wanted - 1) <= 1e-6)) fail_msg("%s: got %.10g", row, got);
  return true;
}

static void every_shared_golden_number_is_met(void **state) {
  (void)state;
  const char *path = check_shared("goldens/accounting.csv");
  if (path == NULL) skip();
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  char row[256];
  int met = 0;
  while (fgets(row, sizeof row, file) != NULL) met += check_row(row);
  (void)fclose(file);
  assert_int_equal(met, 39 + 39 + 9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(delta_matches_an_evaluation_in_800_digits),
      cmocka_unit_test(epsilon_matches_a_bisection_in_300_digits),
      cmocka_unit_test(the_inverses_are_on_the_safe_side_and_tight),
      cmocka_unit_test(no_release_costs_nothing_and_extremes_stay_ordered),
      cmocka_unit_test(arguments_out_of_range_are_refused),
      cmocka_unit_test(every_shared_golden_number_is_met),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
