/* MATLAB 5 files: named numeric and sparse matrices, and nothing else of the format. */
#ifndef SOTTO_SRC_GRAPH_IO_MAT5_H
#define SOTTO_SRC_GRAPH_IO_MAT5_H

#include "read.h"

/* A variable; `bytes` is what it was inflated into, NULL when it lies in the file. */
typedef struct sotto_i_mat5 {
  uint8_t *bytes;
  bool found, sparse;
  uint64_t rows, cols;
  sotto_i_array values;          /* column-major; of a sparse matrix the non-zeros */
  sotto_i_array indices, starts; /* sparse only: row of each non-zero, first non-zero of each column */
} sotto_i_mat5;

/* Finds the variables with these names; out[i].found says which are there. A variable of another kind (cell,
 * struct, complex) is an error only when it is one of them. Free also after a failure. Errors: PARSE naming
 * the offset in the file, UNSUPPORTED (big-endian, complex, not numeric), NOMEM. */
sotto_status sotto_i_mat5_read(sotto_i_mat5 *out, const char *const *names, size_t count,
                               const sotto_i_source *file, sotto_error *err);
void sotto_i_mat5_free(sotto_i_mat5 *variable);

#endif
