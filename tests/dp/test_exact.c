/* The laws of the exact samplers, each against its probabilities. */
#include <math.h>

#include "check.h"
#include "chi_square.h"
#include "dp/noise/exact.h"

enum { draws = 40000, bins = 401, middle = 200 };

/* Probabilities proportional to weight[i], scaled to `draws`. */
static void expect(double *expected, const double *weight) {
  double total = 0;
  for (int i = 0; i < bins; i++) total += weight[i];
  for (int i = 0; i < bins; i++) expected[i] = draws * weight[i] / total;
}

static int bin_of(int64_t value) {
  int64_t bin = value + middle;
  return bin < 0 ? 0 : bin >= bins ? bins - 1 : (int)bin;
}

static void coins_of_exponential_probability_come_up_as_often(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const uint64_t cases[][2] = {{0, 7}, {1, 1000}, {1, 3}, {1, 1}, {999999, 1048576}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double p = exp(-(double)cases[c][0] / (double)cases[c][1]);
    uint64_t heads = 0;
    for (int i = 0; i < draws; i++) heads += sotto_i_coin_exp(&random, cases[c][0], cases[c][1]);
    assert_true(fabs((double)heads - draws * p) <= 5 * sqrt(draws * p * (1 - p)));
  }
}

static void geometrics_have_exactly_their_law(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const uint64_t cases[][2] = {{1, 3}, {5, 4}, {(uint64_t)1 << 37, (uint64_t)1 << 40}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    double weight[bins] = {0}, expected[bins], rate = (double)cases[c][0] / (double)cases[c][1];
    uint64_t seen[bins] = {0};
    for (int i = middle; i < bins; i++) weight[i] = exp(-rate * (i - middle));
    expect(expected, weight);
    for (int i = 0; i < draws; i++)
      seen[bin_of((int64_t)sotto_i_geometric(&random, cases[c][0], cases[c][1]))]++;
    assert_true(chi_square_z(seen, expected, bins) < CHI_SQUARE_LIMIT);
  }
}

static void laplace_integers_have_exactly_their_law(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double weight[bins], expected[bins];
  uint64_t seen[bins] = {0};
  for (int i = 0; i < bins; i++) weight[i] = exp(-abs(i - middle) / 6.5);
  expect(expected, weight);
  for (int i = 0; i < draws; i++) seen[bin_of(sotto_i_discrete_laplace(&random, 2, 13))]++;
  assert_true(chi_square_z(seen, expected, bins) < CHI_SQUARE_LIMIT);
}

static double gaussian_z(sotto_i_random *random, double sigma, double claimed) {
  int exponent;
  uint32_t mantissa = (uint32_t)ldexp(frexp(sigma, &exponent), 16);
  double weight[bins], expected[bins];
  uint64_t seen[bins] = {0};
  for (int i = 0; i < bins; i++) weight[i] = exp(-(i - middle) * (i - middle) / (2 * claimed * claimed));
  expect(expected, weight);
  for (int i = 0; i < draws; i++) seen[bin_of(sotto_i_discrete_gaussian(random, mantissa, 16 - exponent))]++;
  return chi_square_z(seen, expected, bins);
}

static void gaussian_integers_have_exactly_their_law(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const double sigmas[] = {0.0625, 0.3, 0.75, 1, 2.5, 17, 30};
  for (size_t c = 0; c < sizeof sigmas / sizeof *sigmas; c++) {
    int exponent;
    double fraction = frexp(sigmas[c], &exponent);
    double drawn = ldexp(floor(ldexp(fraction, 16)), exponent - 16);
    assert_true(gaussian_z(&random, sigmas[c], drawn) < CHI_SQUARE_LIMIT);
  }
}

static void a_sigma_off_by_eight_in_a_hundred_is_noticed(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  assert_true(gaussian_z(&random, 2.5, 2.5 * 1.08) > CHI_SQUARE_LIMIT);
}

/* At sigma = 2^22 no bin fills up; moments tell. */
static void wide_gaussian_integers_have_the_right_moments(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double sum = 0, square = 0;
  enum { wide = 20000 };
  for (int i = 0; i < wide; i++) {
    double x = ldexp((double)sotto_i_discrete_gaussian(&random, 1U << 15, -7), -22);
    sum += x;
    square += x * x;
  }
  assert_true(fabs(sum / sqrt(wide)) < 5);
  assert_true(fabs(square - wide) / sqrt(2.0 * wide) < 5);
}

static void keys_that_hide_nothing_are_refused(void **state) {
  (void)state;
  sotto_key key = {0};
  CHECK_FAILS(SOTTO_INVALID, "zeroed", sotto_i_check_secret(&key, 0, &err));
  sotto_key_public(&key, 3);
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_i_check_secret(&key, 0, &err));
  sotto_key_insecure(&key, 3);
  CHECK_FAILS(SOTTO_RANGE, "2^24", sotto_i_check_secret(&key, 1U << 24, &err));
  CHECK_OK(sotto_i_check_secret(&key, (1U << 24) - 1, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coins_of_exponential_probability_come_up_as_often),
      cmocka_unit_test(geometrics_have_exactly_their_law),
      cmocka_unit_test(laplace_integers_have_exactly_their_law),
      cmocka_unit_test(gaussian_integers_have_exactly_their_law),
      cmocka_unit_test(a_sigma_off_by_eight_in_a_hundred_is_noticed),
      cmocka_unit_test(wide_gaussian_integers_have_the_right_moments),
      cmocka_unit_test(keys_that_hide_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
