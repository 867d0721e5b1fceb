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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_by_features_are_not_centred),
      cmocka_unit_test(of_two_counts_the_number_of_neighbours_is_kept),
      cmocka_unit_test(more_counts_are_read_less_their_mean),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
