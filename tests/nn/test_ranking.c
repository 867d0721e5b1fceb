/* Ranking of a rare class: values made by hand, and a slow reference with ties. */
#include <math.h>

#include "check.h"
#include "inside/alerts.h"
#include "sotto/alerts.h"

static sotto_ranking measure(const double *scores, const int32_t *labels, const uint32_t *rows, size_t count,
                             double rate) {
  const sotto_ranked items = {scores, labels, rows, count, 1};
  sotto_ranking out;
  CHECK_OK(sotto_ranking_measure(&out, &items, rate, &err));
  return out;
}

static void values_made_by_hand_come_out(void **state) {
  (void)state;
  /* Descending: 1 0 1 0 0. AUC: 3 + 2 of 6 pairs. Precision 1 at recall 1/2, 2/3 at recall 1. */
  const double scores[5] = {5, 4, 3, 2, 1};
  const sotto_ranking k = measure(scores, (const int32_t[]){1, 0, 1, 0, 0}, NULL, 5, 0.4);
  CHECK_NEAR(k.auc, 5.0 / 6, 1e-15);
  CHECK_NEAR(k.average_precision, (1 + 2.0 / 3) / 2, 1e-15);
  CHECK_NEAR(k.recall, 0.5, 1e-15); /* two alerts find one of two */
  CHECK_NEAR(k.precision, 0.5, 1e-15);
  assert_true(k.count == 5 && k.members == 2);
  CHECK_NEAR(k.costs[0], 0.2, 1e-15); /* one alert: a missed one costs 1 of 5; or three: a false alarm */
  CHECK_NEAR(k.alerted[0], 0.2, 1e-15);
  CHECK_NEAR(k.costs[1], 0.2, 1e-15); /* a missed one costs 3: three alerts */
  CHECK_NEAR(k.alerted[1], 0.6, 1e-15);
  assert_true(sotto_cost_ratios()[0] == 1 && sotto_cost_ratios()[1] == 3);
}

static void tied_items_come_in_random_order(void **state) {
  (void)state;
  /* Three at 2, one of them a member; a member at 1. */
  const double scores[4] = {2, 2, 2, 1};
  const sotto_ranking k = measure(scores, (const int32_t[]){0, 1, 0, 1}, NULL, 4, 0.5);
  CHECK_NEAR(k.auc, (0.5 + 0.5) / 4, 1e-15);
  CHECK_NEAR(k.average_precision, (1.0 / 3 + 2.0 / 4) / 2, 1e-15);
  CHECK_NEAR(k.recall, 2.0 / 3 / 2, 1e-15); /* two of the three tied: 2/3 of a member */
  const double alike[3] = {7, 7, 7};
  const sotto_ranking flat = measure(alike, (const int32_t[]){0, 1, 0}, NULL, 3, 1);
  CHECK_NEAR(flat.auc, 0.5, 1e-15);
  CHECK_NEAR(flat.average_precision, 1.0 / 3, 1e-15);
  CHECK_NEAR(flat.recall, 1, 1e-15);
}

static void what_is_not_defined_is_nan(void **state) {
  (void)state;
  const double scores[2] = {1, 2}, spoilt[2] = {1, NAN};
  const sotto_ranking none = measure(scores, (const int32_t[]){0, 0}, NULL, 2, 0.5);
  assert_true(isnan(none.auc) && isnan(none.average_precision) && isnan(none.recall));
  const sotto_ranking all = measure(scores, (const int32_t[]){1, 1}, NULL, 2, 0.5);
  assert_true(isnan(all.auc));
  CHECK_NEAR(all.average_precision, 1, 1e-15);
  const sotto_ranked items = {spoilt, (const int32_t[]){0, 1}, NULL, 2, 1};
  sotto_ranking out;
  CHECK_FAILS(SOTTO_RANGE, "row 1", sotto_ranking_measure(&out, &items, 0.5, &err));
}

/* Pairs and thresholds one by one. */
static sotto_ranking slowly(const double *scores, const int32_t *labels, const uint32_t *rows, size_t count) {
  sotto_ranking out = {.count = count};
  double pairs = 0, right = 0, area = 0, reached = 0;
  for (size_t i = 0; i < count; i++) out.members += labels[rows[i]] == 1;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      const double x = scores[rows[i]], y = scores[rows[j]];
      if (labels[rows[i]] != 1 || labels[rows[j]] == 1) continue;
      pairs++;
      right += x > y ? 1 : x == y ? 0.5 : 0;
    }
  for (int threshold = 9; threshold >= 0; threshold--) { /* all scores are whole numbers below 10 */
    double found = 0, alerts = 0;
    for (size_t i = 0; i < count; i++) {
      if (scores[rows[i]] < threshold) continue;
      alerts++;
      found += labels[rows[i]] == 1;
    }
    if (alerts == 0) continue;
    area += (found - reached) * found / alerts;
    reached = found;
    for (size_t r = 0; r < SOTTO_COST_RATIOS; r++) {
      const double ratio = sotto_cost_ratios()[r], none = ratio * (double)out.members;
      const double cost = ratio * ((double)out.members - found) + alerts - found;
      if (out.costs[r] == 0) out.costs[r] = none;
      if (cost < out.costs[r]) out.costs[r] = cost;
    }
  }
  out.auc = right / pairs;
  out.average_precision = area / (double)out.members;
  return out;
}

static void a_slow_reference_agrees_with_many_ties(void **state) {
  (void)state;
  enum { most = 60, trials = 200 };
  sotto_i_random random = check_random();
  for (int trial = 0; trial < trials; trial++) {
    double scores[most];
    int32_t labels[most];
    uint32_t rows[most];
    const size_t count = 10 + (size_t)(sotto_i_random_double(&random) * 50);
    for (uint32_t i = 0; i < most; i++) {
      scores[i] = floor(10 * sotto_i_random_double(&random));
      labels[i] = i == 0 || (i > 1 && sotto_i_random_double(&random) < 0.2);
      rows[i] = i;
    }
    const sotto_ranking k = measure(scores, labels, rows, count, 0.1),
                        slow = slowly(scores, labels, rows, count);
    CHECK_NEAR(k.auc, slow.auc, 1e-12);
    CHECK_NEAR(k.average_precision, slow.average_precision, 1e-12);
    for (size_t r = 0; r < SOTTO_COST_RATIOS; r++)
      CHECK_NEAR(k.costs[r] * (double)count, slow.costs[r], 1e-9);
  }
}

static void the_rare_class_is_under_a_tenth_and_under_a_third_of_an_even_share(void **state) {
  (void)state;
  int32_t labels[200], rare;
  double share;
  for (int i = 0; i < 200; i++) labels[i] = i < 19;
  CHECK_OK(sotto_rare_class(&rare, &share, labels, 200, 2, &err));
  assert_int_equal(rare, 1);
  CHECK_NEAR(share, 0.095, 1e-15);
  labels[19] = 1; /* a tenth */
  CHECK_OK(sotto_rare_class(&rare, &share, labels, 200, 2, &err));
  assert_int_equal(rare, -1);
  labels[19] = -1; /* unknown labels count nowhere */
  CHECK_OK(sotto_rare_class(&rare, &share, labels, 200, 2, &err));
  CHECK_NEAR(share, 19.0 / 199, 1e-15);
  for (int i = 0; i < 200; i++)
    labels[i] = i < 10 ? 0 : 1 + i % 9; /* ten classes; 5 per cent is half of even */
  CHECK_OK(sotto_rare_class(&rare, NULL, labels, 200, 10, &err));
  assert_int_equal(rare, -1);
  for (int i = 0; i < 200; i++) labels[i] = i < 6 ? 0 : 1 + i % 9; /* 3 per cent */
  CHECK_OK(sotto_rare_class(&rare, NULL, labels, 200, 10, &err));
  assert_int_equal(rare, 0);
  CHECK_FAILS(SOTTO_RANGE, "label 9", sotto_rare_class(&rare, NULL, labels, 200, 9, &err));
}

static void log_odds_order_rows_and_stay_finite(void **state) {
  (void)state;
  float p[12] = {0.5F, 0.25F, 0.25F, 0, 1, 0, 1, 0, 0, 0.2F, 0.5F, 0.3F};
  const sotto_matrix rows = {p, 4, 3};
  double out[4];
  sotto_class_log_odds(out, &rows, 1);
  CHECK_NEAR(out[0], log(1.0 / 3), 1e-12);
  assert_true(isfinite(out[1]) && isfinite(out[2]) && out[1] > out[3] && out[3] > out[0] && out[0] > out[2]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_made_by_hand_come_out),
      cmocka_unit_test(tied_items_come_in_random_order),
      cmocka_unit_test(what_is_not_defined_is_nan),
      cmocka_unit_test(a_slow_reference_agrees_with_many_ties),
      cmocka_unit_test(the_rare_class_is_under_a_tenth_and_under_a_third_of_an_even_share),
      cmocka_unit_test(log_odds_order_rows_and_stay_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
