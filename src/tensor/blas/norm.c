/* Operator norms by LAPACK's singular values, rounded up. */
#include "norm.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "begin.h"

/* LAPACK's dgesvd from OpenBLAS, which has no header for it: singular values of a column-major rows x
 * columns matrix, largest first, when both jobs are "N". `info` is 0 when it converged. The last two
 * arguments are the lengths of the job strings. */
extern void dgesvd_(const char *job_u, const char *job_v, const int *rows, const int *columns, double *a,
                    const int *rows_stored, double *singular, double *u, const int *u_rows, double *v,
                    const int *v_rows, double *work, const int *work_size, int *info, size_t job_u_size,
                    size_t job_v_size);

sotto_status sotto_i_operator_norm(double *bound, const sotto_matrix *matrix, sotto_error *err) {
  size_t values = matrix->rows * matrix->cols;
  size_t least = matrix->rows < matrix->cols ? matrix->rows : matrix->cols;
  size_t most = matrix->rows + matrix->cols - least, work_size = 8 * (least + most);
  sotto_status status;
  double *memory = NULL, none = 0;
  *bound = 0;
  if (values == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&memory, values + least + work_size, sizeof *memory, err));
  double *a = memory, *singular = a + values, *work = singular + least;
  for (size_t i = 0; i < values; i++) {
    a[i] = (double)matrix->data[i];
    if (!isfinite(a[i])) {
      status = sotto_i_fail(err, SOTTO_NUMERIC, "a weight of a layer is not finite");
      goto done;
    }
  }
  /* Our rows are LAPACK's columns: the transposed matrix has the same singular values. */
  const int columns = (int)matrix->rows, rows = (int)matrix->cols, one = 1, size = (int)work_size;
  int info = 0;
  sotto_i_blas_begin();
  dgesvd_("N", "N", &rows, &columns, a, &rows, singular, &none, &one, &none, &one, work, &size, &info, 1, 1);
  if (info != 0) {
    status = sotto_i_fail(err, SOTTO_NUMERIC, "the singular values of a weight matrix did not converge");
    goto done;
  }
  /* dgesvd is backward stable: its error is a small multiple of 2^-53 times the norm and the dimension. */
  *bound = singular[0] * (1 + 0x1p-40);
done:
  sotto_i_free(memory);
  return status;
}

sotto_status sotto_i_to_unit_operator(sotto_matrix *matrix, sotto_error *err) {
  double bound, least = (double)(matrix->rows < matrix->cols ? matrix->rows : matrix->cols);
  sotto_status status = sotto_i_operator_norm(&bound, matrix, err);
  if (status != SOTTO_OK || bound <= 1) return status;
  /* Rounding moves each entry by at most 2^-24 relative, so the matrix by at most 2^-24 of its Frobenius
   * norm. */
  double factor = 1 / (bound * (1 + 0x1p-22 * (1 + sqrt(least))));
  for (size_t i = 0; i < matrix->rows * matrix->cols; i++)
    matrix->data[i] = (float)((double)matrix->data[i] * factor);
  return SOTTO_OK;
}
