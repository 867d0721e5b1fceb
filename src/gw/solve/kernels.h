/* The inner loops of the solvers, built for each instruction set and chosen at run time. They add in the
 * same order and without fused operations on every one of them, so plans do not depend on the machine. */
#ifndef SOTTO_SRC_GW_SOLVE_KERNELS_H
#define SOTTO_SRC_GW_SOLVE_KERNELS_H

#include <stddef.h>

enum { SOTTO_I_GW_ROWS = 4, SOTTO_I_GW_COLS = 8 }; /* the block that stays in registers */

typedef struct sotto_i_gw_kernel_table {
  /* y += weight x. */
  void (*add)(double *y, double weight, const double *x, size_t count);
  /* sum x[k] y[k]. */
  double (*dot)(const double *x, const double *y, size_t count);
  /* block = sum over k < count of half_k[0..4)' right_k[0..8): an outer product of each pair of rows. Row k
   * of each starts k strides behind the first. */
  void (*block)(double *block, size_t block_stride, const double *half, size_t half_stride,
                const double *right, size_t right_stride, size_t count);
  /* y += left right', n x m. */
  void (*rank_one)(double *y, const double *left, size_t n, const double *right, size_t m);
  /* The least of cost[j] - of_col[j]. */
  double (*row_least)(const double *cost, const double *of_col, size_t cols);
  /* The first row i in [begin, end) whose least cost[i][j] - of_col[j] is below of_row[i] - slack, and that
   * least; `end` when there is none. */
  size_t (*first_row)(double *least, const double *cost, const double *of_row, const double *of_col,
                      size_t cols, size_t begin, size_t end, double slack);
  /* The largest |x[k]|; NaN when one of them is not finite. */
  double (*largest)(const double *x, size_t count);
} sotto_i_gw_kernel_table;

const sotto_i_gw_kernel_table *sotto_i_gw_kernels(void);
extern const sotto_i_gw_kernel_table sotto_i_gw_kernels_plain, sotto_i_gw_kernels_avx2,
    sotto_i_gw_kernels_avx512;

#endif
