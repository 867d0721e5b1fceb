/* Thresholds of alerts by rate, cost and F1, and calibration: values made by hand. */
#include <math.h>

#include "check.h"
#include "inside/alerts.h"
#include "sotto/alerts.h"

static const double scores[8] = {8, 7, 6, 5, 4, 3, 2, 1};
static const int32_t labels[8] = {0, 1, 1, 0, 0, 1, 0, 0};

static sotto_alerts choose(const double *of, const int32_t *truth, size_t count, sotto_alert_rule rule) {
  sotto_alerts out = {.class_number = 1, .share = 0.25, .rule = rule};
  const sotto_ranked items = {of, truth, NULL, count, 1};
  CHECK_OK(sotto_alerts_choose(&out, &items, &err));
  return out;
}

static void a_rate_gives_at_most_that_share_of_alerts(void **state) {
  (void)state;
  const sotto_alert_rule quarter = {.rate = 0.25}, half = {.rate = 0.5}, tiny = {.rate = 0.001}, share = {0};
  assert_true(choose(scores, labels, 8, quarter).threshold == 7);
  assert_true(choose(scores, labels, 8, share).threshold == 7); /* the class's share, a quarter */
  assert_true(choose(scores, labels, 8, half).threshold == 5);
  assert_true(choose(scores, labels, 8, tiny).threshold == 8); /* one at least */
  const double tied[8] = {8, 7, 7, 5, 4, 3, 2, 1};             /* two alerts would be three */
  assert_true(choose(tied, labels, 8, quarter).threshold == 8);
  const double alike[8] = {3, 3, 3, 3, 3, 3, 3, 3};
  assert_true(choose(alike, labels, 8, quarter).threshold == 3);
}

static void f1_and_cost_choose_the_best_threshold_and_the_highest_on_ties(void **state) {
  (void)state;
  const sotto_alert_rule f1 = {.by = SOTTO_ALERT_BY_F1};
  /* F1 at 7: 2/5, at 6: 4/6, at 5: 4/7, at 3: 6/9, which ties. */
  assert_true(choose(scores, labels, 8, f1).threshold == 6);
  /* Costs of a missed one 1: none 3; at 7: 3, at 6: 2, at 3: 3. Of 10: at 6: 11, at 3: 3. Of 0.1: none. */
  const sotto_alert_rule one = {.by = SOTTO_ALERT_BY_COST, .cost = 1},
                         ten = {.by = SOTTO_ALERT_BY_COST, .cost = 10},
                         little = {.by = SOTTO_ALERT_BY_COST, .cost = 0.1};
  assert_true(choose(scores, labels, 8, one).threshold == 6);
  assert_true(choose(scores, labels, 8, ten).threshold == 3);
  assert_true(choose(scores, labels, 8, little).threshold == INFINITY);
}

/* Two scores, 1 in 4 and 3 in 4 of which are members: the targets of Platt are close to 1 and 0 with many
 * items, so the probabilities are close to these shares. */
static void calibrated_scores_are_the_shares_of_members(void **state) {
  (void)state;
  enum { count = 4000 };
  static double two[count];
  static int32_t truth[count];
  for (int i = 0; i < count; i++) {
    two[i] = i % 2 == 0 ? -9 : 5;
    truth[i] = i % 2 == 0 ? i % 8 == 0 : i % 8 != 1;
  }
  const sotto_alerts a = choose(two, truth, count, (sotto_alert_rule){.rate = 0.5});
  CHECK_NEAR(sotto_alert_probability(&a, -9), 0.25, 1e-3);
  CHECK_NEAR(sotto_alert_probability(&a, 5), 0.75, 1e-3);
  assert_true(a.threshold == 5 && a.slope > 0);
}

static void scores_that_rank_backwards_have_the_share_and_keep_their_order(void **state) {
  (void)state;
  const int32_t backwards[8] = {0, 0, 0, 0, 0, 0, 1, 1};
  const sotto_alerts a = choose(scores, backwards, 8, (sotto_alert_rule){.rate = 0.25});
  assert_true(a.slope == 0);
  CHECK_NEAR(sotto_alert_probability(&a, 8), 3.0 / 10, 1e-12); /* (2 + 1) / (8 + 2) */
  assert_true(a.threshold == 7);
}

static void without_members_the_model_s_own_probability_stays(void **state) {
  (void)state;
  const int32_t none[8] = {0};
  const sotto_alerts a = choose(scores, none, 8, (sotto_alert_rule){.by = SOTTO_ALERT_BY_F1, .rate = 0.25});
  assert_true(a.slope == 1 && a.offset == 0 && a.threshold == 7);
  CHECK_NEAR(sotto_alert_probability(&a, 0), 0.5, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rate_gives_at_most_that_share_of_alerts),
      cmocka_unit_test(f1_and_cost_choose_the_best_threshold_and_the_highest_on_ties),
      cmocka_unit_test(calibrated_scores_are_the_shares_of_members),
      cmocka_unit_test(scores_that_rank_backwards_have_the_share_and_keep_their_order),
      cmocka_unit_test(without_members_the_model_s_own_probability_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
