/* Sums over Poisson samples, replace-one: the account against direct sums over whole numbers, in both
 * directions. */
#include <math.h>

#include "check.h"
#include "dp/mechanisms/mechanism.h"
#include "sotto/dp.h"

enum { reach = 600, most_order = 12 };

/* Discrete Gaussian of parameter sigma at x - shift, up to its normaliser, which no whole shift changes. */
static double weight(double sigma, double x, double shift) {
  return exp(-(x - shift) * (x - shift) / (2 * sigma * sigma));
}

static double total(double sigma) {
  double sum = 0;
  for (int x = -reach; x <= reach; x++) sum += weight(sigma, x, 0);
  return sum;
}

/* log sum P^a P'^(1-a) over whole numbers, P with a record that adds g, P' with one that adds h. */
static double log_moment(double q, double sigma, double g, double h, double a) {
  const double norm = total(sigma);
  double sum = 0;
  for (int x = -reach; x <= reach; x++) {
    const double others = weight(sigma, x, 0);
    const double p = ((1 - q) * others + q * weight(sigma, x, g)) / norm;
    const double r = ((1 - q) * others + q * weight(sigma, x, h)) / norm;
    if (p > 1e-290 && r > 1e-290) sum += exp(a * log(p) + (1 - a) * log(r));
  }
  return log(sum);
}

static const double rates[] = {0.01, 0.1, 0.3, 0.7, 0.95};
static const double sigmas[] = {1.5, 4, 9};
enum { rate_count = sizeof rates / sizeof *rates, sigma_count = sizeof sigmas / sizeof *sigmas };

/* Whichever two vectors of norm at most 3 the record has, in whichever direction. */
static void no_pair_of_records_passes_the_bound(void **state) {
  double closest = INFINITY;
  (void)state;
  for (size_t r = 0; r < rate_count; r++)
    for (size_t s = 0; s < sigma_count; s++)
      for (uint64_t a = 2; a <= most_order; a++) {
        const double bound = sotto_i_rdp_sum_moment(rates[r], 3 / sigmas[s], a);
        double most = 0;
        for (int g = -3; g <= 3; g++)
          for (int h = -3; h <= 3; h++) most = fmax(most, log_moment(rates[r], sigmas[s], g, h, (double)a));
        if (!(most <= bound * (1 + 1e-9) + 1e-12))
          fail_msg("rate %g, sigma %g, order %d: %.12g, and the bound is %.12g", rates[r], sigmas[s], (int)a,
                   most, bound);
        closest = fmin(closest, bound / most);
      }
  assert_true(closest < 1.01); /* where little is sampled it is met */
}

/* Two coordinates at once: vectors of norm at most 3, not along one line. */
static void nor_does_one_of_two_coordinates(void **state) {
  static const int vectors[][4] = {{2, 2, -2, -2}, {2, 2, 2, -2}, {0, 3, 3, 0}, {1, 2, -2, 1}, {3, 0, -3, 0}};
  const double q = 0.2, sigma = 2;
  (void)state;
  for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++)
    for (int a = 2; a <= 8; a++) {
      double sum = 0, norm = total(sigma) * total(sigma);
      for (int x = -60; x <= 60; x++)
        for (int y = -60; y <= 60; y++) {
          const double others = weight(sigma, x, 0) * weight(sigma, y, 0);
          const double with = weight(sigma, x, vectors[v][0]) * weight(sigma, y, vectors[v][1]);
          const double other = weight(sigma, x, vectors[v][2]) * weight(sigma, y, vectors[v][3]);
          const double p = (1 - q) * others + q * with, r = (1 - q) * others + q * other;
          if (p > 1e-290 && r > 1e-290) sum += exp(a * log(p) + (1 - a) * log(r)) / norm;
        }
      assert_true(log(sum) <= sotto_i_rdp_sum_moment(q, 3 / sigma, (uint64_t)a) * (1 + 1e-9));
    }
}

/* The second moment has a closed form: (Q1 - Q2)/Q0 has mean square 2 (exp(u^2) - exp(-u^2)). */
static void the_second_moment_is_that_of_its_closed_form(void **state) {
  (void)state;
  for (size_t r = 0; r < 3; r++)
    for (double u = 0.01; u < 2; u *= 1.7) {
      const double q = rates[r], t = 2 * (exp(u * u) - exp(-u * u)), s = expm1(4 * u * u);
      const double bound = log1p(q * q * fmin(t / (1 - q), (1 - q) * t + q * s));
      CHECK_NEAR(sotto_i_rdp_sum_moment(q, u, 2) / bound, 1, 1e-7);
    }
}

static sotto_mechanism sum_of(double noise, double rate, uint64_t count) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_POISSON_SUM);
  m.noise = noise;
  m.sensitivity = 3;
  m.rate = rate;
  m.count = count;
  return m;
}

/* Delta of one round and of two, of which the second is the same again, by sums over all that can come out.
 */
static double true_delta(double q, double sigma, double g, double h, double epsilon, bool twice) {
  const double norm = total(sigma);
  const int last = twice ? 60 : 0;
  double sum = 0;
  for (int x = -60; x <= 60; x++)
    for (int y = -last; y <= last; y++) {
      double p = 1, r = 1;
      for (int round = 0; round <= (int)twice; round++) {
        const double at = round == 0 ? x : y, others = weight(sigma, at, 0);
        p *= ((1 - q) * others + q * weight(sigma, at, g)) / norm;
        r *= ((1 - q) * others + q * weight(sigma, at, h)) / norm;
      }
      sum += fmax(0, p - exp(epsilon) * r);
    }
  return sum;
}

static void delta_is_never_below_the_true_one(void **state) {
  (void)state;
  for (int twice = 0; twice < 2; twice++)
    for (double q = 0.05; q <= 1; q += 0.19)
      for (double epsilon = 0; epsilon < 6; epsilon += 0.5) {
        const sotto_mechanism m = sum_of(3, q, twice ? 2 : 1);
        double delta, most = 0;
        CHECK_OK(sotto_account_delta(&delta, &m, 1, epsilon, SOTTO_ACCOUNTANT_PLD, &err));
        for (int g = -3; g <= 3; g += 3)
          for (int h = -3; h <= 3; h += 3) most = fmax(most, true_delta(q, 3, g, h, epsilon, twice == 1));
        if (!(delta >= most * (1 - 1e-9)))
          fail_msg("rate %g, epsilon %g: delta %g, and it is %g", q, epsilon, delta, most);
      }
}

static double epsilon_of(const sotto_mechanism *list, size_t count, sotto_accountant accountant) {
  double epsilon = NAN;
  CHECK_OK(sotto_account_epsilon(&epsilon, list, count, 1e-6, accountant, &err));
  return epsilon;
}

/* Beside others under pld: no less than either alone, no more than both by Renyi divergences. */
static void others_beside_it_compose(void **state) {
  (void)state;
  sotto_mechanism list[3] = {sum_of(6, 0.1, 50), sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE),
                             sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN)};
  list[1].noise = 4;
  list[2].noise = 9;
  const double all = epsilon_of(list, 3, SOTTO_ACCOUNTANT_PLD);
  assert_true(all > epsilon_of(list, 1, SOTTO_ACCOUNTANT_PLD));
  assert_true(all > epsilon_of(list + 1, 2, SOTTO_ACCOUNTANT_PLD));
  assert_true(all <= epsilon_of(list, 3, SOTTO_ACCOUNTANT_RDP));
}

static void what_is_not_a_rate_is_refused(void **state) {
  (void)state;
  double epsilon;
  const sotto_mechanism none = sum_of(3, 0, 1), more = sum_of(3, 1.5, 1);
  CHECK_FAILS(SOTTO_RANGE, "rate",
              sotto_account_epsilon(&epsilon, &none, 1, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  CHECK_FAILS(SOTTO_RANGE, "rate",
              sotto_account_epsilon(&epsilon, &more, 1, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_pair_of_records_passes_the_bound),
      cmocka_unit_test(nor_does_one_of_two_coordinates),
      cmocka_unit_test(the_second_moment_is_that_of_its_closed_form),
      cmocka_unit_test(delta_is_never_below_the_true_one),
      cmocka_unit_test(others_beside_it_compose),
      cmocka_unit_test(what_is_not_a_rate_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
