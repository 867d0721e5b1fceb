/* The noise kernels: accuracy, agreement to the bit, and the law of what they draw. */
#include "dp/noise/noise.h"
SOTTO_I_NOISE_KERNELS(under_test)
#define NOISE_NAME(x) x##_under_test
#include "dp/noise/noise_kernel.h"

#include "base/cpu.h"
#include "check.h"

enum { bins = 1 << 16, middle = bins / 2 };
static const double sigma = 1500.25; /* in steps; histograms hold 21 sigma on either side */

static void logarithm_sine_and_cosine_are_good_to_48_bits(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int i = 0; i < 200000; i++) {
    uint64_t word = sotto_i_random_u64(&random) >> (i % 64); /* as often near zero as near one */
    if (i % 3 == 0) word = ~word;
    long double u = ldexpl((long double)(word | 1), -64);
    long double exact = -2 * (word >> 63 ? log1pl(u - 1) : logl(u));
    /* Below 2^-40 the conversion of the word to 53 bits shows, as an absolute error of 2^-53. */
    if (!(fabsl(noise_minus_two_log(word) - exact) <= ldexpl(exact, -49) + 0x1p-52L))
      fail_msg("-2 ln of word %llx", (unsigned long long)word);
    double t = sotto_i_random_double(&random) * 0x1.921fb54442d18p-1, z = t * t;
    assert_true(fabsl(noise_cos(z) - cosl(t)) <= 0x1p-51L);
    assert_true(fabsl(noise_sin(t, z) - sinl(t)) <= ldexpl(sinl(t), -51));
  }
}

static void draws_match_box_and_muller_in_long_double(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const long double pi = 3.14159265358979323846264338327950288L;
  for (int i = 0; i < 200000; i++) {
    uint64_t radius = sotto_i_random_u64(&random), angle = sotto_i_random_u64(&random);
    int32_t first, second;
    sotto_i_noise_pairs_plain(&first, &second, &radius, &angle, 1, sigma);
    long double r = sigma * sqrtl(-2 * logl(ldexpl((long double)(radius | 1), -64)));
    long double t = ldexpl((long double)(angle & 0xfffffffffffffULL), -52) * pi / 4;
    long double c = r * cosl(t), s = r * sinl(t);
    if (angle >> 61 & 1) {
      long double held = c;
      c = s;
      s = held;
    }
    if (angle >> 63 & 1) c = -c;
    if (angle >> 62 & 1) s = -s;
    assert_true(fabsl(first - c) <= 0.5L + 1e-10L && fabsl(second - s) <= 0.5L + 1e-10L);
  }
}

/* On the finest grid a double is not always enough to round; the kernels must know when. The planted fault:
 * without the doubt some draws would differ. */
static void draws_that_are_not_in_doubt_are_exact_on_the_finest_grid(void **state) {
  (void)state;
  enum { rounds = 20000, n = 8 };
  sotto_i_random random = check_random();
  size_t doubts = 0;
  for (int i = 0; i < rounds; i++) {
    uint64_t radius[n], angle[n];
    int32_t drawn[2][n], exact[2][n];
    sotto_i_random_bytes(&random, radius, sizeof radius);
    sotto_i_random_bytes(&random, angle, sizeof angle);
    bool doubt = sotto_i_noise_pairs_plain(drawn[0], drawn[1], radius, angle, n, 0x1p26);
    sotto_i_noise_pairs_exact(exact[0], exact[1], radius, angle, n, 0x1p26);
    doubts += doubt;
    if (!doubt) assert_memory_equal(drawn, exact, sizeof drawn);
  }
  assert_true(doubts > 0 && doubts < rounds / 100);
}

/* A chunk of a row is 64 words of radius, then 64 of angle. At this scale one row in a hundred has a doubt.
 */
static void a_row_in_doubt_is_that_of_extended_precision(void **state) {
  (void)state;
  enum { rows = 2000, pairs = 64 };
  sotto_i_random seeds = check_random();
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&seeds));
  size_t doubts = 0;
  for (uint64_t row = 0; row < rows; row++) {
    sotto_i_random random;
    uint64_t words[2 * pairs];
    int32_t drawn[2 * pairs], exact[2 * pairs];
    sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_NOISE, 3, row);
    sotto_i_random_bytes(&random, words, sizeof words);
    doubts += sotto_i_noise_pairs_plain(drawn, drawn + pairs, words, words + pairs, pairs, 0x1p26);
    sotto_i_noise_pairs_exact(exact, exact + pairs, words, words + pairs, pairs, 0x1p26);
    sotto_i_noise_steps(drawn, 2 * pairs, 0x1p26, &key, 3, row);
    assert_memory_equal(drawn, exact, sizeof drawn);
  }
  assert_true(doubts > 0);
}

/* The kernels this machine can run besides the plain one. */
static size_t other_kernels(sotto_i_noise_pairs_fn *pairs, sotto_i_grid_apply_fn *apply) {
  size_t count = 0;
#if defined(__x86_64__)
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX2) {
    pairs[count] = sotto_i_noise_pairs_avx2;
    apply[count++] = sotto_i_grid_apply_avx2;
  }
  if (sotto_i_isa() >= SOTTO_I_ISA_AVX512) {
    pairs[count] = sotto_i_noise_pairs_avx512;
    apply[count++] = sotto_i_grid_apply_avx512;
  }
#else
  (void)pairs, (void)apply;
#endif
  return count;
}

static void every_kernel_draws_the_same_integers(void **state) {
  (void)state;
  sotto_i_noise_pairs_fn pairs[2];
  sotto_i_grid_apply_fn apply[2];
  size_t kernels = other_kernels(pairs, apply);
  sotto_i_random random = check_random();
  static const uint64_t edges[] = {0,
                                   1,
                                   2,
                                   UINT64_MAX,
                                   UINT64_MAX - 1,
                                   UINT64_C(1) << 63,
                                   UINT64_C(1) << 32,
                                   UINT64_C(0xffffffff),
                                   UINT64_C(0xb504f333f9de6484),
                                   UINT64_C(1) << 11};
  enum { n = 64, count_of_edges = sizeof edges / sizeof *edges };
  uint64_t radius[n], angle[n];
  int32_t wanted[2][n], got[2][n];
  for (int round = 0; round < 5000; round++) {
    sotto_i_random_bytes(&random, radius, sizeof radius);
    sotto_i_random_bytes(&random, angle, sizeof angle);
    for (int i = 0; i < count_of_edges && round == 0; i++) radius[i] = edges[i], angle[n - 1 - i] = edges[i];
    double scale = round % 2 == 0 ? sigma : ldexp(1 + sotto_i_random_double(&random), round % 20);
    sotto_i_noise_pairs_plain(wanted[0], wanted[1], radius, angle, n, scale);
    for (size_t k = 0; k < kernels; k++) {
      pairs[k](got[0], got[1], radius, angle, n, scale);
      assert_memory_equal(got, wanted, sizeof wanted);
    }
  }
}

static void every_kernel_rounds_and_clamps_rows_the_same(void **state) {
  (void)state;
  sotto_i_noise_pairs_fn pairs[2];
  sotto_i_grid_apply_fn apply[2];
  size_t kernels = other_kernels(pairs, apply);
  sotto_i_random random = check_random();
  enum { n = 37 };
  for (int round = 0; round < 3000; round++) {
    float row[n], wanted[n], got[n];
    int32_t noise[n];
    double step = ldexp(1, round % 120 - 60);
    for (int j = 0; j < n; j++) {
      row[j] = (float)(sotto_i_random_normal(&random) * ldexp(step, j - 4));
      noise[j] = (int32_t)sotto_i_random_below(&random, 40000) - 20000;
    }
    memcpy(wanted, row, sizeof row);
    sotto_i_grid_apply_plain(wanted, noise, n, step);
    for (int j = 0; j < n; j++) { /* the obvious reference */
      double steps = rint((double)row[j] / step) + noise[j];
      steps = fmax(fmin(steps, SOTTO_I_GRID_LIMIT), -SOTTO_I_GRID_LIMIT);
      assert_true((double)wanted[j] == steps * step);
    }
    for (size_t k = 0; k < kernels; k++) {
      memcpy(got, row, sizeof row);
      apply[k](got, noise, n, step);
      assert_memory_equal(got, wanted, sizeof wanted);
    }
  }
}

/* The law of the draws: z-scores above this, and Kolmogorov statistics above 2.7 (probability 1e-6), fail. */
static const double limit = 5.5;

static double upper_tail(double x) {
  return erfc(x * 0.70710678118654752440) / 2;
}

typedef struct histogram {
  uint64_t count[bins];
  double total;
} histogram;

/* Kolmogorov and Smirnov's statistic times sqrt(n), exact for a rounded Gaussian. */
static double kolmogorov(const histogram *h) {
  double below = 0, worst = 0;
  for (int i = 0; i < bins; i++) {
    below += (double)h->count[i];
    double x = (i - middle + 0.5) / sigma;
    worst = fmax(worst, fabs(below / h->total - (1 - upper_tail(x))));
  }
  return worst * sqrt(h->total);
}

/* The largest z-score of the first four moments; their variances are those of Gaussian powers. */
static double moments(const histogram *h) {
  static const double mean[] = {0, 1, 0, 3}, variance[] = {1, 2, 15, 96};
  double power[4] = {0}, worst = 0;
  for (int i = 0; i < bins; i++) {
    double x = (i - middle) / sigma, term = (double)h->count[i];
    for (int k = 0; k < 4; k++) power[k] += term *= x;
  }
  for (int k = 0; k < 4; k++)
    worst = fmax(worst, fabs(power[k] / h->total - mean[k]) / sqrt(variance[k] / h->total));
  return worst;
}

/* The largest z-score of the counts beyond 1, 1.5, ... 5 sigma, each side by itself. */
static double tails(const histogram *h) {
  double worst = 0;
  for (int half = 2; half <= 10; half++) {
    int edge = (int)(half * sigma / 2);
    double wanted = h->total * upper_tail((edge + 0.5) / sigma), right = 0, left = 0;
    if (wanted < 20) break;
    for (int i = middle + edge + 1; i < bins; i++) right += (double)h->count[i];
    for (int i = 0; i < middle - edge; i++) left += (double)h->count[i];
    worst = fmax(worst, fmax(fabs(right - wanted), fabs(left - wanted)) / sqrt(wanted));
  }
  return worst;
}

static bool looks_gaussian(const histogram *h) {
  return kolmogorov(h) < 2.7 && moments(h) < limit && tails(h) < limit;
}

static void draw(histogram *h, double scale, size_t total) {
  sotto_i_random random = check_random();
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  enum { row = 10000 };
  static int32_t values[row];
  memset(h, 0, sizeof *h);
  h->total = (double)total;
  for (size_t done = 0; done < total; done += row) {
    sotto_i_noise_steps(values, row, scale, &key, 3, done / row);
    for (int j = 0; j < row; j++) h->count[middle + values[j]]++;
  }
}

static const size_t draws = 100000000;

static histogram drawn;

static void draws_follow_a_rounded_gaussian(void **state) {
  (void)state;
  draw(&drawn, sigma, draws);
  print_message("Kolmogorov %.2f, moments %.2f, tails %.2f\n", kolmogorov(&drawn), moments(&drawn),
                tails(&drawn));
  assert_true(looks_gaussian(&drawn));
}

static void a_sigma_off_by_one_percent_is_caught(void **state) {
  (void)state;
  draw(&drawn, sigma * 1.01, draws);
  assert_true(kolmogorov(&drawn) > 2.7);
  assert_true(moments(&drawn) > limit);
  draw(&drawn, sigma * 0.99, draws);
  assert_true(kolmogorov(&drawn) > 2.7);
}

/* The largest z-score of |draw| > x, x from rho up in quarters, given a radius beyond rho = sqrt(2 ln 2
 * halvings) (the radius words are shifted right): the far tails without drawing for years. Draws are cut at
 * `cut`. */
static double far_tail(int halvings, double cut) {
  sotto_i_random random = check_random();
  enum { n = 512, rounds = 1000 };
  static uint64_t radius[n], angle[n];
  static int32_t value[2][n];
  double rho = sqrt(2 * halvings * 0.69314718055994530942), counts[6] = {0}, worst = 0;
  for (int round = 0; round < rounds; round++) {
    sotto_i_random_bytes(&random, radius, sizeof radius);
    sotto_i_random_bytes(&random, angle, sizeof angle);
    for (int i = 0; i < n; i++) radius[i] >>= halvings;
    sotto_i_noise_pairs_plain(value[0], value[1], radius, angle, n, sigma);
    for (int i = 0; i < 2 * n; i++) {
      int size = abs(value[i / n][i % n]);
      if (size > cut * sigma) size = (int)(cut * sigma);
      for (int k = 0; k < 6; k++) counts[k] += size > (int)ceil((rho + k / 4.0) * sigma);
    }
  }
  for (int k = 0; k < 6; k++) {
    double x = (ceil((rho + k / 4.0) * sigma) + 0.5) / sigma;
    double wanted = 2.0 * n * rounds * ldexp(2 * upper_tail(x), halvings);
    if (wanted < 20) break;
    /* The two draws of a pair cannot both be beyond rho sqrt 2 / 2 much more often than alone: count variance
     * is at most twice the Poisson one. */
    worst = fmax(worst, fabs(counts[k] - wanted) / sqrt(2 * wanted));
  }
  return worst;
}

static void tails_are_true_beyond_eight_sigma(void **state) {
  (void)state;
  assert_true(far_tail(18, INFINITY) < limit); /* beyond 5.0 sigma */
  assert_true(far_tail(26, INFINITY) < limit); /* beyond 6.0 sigma */
  assert_true(far_tail(47, INFINITY) < limit); /* beyond 8.07 sigma */
}

static void a_tail_cut_at_five_sigma_is_caught(void **state) {
  (void)state;
  assert_true(far_tail(18, 5) > limit);
  assert_true(far_tail(26, 6.5) > limit);
}

static void neighbours_in_a_row_are_independent(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_key key;
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  enum { row = 128, rows = 8000 };
  static const int lags[] = {1, 8, 32, 64}; /* 64: the two draws of one pair */
  double product[4] = {0}, square[4] = {0}, across = 0, total = 0;
  int32_t value[row], before[row] = {0};
  for (uint64_t i = 0; i < rows; i++) {
    sotto_i_noise_steps(value, row, sigma, &key, 0, i);
    for (int j = 0; j < 64; j++) {
      double x = value[j] / sigma;
      for (int k = 0; k < 4; k++) {
        double y = value[j + lags[k]] / sigma;
        product[k] += x * y;
        square[k] += (x * x - 1) * (y * y - 1) / 2;
      }
      across += x * before[j] / sigma;
      total++;
    }
    memcpy(before, value, sizeof value);
  }
  for (int k = 0; k < 4; k++) {
    assert_true(fabs(product[k]) / sqrt(total) < limit);
    assert_true(fabs(square[k]) / sqrt(total) < limit);
  }
  assert_true(fabs(across) / sqrt(total) < limit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(logarithm_sine_and_cosine_are_good_to_48_bits),
      cmocka_unit_test(draws_match_box_and_muller_in_long_double),
      cmocka_unit_test(draws_that_are_not_in_doubt_are_exact_on_the_finest_grid),
      cmocka_unit_test(a_row_in_doubt_is_that_of_extended_precision),
      cmocka_unit_test(every_kernel_draws_the_same_integers),
      cmocka_unit_test(every_kernel_rounds_and_clamps_rows_the_same),
      cmocka_unit_test(draws_follow_a_rounded_gaussian),
      cmocka_unit_test(a_sigma_off_by_one_percent_is_caught),
      cmocka_unit_test(tails_are_true_beyond_eight_sigma),
      cmocka_unit_test(a_tail_cut_at_five_sigma_is_caught),
      cmocka_unit_test(neighbours_in_a_row_are_independent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
