/* Measures of an attack: areas under curves, rates, bounds, against slow references and known laws. */
#include <math.h>

#include "audit/statistics/audit.h"
#include "check.h"

/* Share of pairs in which the member is above, ties half. */
static double slow_auc(const double *in, size_t m, const double *out, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j < n; j++) sum += in[i] > out[j] ? 1 : in[i] == out[j] ? 0.5 : 0;
  return sum / (double)(m * n);
}

/* DeLong's variance by its definition. */
static double slow_variance(const double *in, size_t m, const double *out, size_t n) {
  double auc = slow_auc(in, m, out, n), a = 0, b = 0;
  for (size_t i = 0; i < m; i++) a += pow(slow_auc(in + i, 1, out, n) - auc, 2) / (double)(m - 1);
  for (size_t j = 0; j < n; j++) b += pow(slow_auc(in, m, out + j, 1) - auc, 2) / (double)(n - 1);
  return a / (double)m + b / (double)n;
}

static double slow_rate(const double *in, size_t m, const double *out, size_t n, double rate) {
  double best = 0;
  for (size_t k = 0; k < n; k++) { /* thresholds: just above each of the others */
    size_t alarms = 0, hits = 0;
    for (size_t j = 0; j < n; j++) alarms += out[j] > out[k] ? 1 : 0;
    for (size_t i = 0; i < m; i++) hits += in[i] > out[k] ? 1 : 0;
    if ((double)alarms <= rate * (double)n) best = fmax(best, (double)hits / (double)m);
  }
  return best;
}

static void measures_are_those_of_slow_references(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  double in[150], out[150];
  for (int round = 0; round < 60; round++) {
    size_t m = 10 + sotto_i_random_below(&random, 140), n = 10 + sotto_i_random_below(&random, 140);
    uint64_t values = round % 2 == 0 ? 8 : 100000; /* with many ties, and nearly none */
    for (size_t i = 0; i < m; i++)
      in[i] = (double)(sotto_i_random_below(&random, values) + (values > 8 ? 9000 : 0));
    for (size_t j = 0; j < n; j++) out[j] = (double)sotto_i_random_below(&random, values);
    sotto_attack_result r;
    CHECK_OK(sotto_attack_measure(&r, in, m, out, n, 0, &err));
    double auc = slow_auc(in, m, out, n), width = 1.96 * sqrt(slow_variance(in, m, out, n));
    CHECK_NEAR(r.auc, auc, 1e-9);
    CHECK_NEAR(r.auc_low, fmax(0, auc - width), 1e-9);
    CHECK_NEAR(r.auc_high, fmin(1, auc + width), 1e-9);
    CHECK_NEAR(r.tpr_1, slow_rate(in, m, out, n, 0.01), 1e-12);
    CHECK_NEAR(r.tpr_01, slow_rate(in, m, out, n, 0.001), 1e-12);
  }
}

static void scores_that_say_nothing_and_all_are_measured_so(void **state) {
  (void)state;
  double same[400] = {0}, more[400];
  sotto_attack_result r;
  for (int i = 0; i < 400; i++) more[i] = 1 + i;
  CHECK_OK(sotto_attack_measure(&r, same, 400, same, 400, 0, &err));
  assert_true(r.auc == 0.5 && r.tpr_1 == 0 && r.implied == 0);
  CHECK_OK(sotto_attack_measure(&r, more, 400, same, 400, 0, &err));
  assert_true(r.auc == 1 && r.tpr_01 == 1 && r.auc_low < 1 && r.implied > 3);
  CHECK_FAILS(SOTTO_INVALID, "too few", sotto_attack_measure(&r, more, 9, same, 400, 0, &err));
  more[7] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "not a number", sotto_attack_measure(&r, more, 400, same, 400, 0, &err));
}

/* The interval covers the true area in 95 of 100 samples. */
static void the_interval_covers_the_area_as_often_as_it_says(void **state) {
  (void)state;
  enum { rounds = 400, each = 60 };
  sotto_i_random random = check_random();
  const double truth = 0.5 * erfc(-1 / 2.0); /* two normals one apart */
  int covered = 0;
  for (int round = 0; round < rounds; round++) {
    double in[each], out[each];
    sotto_attack_result r;
    for (int i = 0; i < each; i++) {
      in[i] = sotto_i_random_normal(&random) + 1;
      out[i] = sotto_i_random_normal(&random);
    }
    CHECK_OK(sotto_attack_measure(&r, in, each, out, each, 0, &err));
    covered += r.auc_low <= truth && truth <= r.auc_high ? 1 : 0;
  }
  (void)printf("  %d of %d intervals cover the area\n", covered, rounds);
  assert_in_range(covered, 358, 396); /* 380 expected; five deviations below */
}

/* mu-GDP at mu 1: the bound on mu is near 1, and seldom above. */
static void the_bound_on_mu_is_near_and_seldom_above(void **state) {
  (void)state;
  enum { rounds = 100, trials = 4000 };
  static double first[trials], second[trials];
  sotto_i_random random = check_random();
  int above = 0;
  double total = 0;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < trials; i++) {
      first[i] = sotto_i_random_normal(&random);
      second[i] = sotto_i_random_normal(&random) + 1;
    }
    const double *values[2] = {first, second};
    const sotto_i_draws draws = {
        .values = {&values[0], &values[1]}, .count = {trials, trials}, .statistics = 1};
    sotto_i_shown shown;
    CHECK_OK(sotto_i_show(&shown, &draws, 0, 0.025, &err));
    above += shown.mu > 1 ? 1 : 0;
    total += shown.mu / rounds;
  }
  (void)printf("  mu 1: shown %.3f on the average, above in %d of %d\n", total, above, rounds);
  assert_true(above <= 14); /* Binomial(100, 5%): once in three thousand times */
  assert_true(total > 0.8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_are_those_of_slow_references),
      cmocka_unit_test(scores_that_say_nothing_and_all_are_measured_so),
      cmocka_unit_test(the_interval_covers_the_area_as_often_as_it_says),
      cmocka_unit_test(the_bound_on_mu_is_near_and_seldom_above),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
