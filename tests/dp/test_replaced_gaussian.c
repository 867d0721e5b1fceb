/* A record replaced in sums over Poisson samples with Gaussian noise: the account against integrals, over
 * pairs of vectors in the plane. */
#include <math.h>

#include "check.h"
#include "sotto/dp.h"

static sotto_mechanism sum_of(double noise, double rate, uint64_t count) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_REPLACED_GAUSSIAN);
  m.noise = noise;
  m.rate = rate;
  m.count = count;
  return m;
}

static double bell(double x, double y, double sigma) {
  return exp(-(x * x + y * y) / (2 * sigma * sigma)) / (2 * M_PI * sigma * sigma);
}

/* Delta at epsilon of one run, P with the vector g and P' with h, by trapezia over the plane. */
static double in_plane(double q, double sigma, const double g[2], const double h[2], double epsilon) {
  const double step = sigma / 20, reach = 7 * sigma + 1;
  double sum = 0;
  for (double x = -reach; x <= reach; x += step)
    for (double y = -reach; y <= reach; y += step) {
      const double others = (1 - q) * bell(x, y, sigma);
      const double p = others + q * bell(x - g[0], y - g[1], sigma);
      const double r = others + q * bell(x - h[0], y - h[1], sigma);
      sum += fmax(0, p - exp(epsilon) * r);
    }
  return sum * step * step;
}

static double along(double x, double sigma) {
  return exp(-x * x / (2 * sigma * sigma)) / (sigma * sqrt(2 * M_PI));
}

/* The same of one run, or of two, of vectors g and h on a line. */
static double on_line(double q, double sigma, double g, double h, double epsilon, bool twice) {
  const double step = sigma / 24, reach = 9 * sigma + 1, last = twice ? reach : -reach;
  double sum = 0;
  for (double x = -reach; x <= reach; x += step)
    for (double y = -reach; y <= last; y += step) {
      double p = 1, r = 1;
      for (int run = 0; run <= (int)twice; run++) {
        const double at = run == 0 ? x : y, others = (1 - q) * along(at, sigma);
        p *= others + q * along(at - g, sigma);
        r *= others + q * along(at - h, sigma);
      }
      sum += fmax(0, p - exp(epsilon) * r);
    }
  return sum * step * (twice ? step : 1);
}

static double stated(double q, double sigma, double epsilon, uint64_t runs) {
  const sotto_mechanism m = sum_of(sigma, q, runs);
  double delta = NAN;
  CHECK_OK(sotto_account_delta(&delta, &m, 1, epsilon, SOTTO_ACCOUNTANT_PLD, &err));
  return delta;
}

/* Two vectors of norm at most 1, wherever they lie, show no more than two opposite ones, which show all. */
static void no_pair_of_vectors_passes_the_bound(void **state) {
  static const double rates[] = {0.05, 0.4, 0.9}, sigmas[] = {0.7, 2};
  (void)state;
  for (size_t a = 0; a < 3; a++)
    for (size_t b = 0; b < 2; b++)
      for (double epsilon = 0.05; epsilon < 1.5; epsilon *= 3) {
        const double bound = stated(rates[a], sigmas[b], epsilon, 1), one[2] = {1, 0};
        double most = 0;
        for (int turn = 0; turn <= 8; turn++)
          for (double length = 0; length <= 1; length += 0.5) {
            const double h[2] = {length * cos(turn * M_PI / 8), length * sin(turn * M_PI / 8)};
            most = fmax(most, in_plane(rates[a], sigmas[b], one, h, epsilon));
            most = fmax(most, in_plane(rates[a], sigmas[b], h, one, epsilon));
          }
        if (!(most <= bound * (1 + 3e-3) + 1e-9 && bound <= most * 1.01 + 1e-9))
          fail_msg("rate %g, noise %g, epsilon %g: delta %.9g, and %.9g was found", rates[a], sigmas[b],
                   epsilon, bound, most);
      }
}

/* A search that knew of no vector but one beside none would find less: the test can fail. */
static void a_record_left_out_shows_less_than_one_replaced(void **state) {
  (void)state;
  const double replaced = on_line(0.4, 2, 1, -1, 0.15, false), left = on_line(0.4, 2, 1, 0, 0.15, false);
  assert_true(left < 0.7 * replaced);
  CHECK_NEAR(stated(0.4, 2, 0.15, 1) / replaced, 1, 1e-2);
}

static void two_runs_compose(void **state) {
  (void)state;
  for (double epsilon = 0.1; epsilon < 3; epsilon *= 2) {
    const double truth = on_line(0.3, 1.2, 1, -1, epsilon, true), bound = stated(0.3, 1.2, epsilon, 2);
    if (!(bound >= truth * (1 - 1e-4) && bound <= truth * 1.02 + 1e-9))
      fail_msg("epsilon %g: delta %.9g, and it is %.9g", epsilon, bound, truth);
  }
}

static double epsilon_of(const sotto_mechanism *m, sotto_accountant accountant) {
  double epsilon = NAN;
  CHECK_OK(sotto_account_epsilon(&epsilon, m, 1, 1e-6, accountant, &err));
  return epsilon;
}

/* Less than what batches without replacement cost, at twice the clip; with all records in every batch it is
 * the Gaussian of twice the clip; and Renyi divergences bound it from above. */
static void it_lies_between_its_neighbours(void **state) {
  (void)state;
  for (double q = 0.01; q < 1; q *= 3) {
    const sotto_mechanism m = sum_of(1.5, q, 200);
    sotto_mechanism without = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
    without.noise = 1.5;
    without.sensitivity = 2;
    without.population = 10000;
    without.batch = (uint64_t)(q * 10000);
    without.count = 200;
    const double by_pld = epsilon_of(&m, SOTTO_ACCOUNTANT_PLD);
    assert_true(by_pld < epsilon_of(&without, SOTTO_ACCOUNTANT_PLD));
    assert_true(by_pld <= epsilon_of(&m, SOTTO_ACCOUNTANT_RDP));
  }
  sotto_mechanism all = sum_of(9, 1, 5), gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = 9;
  gaussian.sensitivity = 2;
  gaussian.count = 5;
  CHECK_NEAR(epsilon_of(&all, SOTTO_ACCOUNTANT_PLD), epsilon_of(&gaussian, SOTTO_ACCOUNTANT_PLD), 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_pair_of_vectors_passes_the_bound),
      cmocka_unit_test(a_record_left_out_shows_less_than_one_replaced),
      cmocka_unit_test(two_runs_compose),
      cmocka_unit_test(it_lies_between_its_neighbours),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
