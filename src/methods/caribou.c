/* CARIBOU (paper 002) in its sound form (DESIGN section 4): a degree floor instead of the graph's own least
 * degree, rows projected to the unit ball, the noise of the last layer last, and nothing of the layers before
 * it. */
#include <math.h>

#include "base/error.h"
#include "central.h"

/* The release keeps a row's length when it is below 1; embeddings have any. */
static sotto_status unit_rows(sotto_matrix *out, const sotto_matrix *from, sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, from->rows, from->cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < from->rows; i++) {
    const float *row = from->data + i * from->cols;
    double square = 0;
    for (size_t j = 0; j < from->cols; j++) square += (double)row[j] * row[j];
    double factor = square < 1e-24 ? 0 : 1 / sqrt(square);
    for (size_t j = 0; j < from->cols; j++) out->data[i * from->cols + j] = (float)(row[j] * factor);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_caribou_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_central c = {.job = job};
  sotto_matrix inputs = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_central_begin(&c, out, job, err));
  SOTTO_TRY(unit_rows(&inputs, &c.embeddings, err));
  SOTTO_TRY(sotto_i_central_release(&c, &inputs, err));
  SOTTO_TRY(sotto_i_central_finish(&c, out, err));
done:
  sotto_matrix_free(&inputs);
  sotto_i_central_free(&c);
  return status;
}
