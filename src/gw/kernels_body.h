/* The kernels, compiled once for each instruction set: GW_KERNEL_TABLE names the table. */
#include <math.h>

#include "gw/kernels.h"

typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));

static void block_product(double *block, const double *half, size_t half_stride, const double *right,
                          size_t right_stride, const size_t *active, size_t count) {
  lanes sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
  for (size_t k = 0; k < count; k++, half += half_stride) {
    const lanes from = *(const lanes *)(const void *)(right + active[k] * right_stride);
    sum0 += half[0] * from;
    sum1 += half[1] * from;
    sum2 += half[2] * from;
    sum3 += half[3] * from;
  }
  lanes *out = (lanes *)(void *)block;
  out[0] = sum0;
  out[1] = sum1;
  out[2] = sum2;
  out[3] = sum3;
}

static void rank_one(double *restrict y, const double *left, size_t n, const double *restrict right,
                     size_t m) {
  for (size_t i = 0; i < n; i++, y += m) {
    const double weight = left[i];
    if (weight == 0) continue;
    for (size_t j = 0; j < m; j++) y[j] += weight * right[j];
  }
}

/* The last block of a row ends with it and covers some values a second time, which does not change the least.
 */
static double row_least(const double *cost, const double *potential, size_t count) {
  double least[SOTTO_I_GW_COLS];
  if (count < SOTTO_I_GW_COLS) {
    double value = cost[0] - potential[0];
    for (size_t j = 1; j < count; j++)
      value = cost[j] - potential[j] < value ? cost[j] - potential[j] : value;
    return value;
  }
  for (size_t k = 0; k < SOTTO_I_GW_COLS; k++) least[k] = cost[k] - potential[k];
  for (size_t j = SOTTO_I_GW_COLS; j < count; j += SOTTO_I_GW_COLS) {
    const size_t at = j + SOTTO_I_GW_COLS <= count ? j : count - SOTTO_I_GW_COLS;
    for (size_t k = 0; k < SOTTO_I_GW_COLS; k++) {
      const double value = cost[at + k] - potential[at + k];
      least[k] = value < least[k] ? value : least[k];
    }
  }
  for (size_t step = SOTTO_I_GW_COLS / 2; step > 0; step /= 2)
    for (size_t k = 0; k < step; k++) least[k] = least[k + step] < least[k] ? least[k + step] : least[k];
  return least[0];
}

const sotto_i_gw_kernel_table GW_KERNEL_TABLE = {block_product, rank_one, row_least};
