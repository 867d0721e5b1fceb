/* MATLAB 5 files: named numeric and sparse matrices only. */
#ifndef SOTTO_SRC_GRAPH_IO_MAT5_H
#define SOTTO_SRC_GRAPH_IO_MAT5_H

#include "read.h"

/* A variable. `bytes` is its inflated data, NULL when the data is in the file. */
typedef struct sotto_i_mat5 {
  uint8_t *bytes;
  bool found, sparse;
  uint64_t rows, cols;
  sotto_i_array values;          /* column-major; the nonzeros of a sparse matrix */
  sotto_i_array indices, starts; /* sparse only: row of each nonzero, first nonzero of each column */
} sotto_i_mat5;

/* Finds the variables with these names; out[i].found tells which exist. Other variables may have any type
 * (cell, struct, complex). Free also after a failure. Errors: PARSE naming the offset in the file,
 * UNSUPPORTED (big-endian, complex, not numeric), NOMEM. */
sotto_status sotto_i_mat5_read(sotto_i_mat5 *out, const char *const *names, size_t count,
                               const sotto_i_source *file, sotto_error *err);
void sotto_i_mat5_free(sotto_i_mat5 *variable);

#endif
