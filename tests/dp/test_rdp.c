/* Renyi divergences against integrals and sums that define them. */
#include <math.h>

#include "check.h"
#include "dp/mechanisms/mechanism.h"

/* log E_Q[(P/Q)^a] / (a - 1) of the sampled Gaussian by brute quadrature. */
static double poisson_reference(double q, double sigma, double order) {
  double sum = 0, step = sigma / 200, square = 2 * sigma * sigma;
  for (double x = -14 * sigma; x < order + 14 * sigma; x += step)
    sum += exp(-x * x / square + order * log1p(q * expm1((2 * x - 1) / square)));
  return log(sum * step / (sigma * sqrt(2 * 3.14159265358979323846))) / (order - 1);
}

static void sampled_divergences_meet_their_integral(void **state) {
  (void)state;
  static const double orders[] = {2, 3, 8, 11, 25};
  for (size_t i = 0; i < 5; i++)
    for (double sigma = 0.7; sigma < 8; sigma *= 2)
      for (double q = 1e-3; q < 1; q *= 9)
        CHECK_NEAR(sotto_i_rdp_poisson(q, sigma, orders[i]), poisson_reference(q, sigma, orders[i]), 1e-11);
}

static void fractional_orders_bound_their_integral_from_above(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 60; round++) {
    double order = 1.1 + 9.7 * sotto_i_random_double(&random),
           sigma = 0.6 + 4 * sotto_i_random_double(&random);
    double q = 0.3 * sotto_i_random_double(&random) + 1e-4;
    double got = sotto_i_rdp_poisson(q, sigma, order), wanted = poisson_reference(q, sigma, order);
    if (!(got >= wanted - 1e-11)) fail_msg("q %g sigma %g order %g: %g < %g", q, sigma, order, got, wanted);
    /* Close where the order is not so near 1 that the dropped signs weigh. */
    if (sigma > 1 && q < 0.01 && order > 2 && !(got <= wanted * 1.05 + 1e-9))
      fail_msg("q %g sigma %g order %g: %g > %g", q, sigma, order, got, wanted);
  }
}

static void without_replacement_lies_between_nothing_and_no_sampling(void **state) {
  (void)state;
  for (double sigma = 0.3; sigma < 40; sigma *= 2.3) {
    sotto_i_rdp less, more;
    sotto_i_rdp_init(&less);
    sotto_i_rdp_init(&more);
    CHECK_OK(sotto_i_rdp_without(&less, 0.01, sigma, 1, &err));
    CHECK_OK(sotto_i_rdp_without(&more, 0.02, sigma, 1, &err));
    for (size_t i = 0; i < SOTTO_I_RDP_ORDERS; i++) {
      assert_true(less.value[i] > 0 && isfinite(less.value[i]));
      assert_true(less.value[i] <= more.value[i]);
    }
  }
}

/* Wang et al. 2019, Thm 27, at order 4 with the moments E_Q[(P/Q - 1)^l] as their alternating sums. */
static void order_four_without_replacement_is_the_theorem_written_out(void **state) {
  (void)state;
  double sigma = 1.5, q = 0.05, power[5], moment[5] = {0};
  static const double choose[5][5] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}, {1, 4, 6, 4, 1}};
  for (int j = 0; j < 5; j++) power[j] = exp(j * (j - 1) / (2 * sigma * sigma));
  for (int l = 0; l < 5; l++)
    for (int i = 0; i <= l; i++) moment[l] += ((l - i) % 2 == 0 ? 1 : -1) * choose[l][i] * power[i];
  double e2 = exp(1 / (sigma * sigma));
  double two = q * q * 6 * fmin(4 * (e2 - 1), 2 * e2);
  double three = q * q * q * 4 * fmin(4 * sqrt(moment[2] * moment[4]), 2 * power[3]);
  double four = q * q * q * q * fmin(4 * moment[4], 2 * power[4]);
  sotto_i_rdp rdp;
  sotto_i_rdp_init(&rdp);
  CHECK_OK(sotto_i_rdp_without(&rdp, q, sigma, 1, &err));
  assert_true(fabs(rdp.order[29] - 4) < 1e-12);
  CHECK_NEAR(rdp.value[29], log1p(two + three + four) / 3, 1e-12);
}

static void pure_mechanisms_meet_the_sums_over_their_answers(void **state) {
  (void)state;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  for (m.choices = 2; m.choices < 8; m.choices += 5) {
    for (m.epsilon = 1e-4; m.epsilon < 20; m.epsilon *= 7) {
      sotto_i_rdp rdp;
      sotto_i_rdp_init(&rdp);
      CHECK_OK(sotto_i_rdp_add(&rdp, &m, &err));
      double e = exp(m.epsilon), k = (double)m.choices, truth = e / (e + k - 1), lie = 1 / (e + k - 1);
      for (size_t i = 0; i < 100; i += 9) {
        double a = rdp.order[i];
        double sum = truth * pow(e, a - 1) + lie * pow(e, 1 - a) + (k - 2) * lie;
        CHECK_NEAR(rdp.value[i], log(sum) / (a - 1), 1e-12);
      }
    }
  }
}

static void laplace_meets_its_integral(void **state) {
  (void)state;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
  m.noise = 1.3;
  sotto_i_rdp rdp;
  sotto_i_rdp_init(&rdp);
  CHECK_OK(sotto_i_rdp_add(&rdp, &m, &err));
  for (size_t i = 0; i < 60; i += 7) {
    double a = rdp.order[i], sum = 0.5 * exp((a - 1) / 1.3) + 0.5 * exp(-a / 1.3), step = 1e-4;
    for (double x = step / 2; x < 1; x += step) sum += step / 2.6 * exp((-a * x - (1 - a) * (1 - x)) / 1.3);
    CHECK_NEAR(rdp.value[i], log(sum) / (a - 1), 1e-7);
  }
}

static void conversions_are_inverse_and_sound_for_a_gaussian(void **state) {
  (void)state;
  for (double mu = 0.05; mu < 10; mu *= 2) {
    sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
    m.noise = 1 / mu;
    sotto_i_rdp rdp;
    sotto_i_rdp_init(&rdp);
    CHECK_OK(sotto_i_rdp_add(&rdp, &m, &err));
    double epsilon = sotto_i_rdp_epsilon(&rdp, 1e-6), exact = NAN;
    CHECK_OK(sotto_gdp_epsilon(&exact, mu, 1e-6, &err));
    assert_true(epsilon >= exact && epsilon < 1.6 * exact + 0.02);
    CHECK_NEAR(sotto_i_rdp_delta(&rdp, epsilon) * 1e6, 1, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sampled_divergences_meet_their_integral),
      cmocka_unit_test(fractional_orders_bound_their_integral_from_above),
      cmocka_unit_test(without_replacement_lies_between_nothing_and_no_sampling),
      cmocka_unit_test(order_four_without_replacement_is_the_theorem_written_out),
      cmocka_unit_test(pure_mechanisms_meet_the_sums_over_their_answers),
      cmocka_unit_test(laplace_meets_its_integral),
      cmocka_unit_test(conversions_are_inverse_and_sound_for_a_gaussian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
