/* Matrices that are mostly zero, as compressed rows and compressed columns. */
#ifndef SOTTO_SRC_TENSOR_SPARSE_H
#define SOTTO_SRC_TENSOR_SPARSE_H

#include "sotto/tensor.h"

/* Entries that are not 0 by row, or by column: those of line i are [offsets[i], offsets[i + 1]). */
typedef struct sotto_i_sparse_lines {
  size_t count; /* of lines */
  size_t *offsets;
  uint32_t *index; /* the place within the line, ascending */
  float *values;
  size_t bands;   /* equal parts of the places that a product goes through one by one; 0: it does not, */
  uint32_t *cuts; /* and the first entry of line i in band b: cuts[i * (bands + 1) + b] */
} sotto_i_sparse_lines;

/* The entries of a matrix that does not change. */
typedef struct sotto_i_sparse {
  const float *of; /* the matrix that it stands for, and its shape */
  size_t rows, cols;
  bool worth; /* few enough entries; otherwise nothing is kept */
  sotto_i_sparse_lines by_row;
  sotto_i_sparse_lines by_column; /* made when first asked for, */
  uint32_t *order;                /* with the number that each of its entries has by row */
} sotto_i_sparse;

/* Reads the matrix. Errors: NOMEM. */
sotto_status sotto_i_sparse_new(sotto_i_sparse *out, const sotto_matrix *matrix, sotto_error *err);
/* Rows from a list: room for so many entries, which `fill` gives row by row, in ascending columns, and
 * counts. In the place of what was there. Errors: NOMEM. */
typedef size_t (*sotto_i_sparse_fill)(const void *context, size_t row, uint32_t *columns, float *values);
sotto_status sotto_i_sparse_of_rows(sotto_i_sparse *out, size_t rows, size_t cols, size_t most,
                                    sotto_i_sparse_fill fill, const void *context, sotto_error *err);
/* Frees and zeroes; a zeroed one is fine. */
void sotto_i_sparse_free(sotto_i_sparse *sparse);

static inline size_t sotto_i_sparse_entries(const sotto_i_sparse *s) {
  return s->by_row.offsets[s->rows];
}

/* The matrix with other values in the places of its entries, by row; NULL: its own values. */
typedef struct sotto_i_sparse_view {
  sotto_i_sparse *sparse;
  const float *values;
} sotto_i_sparse_view;

/* y = s w + 1 bias, where s stands for an n x k matrix, w is k x m, bias m values or NULL for none. A row of
 * y is summed in the order of its entries, the same for any number of threads. */
void sotto_i_sparse_affine(sotto_matrix *y, const sotto_i_sparse_view *s, const sotto_matrix *w,
                           const float *bias);
/* Makes the compressed columns, unless they are there. Errors: NOMEM. */
sotto_status sotto_i_sparse_turn(sotto_i_sparse *s, sotto_error *err);
/* y (+)= s^T x for x of n x m values, the columns being there. */
void sotto_i_sparse_transposed(sotto_matrix *y, const sotto_i_sparse_view *s, const sotto_matrix *x,
                               bool add);

#endif
