/* The kernels of every instruction set that this machine has against plain loops, and bit by bit against one
 * another: plans may not depend on the machine. */
#include <math.h>

#include "base/cpu.h"
#include "check.h"
#include "gw/solve/kernels.h"

enum { most = 67 };

/* The tables that can run here, the plain one first. */
static size_t tables(const sotto_i_gw_kernel_table *out[3]) {
  size_t count = 0;
  out[count++] = &sotto_i_gw_kernels_plain;
  if (sotto_i_isa() != SOTTO_I_ISA_PLAIN) out[count++] = &sotto_i_gw_kernels_avx2;
  if (sotto_i_isa() == SOTTO_I_ISA_AVX512) out[count++] = &sotto_i_gw_kernels_avx512;
  return count;
}

static void fill(double *x, size_t count, sotto_i_random *random) {
  for (size_t i = 0; i < count; i++) x[i] = sotto_i_random_normal(random);
}

static void sums_and_products(void **state) {
  (void)state;
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  for (size_t n = 0; n <= most; n++) {
    double x[most + 1], y[most + 1], plain_dot = 0, slow = 0;
    fill(x, most + 1, &random);
    fill(y, most + 1, &random);
    for (size_t i = 0; i < n; i++) slow += x[i] * y[i];
    for (size_t k = 0; k < count; k++) {
      double z[most + 1];
      const double dot = kernels[k]->dot(x, y, n);
      CHECK_NEAR(dot, slow, 1e-13);
      if (k == 0) plain_dot = dot;
      assert_memory_equal(&dot, &plain_dot, sizeof dot);
      memcpy(z, y, sizeof z);
      kernels[k]->add(z, 0.3, x, n);
      for (size_t i = 0; i <= most; i++) assert_true(z[i] == (i < n ? y[i] + 0.3 * x[i] : y[i]));
    }
  }
}

static void blocks_and_outer_products(void **state) {
  (void)state;
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  enum { terms = 9, half_stride = 6, right_stride = 11, block_stride = 10 };
  double half[terms * half_stride], right[terms * right_stride];
  fill(half, terms * half_stride, &random);
  fill(right, terms * right_stride, &random);
  for (size_t k = 0; k < count; k++) {
    double block[SOTTO_I_GW_ROWS * block_stride] = {0}, y[5 * 13] = {0};
    kernels[k]->block(block, block_stride, half, half_stride, right, right_stride, terms);
    for (size_t r = 0; r < SOTTO_I_GW_ROWS; r++)
      for (size_t c = 0; c < block_stride; c++) {
        double sum = 0;
        for (size_t t = 0; c < SOTTO_I_GW_COLS && t < terms; t++)
          sum += half[t * half_stride + r] * right[t * right_stride + c];
        assert_true(block[r * block_stride + c] == sum);
      }
    kernels[k]->rank_one(y, half, 5, right, 13);
    for (size_t i = 0; i < 5 * 13; i++) assert_true(y[i] == half[i / 13] * right[i % 13]);
  }
}

static void rows_of_negative_reduced_cost(void **state) {
  (void)state;
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  for (int round = 0; round < 2000; round++) {
    enum { rows = 6 };
    const size_t cols = 1 + sotto_i_random_below(&random, 40), begin = sotto_i_random_below(&random, rows);
    double cost[rows * 40], of_row[rows], of_col[40], least[rows], wanted = 0;
    const double slack = sotto_i_random_double(&random) / 4;
    size_t first = rows;
    fill(cost, rows * cols, &random);
    fill(of_col, cols, &random);
    if (cols > 1) of_col[cols - 1] = -INFINITY; /* closed, as in the greedy basis */
    for (size_t i = 0; i < rows; i++) {
      least[i] = INFINITY;
      for (size_t j = 0; j < cols; j++) least[i] = fmin(least[i], cost[i * cols + j] - of_col[j]);
      of_row[i] = least[i] + (sotto_i_random_below(&random, 3) == 0 ? slack * 2 : slack / 2);
    }
    for (size_t i = rows; i-- > begin;)
      if (least[i] - of_row[i] < -slack) {
        first = i;
        wanted = least[i];
      }
    for (size_t k = 0; k < count; k++) {
      double found = 0;
      for (size_t i = 0; i < rows; i++)
        assert_true(kernels[k]->row_least(cost + i * cols, of_col, cols) == least[i]);
      assert_int_equal(kernels[k]->first_row(&found, cost, of_row, of_col, cols, begin, rows, slack), first);
      assert_true(first == rows || found == wanted);
    }
  }
}

static void the_largest_and_what_is_not_finite(void **state) {
  (void)state;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  const sotto_i_gw_kernel_table *kernels[3];
  const size_t count = tables(kernels);
  sotto_i_random random = check_random();
  for (size_t n = 1; n <= most; n++) {
    double x[most], wanted = 0;
    fill(x, n, &random);
    for (size_t i = 0; i < n; i++) wanted = fmax(wanted, fabs(x[i]));
    for (size_t k = 0; k < count; k++) assert_true(kernels[k]->largest(x, n) == wanted);
    for (size_t b = 0; b < 3; b++) { /* the planted fault, at any place */
      const size_t at = sotto_i_random_below(&random, n);
      const double was = x[at];
      x[at] = bad[b];
      for (size_t k = 0; k < count; k++) assert_false(isfinite(kernels[k]->largest(x, n)));
      x[at] = was;
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sums_and_products), cmocka_unit_test(blocks_and_outer_products),
      cmocka_unit_test(rows_of_negative_reduced_cost), cmocka_unit_test(the_largest_and_what_is_not_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
