/* Confusion and calibration: values made by hand, and slow references. */
#include <math.h>

#include "check.h"
#include "sotto/nn.h"

static sotto_matrix matrix_of(const float *values, size_t rows, size_t cols) {
  return (sotto_matrix){(float *)(uintptr_t)values, rows, cols};
}

static void confusion_made_by_hand_comes_out(void **state) {
  (void)state;
  const float scores[10] = {3, 1, 0, 2, 1, 1, 0, 1, 5, 4}; /* predicted 0 1 0 1 0 */
  const int32_t labels[5] = {0, 0, 0, 1, -1};
  const sotto_matrix x = matrix_of(scores, 5, 2);
  sotto_confusion c;
  CHECK_OK(sotto_confusion_measure(&c, &x, labels, NULL, 4, &err));
  assert_true(c.listed == 2 && c.lines == 2 && c.classes[0] == 0 && c.classes[1] == 1);
  assert_true(c.counts[0][0] == 2 && c.counts[0][1] == 1 && c.counts[1][0] == 0 && c.counts[1][1] == 1);
  CHECK_OK(sotto_confusion_measure(&c, &x, labels, (const uint32_t[]){3, 1}, 2, &err));
  assert_true(c.counts[0][0] == 0 && c.counts[0][1] == 1 && c.counts[1][0] == 0 && c.counts[1][1] == 1);
  CHECK_FAILS(SOTTO_RANGE, "label -1 of row 4", sotto_confusion_measure(&c, &x, labels, NULL, 5, &err));
}

static void calibration_made_by_hand_comes_out(void **state) {
  (void)state;
  /* Bin 7: 0.75, right. Bin 8: 0.8F, which is a little above 0.8, wrong. Bin 9: 1 and 0.95, both right. */
  const float p[8] = {0.75F, 0.25F, 0.2F, 0.8F, 0, 1, 0.95F, 0.05F};
  const int32_t labels[4] = {0, 0, 1, 0};
  const sotto_matrix x = matrix_of(p, 4, 2);
  sotto_calibration c;
  CHECK_OK(sotto_calibration_measure(&c, &x, labels, NULL, 4, &err));
  assert_true(c.bins[7].count == 1 && c.bins[8].count == 1 && c.bins[9].count == 2);
  CHECK_NEAR(c.bins[7].probability, 0.75, 1e-7);
  CHECK_NEAR(c.bins[8].accuracy, 0, 0);
  CHECK_NEAR(c.bins[9].probability, 0.975, 1e-7);
  CHECK_NEAR(c.bins[9].accuracy, 1, 0);
  CHECK_NEAR(c.error, (0.25 + 0.8 + 2 * 0.025) / 4, 1e-7);
  assert_true(c.bins[0].count == 0 && isnan(c.bins[0].probability) && isnan(c.bins[0].accuracy));
}

static void ends_of_bins_are_in_the_lower_bin(void **state) {
  (void)state;
  const float p[2] = {0.5F, 0.5F}, above[2] = {0.5000001F, 0.4999999F}, none[2] = {0, 0};
  const int32_t labels[1] = {0};
  sotto_calibration c;
  sotto_matrix x = matrix_of(p, 1, 2);
  CHECK_OK(sotto_calibration_measure(&c, &x, labels, NULL, 1, &err));
  assert_int_equal(c.bins[4].count, 1);
  x = matrix_of(above, 1, 2);
  CHECK_OK(sotto_calibration_measure(&c, &x, labels, NULL, 1, &err));
  assert_int_equal(c.bins[5].count, 1);
  x = matrix_of(none, 1, 2);
  CHECK_OK(sotto_calibration_measure(&c, &x, labels, NULL, 1, &err));
  assert_int_equal(c.bins[0].count, 1);
}

static void what_is_no_probability_is_refused_by_row(void **state) {
  (void)state;
  const float p[6] = {0.5F, 0.5F, 1.5F, -0.5F, NAN, NAN}, rounded[2] = {1.000001F, 0};
  const int32_t labels[4] = {0, 0, 0, 2};
  sotto_matrix x = matrix_of(p, 3, 2);
  sotto_calibration c;
  CHECK_FAILS(SOTTO_RANGE, "row 1 has probability 1.5",
              sotto_calibration_measure(&c, &x, labels, NULL, 3, &err));
  CHECK_FAILS(SOTTO_RANGE, "row 2 has probability",
              sotto_calibration_measure(&c, &x, labels, (const uint32_t[]){0, 2}, 2, &err));
  CHECK_FAILS(SOTTO_RANGE, "label 2 of row 0", sotto_calibration_measure(&c, &x, labels + 3, NULL, 1, &err));
  CHECK_OK(sotto_calibration_measure(&c, &x, labels, NULL, 0, &err));
  assert_true(isnan(c.error));
  x = matrix_of(rounded, 1, 2);
  CHECK_OK(sotto_calibration_measure(&c, &x, labels, NULL, 1, &err));
  assert_int_equal(c.bins[9].count, 1);
}

enum { most_rows = 80, most_classes = 40 };

typedef struct sample_of {
  float p[most_rows * most_classes];
  int32_t labels[most_rows];
  uint32_t rows[most_rows];
  size_t n, classes, count;
} sample_of;

/* Rows of probabilities in steps of 1/20, so that ends of bins and ties are common. */
static void draw(sample_of *s, sotto_i_random *random) {
  s->n = 1 + sotto_i_random_below(random, most_rows);
  s->classes = 1 + sotto_i_random_below(random, most_classes);
  s->count = 1 + sotto_i_random_below(random, s->n);
  memset(s->p, 0, sizeof s->p);
  for (size_t i = 0; i < s->n; i++) {
    for (unsigned part = 0; part < 20; part++) {
      size_t c = sotto_i_random_below(random, part % 3 == 0 ? s->classes : 1 + s->classes / 8);
      s->p[i * s->classes + c] += 0.05F;
    }
    s->labels[i] = (int32_t)sotto_i_random_below(random, sotto_i_random_below(random, 2) ? s->classes : 1);
    s->rows[i] = (uint32_t)i;
  }
  sotto_i_random_shuffle(random, s->rows, s->n);
}

static size_t guess(const sample_of *s, size_t row) {
  size_t best = 0;
  for (size_t j = 0; j < s->classes; j++)
    if (s->p[row * s->classes + j] > s->p[row * s->classes + best]) best = j;
  return best;
}

static uint64_t members(const sample_of *s, size_t c) {
  uint64_t count = 0;
  for (size_t i = 0; i < s->count; i++) count += (size_t)s->labels[s->rows[i]] == c;
  return count;
}

/* Is the class among the ten largest: fewer than ten are larger, or as large with a lower number? */
static bool slow_is_listed(const sample_of *s, size_t c) {
  size_t before = 0;
  if (s->classes <= 20) return true;
  for (size_t d = 0; d < s->classes; d++)
    before += members(s, d) > members(s, c) || (members(s, d) == members(s, c) && d < c);
  return before < 10;
}

static size_t slow_line(const sample_of *s, size_t c) {
  size_t line = 0;
  for (size_t d = 0; d < s->classes; d++) line += slow_is_listed(s, d) && (d < c || !slow_is_listed(s, c));
  return line;
}

static void check_confusion(const sample_of *s) {
  uint64_t counts[SOTTO_CONFUSION_CLASSES][SOTTO_CONFUSION_CLASSES] = {{0}};
  const sotto_matrix x = matrix_of(s->p, s->n, s->classes);
  sotto_confusion c;
  CHECK_OK(sotto_confusion_measure(&c, &x, s->labels, s->rows, s->count, &err));
  for (size_t i = 0; i < s->count; i++)
    counts[slow_line(s, (size_t)s->labels[s->rows[i]])][slow_line(s, guess(s, s->rows[i]))]++;
  assert_memory_equal(counts, c.counts, sizeof counts);
  assert_int_equal(c.lines, s->classes <= 20 ? s->classes : 11);
  assert_int_equal(c.listed, s->classes <= 20 ? s->classes : 10);
  for (size_t k = 0; k < c.listed; k++)
    assert_true(slow_is_listed(s, c.classes[k]) && slow_line(s, c.classes[k]) == k);
}

/* Bin by bin, as the definition reads. */
static void check_calibration(const sample_of *s) {
  const sotto_matrix x = matrix_of(s->p, s->n, s->classes);
  sotto_calibration c;
  double error = 0;
  CHECK_OK(sotto_calibration_measure(&c, &x, s->labels, s->rows, s->count, &err));
  for (size_t b = 0; b < 10; b++) {
    double count = 0, probability = 0, right = 0;
    for (size_t i = 0; i < s->count; i++) {
      size_t row = s->rows[i], said = guess(s, row);
      long double p = (long double)s->p[row * s->classes + said];
      if (!((p * 10 > b || b == 0) && (p * 10 <= b + 1 || b == 9))) continue;
      count++;
      probability += (double)p;
      right += (size_t)s->labels[row] == said;
    }
    assert_true((double)c.bins[b].count == count);
    if (count == 0) continue;
    CHECK_NEAR(c.bins[b].probability, probability / count, 1e-12);
    CHECK_NEAR(c.bins[b].accuracy, right / count, 1e-12);
    error += count / (double)s->count * fabs(right / count - probability / count);
  }
  CHECK_NEAR(c.error, error, 1e-12);
}

static void measures_equal_slow_references_on_random_probabilities(void **state) {
  (void)state;
  static sample_of s;
  sotto_i_random random = check_random();
  for (int round = 0; round < 200; round++) {
    draw(&s, &random);
    check_confusion(&s);
    check_calibration(&s);
  }
}

static void failed_allocations_of_confusion_are_reported(void **state) {
  (void)state;
  const float scores[4] = {0, 1, 1, 0};
  const sotto_matrix x = matrix_of(scores, 2, 2);
  sotto_confusion c;
  for (uint64_t nth = 1; nth <= 2; nth++) {
    (void)sotto_i_memory_fail_at(nth);
    CHECK_FAILS(SOTTO_NOMEM, "could not allocate",
                sotto_confusion_measure(&c, &x, (const int32_t[]){0, 1}, NULL, 2, &err));
  }
  (void)sotto_i_memory_fail_at(3);
  CHECK_OK(sotto_confusion_measure(&c, &x, (const int32_t[]){0, 1}, NULL, 2, &err));
  assert_int_equal(sotto_i_memory_fail_at(0), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(confusion_made_by_hand_comes_out),
      cmocka_unit_test(calibration_made_by_hand_comes_out),
      cmocka_unit_test(ends_of_bins_are_in_the_lower_bin),
      cmocka_unit_test(what_is_no_probability_is_refused_by_row),
      cmocka_unit_test(measures_equal_slow_references_on_random_probabilities),
      cmocka_unit_test(failed_allocations_of_confusion_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
