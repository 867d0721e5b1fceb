/* Dense products: our kernel or OpenBLAS on the thread pool. */
#ifndef SOTTO_SRC_TENSOR_PRODUCT_H
#define SOTTO_SRC_TENSOR_PRODUCT_H

#include "sotto/tensor.h"

/* A product c = alpha op(a) op(b) + beta c; op transposes where requested. With beta 0, c need not be
 * initialised. No matrix overlaps c. Every dimension is below 2^31 (sotto_i_product_fits). */
typedef struct sotto_i_product {
  const sotto_matrix *a, *b;
  bool transpose_a, transpose_b;
  float alpha, beta;
} sotto_i_product;

/* Whether the inner dimensions and the shape of c agree, and all dimensions fit OpenBLAS. */
bool sotto_i_product_fits(const sotto_matrix *c, const sotto_i_product *product);

/* Floats of scratch memory that sotto_i_gemm needs; 0 except for long transposed sums and a transposed b. */
size_t sotto_i_gemm_scratch(const sotto_i_product *product);

/* Computes the product on the thread pool, with the same result for any number of threads: only the shapes
 * decide how work is split. `scratch` has sotto_i_gemm_scratch floats. OpenBLAS is limited to one thread
 * for the whole process. */
void sotto_i_gemm(sotto_matrix *c, const sotto_i_product *product, float *scratch);

/* c = a w + 1 bias; rows of c start from the bias while in cache. `bias` has w->cols values. */
void sotto_i_affine(sotto_matrix *c, const sotto_matrix *a, const sotto_matrix *w, const float *bias);

/* sums[j] = sum over i of x(i, j), by fixed chunks of rows in order. `scratch` has sotto_i_column_scratch
 * floats. With `add`, adds to sums. */
size_t sotto_i_column_scratch(size_t rows, size_t cols);
void sotto_i_column_sums(float *sums, const sotto_matrix *x, bool add, float *scratch);

#endif
