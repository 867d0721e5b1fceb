/* Sums, products and activations: values and gradients. Shapes: without rows or columns, one row, odd widths,
 * and more elements than one range of parallel work holds (32768). */
#include <math.h>

#include "check.h"
#include "gradient.h"
#include "inside/tensor.h"
#include "small_graph.h"

static const size_t shapes[][2] = {{0, 5}, {4, 0}, {1, 1}, {1, 7}, {3, 5}, {17, 33}, {683, 49}};
enum { shape_count = sizeof shapes / sizeof *shapes };

static void check_at_every_shape(const gradient_op *op) {
  sotto_i_random random = check_random();
  for (size_t i = 0; i < shape_count; i++) {
    const size_t both[2][2] = {{shapes[i][0], shapes[i][1]}, {shapes[i][0], shapes[i][1]}};
    check_gradient(op, both, &random);
  }
}

static size_t size_of(const gradient_matrix *m) {
  return m->rows * m->cols;
}

#define TWO(name, expression)                                                                                \
  static sotto_var name##_apply(const void *context, sotto_tape *tape, const sotto_var *x) {                 \
    (void)context;                                                                                           \
    return sotto_tape_##name(tape, x[0], x[1]);                                                              \
  }                                                                                                          \
  static void name##_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {          \
    (void)context;                                                                                           \
    for (size_t i = 0; i < size_of(y); i++) {                                                                \
      double a = x[0].data[i], b = x[1].data[i];                                                             \
      y->data[i] = (expression);                                                                             \
    }                                                                                                        \
  }                                                                                                          \
  static void name##_and_its_gradients_are_right(void **state) {                                             \
    (void)state;                                                                                             \
    check_at_every_shape(&(gradient_op){#name, 2, name##_apply, name##_reference, NULL, 0});                 \
  }

TWO(add, a + b)
TWO(subtract, a - b)
TWO(multiply, a *b)

#define ONE(name, expression)                                                                                \
  static sotto_var name##_apply(const void *context, sotto_tape *tape, const sotto_var *x) {                 \
    (void)context;                                                                                           \
    return sotto_tape_##name(tape, x[0]);                                                                    \
  }                                                                                                          \
  static void name##_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {          \
    (void)context;                                                                                           \
    for (size_t i = 0; i < size_of(y); i++) {                                                                \
      double a = x[0].data[i];                                                                               \
      y->data[i] = (expression);                                                                             \
    }                                                                                                        \
  }                                                                                                          \
  static void name##_and_its_gradient_are_right(void **state) {                                              \
    (void)state;                                                                                             \
    check_at_every_shape(&(gradient_op){#name, 1, name##_apply, name##_reference, NULL, 0});                 \
  }

ONE(relu, a > 0 ? a : 0)
ONE(selu, 1.0507009873554804934 * (a > 0 ? a : 1.6732632423543772848 * expm1(a)))
ONE(tanh, (tanh)(a))
ONE(sigmoid, 1 / (1 + exp(-a)))

static sotto_var scale_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  return sotto_tape_scale(tape, x[0], *(const float *)context);
}

static void scale_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  for (size_t i = 0; i < size_of(y); i++) y->data[i] = (double)*(const float *)context * x->data[i];
}

static void scale_and_its_gradient_are_right(void **state) {
  (void)state;
  static const float factors[] = {-2.5F, 0.0F, 1.0F};
  for (int i = 0; i < 3; i++)
    check_at_every_shape(&(gradient_op){"scale", 1, scale_apply, scale_reference, &factors[i], 0});
}

/* One variable in both places: its gradients meet in one matrix. */
static sotto_var square_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  (void)context;
  return sotto_tape_subtract(
      tape, sotto_tape_add(tape, sotto_tape_multiply(tape, x[0], x[0]), sotto_tape_add(tape, x[0], x[0])),
      x[0]);
}

static void square_reference(const void *context, gradient_matrix *y, const gradient_matrix *x) {
  (void)context;
  for (size_t i = 0; i < size_of(y); i++) y->data[i] = x->data[i] * x->data[i] + x->data[i];
}

static void gradients_of_one_variable_used_often_add_up(void **state) {
  (void)state;
  check_at_every_shape(&(gradient_op){"x x + (x + x) - x", 1, square_apply, square_reference, NULL, 0});
}

/* tanh with a planted fault: a slope that forgets one element in a hundred, or a value that is off. */
typedef struct fault {
  double value, slope;
} fault;

static sotto_status faulty_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                   sotto_error *err) {
  (void)err;
  const fault *f = context;
  for (size_t i = 0; i < x->rows * x->cols; i++) y->data[i] = (float)(f->value + (tanh)((double)x->data[i]));
  return SOTTO_OK;
}

static sotto_status faulty_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                    const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  (void)x;
  (void)err;
  const fault *f = context;
  for (size_t i = 0; i < dx->rows * dx->cols; i++)
    dx->data[i] += (float)f->slope * dy->data[i] * (1 - y->data[i] * y->data[i]);
  return SOTTO_OK;
}

static const sotto_tape_op faulty_op = {"faulty tanh", faulty_forward, faulty_backward};

static sotto_var faulty_apply(const void *context, sotto_tape *tape, const sotto_var *x) {
  sotto_matrix value = sotto_tape_value(tape, x[0]);
  return sotto_tape_custom(tape, x[0], value.rows, value.cols, &faulty_op, context);
}

static bool faulty_holds(const fault *f, char why[200]) {
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, 5, 4);
  const gradient_op op = {"faulty tanh", 1, faulty_apply, tanh_reference, f, 0};
  bool right = gradient_holds(&op, &x, &random, why, 200);
  sotto_matrix_free(&x);
  return right;
}

static void the_checker_catches_a_wrong_value_and_a_wrong_gradient(void **state) {
  (void)state;
  char why[200] = "";
  assert_true(faulty_holds(&(fault){.slope = 1}, why));
  assert_false(faulty_holds(&(fault){.slope = 1, .value = 1e-3}, why));
  assert_non_null(strstr(why, "value"));
  assert_false(faulty_holds(&(fault){.slope = 1.01}, why));
  assert_non_null(strstr(why, "gradient"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(add_and_its_gradients_are_right),
      cmocka_unit_test(subtract_and_its_gradients_are_right),
      cmocka_unit_test(multiply_and_its_gradients_are_right),
      cmocka_unit_test(relu_and_its_gradient_are_right),
      cmocka_unit_test(selu_and_its_gradient_are_right),
      cmocka_unit_test(tanh_and_its_gradient_are_right),
      cmocka_unit_test(sigmoid_and_its_gradient_are_right),
      cmocka_unit_test(scale_and_its_gradient_are_right),
      cmocka_unit_test(gradients_of_one_variable_used_often_add_up),
      cmocka_unit_test(the_checker_catches_a_wrong_value_and_a_wrong_gradient),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
