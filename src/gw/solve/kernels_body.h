/* Source of the kernels, compiled once per instruction set; GW_KERNEL_TABLE names the table. */
#include <math.h>

#include "gw/solve/exchange_body.h"
#include "gw/solve/kernels.h"
#include "gw/solve/vectors.h"

static void add(double *restrict y, double weight, const double *restrict x, size_t count) {
  for (size_t k = 0; k < count; k++) y[k] += weight * x[k];
}

static double dot(const double *x, const double *y, size_t count) {
  doubles sum[PARTS] = {{0}};
  double lane[SOTTO_I_GW_COLS], rest = 0;
  size_t k = 0;
  for (; k + SOTTO_I_GW_COLS <= count; k += SOTTO_I_GW_COLS)
    for (size_t p = 0; p < PARTS; p++) sum[p] += load(x + k + p * DOUBLES) * load(y + k + p * DOUBLES);
  for (; k < count; k++) rest += x[k] * y[k];
  memcpy(lane, sum, sizeof lane);
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

/* Loops over rows and vectors are unrolled explicitly; otherwise the sums do not stay in registers. */
static void block_product(double *block, size_t block_stride, const double *half, size_t half_stride,
                          const double *right, size_t right_stride, size_t count) {
  doubles sum[SOTTO_I_GW_ROWS][PARTS];
#pragma GCC unroll 4
  for (size_t r = 0; r < SOTTO_I_GW_ROWS; r++) {
#pragma GCC unroll 4
    for (size_t p = 0; p < PARTS; p++) sum[r][p] = (doubles){0};
  }
  for (size_t k = 0; k < count; k++, half += half_stride, right += right_stride) {
#pragma GCC unroll 4
    for (size_t r = 0; r < SOTTO_I_GW_ROWS; r++) {
#pragma GCC unroll 4
      for (size_t p = 0; p < PARTS; p++) sum[r][p] += half[r] * load(right + p * DOUBLES);
    }
  }
#pragma GCC unroll 4
  for (size_t r = 0; r < SOTTO_I_GW_ROWS; r++) {
#pragma GCC unroll 4
    for (size_t p = 0; p < PARTS; p++) store(block + r * block_stride + p * DOUBLES, sum[r][p]);
  }
}

/* The last group of a row is aligned to the end of the row. It repeats some values, which does not change
 * the minimum. */
static inline double row_least(const double *cost, const double *of_col, size_t cols) {
  if (cols < SOTTO_I_GW_COLS) {
    double value = cost[0] - of_col[0];
    for (size_t j = 1; j < cols; j++) value = cost[j] - of_col[j] < value ? cost[j] - of_col[j] : value;
    return value;
  }
  const size_t last = cols - SOTTO_I_GW_COLS;
  doubles least[PARTS];
  for (size_t p = 0; p < PARTS; p++)
    least[p] = load(cost + last + p * DOUBLES) - load(of_col + last + p * DOUBLES);
  for (size_t j = 0; j < last; j += SOTTO_I_GW_COLS)
    for (size_t p = 0; p < PARTS; p++)
      least[p] = min_lanes(load(cost + j + p * DOUBLES) - load(of_col + j + p * DOUBLES), least[p]);
  return min_of(least);
}

static size_t first_col(const double *cost, const double *of_col, size_t cols, double value) {
  size_t j = 0;
#if GW_BYTES == 32
  for (; j + DOUBLES < cols; j += DOUBLES) {
    const __m256d less = (__m256d)(load(cost + j) - load(of_col + j));
    const int equal = _mm256_movemask_pd(_mm256_cmp_pd(less, _mm256_set1_pd(value), _CMP_EQ_OQ));
    if (equal != 0) return j + (size_t)__builtin_ctz((unsigned)equal);
  }
#endif
  while (j + 1 < cols && cost[j] - of_col[j] != value) j++;
  return j;
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
  doubles least[PARTS] = {{0}}, none[PARTS] = {{0}}; /* 0, or NaN where a value is not finite (0 times it) */
  size_t k = 0;
  for (; k + SOTTO_I_GW_COLS <= count; k += SOTTO_I_GW_COLS)
    for (size_t p = 0; p < PARTS; p++) {
      const doubles from = load(x + k + p * DOUBLES);
      least[p] = min_lanes(min_lanes(from, -from), least[p]);
      none[p] += 0 * from;
    }
  double most = -min_of(least), sum = 0;
  for (; k < count; k++) {
    most = fabs(x[k]) > most ? fabs(x[k]) : most;
    sum += 0 * x[k];
  }
  for (size_t p = 0; p < PARTS; p++)
    for (size_t lane = 0; lane < DOUBLES; lane++) sum += none[p][lane];
  return most + sum;
}

const sotto_i_gw_kernel_table GW_KERNEL_TABLE = {add,         dot,       block_product, rank_one,
                                                 rank_one_at, exchange,  difference,    narrow,
                                                 row_least,   first_col, first_row,     largest};
