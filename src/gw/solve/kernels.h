/* Inner loops of the solvers, compiled for each instruction set and chosen at run time. All add in the
 * same order and without fused operations, so plans do not depend on the machine. */
#ifndef SOTTO_SRC_GW_SOLVE_KERNELS_H
#define SOTTO_SRC_GW_SOLVE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOTTO_I_GW_ROWS = 4, SOTTO_I_GW_COLS = 8 }; /* a block held in registers */
enum { SOTTO_I_GW_LANES = 16 };                    /* floats per vector */

/* Exchanges of one cell (i, j) with cells [begin, end) of a plan. `begin` is a multiple of the lanes.
 * Lists are read in whole vectors: behind the end, masses are 0 and rows and columns in range. */
typedef struct sotto_i_gw_scan {
  const float *of_row, *of_col; /* gradient in row i at a column, and in column j at a row */
  const float *left, *right;    /* spread from i to a row, and from j to a column */
  size_t rows, cols;
  const uint32_t *row, *col;
  const float *own, *mass;  /* gradient at a cell, and its mass */
  float *of_rows, *of_cols; /* scratch: two floats for each row and column, in whole vectors */
  size_t begin, end;
  float here, held; /* gradient and mass of cell (i, j) */
  float coupling;   /* the curvature is coupling * left * right */
  float noise;      /* gains per unit of mass up to this are rounding errors */
  bool concave;     /* no curvature is negative */
} sotto_i_gw_scan;

typedef struct sotto_i_gw_kernel_table {
  /* y += weight x. */
  void (*add)(double *y, double weight, const double *x, size_t count);
  /* sum x[k] y[k]. */
  double (*dot)(const double *x, const double *y, size_t count);
  /* block = sum over k < count of half_k[0..4)' right_k[0..8): an outer product of each pair of rows.
   * Consecutive rows are one stride apart. */
  void (*block)(double *block, size_t block_stride, const double *half, size_t half_stride,
                const double *right, size_t right_stride, size_t count);
  /* y += left right', n x stride, in whole vectors. */
  void (*rank_one)(float *y, const float *left, size_t n, const float *right, size_t stride);
  /* y[k] += left[row[k]] * right[col[k]] for k < count, rounded up to a whole vector. */
  void (*rank_one_at)(float *y, const float *left, const uint32_t *row, size_t rows, const float *right,
                      const uint32_t *col, size_t cols, size_t count);
  /* The largest gain of an exchange, and the first cell with it; 0: no exchange gains. */
  float (*exchange)(size_t *best, const sotto_i_gw_scan *scan);
  /* out = factor (x - y), and out = factor x. */
  void (*difference)(float *out, const double *x, const double *y, double factor, size_t count);
  void (*narrow)(float *out, const double *x, double factor, size_t count);
  /* The minimum of cost[j] - of_col[j]. */
  double (*row_least)(const double *cost, const double *of_col, size_t cols);
  /* The first j < cols - 1 where cost[j] - of_col[j] equals `value`; cols - 1 when there is none. */
  size_t (*first_col)(const double *cost, const double *of_col, size_t cols, double value);
  /* The first row i in [begin, end) whose minimum of cost[i][j] - of_col[j] is below of_row[i] - slack,
   * and that minimum; `end` when there is none. */
  size_t (*first_row)(double *least, const double *cost, const double *of_row, const double *of_col,
                      size_t cols, size_t begin, size_t end, double slack);
  /* The largest |x[k]|; NaN when any x[k] is not finite. */
  double (*largest)(const double *x, size_t count);
} sotto_i_gw_kernel_table;

const sotto_i_gw_kernel_table *sotto_i_gw_kernels(void);
extern const sotto_i_gw_kernel_table sotto_i_gw_kernels_plain, sotto_i_gw_kernels_avx2,
    sotto_i_gw_kernels_avx512;

#endif
