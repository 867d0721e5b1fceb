/* Rows less what they have in common. */
#include "nn/centre.h"

#include <math.h>

#include "check.h"
#include "small_graph.h"

static double value_at(const sotto_matrix *x, size_t row, size_t col) {
  return x->data[row * x->cols + col];
}

/* The middle one of an odd number of values, by counting. */
static double median_of(const sotto_matrix *x, size_t col) {
  for (size_t i = 0; i < x->rows; i++) {
    size_t below = 0;
    for (size_t k = 0; k < x->rows; k++) below += value_at(x, k, col) < value_at(x, i, col);
    if (below == x->rows / 2) return value_at(x, i, col);
  }
  return NAN;
}

static void rows_lose_the_medians_and_have_norm_one(void **state) {
  (void)state;
  enum { rows = 31, cols = 4 };
  sotto_i_random random = check_random();
  sotto_matrix x = check_random_matrix(&random, rows, cols), out;
  CHECK_OK(sotto_i_centred_rows(&out, &x, &err));
  for (size_t i = 0; i < rows; i++) {
    double wanted[cols], square = 0;
    for (size_t j = 0; j < cols; j++) {
      wanted[j] = value_at(&x, i, j) - median_of(&x, j);
      square += wanted[j] * wanted[j];
    }
    for (size_t j = 0; j < cols; j++) CHECK_NEAR(value_at(&out, i, j), wanted[j] / sqrt(square), 1e-5);
  }
  sotto_matrix_free(&out);
  sotto_matrix_free(&x);
}

static int by_value(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* More rows than a window, values that repeat, both signs of 0, and numbers near the ends of their range. */
static void medians_are_the_middle_of_sorted_columns(void **state) {
  (void)state;
  enum { most = 20011, cols = 35 };
  static const float some[] = {0, -0.0F, 1, -1, 3e38F, -3e38F, 1e-44F, -1e-44F};
  sotto_i_random random = check_random();
  for (size_t rows = 1; rows <= most; rows = rows * 3 + rows % 2) {
    sotto_matrix x = check_random_matrix(&random, rows, cols), medians;
    float *column = calloc(rows, sizeof *column);
    assert_non_null(column);
    for (size_t i = 0; i < rows * cols; i += 1 + sotto_i_random_below(&random, 4))
      x.data[i] = some[sotto_i_random_below(&random, sizeof some / sizeof *some)];
    CHECK_OK(sotto_i_column_medians(&medians, &x, &err));
    for (size_t j = 0; j < cols; j++) {
      for (size_t i = 0; i < rows; i++) column[i] = x.data[i * cols + j];
      qsort(column, rows, sizeof *column, by_value);
      assert_true(medians.data[j] == column[rows / 2] && !(medians.data[j] == 0 && signbit(medians.data[j])));
    }
    free(column);
    sotto_matrix_free(&medians);
    sotto_matrix_free(&x);
  }
}

static void nodes_that_are_all_alike_come_to_zero(void **state) {
  (void)state;
  sotto_matrix x, out;
  CHECK_OK(sotto_matrix_new(&x, 5, 2, &err));
  for (size_t i = 0; i < 5; i++) {
    x.data[2 * i] = i == 2 ? 4 : 1 + (float)i * 0x1p-22F; /* alike up to rounding, but for node 2 */
    x.data[2 * i + 1] = -3;
  }
  CHECK_OK(sotto_i_centred_rows(&out, &x, &err));
  for (size_t i = 0; i < 5; i++) {
    CHECK_NEAR(value_at(&out, i, 0), i == 2 ? 1 : 0, 1e-6);
    assert_true(value_at(&out, i, 1) == 0);
  }
  sotto_matrix_free(&out);
  sotto_matrix_free(&x);
}

static void unit_rows_keep_directions_however_short(void **state) {
  (void)state;
  sotto_matrix x, out;
  CHECK_OK(sotto_matrix_new(&x, 3, 2, &err));
  x.data[0] = 3e-15F;
  x.data[1] = -4e-15F;
  x.data[2] = 300;
  x.data[3] = 400;
  CHECK_OK(sotto_i_unit_rows(&out, &x, &err));
  for (size_t i = 0; i < 2; i++) {
    CHECK_NEAR(value_at(&out, i, 0), 0.6, 1e-6);
    CHECK_NEAR(value_at(&out, i, 1), i == 0 ? -0.8 : 0.8, 1e-6);
    assert_true(value_at(&out, 2, i) == 0);
  }
  sotto_matrix_free(&out);
  sotto_matrix_free(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_lose_the_medians_and_have_norm_one),
      cmocka_unit_test(medians_are_the_middle_of_sorted_columns),
      cmocka_unit_test(nodes_that_are_all_alike_come_to_zero),
      cmocka_unit_test(unit_rows_keep_directions_however_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
