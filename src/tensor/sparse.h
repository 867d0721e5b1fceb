/* Matrices that are mostly zero, as compressed rows and compressed columns. */
#ifndef SOTTO_SRC_TENSOR_SPARSE_H
#define SOTTO_SRC_TENSOR_SPARSE_H

#include "sotto/tensor.h"

/* Nonzero entries by row or by column: line i has entries [offsets[i], offsets[i + 1]). */
typedef struct sotto_i_sparse_lines {
  size_t count; /* of lines */
  size_t *offsets;
  uint32_t *index; /* position within the line, ascending */
  float *values;
  size_t bands;   /* number of bands of positions that a product processes one by one; 0: none */
  uint32_t *cuts; /* first entry of line i in band b: cuts[i * (bands + 1) + b] */
} sotto_i_sparse_lines;

/* The entries of a constant matrix. */
typedef struct sotto_i_sparse {
  const float *of; /* the matrix, and its shape */
  size_t rows, cols;
  bool worth; /* few enough entries; otherwise none are stored */
  sotto_i_sparse_lines by_row;
  sotto_i_sparse_lines by_column; /* made on first use */
  uint32_t *order;                /* number of each entry of by_column in by_row */
} sotto_i_sparse;

/* Reads the matrix. Errors: NOMEM. */
sotto_status sotto_i_sparse_new(sotto_i_sparse *out, const sotto_matrix *matrix, sotto_error *err);
/* Builds rows with `fill`, which returns the entries of one row in ascending columns, and their number;
 * `most` entries in all. Replaces the old contents. Errors: NOMEM. */
typedef size_t (*sotto_i_sparse_fill)(const void *context, size_t row, uint32_t *columns, float *values);
sotto_status sotto_i_sparse_of_rows(sotto_i_sparse *out, size_t rows, size_t cols, size_t most,
                                    sotto_i_sparse_fill fill, const void *context, sotto_error *err);
/* Frees and zeroes; a zeroed matrix is allowed. */
void sotto_i_sparse_free(sotto_i_sparse *sparse);

static inline size_t sotto_i_sparse_entries(const sotto_i_sparse *s) {
  return s->by_row.offsets[s->rows];
}

/* The matrix with other values for its entries, by row; NULL: its own values. */
typedef struct sotto_i_sparse_view {
  sotto_i_sparse *sparse;
  const float *values;
} sotto_i_sparse_view;

/* y = s w + 1 bias for s of n x k, w of k x m, bias of m values (NULL: none). A row of y is summed in the
 * order of its entries, the same for any number of threads. */
void sotto_i_sparse_affine(sotto_matrix *y, const sotto_i_sparse_view *s, const sotto_matrix *w,
                           const float *bias);
/* Makes the compressed columns unless they exist. Errors: NOMEM. */
sotto_status sotto_i_sparse_make_columns(sotto_i_sparse *s, sotto_error *err);
/* y (+)= s^T x for x of n x m; the compressed columns must exist. */
void sotto_i_sparse_transposed(sotto_matrix *y, const sotto_i_sparse_view *s, const sotto_matrix *x,
                               bool add);

#endif
