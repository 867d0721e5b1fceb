/* A step of training through every operation: memory, failed allocations, threads. */
#include "check.h"
#include "inside/tensor.h"
#include "small_graph.h"
#include "sotto/tensor.h"

enum { rows = 1600, features = 23, width = 40, classes = 5, weights = 6 };

/* Everything that a step reads or writes. */
typedef struct model {
  sotto_matrix x, value[weights], gradient[weights], mean, variance;
  uint32_t chosen[rows + 50];
  int32_t labels[rows + 50];
  sotto_key key;
} model;

static void model_new(model *m) {
  static const size_t shapes[weights][2] = {{features, width},    {1, width},   {1, width},
                                            {width + 8, classes}, {1, classes}, {1, width}};
  sotto_i_random random;
  sotto_key_public(&m->key, 5);
  sotto_i_random_init(&random, &m->key, SOTTO_I_PURPOSE_TEST, 0, 0);
  m->x = check_random_matrix(&random, rows, features);
  for (int i = 0; i < weights; i++) {
    m->value[i] = check_random_matrix(&random, shapes[i][0], shapes[i][1]);
    CHECK_OK(sotto_matrix_new(&m->gradient[i], shapes[i][0], shapes[i][1], &err));
  }
  CHECK_OK(sotto_matrix_new(&m->mean, 1, width, &err));
  m->variance = check_random_matrix(&random, 1, width);
  for (size_t j = 0; j < width; j++) m->variance.data[j] *= m->variance.data[j];
  for (size_t i = 0; i < rows + 50; i++) {
    m->chosen[i] = (uint32_t)sotto_i_random_below(&random, rows);
    m->labels[i] = (int32_t)sotto_i_random_below(&random, classes);
  }
}

static void model_free(model *m) {
  sotto_matrix_free(&m->x);
  for (int i = 0; i < weights; i++) {
    sotto_matrix_free(&m->value[i]);
    sotto_matrix_free(&m->gradient[i]);
  }
  sotto_matrix_free(&m->mean);
  sotto_matrix_free(&m->variance);
}

/* One step through every operation; leaves the tape as it is. */
static sotto_status take_step(sotto_tape *t, model *m, sotto_var *loss, sotto_error *err) {
  sotto_var w[weights];
  sotto_tape_reset(t);
  for (int i = 0; i < weights; i++) w[i] = sotto_tape_parameter(t, &m->value[i], &m->gradient[i]);
  sotto_var x = sotto_tape_dropout(t, sotto_tape_constant(t, &m->x), 0.25F, &m->key, 1, 0);
  sotto_var h = sotto_tape_linear(t, x, w[0], w[1]);
  h = sotto_tape_batch_norm(t, h, w[2], w[5], &m->mean, &m->variance, 0.1F, true);
  h = sotto_tape_dropout(t, sotto_tape_selu(t, h), 0.5F, &m->key, 2, 0);
  sotto_var a = sotto_tape_tanh(t, sotto_tape_add_row(t, h, w[1]));
  sotto_var b = sotto_tape_subtract(t, sotto_tape_sigmoid(t, h), sotto_tape_scale(t, h, 0.5F));
  h = sotto_tape_add(t, sotto_tape_multiply(t, a, b), sotto_tape_relu(t, h));
  h = sotto_tape_normalise_rows(t, h);
  h = sotto_tape_concat(t, h, sotto_tape_columns(t, h, 3, 11));
  h = sotto_tape_gather_rows(t, h, m->chosen, rows + 50);
  h = sotto_tape_add_row(t, sotto_tape_matmul(t, h, w[3]), w[4]);
  sotto_var entropy = sotto_tape_cross_entropy(t, h, m->labels, m->chosen, rows);
  *loss = sotto_tape_add(t, entropy, sotto_tape_scale(t, sotto_tape_sum(t, h), 1e-3F));
  return sotto_tape_backward(t, *loss, err);
}

static void a_step_allocates_nothing_from_the_second_on(void **state) {
  (void)state;
  static model m;
  sotto_tape *tape;
  sotto_var loss;
  model_new(&m);
  CHECK_OK(sotto_tape_new(&tape, &err));
  for (int step = 0; step < 4; step++) {
    (void)sotto_i_memory_fail_at(0);
    CHECK_OK(take_step(tape, &m, &loss, &err));
    uint64_t made = sotto_i_memory_fail_at(0);
    assert_true(step == 0 ? made > 0 : made == 0);
  }
  /* What came in between costs nothing either. */
  sotto_tape_reset(tape);
  for (int i = 0; i < 40; i++) (void)sotto_tape_relu(tape, sotto_tape_input(tape, &m.x));
  CHECK_OK(sotto_tape_check(tape, &err));
  (void)sotto_i_memory_fail_at(0);
  CHECK_OK(take_step(tape, &m, &loss, &err));
  assert_int_equal(sotto_i_memory_fail_at(0), 0);
  sotto_tape_free(tape);
  model_free(&m);
}

static void every_failed_allocation_is_reported_and_the_tape_goes_on_after_a_reset(void **state) {
  (void)state;
  static model m;
  sotto_var loss;
  uint64_t failures = 0;
  model_new(&m);
  for (uint64_t nth = 1;; nth++) {
    sotto_tape *tape = NULL;
    sotto_error failure = {0};
    (void)sotto_i_memory_fail_at(nth);
    sotto_status status = sotto_tape_new(&tape, &failure);
    if (status == SOTTO_OK) status = take_step(tape, &m, &loss, &failure);
    (void)sotto_i_memory_fail_at(0);
    if (tape != NULL) CHECK_OK(take_step(tape, &m, &loss, &err));
    sotto_tape_free(tape);
    if (status == SOTTO_OK) break;
    assert_int_equal(status, SOTTO_NOMEM);
    assert_non_null(strstr(failure.text, "could not allocate"));
    failures++;
  }
  assert_true(failures > 5);
  model_free(&m);
}

static void matrices_report_failed_allocations_and_sizes_past_memory(void **state) {
  (void)state;
  sotto_matrix x = {(float *)1, 2, 3};
  (void)sotto_i_memory_fail_at(1);
  CHECK_FAILS(SOTTO_NOMEM, "could not allocate", sotto_matrix_new(&x, 3, 5, &err));
  (void)sotto_i_memory_fail_at(0);
  assert_true(x.data == NULL && x.rows == 0 && x.cols == 0);
  CHECK_FAILS(SOTTO_NOMEM, "memory can hold", sotto_matrix_new(&x, SIZE_MAX / 2, 3, &err));
  CHECK_FAILS(SOTTO_NOMEM, "memory can hold", sotto_matrix_new(&x, SIZE_MAX / 4, 2, &err));
  sotto_matrix_free(&x);
  CHECK_OK(sotto_matrix_new(&x, 3, 5, &err));
  assert_int_equal((uintptr_t)x.data % 64, 0);
  for (int i = 0; i < 15; i++) assert_true(x.data[i] == 0);
  sotto_matrix_free(&x);
  sotto_matrix_free(&x);
}

static void no_bit_depends_on_the_number_of_threads(void **state) {
  (void)state;
  static model runs[3];
  float losses[3];
  for (unsigned threads = 1; threads <= 3; threads++) {
    model *m = &runs[threads - 1];
    sotto_tape *tape;
    sotto_var loss;
    CHECK_OK(sotto_threads_set(threads, &err));
    model_new(m);
    CHECK_OK(sotto_tape_new(&tape, &err));
    for (int step = 0; step < 2; step++) CHECK_OK(take_step(tape, m, &loss, &err));
    losses[threads - 1] = sotto_tape_value(tape, loss).data[0];
    sotto_tape_free(tape);
  }
  for (int run = 1; run < 3; run++) {
    assert_memory_equal(&losses[0], &losses[run], sizeof(float));
    for (int i = 0; i < weights; i++)
      assert_memory_equal(runs[0].gradient[i].data, runs[run].gradient[i].data,
                          runs[0].gradient[i].rows * runs[0].gradient[i].cols * sizeof(float));
    assert_memory_equal(runs[0].variance.data, runs[run].variance.data, width * sizeof(float));
  }
  for (int run = 0; run < 3; run++) model_free(&runs[run]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_allocates_nothing_from_the_second_on),
      cmocka_unit_test(every_failed_allocation_is_reported_and_the_tape_goes_on_after_a_reset),
      cmocka_unit_test(matrices_report_failed_allocations_and_sizes_past_memory),
      cmocka_unit_test(no_bit_depends_on_the_number_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
