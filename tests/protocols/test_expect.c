/* What edges are expected to add: discriminants against their formula, and the message between parties. */
#include "protocols/expect.h"

#include <math.h>

#include "base/random.h"
#include "check.h"
#include "nn/quality.h"
#include "protocols/discriminant.h"

enum { rows = 4000 };

/* The AUC of discriminants of two normal classes, whose means differ by (gap, 0) under the covariance
 * ((1, r), (r, 1)). One row of `every` is of class 1. */
static double auc_of(double gap, double r, size_t every) {
  static float values[2 * rows];
  static int32_t labels[rows];
  const sotto_matrix x = {values, rows, 2};
  sotto_matrix scores;
  sotto_i_random random;
  sotto_key key;
  double auc;
  sotto_key_public(&key, 11);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_TEST, 0, 0);
  for (size_t i = 0; i < rows; i++) {
    const double a = sotto_i_random_normal(&random), b = sotto_i_random_normal(&random);
    labels[i] = sotto_i_random_below(&random, every) == 0;
    values[2 * i] = (float)(gap * labels[i] + a);
    values[2 * i + 1] = (float)(r * a + sqrt(1 - r * r) * b);
  }
  CHECK_OK(sotto_i_discriminant_scores(&scores, &x, labels, 2, &err));
  CHECK_OK(sotto_i_quality_one(&auc, SOTTO_MEASURE_AUC, &scores, labels, rows, &err));
  sotto_matrix_free(&scores);
  return auc;
}

/* Fisher 1936: the best score has an AUC of Phi(d / sqrt 2), where d^2 = gap^2 / (1 - r^2). */
static void discriminants_reach_the_best_auc(void **state) {
  (void)state;
  for (int i = 0; i < 3; i++) {
    const double r = 0.4 * i, d = 1 / sqrt(1 - r * r), best = erfc(-d / 2) / 2;
    assert_true(fabs(auc_of(1, r, 2) - best) < 0.02);
  }
  assert_true(fabs(auc_of(0, 0.5, 2) - 0.5) < 0.03); /* each fold is scored by the others' fit */
}

/* The assumption keeps odds: of a rare class little is assumed, of even classes much. */
static void a_made_graph_keeps_the_odds_of_the_rarer_class(void **state) {
  static const double shares[] = {0.033, 0.2, 0.5};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    const double h = sotto_i_made_usual(2, shares[i]).homophily, among = h + (1 - h) * shares[i];
    assert_true(fabs(among / (1 - among) / (shares[i] / (1 - shares[i])) - 4) < 1e-9);
  }
  assert_true(fabs(sotto_i_made_usual(10, 0.01).homophily - sotto_i_made_usual(2, 0.1).homophily) < 1e-9);
}

static void the_message_is_read_as_it_was_written(void **state) {
  const sotto_expected told = {.there = true,
                               .measure = SOTTO_MEASURE_ACCURACY,
                               .alone = 0.5,
                               .classes = 0.25,
                               .others = 0.125,
                               .transfers = 0.375,
                               .homophily = 0.0625,
                               .larger = 4};
  float numbers[SOTTO_I_EXPECTED_NUMBERS];
  sotto_expected heard;
  (void)state;
  sotto_i_expected_write(numbers, &told);
  CHECK_OK(sotto_i_expected_read(&heard, numbers, 3, &err));
  assert_true(heard.there && heard.measure == told.measure && heard.alone == told.alone);
  assert_true(heard.classes == told.classes && heard.others == told.others &&
              heard.transfers == told.transfers);
  assert_true(heard.homophily == told.homophily && heard.larger == told.larger);
  static const float wrong[SOTTO_I_EXPECTED_NUMBERS] = {2, 1.5F, -1, NAN, INFINITY, 1.25F, 3};
  for (size_t i = 0; i < SOTTO_I_EXPECTED_NUMBERS; i++) {
    sotto_i_expected_write(numbers, &told);
    numbers[i] = wrong[i];
    CHECK_FAILS(SOTTO_PROTOCOL, "edges.expected", sotto_i_expected_read(&heard, numbers, 3, &err));
  }
}

/* The owner is asked in the first training alone, where neither kind gains, and is asked once. */
static void the_owner_is_asked_where_nothing_is_gained(void **state) {
  sotto_options o;
  sotto_expected e = {.there = true, .measure = SOTTO_MEASURE_AUC, .alone = 0.7, .classes = 0.009};
  sotto_i_job job = {.options = &o};
  (void)state;
  sotto_options_default(&o);
  job.seed = o.seed;
  CHECK_FAILS(SOTTO_REFUSED, "nothing was charged", sotto_i_expected_ask(&e, &job, false, &err));
  o.anyway = SOTTO_ANYWAY_GAIN;
  CHECK_OK(sotto_i_expected_ask(&e, &job, false, &err));
  o.anyway = SOTTO_ANYWAY_NOT_PRIVATE; /* an answer to another question */
  CHECK_FAILS(SOTTO_REFUSED, "anyway gain", sotto_i_expected_ask(&e, &job, false, &err));
  job.seed = o.seed + 1;
  CHECK_OK(sotto_i_expected_ask(&e, &job, false, &err));
  job.seed = o.seed;
  e.transfers = 0.011; /* under a condition that nobody knows: asked too, in other words */
  CHECK_FAILS(SOTTO_REFUSED,
              "not known before a charge: as in made payments at dial 1 they would add 1.1 points",
              sotto_i_expected_ask(&e, &job, false, &err));
  CHECK_FAILS(SOTTO_REFUSED, "at both dials", sotto_i_expected_ask(&e, &job, false, &err));
  e.others = 0.011;
  CHECK_OK(sotto_i_expected_ask(&e, &job, false, &err));
  e = (sotto_expected){.there = false};
  CHECK_OK(sotto_i_expected_ask(&e, &job, false, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(discriminants_reach_the_best_auc),
      cmocka_unit_test(a_made_graph_keeps_the_odds_of_the_rarer_class),
      cmocka_unit_test(the_message_is_read_as_it_was_written),
      cmocka_unit_test(the_owner_is_asked_where_nothing_is_gained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
