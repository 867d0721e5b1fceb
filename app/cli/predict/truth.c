/* Labels of the requested nodes, their parts of the split, and measures over them. */
#include <stdlib.h>

#include "base/error.h"
#include "common/memory.h"
#include "predict.h"

static sotto_status add_row(predict_truth *t, sotto_part part, size_t row, size_t rows, sotto_error *err) {
  if (t->rows[part] == NULL) {
    sotto_status status = app_new(&t->rows[part], rows, sizeof **t->rows, err);
    if (status != SOTTO_OK) return status;
  }
  t->rows[part][t->count[part]++] = (uint32_t)row;
  return SOTTO_OK;
}

sotto_status predict_parts_of(uint8_t **out, const sotto_model *model, const predict_nodes *nodes,
                              sotto_error *err) {
  sotto_status status = app_new(out, nodes->count, sizeof **out, err);
  for (sotto_part part = SOTTO_PART_TRAIN; status == SOTTO_OK && part <= SOTTO_PART_TEST; part++) {
    size_t size, at = 0;
    const uint32_t *members = sotto_model_part(model, part, &size);
    for (size_t i = 0; i < nodes->count; i++) { /* both lists are ascending */
      while (at < size && members[at] < nodes->nodes[i]) at++;
      if (at < size && members[at] == nodes->nodes[i]) (*out)[i] = (uint8_t)part;
    }
  }
  return status;
}

sotto_status predict_truth_new(predict_truth *out, const int32_t *labels, const uint8_t *parts,
                               const predict_nodes *nodes, sotto_error *err) {
  sotto_status status;
  *out = (predict_truth){.own = parts != NULL};
  if (labels == NULL) return SOTTO_OK;
  SOTTO_TRY(app_new(&out->labels, nodes->count, sizeof *out->labels, err));
  for (size_t i = 0; i < nodes->count; i++) {
    out->labels[i] = labels[nodes->nodes[i]];
    if (out->labels[i] < 0) continue;
    SOTTO_TRY(add_row(out, SOTTO_PART_NONE, i, nodes->count, err));
    if (parts != NULL && parts[i] != SOTTO_PART_NONE)
      SOTTO_TRY(add_row(out, (sotto_part)parts[i], i, nodes->count, err));
  }
done:
  return status;
}

void predict_truth_free(predict_truth *truth) {
  free(truth->labels);
  for (int part = 0; part <= SOTTO_PART_TEST; part++) free(truth->rows[part]);
}

static sotto_status measure_alerts(predict_measures *out, const predict_truth *truth, sotto_error *err) {
  const predict_alerts *a = out->alerts;
  const size_t count = out->nodes[out->part];
  const sotto_ranked items = {a->log_odds, truth->labels, truth->rows[out->part], count,
                              a->rule.class_number};
  for (size_t i = 0; i < count; i++)
    out->found += a->alerts[items.rows[i]] && items.labels[items.rows[i]] == items.class_number;
  return sotto_ranking_measure(&out->ranking, &items, predict_alert_rate(a), err);
}

sotto_status predict_measure(predict_measures *out, const sotto_matrix *rows, const predict_truth *truth,
                             const predict_alerts *alerts, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const sotto_part part = truth->own ? SOTTO_PART_TEST : SOTTO_PART_NONE;
  *out = (predict_measures){.part = part, .alerts = alerts, .items = "nodes"};
  for (int p = 0; p <= SOTTO_PART_TEST; p++) {
    out->nodes[p] = truth->count[p];
    out->accuracy[p] = sotto_accuracy(rows, truth->labels, truth->rows[p], truth->count[p]);
  }
  if (out->nodes[part] == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_confusion_measure(&out->confusion, rows, truth->labels, truth->rows[part],
                                    truth->count[part], err));
  SOTTO_TRY(sotto_calibration_measure(&out->calibration, rows, truth->labels, truth->rows[part],
                                      truth->count[part], err));
  if (alerts != NULL) SOTTO_TRY(measure_alerts(out, truth, err));
done:
  return status;
}
