/* Operations that move or join values, and the two that end in one number: values and gradients. */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "inside/tensor.h"
#include "rounding.h"
#include "small_graph.h"

static sotto_var concat_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  (void)context;
  return sotto_tape_concat(tape, x[0], x[1]);
}

static void concat_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  for (size_t i = 0; i < y->rows; i++)
    for (size_t j = 0; j < y->cols; j++)
      y->data[i * y->cols + j] =
          j < x[0].cols ? x[0].data[i * x[0].cols + j] : x[1].data[i * x[1].cols + j - x[0].cols];
}

static void matrices_side_by_side_and_their_gradients_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const gradient_op op = {"concat", 2, concat_apply, concat_reference, NULL, 0};
  static const size_t shapes[][3] = {{0, 2, 3}, {1, 1, 1}, {5, 0, 3}, {5, 3, 0}, {7, 3, 9}, {1500, 17, 11}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    check_gradient(&op, (const size_t[][2]){{shapes[i][0], shapes[i][1]}, {shapes[i][0], shapes[i][2]}},
                   &random);
}

static sotto_var twin_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  (void)context;
  return sotto_tape_concat(tape, x[0], x[0]);
}

static void twin_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const gradient_matrix both[2] = {x[0], x[0]};
  concat_reference(context, y, both);
}

static void a_matrix_beside_itself_has_a_gradient_of_two_parts(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const gradient_op op = {"concat with itself", 1, twin_apply, twin_reference, NULL, 0};
  check_gradient(&op, (const size_t[][2]){{6, 3}}, &random);
}

static sotto_var columns_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  const size_t *range = context;
  return sotto_tape_columns(tape, x[0], range[0], range[1]);
}

static void columns_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const size_t *range = context;
  for (size_t i = 0; i < y->rows; i++)
    for (size_t j = 0; j < y->cols; j++) y->data[i * y->cols + j] = x->data[i * x->cols + range[0] + j];
}

static void columns_of_a_matrix_and_their_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t ranges[][2] = {{0, 7}, {2, 5}, {6, 7}, {3, 3}, {0, 0}, {7, 7}};
  static const size_t rows[] = {0, 1, 5, 9001};
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
      const gradient_op op = {"columns", 1, columns_apply, columns_reference, ranges[i], 0};
      check_gradient(&op, (const size_t[][2]){{rows[k], 7}}, &random);
    }
}

typedef struct choice {
  uint32_t *rows;
  size_t count;
  const int32_t *labels;
} choice;

static sotto_var gather_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  const choice *c = context;
  return sotto_tape_gather_rows(tape, x[0], c->rows, c->count);
}

static void gather_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const choice *c = context;
  for (size_t i = 0; i < y->rows; i++)
    for (size_t j = 0; j < y->cols; j++) y->data[i * y->cols + j] = x->data[c->rows[i] * x->cols + j];
}

static void gathered_rows_with_repeats_and_their_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t counts[] = {0, 1, 40, 3000};
  uint32_t rows[3000];
  for (size_t k = 0; k < 4; k++) {
    for (size_t i = 0; i < counts[k]; i++) rows[i] = (uint32_t)sotto_i_random_below(&random, 11);
    const choice c = {rows, counts[k], NULL};
    const gradient_op op = {"gather_rows", 1, gather_apply, gather_reference, &c, 0};
    check_gradient(&op, (const size_t[][2]){{11, 35}}, &random);
  }
}

static sotto_var entropy_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  const choice *c = context;
  return sotto_tape_cross_entropy(tape, x[0], c->labels, c->rows, c->count);
}

static void entropy_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  const choice *c = context;
  double sum = 0;
  for (size_t i = 0; i < c->count; i++) {
    size_t row = c->rows == NULL ? i : c->rows[i];
    const double *scores = x->data + row * x->cols;
    double total = exp(scores[0]);
    for (size_t j = 1; j < x->cols; j++) total += exp(scores[j]);
    sum += log(total) - scores[c->labels[row]];
  }
  y->data[0] = sum / (double)c->count;
}

/* e^(x - most) is within 4 u + |x - most| u of what it should be, relative: the argument is rounded once, the
 * reduced one, the polynomial and the last sum add up to less than 4 u. */
static double exp_units(const double *scores, size_t cols, size_t j) {
  double most = scores[0];
  for (size_t k = 1; k < cols; k++) most = fmax(most, scores[k]);
  return 4 + most - scores[j];
}

static double softmax_of(const double *scores, size_t cols, size_t j) {
  double total = 0;
  for (size_t k = 0; k < cols; k++) total += exp(scores[k] - scores[j]);
  return 1 / total;
}

/* The value is rounded once from double, beside the errors of the exponentials in the sum of each row. */
static double entropy_value_error(const choice *c, const gradient_matrix *x) {
  gradient_matrix y = {(double[]){0}, 1, 1};
  double units = 0;
  entropy_reference(c, &y, x);
  for (size_t i = 0; i < c->count; i++) {
    const double *scores = x->data + (c->rows == NULL ? i : c->rows[i]) * x->cols;
    for (size_t j = 0; j < x->cols; j++)
      units += softmax_of(scores, x->cols, j) * exp_units(scores, x->cols, j) / (double)c->count;
  }
  return check_rounding(1, fabs(y.data[0])) + 0x1p-24 * 1.001 * units + 1e-12;
}

/* A row that is chosen m times adds up m terms above / count softmax, and as many of above / count at the
 * label, one after the other, to `before`. A term beside its additions: exponential, the row's sum of them
 * (as far off as they are), its inverse, the quotient, twice a product. */
static double entropy_error(const void *context, const gradient_matrix *x, size_t at, double above,
                            double before) {
  const choice *c = context;
  if (at == GRADIENT_VALUE) return entropy_value_error(c, x);
  size_t row = at / x->cols, j = at % x->cols, times = 0;
  for (size_t i = 0; i < c->count; i++) times += (c->rows == NULL ? i : c->rows[i]) == row;
  const double *scores = x->data + row * x->cols;
  double p = softmax_of(scores, x->cols, j), units = exp_units(scores, x->cols, j);
  for (size_t k = 0; k < x->cols; k++)
    units += softmax_of(scores, x->cols, k) * exp_units(scores, x->cols, k);
  bool label = c->labels[row] == (int32_t)j;
  double term = fabs(above) / (double)c->count * (double)times, additions = (double)times * (label ? 2 : 1);
  return check_rounding((size_t)(additions + units + 6), term * p) +
         check_rounding((size_t)additions + 2, (label ? term : 0) + fabs(before));
}

static void check_entropy(sotto_i_random *random, size_t n, size_t classes, uint32_t *rows, size_t count) {
  int32_t *labels = calloc(n, sizeof *labels);
  for (size_t i = 0; i < n; i++) labels[i] = (int32_t)sotto_i_random_below(random, classes);
  const choice c = {rows, count, labels};
  const gradient_op op = {"cross_entropy", 1, entropy_apply, entropy_reference, &c, 0};
  check_gradient_within(&op, entropy_error, (const size_t[][2]){{n, classes}}, random);
  free(labels);
}

static sotto_var entropy_off_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_tape_scale(tape, entropy_apply(context, tape, x), 1 + 3e-5F);
}

static void an_entropy_off_by_three_in_a_hundred_thousand_is_caught(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const int32_t labels[7] = {0, 1, 2, 1, 0, 2, 2};
  char why[300];
  const choice c = {NULL, 7, labels};
  gradient_op op = {"cross_entropy", 1, entropy_apply, entropy_reference, &c, 0};
  sotto_matrix x = check_random_matrix(&random, 7, 3);
  assert_true(gradient_holds_within(&op, entropy_error, &x, &random, why, sizeof why));
  op.apply = entropy_off_apply;
  assert_false(gradient_holds_within(&op, entropy_error, &x, &random, why, sizeof why));
  sotto_matrix_free(&x);
}

static void cross_entropy_of_all_rows_and_its_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t shapes[][2] = {{1, 1}, {1, 2}, {7, 3}, {50, 17}, {2500, 5}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    check_entropy(&random, shapes[i][0], shapes[i][1], NULL, shapes[i][0]);
  check_entropy(&random, 9, 4, NULL, 6);
}

static void cross_entropy_of_chosen_rows_and_its_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  uint32_t ascending[4] = {0, 3, 4, 8}, mixed[6] = {8, 2, 2, 0, 8, 8};
  check_entropy(&random, 9, 4, ascending, 4);
  check_entropy(&random, 9, 4, mixed, 6);
  uint32_t many[5000];
  for (size_t i = 0; i < 5000; i++) many[i] = (uint32_t)sotto_i_random_below(&random, 9);
  check_entropy(&random, 9, 4, many, 5000);
}

static void cross_entropy_of_far_scores_neither_overflows_nor_vanishes(void **state) {
  (void)state;
  float scores[6] = {1e4F, -1e4F, 0, -3e38F, 0, 3e38F};
  const int32_t labels[2] = {1, 2};
  const sotto_matrix x = {scores, 2, 3};
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var v = sotto_tape_input(tape, &x), loss = sotto_tape_cross_entropy(tape, v, labels, NULL, 2);
  CHECK_OK(sotto_tape_backward(tape, loss, &err));
  CHECK_NEAR((double)sotto_tape_value(tape, loss).data[0], 1e4, 1e-6);
  const float *slope = sotto_tape_gradient(tape, v).data;
  static const float right[6] = {0.5F, -0.5F, 0, 0, 0, 0};
  for (int i = 0; i < 6; i++) assert_true(slope[i] == right[i]);
  sotto_tape_free(tape);
}

static sotto_var sum_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  (void)context;
  return sotto_tape_sum(tape, x[0]);
}

static void sum_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  y->data[0] = 0;
  for (size_t i = 0; i < x->rows * x->cols; i++) y->data[0] += x->data[i];
}

static void the_sum_of_all_elements_and_its_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const gradient_op op = {"sum", 1, sum_apply, sum_reference, NULL, 0};
  static const size_t shapes[][2] = {{0, 4}, {3, 0}, {1, 1}, {5, 7}, {300, 301}};
  for (size_t i = 0; i < 5; i++) check_gradient(&op, &shapes[i], &random);
}

/* y(i, j) = x(j, i)^2: another shape than x. */
static sotto_status turn_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                 sotto_error *err) {
  (void)context;
  (void)err;
  for (size_t i = 0; i < y->rows; i++)
    for (size_t j = 0; j < y->cols; j++)
      y->data[i * y->cols + j] = x->data[j * x->cols + i] * x->data[j * x->cols + i];
  return SOTTO_OK;
}

static sotto_status turn_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                  const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  (void)context;
  (void)err;
  for (size_t i = 0; i < y->rows; i++)
    for (size_t j = 0; j < y->cols; j++)
      dx->data[j * x->cols + i] += 2 * x->data[j * x->cols + i] * dy->data[i * y->cols + j];
  return SOTTO_OK;
}

static sotto_var turn_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  static const sotto_tape_op turn = {"turned squares", turn_forward, turn_backward};
  sotto_matrix value = sotto_tape_value(tape, x[0]);
  return sotto_tape_custom(tape, x[0], value.cols, value.rows, &turn, context);
}

static void turn_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  for (size_t i = 0; i < y->rows; i++)
    for (size_t j = 0; j < y->cols; j++)
      y->data[i * y->cols + j] = x->data[j * x->cols + i] * x->data[j * x->cols + i];
}

static void an_operation_of_another_room_and_its_gradient_are_right(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const gradient_op op = {"turned squares", 1, turn_apply, turn_reference, NULL, 0};
  static const size_t shapes[][2] = {{0, 4}, {1, 1}, {5, 7}};
  for (size_t i = 0; i < 3; i++) check_gradient(&op, &shapes[i], &random);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(matrices_side_by_side_and_their_gradients_are_right),
      cmocka_unit_test(a_matrix_beside_itself_has_a_gradient_of_two_parts),
      cmocka_unit_test(columns_of_a_matrix_and_their_gradient_are_right),
      cmocka_unit_test(gathered_rows_with_repeats_and_their_gradient_are_right),
      cmocka_unit_test(cross_entropy_of_all_rows_and_its_gradient_are_right),
      cmocka_unit_test(cross_entropy_of_chosen_rows_and_its_gradient_are_right),
      cmocka_unit_test(an_entropy_off_by_three_in_a_hundred_thousand_is_caught),
      cmocka_unit_test(cross_entropy_of_far_scores_neither_overflows_nor_vanishes),
      cmocka_unit_test(the_sum_of_all_elements_and_its_gradient_are_right),
      cmocka_unit_test(an_operation_of_another_room_and_its_gradient_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
