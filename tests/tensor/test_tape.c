/* Rules of the tape: failures, leaves, gradients that add up, memory, threads. */
#include <math.h>

#include "check.h"
#include "inside/tensor.h"
#include "small_graph.h"
#include "sotto/tensor.h"

static sotto_tape *new_tape(void) {
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  return tape;
}

static void a_failure_sticks_and_is_reported_by_check_and_by_backward(void **state) {
  (void)state;
  float data[6] = {1, 2, 3, 4, 5, 6};
  const sotto_matrix a = {data, 2, 3}, b = {data, 3, 2};
  sotto_tape *tape = new_tape();
  sotto_var va = sotto_tape_input(tape, &a), vb = sotto_tape_input(tape, &b);
  CHECK_OK(sotto_tape_check(tape, &err));
  sotto_var bad = sotto_tape_add(tape, va, vb);
  sotto_var later = sotto_tape_sum(tape, sotto_tape_matmul(tape, sotto_tape_relu(tape, bad), vb));
  (void)sotto_tape_concat(tape, va, vb); /* fails too, but the first failure is the cause */
  assert_true(sotto_tape_value(tape, later).data == NULL && sotto_tape_gradient(tape, bad).data == NULL);
  CHECK_FAILS(SOTTO_INVALID, "a sum of 2 x 3 and 3 x 2", sotto_tape_check(tape, &err));
  CHECK_FAILS(SOTTO_INVALID, "a sum of 2 x 3 and 3 x 2", sotto_tape_backward(tape, later, &err));
  CHECK_FAILS(SOTTO_INVALID, "a sum of 2 x 3 and 3 x 2", sotto_tape_backward_from(tape, va, &a, &err));
  assert_int_equal(sotto_tape_check(tape, NULL), SOTTO_INVALID);
  sotto_tape_reset(tape);
  CHECK_OK(sotto_tape_check(tape, &err));
  CHECK_OK(sotto_tape_backward(tape, sotto_tape_sum(tape, sotto_tape_input(tape, &a)), &err));
  sotto_tape_free(tape);
}

static void a_copy_outlives_the_values_of_the_tape(void **state) {
  (void)state;
  float data[6] = {1, 2, 3, 4, 5, 6};
  const sotto_matrix a = {data, 2, 3}, b = {data, 3, 2};
  sotto_tape *tape = new_tape();
  sotto_matrix kept, none;
  sotto_var twice = sotto_tape_scale(tape, sotto_tape_constant(tape, &a), 2);
  CHECK_OK(sotto_tape_copy(&kept, tape, twice, &err));
  assert_ptr_not_equal(kept.data, sotto_tape_value(tape, twice).data);
  sotto_tape_reset(tape);
  CHECK_FAILS(SOTTO_INVALID, "is not on the tape", sotto_tape_copy(&none, tape, twice, &err));
  (void)sotto_tape_scale(tape, sotto_tape_constant(tape, &a), 3);
  assert_true(kept.rows == 2 && kept.cols == 3);
  for (size_t i = 0; i < 6; i++) assert_true(kept.data[i] == 2 * data[i]);
  sotto_var bad = sotto_tape_add(tape, sotto_tape_constant(tape, &a), sotto_tape_constant(tape, &b));
  CHECK_FAILS(SOTTO_INVALID, "a sum of 2 x 3 and 3 x 2", sotto_tape_copy(&none, tape, bad, &err));
  sotto_matrix_free(&kept);
  sotto_tape_free(tape);
}

typedef struct misfit {
  sotto_var a, b, row, column;
  sotto_tape *tape;
} misfit;

static void misfit_add(const misfit *m) {
  (void)sotto_tape_add(m->tape, m->a, m->b);
}
static void misfit_subtract(const misfit *m) {
  (void)sotto_tape_subtract(m->tape, m->a, m->row);
}
static void misfit_multiply(const misfit *m) {
  (void)sotto_tape_multiply(m->tape, m->row, m->a);
}
static void misfit_matmul(const misfit *m) {
  (void)sotto_tape_matmul(m->tape, m->a, m->a);
}
static void misfit_add_row(const misfit *m) {
  (void)sotto_tape_add_row(m->tape, m->b, m->row);
}
static void misfit_add_column(const misfit *m) {
  (void)sotto_tape_add_row(m->tape, m->a, m->column);
}
static void misfit_linear(const misfit *m) {
  (void)sotto_tape_linear(m->tape, m->a, m->b, m->row);
}
static void misfit_weight(const misfit *m) {
  (void)sotto_tape_linear(m->tape, m->a, m->a, m->row);
}
static void misfit_concat(const misfit *m) {
  (void)sotto_tape_concat(m->tape, m->a, m->b);
}
static void misfit_columns_past(const misfit *m) {
  (void)sotto_tape_columns(m->tape, m->a, 1, 4);
}
static void misfit_columns_back(const misfit *m) {
  (void)sotto_tape_columns(m->tape, m->a, 2, 1);
}
static void misfit_norm(const misfit *m) {
  float data[3] = {1, 1, 1};
  sotto_matrix right = {data, 1, 3};
  (void)sotto_tape_batch_norm(m->tape, m->b, m->row, m->row, &right, &right, 0.1F, true);
}
static void misfit_running(const misfit *m) {
  float data[3] = {1, 1, 1};
  sotto_matrix right = {data, 1, 3}, wrong = {data, 3, 1};
  (void)sotto_tape_batch_norm(m->tape, m->a, m->row, m->row, &right, &wrong, 0.1F, false);
}
static void misfit_parameter(const misfit *m) {
  float data[6] = {0};
  const sotto_matrix value = {data, 2, 3};
  sotto_matrix gradient = {data, 3, 2};
  (void)sotto_tape_parameter(m->tape, &value, &gradient);
}
static void misfit_stranger(const misfit *m) {
  (void)sotto_tape_relu(m->tape, (sotto_var){77});
}

static void shapes_that_do_not_fit_fail_the_tape(void **state) {
  (void)state;
  static void (*const misfits[])(const misfit *) = {
      misfit_add,          misfit_subtract, misfit_multiply, misfit_matmul,    misfit_add_row,
      misfit_add_column,   misfit_linear,   misfit_weight,   misfit_concat,    misfit_columns_past,
      misfit_columns_back, misfit_norm,     misfit_running,  misfit_parameter, misfit_stranger};
  float data[6] = {1, 2, 3, 4, 5, 6};
  const sotto_matrix a = {data, 2, 3}, b = {data, 3, 2}, row = {data, 1, 3}, column = {data, 3, 1};
  sotto_tape *tape = new_tape();
  for (size_t i = 0; i < sizeof misfits / sizeof *misfits; i++) {
    sotto_tape_reset(tape);
    const misfit m = {sotto_tape_input(tape, &a), sotto_tape_input(tape, &b), sotto_tape_input(tape, &row),
                      sotto_tape_input(tape, &column), tape};
    misfits[i](&m);
    if (sotto_tape_check(tape, NULL) != SOTTO_INVALID) fail_msg("misfit %zu was accepted", i);
  }
  sotto_tape_free(tape);
}

static void rows_and_labels_out_of_range_fail_the_tape(void **state) {
  (void)state;
  float data[6] = {1, 2, 3, 4, 5, 6};
  const sotto_matrix a = {data, 2, 3};
  const uint32_t rows[2] = {1, 2};
  const int32_t labels[3] = {0, 3, 0}, negative[2] = {-1, 0};
  sotto_tape *tape = new_tape();
  (void)sotto_tape_gather_rows(tape, sotto_tape_input(tape, &a), rows, 2);
  CHECK_FAILS(SOTTO_RANGE, "index 1 is row 2", sotto_tape_check(tape, &err));
  sotto_tape_reset(tape);
  (void)sotto_tape_cross_entropy(tape, sotto_tape_input(tape, &a), labels, rows, 2);
  CHECK_FAILS(SOTTO_RANGE, "label 3 of row 1", sotto_tape_check(tape, &err));
  sotto_tape_reset(tape);
  (void)sotto_tape_cross_entropy(tape, sotto_tape_input(tape, &a), negative, NULL, 2);
  CHECK_FAILS(SOTTO_RANGE, "label -1 of row 0", sotto_tape_check(tape, &err));
  sotto_tape_reset(tape);
  (void)sotto_tape_cross_entropy(tape, sotto_tape_input(tape, &a), (const int32_t[]){0, 0, 0}, NULL, 3);
  CHECK_FAILS(SOTTO_RANGE, "row 2", sotto_tape_check(tape, &err));
  sotto_tape_reset(tape);
  (void)sotto_tape_cross_entropy(tape, sotto_tape_input(tape, &a), labels, NULL, 0);
  CHECK_FAILS(SOTTO_INVALID, "of 0 rows", sotto_tape_check(tape, &err));
  sotto_tape_free(tape);
}

static void a_tape_runs_backwards_once_and_from_one_finite_number(void **state) {
  (void)state;
  float data[6] = {1, 2, 3, 4, 5, 6}, far[1] = {INFINITY};
  const sotto_matrix a = {data, 2, 3}, b = {data, 3, 2}, infinite = {far, 1, 1};
  sotto_tape *tape = new_tape();
  sotto_var v = sotto_tape_input(tape, &a), sum = sotto_tape_sum(tape, v);
  CHECK_FAILS(SOTTO_INVALID, "2 x 3, not one number", sotto_tape_backward(tape, v, &err));
  CHECK_FAILS(SOTTO_INVALID, "3 x 2 was given", sotto_tape_backward_from(tape, v, &b, &err));
  CHECK_FAILS(SOTTO_INVALID, "is not on this tape", sotto_tape_backward_from(tape, (sotto_var){9}, &b, &err));
  sotto_var loss = sotto_tape_input(tape, &infinite);
  CHECK_FAILS(SOTTO_NUMERIC, "not finite", sotto_tape_backward(tape, loss, &err));
  CHECK_OK(sotto_tape_backward(tape, sum, &err));
  CHECK_FAILS(SOTTO_INVALID, "reset", sotto_tape_backward(tape, sum, &err));
  CHECK_FAILS(SOTTO_INVALID, "reset", sotto_tape_backward_from(tape, v, &a, &err));
  sotto_tape_free(tape);
}

static void gradients_of_parameters_add_up_over_uses_and_over_steps(void **state) {
  (void)state;
  float value[2] = {3, -4}, gradient[2] = {100, 200};
  const sotto_matrix v = {value, 1, 2};
  sotto_matrix g = {gradient, 1, 2};
  sotto_tape *tape = new_tape();
  for (int step = 1; step <= 2; step++) {
    sotto_tape_reset(tape);
    sotto_var once = sotto_tape_parameter(tape, &v, &g), again = sotto_tape_parameter(tape, &v, &g);
    CHECK_OK(sotto_tape_backward(tape, sotto_tape_sum(tape, sotto_tape_multiply(tape, once, again)), &err));
    assert_true(gradient[0] == 100 + 6 * (float)step && gradient[1] == 200 - 8 * (float)step);
  }
  sotto_tape_reset(tape);
  CHECK_OK(sotto_tape_backward_from(tape, sotto_tape_parameter(tape, &v, &g), &v, &err));
  assert_true(gradient[0] == 115 && gradient[1] == 180);
  sotto_tape_free(tape);
}

static void what_the_loss_does_not_depend_on_has_a_gradient_of_zero(void **state) {
  (void)state;
  float data[2] = {3, -4}, gradient[2] = {7, 7};
  const sotto_matrix x = {data, 1, 2};
  sotto_matrix g = {gradient, 1, 2};
  sotto_tape *tape = new_tape();
  sotto_var used = sotto_tape_input(tape, &x), idle = sotto_tape_input(tape, &x);
  sotto_var fixed = sotto_tape_constant(tape, &x), after = sotto_tape_relu(tape, idle);
  (void)sotto_tape_parameter(tape, &x, &g);
  CHECK_OK(sotto_tape_backward(tape, sotto_tape_sum(tape, sotto_tape_multiply(tape, used, fixed)), &err));
  sotto_matrix none = sotto_tape_gradient(tape, idle), inner = sotto_tape_gradient(tape, after);
  assert_true(none.rows == 1 && none.cols == 2 && none.data[0] == 0 && none.data[1] == 0);
  assert_true(inner.data[0] == 0 && inner.data[1] == 0 && gradient[0] == 7);
  assert_null(sotto_tape_gradient(tape, fixed).data);
  assert_true(sotto_tape_gradient(tape, used).data[1] == -4);
  sotto_tape_free(tape);
}

static void a_given_gradient_is_neither_kept_nor_changed(void **state) {
  (void)state;
  float data[2] = {3, -4}, above[2] = {1, 2};
  const sotto_matrix x = {data, 1, 2}, u = {above, 1, 2};
  sotto_tape *tape = new_tape();
  sotto_var v = sotto_tape_input(tape, &x);
  CHECK_OK(sotto_tape_backward_from(tape, sotto_tape_add(tape, v, v), &u, &err));
  assert_true(above[0] == 1 && above[1] == 2 && sotto_tape_gradient(tape, v).data[1] == 4);
  sotto_tape_free(tape);
}

static sotto_status broken(const void *context, sotto_matrix *y, const sotto_matrix *x, sotto_error *err) {
  (void)y;
  (void)x;
  if (*(const bool *)context) return sotto_i_fail(err, SOTTO_RANGE, "forwards is barred");
  memset(y->data, 0, y->rows * y->cols * sizeof *y->data);
  return SOTTO_OK;
}

static sotto_status broken_back(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  (void)context;
  (void)dx;
  (void)dy;
  (void)x;
  (void)y;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED, "backwards is barred");
}

static void a_custom_operation_that_fails_fails_the_tape_by_its_name(void **state) {
  (void)state;
  static const sotto_tape_op op = {"gate", broken, broken_back};
  float data[2] = {3, -4};
  const sotto_matrix x = {data, 1, 2};
  const bool yes = true, no = false;
  sotto_tape *tape = new_tape();
  (void)sotto_tape_custom(tape, sotto_tape_input(tape, &x), 1, 2, &op, &yes);
  CHECK_FAILS(SOTTO_RANGE, "gate: forwards is barred", sotto_tape_check(tape, &err));
  sotto_tape_reset(tape);
  sotto_var y = sotto_tape_sum(tape, sotto_tape_custom(tape, sotto_tape_input(tape, &x), 1, 2, &op, &no));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "gradient of gate: backwards is barred", sotto_tape_backward(tape, y, &err));
  sotto_tape_free(tape);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_failure_sticks_and_is_reported_by_check_and_by_backward),
      cmocka_unit_test(a_copy_outlives_the_values_of_the_tape),
      cmocka_unit_test(shapes_that_do_not_fit_fail_the_tape),
      cmocka_unit_test(rows_and_labels_out_of_range_fail_the_tape),
      cmocka_unit_test(a_tape_runs_backwards_once_and_from_one_finite_number),
      cmocka_unit_test(gradients_of_parameters_add_up_over_uses_and_over_steps),
      cmocka_unit_test(what_the_loss_does_not_depend_on_has_a_gradient_of_zero),
      cmocka_unit_test(a_given_gradient_is_neither_kept_nor_changed),
      cmocka_unit_test(a_custom_operation_that_fails_fails_the_tape_by_its_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
