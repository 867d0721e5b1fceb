/* The first inputs of corrections. */
#include "first_inputs.h"

#include "base/memory.h"
#include "nn/readings.h"
#include "nn/rows/source.h"
#include "tensor/columns.h"

sotto_status sotto_i_first_moments(double **moments, const sotto_matrix *first, sotto_error *err) {
  const size_t cols = first->cols;
  sotto_matrix window = {0};
  sotto_status status;
  *moments = NULL;
  SOTTO_TRY(sotto_matrix_new(&window, SOTTO_I_WINDOW_ROWS, cols, err));
  SOTTO_TRY(sotto_i_new(moments, 2 * cols, sizeof **moments, err));
  for (int squares = 0; squares < 2; squares++)
    for (size_t begin = 0; begin < first->rows; begin += SOTTO_I_WINDOW_ROWS) {
      const size_t left = first->rows - begin;
      const sotto_matrix some = {first->data + begin * cols,
                                 left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS, cols};
      window.rows = some.rows;
      sotto_i_rows_less_mean(&window, &some);
      sotto_i_column_moments_add(*moments, &window, (double)first->rows, squares == 1);
    }
done:
  sotto_matrix_free(&window);
  return status;
}

sotto_status sotto_i_first_inputs(sotto_matrix *out, const sotto_matrix *first, const double *moments,
                                  const uint32_t *nodes, size_t count, sotto_error *err) {
  sotto_status status;
  if (nodes == NULL)
    status = sotto_matrix_new(out, first->rows, first->cols, err);
  else
    status = sotto_i_take_rows(out, first, nodes, count, err);
  if (status != SOTTO_OK) return status;
  sotto_i_rows_less_mean(out, nodes == NULL ? first : out);
  sotto_i_columns_by_moments(out, moments);
  return SOTTO_OK;
}
