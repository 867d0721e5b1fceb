/* The source of one variant of the row kernels; ROWS_NAME names its table. The compiler vectorises the loops
 * for the target of the including file. */
#include <math.h>

#include "rows.h"

/* Number of rows added up side by side. Within a row each addition waits for the one before, in the order of
 * the columns. */
enum { side_by_side = 8 };

static void noisy_steps(float *restrict y, const int64_t *restrict sum, const int32_t *restrict noise,
                        double to_steps, double step, size_t cols) {
  for (size_t j = 0; j < cols; j++) {
    const double steps = nearbyint((double)sum[j] * to_steps) + noise[j];
    y[j] = (float)(steps * step);
  }
}

/* The square of a float is exact in double precision, so it may enter a fused operation. */
static void row_squares(double *restrict square, const float *restrict rows, size_t count, size_t cols) {
  size_t i = 0;
  for (; i + side_by_side <= count; i += side_by_side) {
    double sum[side_by_side] = {0};
    const float *first = rows + i * cols;
    for (size_t j = 0; j < cols; j++)
      for (size_t r = 0; r < side_by_side; r++)
        sum[r] += (double)first[r * cols + j] * (double)first[r * cols + j];
    for (size_t r = 0; r < side_by_side; r++) square[i + r] = sum[r];
  }
  for (; i < count; i++) {
    square[i] = 0;
    for (size_t j = 0; j < cols; j++) square[i] += (double)rows[i * cols + j] * (double)rows[i * cols + j];
  }
}

static void scale_row(float *to, const float *from, double factor, size_t cols) {
  for (size_t j = 0; j < cols; j++) to[j] = (float)((double)from[j] * factor);
}

const sotto_i_row_kernels ROWS_NAME = {noisy_steps, row_squares, scale_row};
