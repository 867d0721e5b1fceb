/* Cross entropy on reported labels and with weights of classes: value and gradient by the formula, and what
 * it is least at. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "nn/targets.h"

enum { rows = 6, classes = 4 };
static const int32_t labels[rows] = {0, 3, 1, 1, 2, 0};

static sotto_var apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_targets_loss(tape, x[0], context);
}

static void reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_targets *reported = context;
  y->data[0] = 0;
  for (size_t i = 0; i < x->rows; i++) {
    double sum = 0, q = 0;
    for (size_t j = 0; j < x->cols; j++) sum += exp(x->data[i * x->cols + j]);
    for (size_t j = 0; j < x->cols; j++) {
      double p = exp(x->data[i * x->cols + j]) / sum;
      q += p *
           ((int32_t)j == reported->classes[i] ? 1 - reported->flip : reported->flip / (double)(x->cols - 1));
    }
    y->data[0] -= log(q) / (double)x->rows;
  }
}

static void it_is_its_formula_at_every_rate_of_lies(void **state) {
  (void)state;
  const double lies[] = {0, 0.1, 0.5, 0.74};
  sotto_i_random random = check_random();
  for (size_t i = 0; i < 4; i++) {
    const sotto_i_targets reported = {.classes = labels, .count = rows, .flip = lies[i]};
    const gradient_op op = {"reported cross entropy", 1, apply, reference, &reported, 1e-4};
    const size_t shapes[][2] = {{rows, classes}};
    check_gradient(&op, shapes, &random);
  }
}

static void weighted_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_targets *targets = context;
  y->data[0] = 0;
  for (size_t i = 0; i < x->rows; i++) {
    const int32_t c = targets->classes[i];
    double sum = 0;
    for (size_t j = 0; j < x->cols; j++) sum += targets->weights[j] * exp(x->data[i * x->cols + j]);
    const double q = targets->weights[c] * exp(x->data[i * x->cols + (size_t)c]) / sum;
    y->data[0] -= targets->weights[c] * log(q) / (double)x->rows;
  }
}

static void with_weights_it_is_its_formula(void **state) {
  (void)state;
  static const double weights[2][classes] = {{1, 1, 1, 1}, {0.2, 1, 3, 16}};
  const size_t shapes[][2] = {{rows, classes}};
  sotto_i_random random = check_random();
  for (int i = 0; i < 2; i++) {
    const sotto_i_targets targets = {.classes = labels, .count = rows, .weights = weights[i]};
    const gradient_op op = {"weighted cross entropy", 1, apply, weighted_reference, &targets, 1e-4};
    check_gradient(&op, shapes, &random);
  }
}

static double loss_of(const float *scores, const double *weights, const int32_t *classes_of, size_t count) {
  const sotto_matrix x = {(float *)(uintptr_t)scores, count, 2};
  const sotto_i_targets targets = {.classes = classes_of, .count = count, .weights = weights};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  const sotto_var loss = sotto_i_targets_loss(tape, sotto_tape_constant(tape, &x), &targets);
  CHECK_OK(sotto_tape_check(tape, &err));
  const double out = (double)sotto_tape_value(tape, loss).data[0];
  sotto_tape_free(tape);
  return out;
}

/* Ten rows of the same features, one of class 1: the log-odds of the least loss are those of one in ten, with
 * any weights. */
static void weights_leave_the_best_probability_where_it_is(void **state) {
  (void)state;
  static const double weights[2][2] = {{1, 1}, {10.0 / 18, 5}};
  const int32_t ten[10] = {1};
  for (int i = 0; i < 2; i++) {
    double best = INFINITY, at = 0;
    for (int step = -400; step <= 400; step++) {
      float scores[20] = {0};
      for (int row = 0; row < 10; row++) scores[2 * row + 1] = (float)step / 100;
      const double loss = loss_of(scores, weights[i], ten, 10);
      if (loss < best) best = loss, at = step / 100.0;
    }
    CHECK_NEAR(at, log(1.0 / 9), 0.02);
  }
}

/* Expected over tellings of a label whose true law is known: no other p has a smaller loss than that law;
 * without the correction another one has (the planted fault). */
static double expected_loss(const double *p, const double *law, double lie, bool corrected) {
  double loss = 0;
  for (int reported = 0; reported < 3; reported++) {
    double chance = 0, q = 0;
    for (int c = 0; c < 3; c++) {
      double through = c == reported ? 1 - lie : lie / 2;
      chance += law[c] * through;
      q += p[c] * through;
    }
    loss -= chance * log(corrected ? q : p[reported]);
  }
  return loss;
}

static void the_law_of_the_true_label_is_best_only_with_the_correction(void **state) {
  (void)state;
  const double law[3] = {0.8, 0.15, 0.05};
  double best[2] = {INFINITY, INFINITY}, at[2] = {0, 0};
  for (int a = 1; a < 100; a++)
    for (int b = 1; a + b < 100; b++) {
      const double p[3] = {a / 100.0, b / 100.0, 1 - (a + b) / 100.0};
      for (int corrected = 0; corrected < 2; corrected++) {
        double loss = expected_loss(p, law, 0.4, corrected == 1);
        if (loss < best[corrected]) best[corrected] = loss, at[corrected] = p[0];
      }
    }
  CHECK_NEAR(at[1], 0.8, 1e-9);
  assert_true(at[0] < 0.6);
}

static void a_label_that_is_no_class_is_refused(void **state) {
  (void)state;
  float values[2 * classes] = {0};
  const int32_t wrong[2] = {0, classes};
  const sotto_matrix x = {values, 2, classes};
  const sotto_i_targets reported = {.classes = wrong, .count = 2, .flip = 0.2},
                        few = {.classes = labels, .count = 1, .flip = 0.2};
  const double alike[classes] = {1, 1, 1, 1};
  const sotto_i_targets weighted = {.classes = wrong, .count = 2, .weights = alike};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  (void)sotto_i_targets_loss(tape, sotto_tape_constant(tape, &x), &reported);
  CHECK_FAILS(SOTTO_RANGE, "label 4", sotto_tape_check(tape, &err));
  sotto_tape_reset(tape);
  (void)sotto_i_targets_loss(tape, sotto_tape_constant(tape, &x), &few);
  CHECK_FAILS(SOTTO_INVALID, "1 reported labels", sotto_tape_check(tape, &err));
  sotto_tape_reset(tape);
  (void)sotto_i_targets_loss(tape, sotto_tape_constant(tape, &x), &weighted);
  CHECK_FAILS(SOTTO_RANGE, "label 4", sotto_tape_check(tape, &err));
  sotto_tape_free(tape);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_its_formula_at_every_rate_of_lies),
      cmocka_unit_test(with_weights_it_is_its_formula),
      cmocka_unit_test(weights_leave_the_best_probability_where_it_is),
      cmocka_unit_test(the_law_of_the_true_label_is_best_only_with_the_correction),
      cmocka_unit_test(a_label_that_is_no_class_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
