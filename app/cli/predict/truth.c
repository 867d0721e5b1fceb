/* Labels of the nodes that were asked for, the parts that they are in, and measures over them. */
#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"
#include "predict.h"

static sotto_status collect(predict_truth *t, sotto_part part, size_t row, size_t rows, sotto_error *err) {
  if (t->rows[part] == NULL) {
    sotto_status status = app_new(&t->rows[part], rows, sizeof **t->rows, err);
    if (status != SOTTO_OK) return status;
  }
  t->rows[part][t->count[part]++] = (uint32_t)row;
  return SOTTO_OK;
}

/* The labelled nodes of a part among those asked for: both lists are ascending. */
static sotto_status collect_part(predict_truth *t, sotto_part part, const sotto_model *model,
                                 const predict_nodes *nodes, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  size_t size, at = 0;
  const uint32_t *members = sotto_model_part(model, part, &size);
  for (size_t i = 0; i < nodes->count && status == SOTTO_OK; i++) {
    while (at < size && members[at] < nodes->nodes[i]) at++;
    if (at < size && members[at] == nodes->nodes[i] && t->labels[i] >= 0)
      status = collect(t, part, i, nodes->count, err);
  }
  return status;
}

sotto_status predict_truth_new(predict_truth *out, const sotto_model *model, const predict_nodes *nodes,
                               bool own, sotto_error *err) {
  sotto_status status;
  const int32_t *labels = sotto_model_data(model)->labels;
  *out = (predict_truth){.own = own};
  if (labels == NULL) return SOTTO_OK;
  SOTTO_TRY(app_new(&out->labels, nodes->count, sizeof *out->labels, err));
  for (size_t i = 0; i < nodes->count; i++) {
    out->labels[i] = labels[nodes->nodes[i]];
    if (out->labels[i] >= 0) SOTTO_TRY(collect(out, SOTTO_PART_NONE, i, nodes->count, err));
  }
  for (sotto_part part = SOTTO_PART_TRAIN; own && part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(collect_part(out, part, model, nodes, err));
done:
  return status;
}

void predict_truth_free(predict_truth *truth) {
  free(truth->labels);
  for (int part = 0; part <= SOTTO_PART_TEST; part++) free(truth->rows[part]);
}

sotto_status predict_measure(predict_measures *out, const sotto_matrix *rows, const predict_truth *truth,
                             sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const sotto_part part = truth->own ? SOTTO_PART_TEST : SOTTO_PART_NONE;
  *out = (predict_measures){.part = part};
  for (int p = 0; p <= SOTTO_PART_TEST; p++) {
    out->nodes[p] = truth->count[p];
    out->accuracy[p] = sotto_accuracy(rows, truth->labels, truth->rows[p], truth->count[p]);
  }
  if (out->nodes[part] == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_confusion_measure(&out->confusion, rows, truth->labels, truth->rows[part],
                                    truth->count[part], err));
  SOTTO_TRY(sotto_calibration_measure(&out->calibration, rows, truth->labels, truth->rows[part],
                                      truth->count[part], err));
done:
  return status;
}
