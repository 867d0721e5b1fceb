/* The kernels, compiled once for each instruction set: GW_KERNEL_TABLE names the table. */
#include <math.h>

#include "gw/solve/exchange_body.h"
#include "gw/solve/kernels.h"

typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));
typedef long long masks __attribute__((vector_size(64)));

static inline lanes load(const double *x) {
  return *(const lanes *)(const void *)x;
}

static inline lanes lesser(lanes a, lanes b) {
  const masks less = a < b;
  return (lanes)((less & (masks)a) | (~less & (masks)b));
}

static inline double least_lane(lanes x) {
  x = lesser(x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3));
  x = lesser(x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5));
  return x[0] < x[1] ? x[0] : x[1];
}

static void add(double *restrict y, double weight, const double *restrict x, size_t count) {
  for (size_t k = 0; k < count; k++) y[k] += weight * x[k];
}

static double dot(const double *x, const double *y, size_t count) {
  lanes sum = {0};
  size_t k = 0;
  for (; k + SOTTO_I_GW_COLS <= count; k += SOTTO_I_GW_COLS) sum += load(x + k) * load(y + k);
  double rest = 0;
  for (; k < count; k++) rest += x[k] * y[k];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}

static void block_product(double *block, size_t block_stride, const double *half, size_t half_stride,
                          const double *right, size_t right_stride, size_t count) {
  lanes sum0 = {0}, sum1 = {0}, sum2 = {0}, sum3 = {0};
  for (size_t k = 0; k < count; k++, half += half_stride, right += right_stride) {
    const lanes from = load(right);
    sum0 += half[0] * from;
    sum1 += half[1] * from;
    sum2 += half[2] * from;
    sum3 += half[3] * from;
  }
  *(lanes *)(void *)block = sum0;
  *(lanes *)(void *)(block + block_stride) = sum1;
  *(lanes *)(void *)(block + 2 * block_stride) = sum2;
  *(lanes *)(void *)(block + 3 * block_stride) = sum3;
}

/* The last block of a row ends with it and covers some values a second time, which does not change the least.
 */
static inline double row_least(const double *cost, const double *of_col, size_t cols) {
  if (cols < SOTTO_I_GW_COLS) {
    double value = cost[0] - of_col[0];
    for (size_t j = 1; j < cols; j++) value = cost[j] - of_col[j] < value ? cost[j] - of_col[j] : value;
    return value;
  }
  const size_t last = cols - SOTTO_I_GW_COLS;
  lanes least = load(cost + last) - load(of_col + last);
  for (size_t j = 0; j < last; j += SOTTO_I_GW_COLS) least = lesser(load(cost + j) - load(of_col + j), least);
  return least_lane(least);
}

static size_t first_row(double *least, const double *cost, const double *of_row, const double *of_col,
                        size_t cols, size_t begin, size_t end, double slack) {
  for (size_t i = begin; i < end; i++) {
    *least = row_least(cost + i * cols, of_col, cols);
    if (*least - of_row[i] < -slack) return i;
  }
  return end;
}

static double largest(const double *x, size_t count) {
  lanes least = {0}, none = {0}; /* none: 0, or NaN by 0 times what is not finite */
  size_t k = 0;
  for (; k + SOTTO_I_GW_COLS <= count; k += SOTTO_I_GW_COLS) {
    const lanes from = load(x + k);
    least = lesser(lesser(from, -from), least);
    none += 0 * from;
  }
  double most = -least_lane(least), sum = 0;
  for (; k < count; k++) {
    most = fabs(x[k]) > most ? fabs(x[k]) : most;
    sum += 0 * x[k];
  }
  for (size_t lane = 0; lane < SOTTO_I_GW_COLS; lane++) sum += none[lane];
  return most + sum;
}

const sotto_i_gw_kernel_table GW_KERNEL_TABLE = {add,         dot,       block_product, rank_one,
                                                 rank_one_at, exchange,  difference,    narrow,
                                                 row_least,   first_row, largest};
