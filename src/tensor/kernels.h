/* Vector kernels: loops over floats, compiled for each instruction set and chosen at run time.
 *
 * Arrays of one call do not overlap. With `add`, a kernel adds to the output instead of overwriting it.
 * Results do not depend on how a caller splits an element-wise job into ranges. */
#ifndef SOTTO_SRC_TENSOR_KERNELS_H
#define SOTTO_SRC_TENSOR_KERNELS_H

#include "sotto/tensor.h"

/* Constants of one Adam step, bias corrections included. */
typedef struct sotto_i_adam_numbers {
  float one_minus_beta1, beta2, one_minus_beta2;
  float step_size;       /* learning rate / (1 - beta1^t) */
  float root_correction; /* sqrt(1 - beta2^t) */
  float epsilon, weight_decay;
} sotto_i_adam_numbers;

/* Product c = start + a b with a narrow b; a has rows x inner values, b inner x cols.
 *
 * - a(r, k) is a[r * row_step + k * inner_step]. Rows of b and c are contiguous; cols is a multiple of 16.
 * - Row r starts from start + r * start_step, which may be c itself; start NULL: from 0.
 * - Values are summed in the order of k, with the same bits for any number of rows.
 * - `ahead`: distance from a to the a of the next call, which is prefetched; 0: no prefetch. */
typedef struct sotto_i_narrow {
  float *c;
  const float *start, *a, *b;
  size_t start_step, row_step, inner_step, rows, inner, cols, ahead;
} sotto_i_narrow;

typedef void (*sotto_i_map_fn)(float *y, const float *x, size_t n);
typedef void (*sotto_i_map2_fn)(float *y, const float *a, const float *b, size_t n);
/* dx from dy and the value y = f(x). */
typedef void (*sotto_i_slope_fn)(float *dx, const float *dy, const float *y, bool add, size_t n);

/* Room behind its entries that `pick` may overwrite: one vector of AVX-512. */
enum { SOTTO_I_PICK_ROOM = 16 };

typedef struct sotto_i_kernel_table {
  void (*axpy)(float *y, const float *x, float factor, bool add, size_t n); /* y (+)= factor x */
  sotto_i_map2_fn add, subtract, multiply;
  sotto_i_slope_fn product; /* dx (+)= dy b: the gradient of `multiply` */
  sotto_i_map_fn relu, selu, tanh, sigmoid, exp;
  sotto_i_slope_fn relu_slope, selu_slope, tanh_slope, sigmoid_slope;
  /* y = start + sum over e of values[e] x[index[e]]; rows of x have `width` values. start may be y; NULL:
   * 0. Summed in the order of the entries. */
  void (*gather)(float *y, const float *start, const uint32_t *index, const float *values, size_t count,
                 const float *x, size_t width);
  /* Copies the entries whose value is not 0, in order, and returns their number. The outputs have room for
   * n + SOTTO_I_PICK_ROOM entries. */
  size_t (*pick)(uint32_t *picked, float *kept, const uint32_t *index, const float *values, size_t n);
  void (*narrow)(const sotto_i_narrow *product);
  size_t narrow_most; /* largest number of columns for which it is faster than OpenBLAS; 0: never */
  /* Terms summed before the result is stored: limited by the cache size of b and, for a transposed a, of
   * a, b and the result. */
  size_t narrow_inner, narrow_transposed;
  float (*dot)(const float *a, const float *b, size_t n); /* 16 partial sums in a fixed order */
  bool (*finite)(const float *x, size_t n);
  void (*keep)(uint8_t *mask, const uint16_t *random, uint32_t threshold, size_t n); /* random < threshold */
  void (*masked)(float *y, const float *x, const uint8_t *mask, float factor, bool add, size_t n);
  void (*add_row)(float *y, const float *x, const float *row, size_t rows, size_t cols);
  void (*column_sums)(float *sums, const float *x, size_t rows, size_t cols);
  /* p becomes the softmax of each row; lse[i] is the log-sum-exp of row i. */
  void (*softmax)(float *p, double *lse, size_t rows, size_t cols);
  void (*adam)(float *value, float *first, float *second, const float *gradient,
               const sotto_i_adam_numbers *numbers, size_t n);
} sotto_i_kernel_table;

/* The kernel table for this machine. */
const sotto_i_kernel_table *sotto_i_kernels(void);

extern const sotto_i_kernel_table sotto_i_kernels_plain, sotto_i_kernels_avx2, sotto_i_kernels_avx512;

/* Elements per range of element-wise work: 128 KiB of floats, enough to be worth waking a thread. */
enum { SOTTO_I_GRAIN = 1 << 15 };

/* Number of rows of `cols` values that make such a range. */
static inline size_t sotto_i_row_grain(size_t cols) {
  return cols >= SOTTO_I_GRAIN ? 1 : SOTTO_I_GRAIN / (cols == 0 ? 1 : cols);
}

#endif
