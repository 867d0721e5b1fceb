/* Vector kernels: loops over floats, built for each instruction set and chosen at run time.
 *
 * Arrays of one call do not overlap. Where a kernel takes `add`, it adds to the output instead of replacing
 * it. A result does not depend on how a caller cuts an element-wise job into ranges. */
#ifndef SOTTO_SRC_TENSOR_KERNELS_H
#define SOTTO_SRC_TENSOR_KERNELS_H

#include "sotto/tensor.h"

/* Constants of one Adam step, with the bias corrections in them. */
typedef struct sotto_i_adam_numbers {
  float one_minus_beta1, beta2, one_minus_beta2;
  float step_size;       /* learning rate / (1 - beta1^t) */
  float root_correction; /* sqrt(1 - beta2^t) */
  float epsilon, weight_decay;
} sotto_i_adam_numbers;

/* c = start + a b for a of rows x inner and b of inner x cols values. a(r, k) is a[r * row_step + k *
 * inner_step]; rows of b and c follow each other, and cols is a multiple of 16. Row r starts at start + r *
 * start_step, which may be c itself, or from 0 where start is NULL. A value is summed in the order of k,
 * with the same bits however many rows there are.
 * `ahead`: how far behind a the next call's a stands, which is then fetched into cache; 0: it is not. */
typedef struct sotto_i_narrow {
  float *c;
  const float *start, *a, *b;
  size_t start_step, row_step, inner_step, rows, inner, cols, ahead;
} sotto_i_narrow;

typedef void (*sotto_i_map_fn)(float *y, const float *x, size_t n);
typedef void (*sotto_i_map2_fn)(float *y, const float *a, const float *b, size_t n);
/* dx from dy and the value y = f(x). */
typedef void (*sotto_i_slope_fn)(float *dx, const float *dy, const float *y, bool add, size_t n);

/* What `pick` may write behind its entries: a vector of AVX-512. */
enum { SOTTO_I_PICK_ROOM = 16 };

typedef struct sotto_i_kernel_table {
  void (*axpy)(float *y, const float *x, float factor, bool add, size_t n); /* y (+)= factor x */
  sotto_i_map2_fn add, subtract, multiply;
  sotto_i_slope_fn product; /* dx (+)= dy b: the gradient of `multiply` */
  sotto_i_map_fn relu, selu, tanh, sigmoid, exp;
  sotto_i_slope_fn relu_slope, selu_slope, tanh_slope, sigmoid_slope;
  /* y = start + sum over e of values[e] x[index[e]], rows of x being `width` wide; start may be y, or NULL
   * for 0. Summed in the order of the entries. */
  void (*gather)(float *y, const float *start, const uint32_t *index, const float *values, size_t count,
                 const float *x, size_t width);
  /* Entries whose value is not 0, in their order: their number. The outputs have room for n +
   * SOTTO_I_PICK_ROOM. */
  size_t (*pick)(uint32_t *picked, float *kept, const uint32_t *index, const float *values, size_t n);
  void (*narrow)(const sotto_i_narrow *product);
  size_t narrow_most; /* columns up to which it is faster than OpenBLAS; 0: it never is */
  /* Terms of a sum between two looks at the result: what a cache holds of b, and, where a is transposed, of
   * a, b and the result. */
  size_t narrow_inner, narrow_turned;
  float (*dot)(const float *a, const float *b, size_t n); /* 16 partial sums in a fixed order */
  bool (*finite)(const float *x, size_t n);
  void (*keep)(uint8_t *mask, const uint16_t *random, uint32_t threshold, size_t n); /* random < threshold */
  void (*masked)(float *y, const float *x, const uint8_t *mask, float factor, bool add, size_t n);
  void (*add_row)(float *y, const float *x, const float *row, size_t rows, size_t cols);
  void (*column_sums)(float *sums, const float *x, size_t rows, size_t cols);
  void (*column_squares)(float *sums, const float *x, const float *mean, size_t rows, size_t cols);
  void (*column_products)(float *sums, const float *x, const float *y, size_t rows, size_t cols);
  void (*column_affine)(float *y, const float *x, const float *centre, const float *scale, const float *shift,
                        size_t rows, size_t cols); /* (x - centre) scale + shift */
  /* p becomes softmax of each row; lse[i] = log sum exp of the row. */
  void (*softmax)(float *p, double *lse, size_t rows, size_t cols);
  void (*adam)(float *value, float *first, float *second, const float *gradient,
               const sotto_i_adam_numbers *numbers, size_t n);
} sotto_i_kernel_table;

/* The table for this machine. */
const sotto_i_kernel_table *sotto_i_kernels(void);

extern const sotto_i_kernel_table sotto_i_kernels_plain, sotto_i_kernels_avx2, sotto_i_kernels_avx512;

/* Items in a range of element-wise work: 128 KiB of floats, so that waking a thread pays. */
enum { SOTTO_I_GRAIN = 1 << 15 };

/* Rows of `cols` values that make such a range. */
static inline size_t sotto_i_row_grain(size_t cols) {
  return cols >= SOTTO_I_GRAIN ? 1 : SOTTO_I_GRAIN / (cols == 0 ? 1 : cols);
}

#endif
