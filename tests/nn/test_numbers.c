/* Numbers as targets: the loss and its gradient, the measures, and fits that find the least squares. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "nn/fit.h"
#include "small_graph.h"

enum { rows = 40, columns = 3 };

static sotto_var apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_i_targets_loss(tape, x[0], context);
}

static void reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const sotto_i_targets *targets = context;
  y->data[0] = 0;
  for (size_t i = 0; i < x->rows; i++)
    y->data[0] +=
        pow((x->data[i] - (double)targets->numbers[i]) / (targets->deviation > 0 ? targets->deviation : 1),
            2) /
        (double)x->rows;
}

static void the_loss_is_the_mean_squared_error_and_so_is_its_gradient(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix numbers = check_random_matrix(&random, rows, 1);
  for (int scaled = 0; scaled < 2; scaled++) {
    const sotto_i_targets targets = {
        .numbers = numbers.data, .count = rows, .deviation = scaled == 1 ? 2.5 : 0};
    const gradient_op op = {"mean squared error", 1, apply, reference, &targets, 0};
    const size_t shapes[][2] = {{rows, 1}};
    check_gradient(&op, shapes, &random);
  }
  sotto_matrix_free(&numbers);
}

static void the_losses_of_a_batch_are_those_of_its_rows(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix numbers = check_random_matrix(&random, rows, 1), x = check_random_matrix(&random, rows, 1);
  const sotto_i_targets all = {.numbers = numbers.data, .count = rows, .deviation = 3};
  const sotto_i_targets some = sotto_i_targets_rows(&all, 5, 7);
  const sotto_matrix part = {x.data + 5, 7, 1};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var loss = sotto_i_targets_loss(tape, sotto_tape_constant(tape, &part), &some);
  double right = 0;
  for (size_t i = 5; i < 12; i++) right += pow(((double)x.data[i] - (double)numbers.data[i]) / 3, 2) / 7;
  CHECK_NEAR(sotto_tape_value(tape, loss).data[0], right, 1e-6);
  CHECK_NEAR(sotto_i_targets_mean_loss(&part, &some), right, 1e-9);
  sotto_tape_free(tape);
  sotto_matrix_free(&x);
  sotto_matrix_free(&numbers);
}

static sotto_quality measure(const float *predicted, const float *numbers, size_t count) {
  const sotto_matrix p = {(float *)(uintptr_t)predicted, count, 1};
  const sotto_i_targets targets = {.numbers = numbers, .count = count};
  sotto_quality quality;
  CHECK_OK(sotto_i_targets_quality(&quality, &p, &targets, &err));
  return quality;
}

/* The example of r2_score, mean_absolute_error and root_mean_squared_error in the documents of scikit-learn.
 */
static void the_measures_are_those_of_scikit_learn(void **state) {
  (void)state;
  const float numbers[4] = {3, -0.5F, 2, 7}, predicted[4] = {2.5F, 0, 2, 8};
  const sotto_quality q = measure(predicted, numbers, 4);
  CHECK_NEAR(q.of[SOTTO_MEASURE_R2], 0.9486081370449679, 1e-12);
  CHECK_NEAR(q.of[SOTTO_MEASURE_MAE], 0.5, 1e-12);
  CHECK_NEAR(q.of[SOTTO_MEASURE_RMSE], 0.6123724356957945, 1e-12);
  for (int m = 0; m < SOTTO_CLASS_MEASURES; m++) assert_true(isnan(q.of[m]));
  const float same[3] = {2, 2, 2}, off[3] = {2, 2, 3};
  assert_true(measure(same, same, 3).of[SOTTO_MEASURE_R2] == 1);
  assert_true(measure(off, same, 3).of[SOTTO_MEASURE_R2] == 0);
}

static void a_measure_that_is_undefined_is_nan(void **state) {
  (void)state;
  const float numbers[2] = {1, 2}, spoilt[2] = {1, NAN}, far[2] = {1, INFINITY};
  const sotto_quality q[3] = {measure(numbers, numbers, 0), measure(spoilt, numbers, 2),
                              measure(far, numbers, 2)};
  for (int i = 0; i < 3; i++)
    for (int m = 0; m < SOTTO_MEASURES; m++) assert_true(isnan(q[i].of[m]));
}

static void numbers_and_shapes_that_do_not_fit_are_refused(void **state) {
  (void)state;
  float values[4] = {0};
  const float spoilt[2] = {0, NAN}, right[2] = {0, 1};
  const int32_t classes[2] = {0, 1};
  const sotto_matrix one = {values, 2, 1}, two = {values, 2, 2};
  const sotto_i_targets wrong = {.numbers = spoilt, .count = 2}, good = {.numbers = right, .count = 2};
  const sotto_i_targets other = {.classes = classes, .count = 2};
  sotto_quality quality;
  double value;
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  (void)sotto_i_targets_loss(tape, sotto_tape_constant(tape, &one), &wrong);
  CHECK_FAILS(SOTTO_RANGE, "row 1 is not finite", sotto_tape_check(tape, &err));
  sotto_tape_reset(tape);
  (void)sotto_i_targets_loss(tape, sotto_tape_constant(tape, &two), &good);
  CHECK_FAILS(SOTTO_INVALID, "2 numbers for 2 rows of 2 outputs", sotto_tape_check(tape, &err));
  sotto_tape_free(tape);
  CHECK_FAILS(SOTTO_RANGE, "row 1 is not finite", sotto_i_targets_quality(&quality, &one, &wrong, &err));
  CHECK_FAILS(SOTTO_INVALID, "2 rows of 2", sotto_i_targets_quality(&quality, &two, &good, &err));
  CHECK_FAILS(SOTTO_INVALID, "accuracy selects no epoch",
              sotto_i_targets_value(&value, SOTTO_MEASURE_ACCURACY, &one, &good, &err));
  CHECK_FAILS(SOTTO_INVALID, "rmse selects no epoch",
              sotto_i_targets_value(&value, SOTTO_MEASURE_RMSE, &one, &good, &err));
  CHECK_FAILS(SOTTO_INVALID, "r2 measures numbers",
              sotto_i_targets_value(&value, SOTTO_MEASURE_R2, &two, &other, &err));
}

/* y = 2 x_0 - x_1 + 0.5 x_2 + 3 and some noise, for all parts alike. */
typedef struct line {
  sotto_params *params;
  sotto_linear layer;
  sotto_matrix x;
  float numbers[rows];
  sotto_i_task task;
  sotto_key key;
} line;

static sotto_var line_forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  line *l = model;
  const sotto_matrix x = {l->x.data + batch->begin * columns, batch->count, columns};
  return sotto_linear_apply(&l->layer, l->params, pass->tape, sotto_tape_constant(pass->tape, &x));
}

static void line_new(line *l, double noise) {
  sotto_i_random random = check_random();
  *l = (line){0};
  sotto_key_public(&l->key, 2);
  CHECK_OK(sotto_params_new(&l->params, &err));
  CHECK_OK(sotto_linear_new(&l->layer, l->params, "line", columns, 1, &l->key, &err));
  l->x = check_random_matrix(&random, rows, columns);
  for (int i = 0; i < rows; i++) {
    const float *x = l->x.data + columns * i;
    l->numbers[i] = 2 * x[0] - x[1] + 0.5F * x[2] + 3 + (float)(noise * sotto_i_random_normal(&random));
  }
  l->task = (sotto_i_task){.model = l, .params = l->params, .forward = line_forward, .key = &l->key};
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    l->task.targets[part] = (sotto_i_targets){.numbers = l->numbers, .count = rows};
}

static void line_fit(line *l, sotto_quality *quality) {
  sotto_i_training training = {.epochs = 1500, .adam = sotto_adam_defaults(), .select_by = SOTTO_MEASURE_R2};
  sotto_tape *tape;
  training.adam.learning_rate = 0.02F;
  CHECK_OK(sotto_i_fit(&l->task, &training, NULL, &err));
  CHECK_OK(sotto_tape_new(&tape, &err));
  CHECK_OK(sotto_i_evaluate(quality, &l->task, tape, SOTTO_PART_TEST, &err));
  sotto_tape_free(tape);
}

static void line_free(line *l) {
  sotto_params_free(l->params);
  sotto_matrix_free(&l->x);
}

static void a_fit_finds_the_line_without_noise(void **state) {
  (void)state;
  const float right[columns] = {2, -1, 0.5F};
  sotto_quality quality;
  line l;
  line_new(&l, 0);
  line_fit(&l, &quality);
  for (int j = 0; j < columns; j++)
    CHECK_NEAR(sotto_params_value(l.params, l.layer.weight)->data[j], right[j], 1e-3);
  CHECK_NEAR(sotto_params_value(l.params, l.layer.bias)->data[0], 3, 1e-3);
  CHECK_NEAR(quality.of[SOTTO_MEASURE_R2], 1, 1e-6);
  line_free(&l);
}

/* At the least squares the residuals are orthogonal to every column, and to the constant. */
static void a_fit_with_noise_ends_at_the_least_squares(void **state) {
  (void)state;
  sotto_quality quality;
  line l;
  line_new(&l, 0.5);
  line_fit(&l, &quality);
  const float *weight = sotto_params_value(l.params, l.layer.weight)->data;
  const float bias = sotto_params_value(l.params, l.layer.bias)->data[0];
  double along[columns + 1] = {0}, square = 0;
  for (int i = 0; i < rows; i++) {
    const float *x = l.x.data + columns * i;
    double residual = (double)l.numbers[i] - (double)bias;
    for (int j = 0; j < columns; j++) residual -= (double)weight[j] * (double)x[j];
    for (int j = 0; j < columns; j++) along[j] += residual * (double)x[j] / rows;
    along[columns] += residual / rows;
    square += residual * residual / rows;
  }
  for (int j = 0; j <= columns; j++) CHECK_NEAR(along[j], 0, 1e-3);
  assert_true(square > 0.01); /* there is noise that no line meets */
  CHECK_NEAR(quality.of[SOTTO_MEASURE_RMSE], sqrt(square), 1e-4);
  line_free(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_loss_is_the_mean_squared_error_and_so_is_its_gradient),
      cmocka_unit_test(the_losses_of_a_batch_are_those_of_its_rows),
      cmocka_unit_test(the_measures_are_those_of_scikit_learn),
      cmocka_unit_test(a_measure_that_is_undefined_is_nan),
      cmocka_unit_test(numbers_and_shapes_that_do_not_fit_are_refused),
      cmocka_unit_test(a_fit_finds_the_line_without_noise),
      cmocka_unit_test(a_fit_with_noise_ends_at_the_least_squares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
