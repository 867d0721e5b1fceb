/* The inner loops of the solvers, built for each instruction set and chosen at run time. They add in the
 * same order and without fused operations on every one of them, so plans do not depend on the machine. */
#ifndef SOTTO_SRC_GW_KERNELS_H
#define SOTTO_SRC_GW_KERNELS_H

#include <stddef.h>

enum { SOTTO_I_GW_ROWS = 4, SOTTO_I_GW_COLS = 8 }; /* the block that stays in registers */

typedef struct sotto_i_gw_kernel_table {
  /* block = sum over k < count of half_k[0..4)' right_(active[k])[0..8): an outer product of each pair of
   * rows. half_k starts at half + k * half_stride, right_l at right + l * right_stride. */
  void (*block)(double *block, const double *half, size_t half_stride, const double *right,
                size_t right_stride, const size_t *active, size_t count);
  /* y += left right', n x m. */
  void (*rank_one)(double *y, const double *left, size_t n, const double *right, size_t m);
  /* The least of cost[j] - potential[j]. */
  double (*row_least)(const double *cost, const double *potential, size_t count);
} sotto_i_gw_kernel_table;

const sotto_i_gw_kernel_table *sotto_i_gw_kernels(void);
extern const sotto_i_gw_kernel_table sotto_i_gw_kernels_plain, sotto_i_gw_kernels_avx2,
    sotto_i_gw_kernels_avx512;

#endif
