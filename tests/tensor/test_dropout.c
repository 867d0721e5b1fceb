/* Dropout: who stays, how much it counts, and that masks depend on nothing but key, layer, step and place. */
#include <math.h>

#include "check.h"
#include "inside/tensor.h"
#include "small_graph.h"
#include "sotto/tensor.h"

typedef struct setting {
  float rate;
  uint64_t seed;
  uint32_t layer;
  uint64_t step;
} setting;

/* Forwards and backwards through one mask, into fresh memory. */
static void drop(float *y, float *dx, const sotto_matrix *x, const sotto_matrix *u, setting s) {
  sotto_tape *tape;
  sotto_key key;
  sotto_key_public(&key, s.seed);
  CHECK_OK(sotto_tape_new(&tape, &err));
  sotto_var v = sotto_tape_input(tape, x);
  sotto_var out = sotto_tape_dropout(tape, v, s.rate, &key, s.layer, s.step);
  CHECK_OK(sotto_tape_backward_from(tape, out, u, &err));
  memcpy(y, sotto_tape_value(tape, out).data, x->rows * x->cols * sizeof *y);
  if (dx != NULL) memcpy(dx, sotto_tape_gradient(tape, v).data, x->rows * x->cols * sizeof *y);
  sotto_tape_free(tape);
}

static sotto_matrix ones(size_t rows, size_t cols) {
  sotto_matrix x;
  CHECK_OK(sotto_matrix_new(&x, rows, cols, &err));
  for (size_t i = 0; i < rows * cols; i++) x.data[i] = 1;
  return x;
}

static void each_element_stays_with_the_asked_probability_and_is_scaled_up(void **state) {
  (void)state;
  enum { rows = 1000, cols = 101, count = rows * cols };
  static const float rates[] = {0.1F, 0.5F, 0.9F};
  sotto_matrix x = ones(rows, cols);
  float *y = malloc(count * sizeof *y);
  for (int r = 0; r < 3; r++) {
    double keep = 1 - (double)rates[r];
    size_t kept = 0, of_column[cols] = {0};
    drop(y, NULL, &x, &x, (setting){rates[r], 7, 3, 11});
    for (size_t i = 0; i < count; i++) {
      assert_true(y[i] == 0 || y[i] == 1.0F / (1.0F - rates[r]));
      kept += y[i] != 0;
      of_column[i % cols] += y[i] != 0;
    }
    /* Five standard deviations of a binomial; the seed is fixed, so this passes always or never. */
    assert_true(fabs((double)kept - count * keep) < 5 * sqrt(count * keep * (1 - keep)));
    for (size_t j = 0; j < cols; j++)
      assert_true(fabs((double)of_column[j] - rows * keep) < 5 * sqrt(rows * keep * (1 - keep)));
  }
  free(y);
  sotto_matrix_free(&x);
}

static void neighbours_are_dropped_independently(void **state) {
  (void)state;
  enum { rows = 500, cols = 64, count = rows * cols };
  sotto_matrix x = ones(rows, cols);
  float *y = malloc(count * sizeof *y);
  drop(y, NULL, &x, &x, (setting){0.5F, 8, 0, 0});
  static const size_t steps[] = {1, 2, 16, 64, 1024, 4096};
  for (int s = 0; s < 6; s++) {
    double same = 0, pairs = (double)(count - steps[s]);
    for (size_t i = 0; i + steps[s] < count; i++) same += (y[i] != 0) == (y[i + steps[s]] != 0);
    assert_true(fabs(same - pairs / 2) < 5 * sqrt(pairs / 4));
  }
  free(y);
  sotto_matrix_free(&x);
}

static void the_gradient_goes_through_the_same_mask(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static const size_t shapes[][2] = {{0, 3}, {1, 1}, {63, 7}, {64, 7}, {65, 7}, {700, 49}};
  for (size_t s = 0; s < 6; s++) {
    size_t count = shapes[s][0] * shapes[s][1];
    sotto_matrix x = check_random_matrix(&random, shapes[s][0], shapes[s][1]);
    sotto_matrix u = check_random_matrix(&random, shapes[s][0], shapes[s][1]);
    float *y = malloc(count * sizeof *y + 1), *dx = malloc(count * sizeof *y + 1);
    drop(y, dx, &x, &u, (setting){0.3F, 9, 1, 5});
    for (size_t i = 0; i < count; i++) {
      float factor = y[i] == 0 ? 0 : 1.0F / (1.0F - 0.3F);
      assert_true(y[i] == factor * x.data[i] && dx[i] == factor * u.data[i]);
    }
    free(y);
    free(dx);
    sotto_matrix_free(&x);
    sotto_matrix_free(&u);
  }
}

static void masks_are_the_same_for_any_number_of_threads(void **state) {
  (void)state;
  enum { rows = 3000, cols = 33, count = rows * cols };
  sotto_matrix x = ones(rows, cols);
  float *one = malloc(count * sizeof *one), *more = malloc(count * sizeof *more);
  CHECK_OK(sotto_threads_set(1, &err));
  drop(one, NULL, &x, &x, (setting){0.4F, 10, 2, 3});
  CHECK_OK(sotto_threads_set(3, &err));
  drop(more, NULL, &x, &x, (setting){0.4F, 10, 2, 3});
  assert_memory_equal(one, more, count * sizeof *one);
  free(one);
  free(more);
  sotto_matrix_free(&x);
}

static void another_key_layer_step_or_block_of_rows_gives_another_mask(void **state) {
  (void)state;
  enum { rows = 128, cols = 32, count = rows * cols };
  static const setting settings[] = {
      {0.5F, 1, 1, 1}, {0.5F, 2, 1, 1}, {0.5F, 1, 2, 1}, {0.5F, 1, 1, 2}, {0.5F, 1, 1, (uint64_t)1 << 30}};
  sotto_matrix x = ones(rows, cols);
  float first[count], other[count];
  drop(first, NULL, &x, &x, settings[0]);
  drop(other, NULL, &x, &x, settings[0]);
  assert_memory_equal(first, other, sizeof first);
  assert_memory_not_equal(first, first + count / 2, sizeof first / 2); /* rows 0 to 63, rows 64 to 127 */
  for (int s = 1; s < 5; s++) {
    drop(other, NULL, &x, &x, settings[s]);
    assert_memory_not_equal(first, other, sizeof first);
  }
  sotto_matrix_free(&x);
}

static void a_mask_of_fewer_rows_is_the_head_of_the_larger_one(void **state) {
  (void)state;
  sotto_matrix x = ones(200, 9), head = {x.data, 70, 9};
  float all[1800], few[630];
  drop(all, NULL, &x, &x, (setting){0.5F, 4, 4, 4});
  drop(few, NULL, &head, &head, (setting){0.5F, 4, 4, 4});
  assert_memory_equal(all, few, sizeof few);
  sotto_matrix_free(&x);
}

static void a_rate_of_zero_changes_nothing(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, 9, 5);
  float y[45], dx[45];
  drop(y, dx, &x, &x, (setting){0, 1, 1, 1});
  assert_memory_equal(y, x.data, sizeof y);
  assert_memory_equal(dx, x.data, sizeof dx);
  sotto_matrix_free(&x);
}

static void check_refused(float rate, const sotto_key *key, uint32_t layer, uint64_t step,
                          sotto_status status, const char *words) {
  sotto_matrix x = ones(2, 2);
  sotto_tape *tape;
  CHECK_OK(sotto_tape_new(&tape, &err));
  (void)sotto_tape_dropout(tape, sotto_tape_input(tape, &x), rate, key, layer, step);
  CHECK_FAILS(status, words, sotto_tape_check(tape, &err));
  sotto_tape_free(tape);
  sotto_matrix_free(&x);
}

static void rates_keys_and_streams_that_are_none_are_refused(void **state) {
  (void)state;
  sotto_key key, none = {{0}, SOTTO_KEY_NONE};
  sotto_key_public(&key, 1);
  check_refused(1, &key, 0, 0, SOTTO_RANGE, "rate 1");
  check_refused(-0.1F, &key, 0, 0, SOTTO_RANGE, "rate -0.1");
  check_refused(NAN, &key, 0, 0, SOTTO_RANGE, "rate");
  check_refused(0.5F, &none, 0, 0, SOTTO_INVALID, "key");
  check_refused(0.5F, NULL, 0, 0, SOTTO_INVALID, "key");
  check_refused(0.5F, &key, 1U << 24, 0, SOTTO_RANGE, "stream");
  check_refused(0.5F, &key, 0, (uint64_t)1 << 40, SOTTO_RANGE, "stream");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_element_stays_with_the_asked_probability_and_is_scaled_up),
      cmocka_unit_test(neighbours_are_dropped_independently),
      cmocka_unit_test(the_gradient_goes_through_the_same_mask),
      cmocka_unit_test(masks_are_the_same_for_any_number_of_threads),
      cmocka_unit_test(another_key_layer_step_or_block_of_rows_gives_another_mask),
      cmocka_unit_test(a_mask_of_fewer_rows_is_the_head_of_the_larger_one),
      cmocka_unit_test(a_rate_of_zero_changes_nothing),
      cmocka_unit_test(rates_keys_and_streams_that_are_none_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
