/* Sets of parameters: names, initial values, copies, clones. */
#include <math.h>

#include "check.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "sotto/nn.h"

static sotto_params *new_params(void) {
  sotto_params *params;
  CHECK_OK(sotto_params_new(&params, &err));
  return params;
}

static size_t add(sotto_params *params, const char *name, size_t rows, size_t cols, sotto_init init,
                  bool trained) {
  sotto_key key;
  size_t number;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_params_add(params, &number, name, rows, cols, init, trained, &key, &err));
  return number;
}

static void parameters_are_numbered_in_order_and_keep_their_names(void **state) {
  (void)state;
  sotto_params *params = new_params();
  assert_int_equal(sotto_params_count(params), 0);
  char name[8] = "first";
  assert_int_equal(add(params, name, 2, 3, SOTTO_INIT_ONE, true), 0);
  name[0] = 'x'; /* the name was copied */
  sotto_matrix *first = sotto_params_value(params, 0);
  for (size_t i = 1; i < 40; i++) {
    char other[16];
    (void)snprintf(other, sizeof other, "p%zu", i);
    assert_int_equal(add(params, other, i % 3, 2, SOTTO_INIT_ZERO, true), i);
  }
  assert_int_equal(sotto_params_count(params), 40);
  assert_string_equal(sotto_params_name(params, 0), "first");
  assert_string_equal(sotto_params_name(params, 39), "p39");
  assert_ptr_equal(first, sotto_params_value(params, 0)); /* good until the set is freed */
  for (int i = 0; i < 6; i++)
    assert_true(first->data[i] == 1 && sotto_params_gradient(params, 0)->data[i] == 0);
  sotto_params_free(params);
  sotto_params_free(NULL);
}

static void a_name_that_stands_already_is_refused(void **state) {
  (void)state;
  sotto_params *params = new_params();
  sotto_key key;
  size_t number = 77;
  sotto_key_public(&key, 3);
  (void)add(params, "a.weight", 2, 3, SOTTO_INIT_ZERO, true);
  CHECK_FAILS(SOTTO_INVALID, "a.weight",
              sotto_params_add(params, &number, "a.weight", 1, 1, SOTTO_INIT_ZERO, true, &key, &err));
  assert_int_equal(number, 77);
  assert_int_equal(sotto_params_count(params), 1);
  sotto_params_free(params);
}

/* All of a uniform value lie within the bound, reach near it, and have its variance. */
static void check_uniform(const sotto_matrix *value, double bound) {
  double most = 0, square = 0, sum = 0, count = (double)(value->rows * value->cols);
  for (size_t i = 0; i < value->rows * value->cols; i++) {
    most = fmax(most, fabs((double)value->data[i]));
    sum += (double)value->data[i] / count;
    square += (double)value->data[i] * (double)value->data[i] / count;
  }
  assert_true(most <= bound * (1 + 1e-6) && most > 0.99 * bound);
  assert_true(fabs(sum) < 5 * bound / sqrt(3 * count));
  assert_true(fabs(square / (bound * bound / 3) - 1) < 0.1);
}

static void initial_values_have_the_promised_spread(void **state) {
  (void)state;
  sotto_params *params = new_params();
  check_uniform(sotto_params_value(params, add(params, "g", 60, 90, SOTTO_INIT_GLOROT, true)), 0.2);
  sotto_params_free(params);
}

static void initial_values_depend_on_the_key_and_the_number_alone(void **state) {
  (void)state;
  sotto_params *a = new_params(), *b = new_params();
  (void)add(a, "x", 4, 4, SOTTO_INIT_GLOROT, true);
  (void)add(a, "y", 4, 4, SOTTO_INIT_GLOROT, true);
  (void)add(b, "x", 4, 4, SOTTO_INIT_GLOROT, true);
  assert_memory_equal(sotto_params_value(a, 0)->data, sotto_params_value(b, 0)->data, 16 * sizeof(float));
  assert_memory_not_equal(sotto_params_value(a, 0)->data, sotto_params_value(a, 1)->data, 16 * sizeof(float));
  sotto_params_free(a);
  sotto_params_free(b);
}

static void copies_take_values_and_refuse_other_shapes_unchanged(void **state) {
  (void)state;
  sotto_params *a = new_params(), *b = new_params(), *c = new_params(), *d = new_params();
  sotto_params *const sets[] = {a, b, c};
  for (int s = 0; s < 3; s++)
    (void)add(sets[s], "x", 2, 2, s == 0 ? SOTTO_INIT_GLOROT : SOTTO_INIT_ZERO, true);
  (void)add(a, "y", 1, 3, SOTTO_INIT_ONE, false);
  (void)add(b, "y", 1, 3, SOTTO_INIT_ZERO, false);
  (void)add(c, "y", 3, 1, SOTTO_INIT_ZERO, false);
  CHECK_OK(sotto_params_copy(b, a, &err));
  assert_memory_equal(sotto_params_value(a, 0)->data, sotto_params_value(b, 0)->data, 4 * sizeof(float));
  assert_true(sotto_params_value(b, 1)->data[2] == 1);
  CHECK_FAILS(SOTTO_INVALID, "'y' has another shape", sotto_params_copy(c, a, &err));
  assert_true(sotto_params_value(c, 0)->data[0] == 0);
  CHECK_FAILS(SOTTO_INVALID, "0 parameters", sotto_params_copy(d, a, &err));
  for (int s = 0; s < 3; s++) sotto_params_free(sets[s]);
  sotto_params_free(d);
}

static void a_clone_has_names_shapes_and_values_but_no_gradients(void **state) {
  (void)state;
  sotto_params *a = new_params(), *b;
  (void)add(a, "x", 2, 3, SOTTO_INIT_GLOROT, true);
  (void)add(a, "empty", 0, 3, SOTTO_INIT_GLOROT, true);
  (void)add(a, "buffer", 1, 2, SOTTO_INIT_ONE, false);
  sotto_params_gradient(a, 0)->data[4] = 5;
  CHECK_OK(sotto_params_clone(&b, a, &err));
  assert_int_equal(sotto_params_count(b), 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(sotto_params_name(a, i), sotto_params_name(b, i));
    assert_int_equal(sotto_params_value(a, i)->rows, sotto_params_value(b, i)->rows);
    assert_int_equal(sotto_params_value(a, i)->cols, sotto_params_value(b, i)->cols);
  }
  assert_memory_equal(sotto_params_value(a, 0)->data, sotto_params_value(b, 0)->data, 6 * sizeof(float));
  assert_true(sotto_params_gradient(b, 0)->data[4] == 0);
  sotto_params_value(b, 0)->data[0] = 99; /* memory of its own */
  assert_true(sotto_params_value(a, 0)->data[0] != 99);
  sotto_params_zero_gradients(a);
  assert_true(sotto_params_gradient(a, 0)->data[4] == 0);
  sotto_params_free(a);
  sotto_params_free(b);
}

static void buffers_stand_on_the_tape_as_constants(void **state) {
  (void)state;
  sotto_params *params = new_params();
  sotto_tape *tape;
  (void)add(params, "x", 1, 2, SOTTO_INIT_ONE, true);
  (void)add(params, "buffer", 1, 2, SOTTO_INIT_ONE, false);
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var x = sotto_params_var(params, 0, tape), b = sotto_params_var(params, 1, tape);
  CHECK_OK(sotto_tape_backward(tape, sotto_tape_sum(tape, sotto_tape_add(tape, x, b)), &err));
  assert_true(sotto_params_gradient(params, 0)->data[1] == 1);
  assert_true(sotto_params_gradient(params, 1)->data[1] == 0);
  assert_null(sotto_tape_gradient(tape, b).data);
  sotto_tape_free(tape);
  sotto_params_free(params);
}

static sotto_status build_and_clone(sotto_error *err) {
  sotto_status status;
  sotto_params *params = NULL, *clone = NULL;
  sotto_key key;
  size_t number;
  sotto_key_public(&key, 1);
  SOTTO_TRY(sotto_params_new(&params, err));
  SOTTO_TRY(sotto_params_add(params, &number, "x", 2, 3, SOTTO_INIT_GLOROT, true, &key, err));
  SOTTO_TRY(sotto_params_add(params, &number, "b", 1, 3, SOTTO_INIT_ZERO, false, &key, err));
  clone = params; /* to see that a failure leaves NULL */
  status = sotto_params_clone(&clone, params, err);
  if (status != SOTTO_OK) assert_null(clone);
done:
  sotto_params_free(clone);
  sotto_params_free(params);
  return status;
}

static void every_failed_allocation_is_reported(void **state) {
  (void)state;
  uint64_t nth = 0;
  sotto_status status;
  do {
    sotto_error failure = {0};
    (void)sotto_i_memory_fail_at(++nth);
    status = build_and_clone(&failure);
    (void)sotto_i_memory_fail_at(0);
    if (status != SOTTO_OK) assert_int_equal(status, SOTTO_NOMEM);
  } while (status != SOTTO_OK);
  assert_true(nth > 15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_are_numbered_in_order_and_keep_their_names),
      cmocka_unit_test(a_name_that_stands_already_is_refused),
      cmocka_unit_test(initial_values_have_the_promised_spread),
      cmocka_unit_test(initial_values_depend_on_the_key_and_the_number_alone),
      cmocka_unit_test(copies_take_values_and_refuse_other_shapes_unchanged),
      cmocka_unit_test(a_clone_has_names_shapes_and_values_but_no_gradients),
      cmocka_unit_test(buffers_stand_on_the_tape_as_constants),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
