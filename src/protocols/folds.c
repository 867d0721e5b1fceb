/* Folds of the training nodes. */
#include "folds.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "training_part.h"

enum { fold_key = 192 };
static const float least = 1e-6F; /* added to a probability, so that its logarithm is finite */

sotto_status sotto_i_folds_deal(sotto_i_folds *out, const sotto_i_job *job, const sotto_i_parted *parted,
                                sotto_error *err) {
  const size_t rows = parted->split.count[SOTTO_PART_TRAIN], nodes = job->data->graph.nodes;
  uint32_t *order = NULL;
  sotto_status status;
  *out = (sotto_i_folds){0};
  if (rows < 2)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: cross-fitting needs two training nodes, and there is %zu",
                        job->data->name, rows);
  out->count = rows < SOTTO_I_MOST_FOLDS ? (uint32_t)rows : SOTTO_I_MOST_FOLDS;
  out->nodes = nodes;
  SOTTO_TRY(sotto_i_new_raw(&out->of, nodes, sizeof *out->of, err));
  SOTTO_TRY(sotto_i_training_order(&order, job, parted, fold_key, err));
  memset(out->of, (int)out->count, nodes);
  for (size_t i = 0; i < rows; i++) out->of[order[i]] = (uint8_t)(i % out->count);
done:
  if (status != SOTTO_OK) sotto_i_folds_free(out);
  sotto_i_free(order);
  return status;
}

sotto_status sotto_i_folds_of_others(sotto_i_folds *out, uint32_t count, size_t nodes, sotto_error *err) {
  *out = (sotto_i_folds){.count = count, .nodes = nodes};
  sotto_status status = sotto_i_new_raw(&out->of, nodes, sizeof *out->of, err);
  if (status == SOTTO_OK) memset(out->of, (int)count, nodes);
  return status;
}

void sotto_i_folds_free(sotto_i_folds *folds) {
  sotto_i_free(folds->of);
  *folds = (sotto_i_folds){0};
}

sotto_status sotto_i_folds_rest(sotto_i_parted *out, const sotto_i_folds *folds, const sotto_i_parted *parted,
                                uint32_t fold, sotto_error *err) {
  sotto_status status;
  uint8_t *keep = NULL;
  SOTTO_TRY(sotto_i_new_raw(&keep, folds->nodes, sizeof *keep, err));
  for (size_t v = 0; v < folds->nodes; v++) keep[v] = folds->of[v] != fold;
  SOTTO_TRY(sotto_i_training_part(out, parted, keep, err));
done:
  sotto_i_free(keep);
  return status;
}

void sotto_i_folds_add(sotto_matrix *scores, const sotto_matrix *own, const sotto_i_folds *folds,
                       uint32_t fold, const uint32_t *nodes) {
  size_t cols = own->cols;
  for (size_t i = 0; i < own->rows; i++) {
    uint8_t of = folds->of[nodes == NULL ? i : nodes[i]];
    float weight = of == folds->count ? 1 / (float)folds->count : of == fold ? 1 : 0;
    for (size_t j = 0; j < cols; j++) scores->data[i * cols + j] += weight * own->data[i * cols + j];
  }
}

void sotto_i_to_logarithms(sotto_matrix *scores) {
  for (size_t i = 0; i < scores->rows * scores->cols; i++) scores->data[i] = logf(scores->data[i] + least);
}
