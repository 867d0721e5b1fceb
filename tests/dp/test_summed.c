/* Noise that parties add together: against exact convolutions, with faults planted; vectors in whole steps.
 */
#include <math.h>

#include "check.h"
#include "chi_square.h"
#include "dp/noise/summed.h"

enum { width = 80, points = 2 * width + 1, draws = 200000 };

/* The discrete Gaussian of variance parameter `square` on [-width, width]. */
static void discrete(double out[points], double square) {
  double sum = 0;
  for (int x = -width; x <= width; x++) sum += out[x + width] = exp(-x * x / (2 * square));
  for (int i = 0; i < points; i++) out[i] /= sum;
}

static void convolve(double out[points], const double a[points], const double b[points]) {
  double sum[points] = {0};
  for (int i = 0; i < points; i++)
    for (int j = 0; j < points; j++)
      if (i + j - width >= 0 && i + j - width < points) sum[i + j - width] += a[i] * b[j];
  memcpy(out, sum, sizeof sum);
}

/* Each of so many parties has this sigma. */
static void sum_of(double out[points], double sigma, uint32_t parties) {
  double one[points];
  discrete(one, sigma * sigma);
  memcpy(out, one, sizeof one);
  for (uint32_t i = 1; i < parties; i++) convolve(out, out, one);
}

/* At each x where the window takes nothing away that double precision sees. */
static void a_sum_is_as_close_to_one_discrete_gaussian_as_is_said(void **state) {
  double closest = INFINITY;
  (void)state;
  for (double sigma = 0.5; sigma <= 1.3; sigma += 0.1)
    for (uint32_t parties = 2; parties <= 5; parties++) {
      double sum[points], one[points], most = 0;
      const double bound = sotto_i_summed_closeness(sigma, parties);
      sum_of(sum, sigma, parties);
      discrete(one, parties * sigma * sigma);
      for (int x = -10; x <= 10; x++) most = fmax(most, fabs(log(sum[x + width] / one[x + width])));
      if (!(most <= bound + 1e-12))
        fail_msg("sigma %g, %u parties: %g, and %g is said", sigma, (unsigned)parties, most, bound);
      if (most > 1e-9) closest = fmin(closest, bound / most);
    }
  assert_true(closest < 20);
  assert_true(isinf(sotto_i_summed_closeness(0.4, 2)));
  assert_true(sotto_i_summed_closeness(0x1p19, 1024) == 0);
}

/* Sums of parties' draws, party i with sigma[i] (0: it adds none), as a z-score against what it should be. */
static double score(const double *sigma, uint32_t parties, double right) {
  uint64_t seen[points] = {0};
  double expected[points];
  sotto_key key;
  int64_t *sums = calloc(draws, sizeof *sums);
  assert_non_null(sums);
  sotto_key_system(&key);
  for (uint32_t i = 0; i < parties; i++) {
    sotto_discrete_gaussian noise;
    if (sigma[i] == 0) continue;
    CHECK_OK(sotto_discrete_gaussian_new(&noise, sigma[i], &err));
    CHECK_OK(sotto_discrete_gaussian_add(sums, draws, &noise, &key, i, &err));
  }
  for (int i = 0; i < draws; i++)
    if (sums[i] >= -width && sums[i] <= width) seen[sums[i] + width]++;
  sum_of(expected, right, parties);
  for (int i = 0; i < points; i++) expected[i] *= draws;
  free(sums);
  return chi_square_z(seen, expected, points);
}

static void parties_together_draw_from_the_exact_convolution(void **state) {
  const double right[3] = {1.25, 1.25, 1.25}; /* which the sampler meets exactly */
  (void)state;
  assert_true(score(right, 3, 1.25) < CHI_SQUARE_LIMIT);
}

static void a_party_without_noise_or_with_half_of_it_shows(void **state) {
  const double none[3] = {1.25, 0, 1.25}, half[3] = {1.25, 1.25, 0.625};
  (void)state;
  assert_true(score(none, 3, 1.25) > CHI_SQUARE_LIMIT);
  assert_true(score(half, 3, 1.25) > CHI_SQUARE_LIMIT);
}

static void counted_parts_have_the_noise_that_was_asked_for(void **state) {
  (void)state;
  for (uint32_t parties = 1; parties <= 40; parties += 3)
    for (uint32_t counted = 1; counted <= parties; counted += 5)
      for (double multiplier = 0.01; multiplier < 1000; multiplier *= 7) {
        sotto_i_summed_noise n;
        CHECK_OK(sotto_i_summed_noise_new(&n, 0.7, multiplier, parties, counted, 1 << 20, &err));
        const sotto_mechanism m = sotto_i_summed_mechanism(&n, 0.1);
        assert_true(m.sensitivity <= 0.7 && m.sensitivity > 0.69);
        assert_true(m.noise >= multiplier * m.sensitivity && m.noise < 1.001 * multiplier * m.sensitivity);
        assert_true(n.each.sigma * sqrt(counted) >= n.sigma);
        assert_true(sotto_i_summed_reach(&n, 1e6) < 0x1p62);
      }
}

static void noise_that_does_not_fit_is_refused(void **state) {
  (void)state;
  sotto_i_summed_noise n;
  CHECK_FAILS(SOTTO_RANGE, "too much", sotto_i_summed_noise_new(&n, 1, 1e5, 3, 3, 100, &err));
  CHECK_FAILS(SOTTO_RANGE, "too little", sotto_i_summed_noise_new(&n, 1, 1e-5, 3, 3, 100, &err));
  CHECK_FAILS(SOTTO_RANGE, "0 of 3", sotto_i_summed_noise_new(&n, 1, 1, 3, 0, 100, &err));
  CHECK_FAILS(SOTTO_RANGE, "4 of 3", sotto_i_summed_noise_new(&n, 1, 1, 3, 4, 100, &err));
}

/* Vectors at and about the border, of few and of many values; also far beyond. */
static void no_vector_is_longer_than_it_may_be(void **state) {
  sotto_i_random random = check_random();
  double nearest = 0;
  (void)state;
  for (int round = 0; round < 4000; round++) {
    const size_t count = 1 + sotto_i_random_below(&random, 300);
    const uint64_t most = 1 + sotto_i_random_below(&random, round % 2 == 0 ? 40 : 1 << 30);
    const double step = ldexp(1, (int)sotto_i_random_below(&random, 60) - 30);
    double x[300], norm = 0;
    int64_t whole[300];
    uint64_t square, sum = 0;
    for (size_t i = 0; i < count; i++) {
      x[i] = sotto_i_random_normal(&random) * (i % 3 == 0 ? 1000 : 1);
      norm += x[i] * x[i];
    }
    const double length = (double)most * step * (round % 5 == 0 ? 7 : 1 + 1e-15 * (round % 7 - 3));
    for (size_t i = 0; i < count; i++) x[i] *= length / sqrt(norm);
    sotto_i_whole_steps(whole, &square, x, count, step, most);
    for (size_t i = 0; i < count; i++) {
      sum += (uint64_t)(whole[i] * whole[i]);
      assert_true(whole[i] == 0 || (whole[i] > 0) == (x[i] > 0));
      assert_true(fabs((double)whole[i]) * step <= fabs(x[i]) * (1 + 1e-15));
    }
    assert_true(sum == square && square <= most * most);
    if (most > 1 << 20) nearest = fmax(nearest, sqrt((double)square) / (double)most);
  }
  assert_true(nearest > 1 - 1e-4);
}

/* In any place, and when only the square of its norm is not. */
static void a_vector_that_is_not_finite_counts_as_zero(void **state) {
  const double values[] = {NAN, INFINITY, -INFINITY, 1e200};
  (void)state;
  for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    for (size_t at = 0; at < 3; at++) {
      double x[3] = {1, -2, 3};
      int64_t whole[3] = {7, 7, 7};
      uint64_t square = 7;
      x[at] = values[i];
      sotto_i_whole_steps(whole, &square, x, 3, 1, 9);
      assert_true(square == 0 && whole[0] == 0 && whole[1] == 0 && whole[2] == 0);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_sum_is_as_close_to_one_discrete_gaussian_as_is_said),
      cmocka_unit_test(parties_together_draw_from_the_exact_convolution),
      cmocka_unit_test(a_party_without_noise_or_with_half_of_it_shows),
      cmocka_unit_test(counted_parts_have_the_noise_that_was_asked_for),
      cmocka_unit_test(noise_that_does_not_fit_is_refused),
      cmocka_unit_test(no_vector_is_longer_than_it_may_be),
      cmocka_unit_test(a_vector_that_is_not_finite_counts_as_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
