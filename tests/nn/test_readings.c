/* What corrections read of counts. */
#include "nn/readings.h"

#include <math.h>

#include "check.h"

/* Rows of counts as one table, and their readings. */
static void readings_of(float *out, const float *counts, size_t rows, size_t cols) {
  sotto_matrix table = {NULL, 0, 0}, read = {0};
  CHECK_OK(sotto_matrix_new(&table, rows, cols, &err));
  for (size_t i = 0; i < rows * cols; i++) table.data[i] = counts[i];
  CHECK_OK(sotto_i_readings_append(&read, &table, &(sotto_i_counted){.releases = 1}, &err));
  assert_int_equal(read.rows, rows);
  assert_int_equal(read.cols, 2 * cols);
  for (size_t i = 0; i < read.rows * read.cols; i++) out[i] = read.data[i];
  sotto_matrix_free(&read);
  sotto_matrix_free(&table);
}

/* In a sparse graph of two classes, how many neighbours a node has says as much as of which class they are.
 */
static void of_two_counts_the_number_of_neighbours_is_kept(void **state) {
  static const float counts[] = {3, 1, 12, 10};
  float read[8];
  (void)state;
  readings_of(read, counts, 2, 2);
  assert_float_equal(read[0], asinhf(3), 1e-6F);
  assert_float_equal(read[1], asinhf(1), 1e-6F);
  assert_float_equal(read[2], 3 / sqrtf(10), 1e-6F);
  assert_float_equal(read[3], 1 / sqrtf(10), 1e-6F);
  assert_true(fabsf(read[0] - read[4]) > 1); /* the same difference between clusters */
}

static void more_counts_are_read_less_their_mean(void **state) {
  static const float counts[] = {4, 1, 1, 2, 2, 2};
  float read[12];
  (void)state;
  readings_of(read, counts, 2, 3);
  assert_float_equal(read[0], asinhf(2), 1e-6F);
  assert_float_equal(read[1], -asinhf(1), 1e-6F);
  assert_float_equal(read[3], 2 / sqrtf(6), 1e-6F);
  for (int j = 6; j < 12; j++) assert_true(read[j] == 0); /* no direction */
}

/* Counts by features are whole numbers of neighbours: their sum and their shares are read as well, and a node
 * that counts each neighbour twice reads the same. */
static void counts_by_features_are_not_centred(void **state) {
  float values[] = {2, 0, 6, 4, 0, 12};
  const uint8_t levels[] = {1, 2};
  const double expected[] = {0, 1, 2};
  const sotto_matrix counts = {values, 2, 3};
  const sotto_i_counted of = {.whole = true, .levels = levels, .expected = expected};
  sotto_matrix read = {0};
  (void)state;
  CHECK_OK(sotto_i_readings_append(&read, &counts, &of, &err));
  assert_int_equal(read.cols, sotto_i_readings_width(3, true));
  for (int row = 0; row < 2; row++) {
    const float *r = read.data + row * 7;
    assert_float_equal(r[0], asinhf(2), 1e-6F);
    assert_float_equal(r[1], 0, 1e-6F);
    assert_float_equal(r[3], 2 / 8.0F, 1e-6F);
    assert_float_equal(r[5], 6 / 8.0F, 1e-6F);
    assert_float_equal(r[6], asinhf(8 / sqrtf(3)), 1e-6F);
  }
  sotto_matrix_free(&read);
}

/* A rank that holds some rows makes their features, those that all rows together would have. */
static void features_of_held_rows_are_those_of_all(void **state) {
  float values[] = {2, 0, 6, 4, 0, 12, 1, 7, 0};
  const uint8_t levels[] = {1, 2, 1};
  const double expected[] = {0, 1, 2};
  uint32_t nodes[] = {1, 2};
  const sotto_i_rank_rows held = {.nodes = nodes, .count = 2};
  const sotto_matrix counts = {values, 3, 3}, own = {values + 3, 2, 3};
  sotto_i_counted of = {.whole = true, .levels = levels, .expected = expected};
  sotto_matrix all = {0}, some = {0};
  (void)state;
  CHECK_OK(sotto_matrix_new(&some, 2, 1, &err));
  some.data[0] = 5;
  some.data[1] = 6;
  CHECK_OK(sotto_i_readings_append(&all, &counts, &of, &err));
  of.held = &held;
  CHECK_OK(sotto_i_readings_append(&some, &own, &of, &err));
  assert_int_equal(some.rows, 2);
  assert_int_equal(some.cols, all.cols + 1);
  for (size_t i = 0; i < 2; i++) {
    assert_true(some.data[i * some.cols] == 5 + (float)i);
    assert_memory_equal(some.data + i * some.cols + 1, all.data + nodes[i] * all.cols,
                        all.cols * sizeof(float));
  }
  sotto_matrix_free(&all);
  sotto_matrix_free(&some);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_by_features_are_not_centred),
      cmocka_unit_test(of_two_counts_the_number_of_neighbours_is_kept),
      cmocka_unit_test(more_counts_are_read_less_their_mean),
      cmocka_unit_test(features_of_held_rows_are_those_of_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
