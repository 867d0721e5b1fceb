/* Row kernels of a release. All variants give the same bytes: sums run in the order of the columns, and no
 * rounded product enters a fused operation. */
#ifndef SOTTO_SRC_PMP_ROWS_ROWS_H
#define SOTTO_SRC_PMP_ROWS_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* y[j] = (the nearest integer to sum[j] * to_steps, ties to even, + noise[j]) * step, for j < cols. */
typedef void (*sotto_i_noisy_steps_fn)(float *y, const int64_t *sum, const int32_t *noise, double to_steps,
                                       double step, size_t cols);

/* square[i] = the sum of the squares of row i of `rows`, for i < count; not finite exactly where a value of
 * the row is not. */
typedef void (*sotto_i_row_squares_fn)(double *square, const float *rows, size_t count, size_t cols);

/* to[j] = from[j] * factor, a product in double precision, for j < cols; `to` may be `from`. */
typedef void (*sotto_i_scale_row_fn)(float *to, const float *from, double factor, size_t cols);

typedef struct sotto_i_row_kernels {
  sotto_i_noisy_steps_fn noisy_steps;
  sotto_i_row_squares_fn squares;
  sotto_i_scale_row_fn scale;
} sotto_i_row_kernels;

extern const sotto_i_row_kernels sotto_i_row_kernels_plain, sotto_i_row_kernels_avx2,
    sotto_i_row_kernels_avx512;

/* The kernels that this processor runs fastest. */
const sotto_i_row_kernels *sotto_i_rows(void);

#endif
