/* Memory of matrices. */
#include "base/memory.h"
#include "sotto/tensor.h"

sotto_status sotto_matrix_new(sotto_matrix *out, size_t rows, size_t cols, sotto_error *err) {
  *out = (sotto_matrix){0};
  size_t count;
  if (__builtin_mul_overflow(rows, cols, &count))
    return sotto_i_fail(err, SOTTO_NOMEM, "a matrix of %zu x %zu values is more than memory can hold", rows,
                        cols);
  sotto_status status = sotto_i_new(&out->data, count, sizeof *out->data, err);
  if (status != SOTTO_OK) return status;
  out->rows = rows;
  out->cols = cols;
  return SOTTO_OK;
}

void sotto_matrix_free(sotto_matrix *matrix) {
  sotto_i_free(matrix->data);
  *matrix = (sotto_matrix){0};
}
