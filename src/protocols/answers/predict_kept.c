/* Predictions from scores that the training kept. */
#include "predict_kept.h"

#include <string.h>

#include "base/error.h"
#include "tensor/columns.h"

sotto_status sotto_i_kept_rows(sotto_matrix *out, const sotto_matrix *scores, const sotto_i_job *job,
                               const sotto_matrix *x, const uint32_t *nodes, sotto_error *err) {
  const sotto_matrix *own = job->features;
  for (size_t i = 0; i < x->rows; i++) {
    const size_t v = nodes == NULL ? i : nodes[i];
    if (memcmp(x->data + i * x->cols, own->data + v * own->cols, own->cols * sizeof(float)) != 0)
      return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                          "%s answers from rows that it keeps, so not about other features",
                          job->options->method);
  }
  if (nodes != NULL) return sotto_i_take_rows(out, scores, nodes, x->rows, err);
  return sotto_i_take_columns(out, scores, 0, scores->cols, err);
}
