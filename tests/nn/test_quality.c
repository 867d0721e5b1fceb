/* Accuracy, macro-F1 and AUC: values made by hand, and slow references. */
#include <math.h>

#include "check.h"
#include "inside/nn.h"
#include "nn/quality.h"
#include "sotto/nn.h"

static sotto_quality measure(const float *scores, size_t classes, const int32_t *labels, const uint32_t *rows,
                             size_t count) {
  const sotto_matrix x = {(float *)(uintptr_t)scores, count, classes};
  sotto_quality quality;
  CHECK_OK(sotto_quality_measure(&quality, &x, labels, rows, count, &err));
  return quality;
}

static void values_made_by_hand_come_out(void **state) {
  (void)state;
  /* Guesses 1 0 1 1; class 0: precision 1, recall 1/2; class 1: precision 2/3, recall 1. Scores of class 1
   * over class 0: 2, -1, 1, 3; positives 3 and 1 against negatives 2 and -1: three pairs of four. */
  const float scores[8] = {0, 2, 1, 0, 0, 1, 1, 4};
  const sotto_quality q = measure(scores, 2, (const int32_t[]){0, 0, 1, 1}, NULL, 4);
  CHECK_NEAR(q.of[SOTTO_MEASURE_ACCURACY], 0.75, 1e-12);
  CHECK_NEAR(q.of[SOTTO_MEASURE_MACRO_F1], (2.0 / 3 + 0.8) / 2, 1e-12);
  CHECK_NEAR(q.of[SOTTO_MEASURE_AUC], 0.75, 1e-12);
}

static void ties_go_to_the_first_class_and_count_half_in_auc(void **state) {
  (void)state;
  const float scores[8] = {1, 1, 2, 2, 0, 0, -1, -1};
  const sotto_quality q = measure(scores, 2, (const int32_t[]){0, 1, 0, 1}, NULL, 4);
  CHECK_NEAR(q.of[SOTTO_MEASURE_ACCURACY], 0.5, 1e-12);
  CHECK_NEAR(q.of[SOTTO_MEASURE_AUC], 0.5, 1e-12);
  const float partly[6] = {0, 1, 0, 1, 0, 2}; /* 1 and 1 tie, 2 is above: (1/2 + 1) / 2 */
  CHECK_NEAR(measure(partly, 2, (const int32_t[]){0, 1, 1}, NULL, 3).of[SOTTO_MEASURE_AUC], 0.75, 1e-12);
}

static void macro_f1_leaves_out_a_class_neither_present_nor_predicted(void **state) {
  (void)state;
  const float scores[6] = {5, 0, 0, 0, 5, 0};
  const sotto_quality q = measure(scores, 3, (const int32_t[]){0, 1}, NULL, 2);
  CHECK_NEAR(q.of[SOTTO_MEASURE_ACCURACY], 1, 1e-12);
  CHECK_NEAR(q.of[SOTTO_MEASURE_MACRO_F1], 1, 1e-12);
  CHECK_NEAR(q.of[SOTTO_MEASURE_AUC], 1, 1e-12); /* the mean over classes 0 and 1 */
  const float other[6] = {5, 0, 0, 0, 0, 5};     /* class 1 is present, class 2 predicted: both count 0 */
  CHECK_NEAR(measure(other, 3, (const int32_t[]){0, 1}, NULL, 2).of[SOTTO_MEASURE_MACRO_F1], 1.0 / 3, 1e-12);
}

static void what_is_not_defined_is_nan(void **state) {
  (void)state;
  const float scores[6] = {5, 0, 0, 5, 1, 1}, spoilt[6] = {5, 0, NAN, 5, 1, 1};
  const sotto_quality one = measure(scores, 2, (const int32_t[]){1, 1, 1}, NULL, 3);
  assert_true(isnan(one.of[SOTTO_MEASURE_AUC]) && !isnan(one.of[SOTTO_MEASURE_ACCURACY]) &&
              !isnan(one.of[SOTTO_MEASURE_MACRO_F1]));
  const sotto_quality none = measure(scores, 2, (const int32_t[]){1, 1, 1}, NULL, 0);
  assert_true(isnan(none.of[SOTTO_MEASURE_AUC]) && isnan(none.of[SOTTO_MEASURE_ACCURACY]) &&
              isnan(none.of[SOTTO_MEASURE_MACRO_F1]));
  /* Scores of a model that diverged; also a difference of infinities. */
  assert_true(isnan(measure(spoilt, 2, (const int32_t[]){0, 1, 1}, NULL, 3).of[SOTTO_MEASURE_AUC]));
  assert_true(isnan(measure(spoilt, 3, (const int32_t[]){0, 1}, NULL, 2).of[SOTTO_MEASURE_AUC]));
  const float far[4] = {INFINITY, INFINITY, 0, 1};
  assert_true(isnan(measure(far, 2, (const int32_t[]){0, 1}, NULL, 2).of[SOTTO_MEASURE_AUC]));
}

static void one_measure_is_that_of_all(void **state) {
  (void)state;
  const float scores[8] = {0, 2, 1, 0, 0, 1, 1, 4};
  const int32_t labels[4] = {0, 0, 1, 1}, wrong[4] = {0, 0, 2, 1};
  const sotto_matrix x = {(float *)(uintptr_t)scores, 4, 2};
  const sotto_quality q = measure(scores, 2, labels, NULL, 4);
  double accuracy, auc, macro_f1;
  CHECK_OK(sotto_i_quality_one(&accuracy, SOTTO_MEASURE_ACCURACY, &x, labels, 4, &err));
  CHECK_OK(sotto_i_quality_one(&auc, SOTTO_MEASURE_AUC, &x, labels, 4, &err));
  CHECK_OK(sotto_i_quality_one(&macro_f1, SOTTO_MEASURE_MACRO_F1, &x, labels, 4, &err));
  assert_true(accuracy == q.of[SOTTO_MEASURE_ACCURACY] && auc == q.of[SOTTO_MEASURE_AUC] &&
              macro_f1 == q.of[SOTTO_MEASURE_MACRO_F1]);
  CHECK_FAILS(SOTTO_RANGE, "label 2 of row 2",
              sotto_i_quality_one(&auc, SOTTO_MEASURE_ACCURACY, &x, wrong, 4, &err));
}

static void labels_that_are_no_class_are_refused_by_row(void **state) {
  (void)state;
  float scores[6] = {0};
  const sotto_matrix x = {scores, 3, 2};
  sotto_quality quality;
  const uint32_t rows[2] = {0, 2};
  CHECK_FAILS(SOTTO_RANGE, "label 2 of row 1",
              sotto_quality_measure(&quality, &x, (const int32_t[]){0, 2, 0}, NULL, 3, &err));
  CHECK_OK(sotto_quality_measure(&quality, &x, (const int32_t[]){0, 2, 0}, rows, 2, &err));
  CHECK_FAILS(SOTTO_RANGE, "label -1 of row 2",
              sotto_quality_measure(&quality, &x, (const int32_t[]){0, 2, -1}, rows, 2, &err));
}

enum { most_rows = 60, most_classes = 5 };

typedef struct sample_of {
  float scores[most_rows * most_classes];
  int32_t labels[most_rows];
  uint32_t rows[most_rows];
  size_t n, classes, count;
} sample_of;

static size_t guess(const sample_of *s, size_t row) {
  size_t best = 0;
  for (size_t j = 1; j < s->classes; j++)
    if (s->scores[row * s->classes + j] > s->scores[row * s->classes + best]) best = j;
  return best;
}

static double slow_f1(const sample_of *s, size_t c) {
  double right = 0, wrong = 0, missed = 0;
  for (size_t i = 0; i < s->count; i++) {
    bool is = s->labels[s->rows[i]] == (int32_t)c, said = guess(s, s->rows[i]) == c;
    right += is && said;
    wrong += !is && said;
    missed += is && !said;
  }
  double precision = right + wrong > 0 ? right / (right + wrong) : 0;
  double recall = right + missed > 0 ? right / (right + missed) : 0;
  if (right + wrong + missed == 0) return NAN;
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

/* The order of one class: scores are small whole numbers over a few values, so ties are exact here and in
 * the softmax of equal rows. */
static double score_of(const sample_of *s, size_t row, size_t c) {
  const float *x = s->scores + row * s->classes;
  double sum = 0;
  for (size_t j = 0; j < s->classes; j++) sum += exp((double)x[j] - (double)x[c]);
  return 1 / sum;
}

static double slow_auc(const sample_of *s, size_t c) {
  double pairs = 0, right = 0;
  for (size_t i = 0; i < s->count; i++)
    for (size_t k = 0; k < s->count; k++) {
      if (s->labels[s->rows[i]] != (int32_t)c || s->labels[s->rows[k]] == (int32_t)c) continue;
      double gap = score_of(s, s->rows[i], c) - score_of(s, s->rows[k], c);
      pairs++;
      right += fabs(gap) < 1e-7 ? 0.5 : gap > 0;
    }
  return pairs > 0 ? right / pairs : NAN;
}

static void check_against_slow(const sample_of *s) {
  double right = 0, f1 = 0, counted = 0, auc = 0, defined = 0;
  const sotto_matrix x = {(float *)(uintptr_t)s->scores, s->n, s->classes};
  sotto_quality q;
  CHECK_OK(sotto_quality_measure(&q, &x, s->labels, s->rows, s->count, &err));
  for (size_t i = 0; i < s->count; i++) right += (int32_t)guess(s, s->rows[i]) == s->labels[s->rows[i]];
  for (size_t c = 0; c < s->classes; c++) {
    const double of_class = slow_f1(s, c);
    f1 += isnan(of_class) ? 0 : of_class;
    counted += !isnan(of_class);
    double each = slow_auc(s, c);
    if (isnan(each)) continue;
    auc += each;
    defined++;
  }
  CHECK_NEAR(q.of[SOTTO_MEASURE_ACCURACY], right / (double)s->count, 1e-12);
  CHECK_NEAR(sotto_accuracy(&x, s->labels, s->rows, s->count), q.of[SOTTO_MEASURE_ACCURACY], 0);
  CHECK_NEAR(q.of[SOTTO_MEASURE_MACRO_F1], f1 / counted, 1e-12);
  if (defined == 0)
    assert_true(isnan(q.of[SOTTO_MEASURE_AUC]));
  else
    CHECK_NEAR(q.of[SOTTO_MEASURE_AUC], auc / defined, 1e-9); /* with two classes both are the same */
}

static void measures_equal_slow_references_on_random_scores_with_ties(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 200; round++) {
    sample_of s = {.n = 1 + sotto_i_random_below(&random, most_rows),
                   .classes = 2 + sotto_i_random_below(&random, most_classes - 1)};
    s.count = 1 + sotto_i_random_below(&random, s.n);
    uint64_t present = 1 + sotto_i_random_below(&random, s.classes); /* often some class is missing */
    for (size_t i = 0; i < s.n * s.classes; i++) s.scores[i] = 0.5F * (float)sotto_i_random_below(&random, 4);
    for (size_t i = 0; i < s.n; i++) {
      s.labels[i] = (int32_t)sotto_i_random_below(&random, present);
      s.rows[i] = (uint32_t)i;
    }
    sotto_i_random_shuffle(&random, s.rows, s.n);
    check_against_slow(&s);
  }
}

static void failed_allocations_of_a_measure_are_reported(void **state) {
  (void)state;
  float scores[6] = {0, 1, 1, 0, 0, 1};
  const sotto_matrix x = {scores, 3, 2};
  sotto_quality quality;
  for (uint64_t nth = 1; nth <= 2; nth++) {
    (void)sotto_i_memory_fail_at(nth);
    CHECK_FAILS(SOTTO_NOMEM, "could not allocate",
                sotto_quality_measure(&quality, &x, (const int32_t[]){0, 1, 0}, NULL, 3, &err));
  }
  (void)sotto_i_memory_fail_at(3);
  CHECK_OK(sotto_quality_measure(&quality, &x, (const int32_t[]){0, 1, 0}, NULL, 3, &err));
  assert_int_equal(sotto_i_memory_fail_at(0), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_made_by_hand_come_out),
      cmocka_unit_test(ties_go_to_the_first_class_and_count_half_in_auc),
      cmocka_unit_test(macro_f1_leaves_out_a_class_neither_present_nor_predicted),
      cmocka_unit_test(what_is_not_defined_is_nan),
      cmocka_unit_test(one_measure_is_that_of_all),
      cmocka_unit_test(labels_that_are_no_class_are_refused_by_row),
      cmocka_unit_test(measures_equal_slow_references_on_random_scores_with_ties),
      cmocka_unit_test(failed_allocations_of_a_measure_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
