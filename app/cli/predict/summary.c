/* The summary of predictions: for people, or as JSON. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/error.h"
#include "common/memory.h"
#include "common/print.h"
#include "predict.h"
#include "sotto/nn.h"

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

static sotto_status print_json(const sotto_matrix *rows, double share, bool own, const char *path,
                               sotto_error *err) {
  json_t *root = json_pack("{s:I,s:I,s:s}", "nodes", (json_int_t)rows->rows, "classes",
                           (json_int_t)rows->cols, "file", path);
  if (!isnan(share)) (void)json_object_set_new(root, own ? "test_accuracy" : "accuracy", json_real(share));
  char *text = root == NULL ? NULL : json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
  json_decref(root);
  if (text == NULL) return app_fail(err, SOTTO_NOMEM, "no memory for the summary of predictions");
  (void)puts(text);
  free(text);
  return SOTTO_OK;
}

sotto_status predict_print(const sotto_matrix *rows, const predict_truth *truth, const char *path, bool json,
                           sotto_error *err) {
  const sotto_part part = truth->own ? SOTTO_PART_TEST : SOTTO_PART_NONE;
  double share = sotto_accuracy(rows, truth->labels, truth->rows[part], truth->count[part]);
  if (json) return print_json(rows, share, truth->own, path, err);
  app_print(stdout, "  nodes            %zu, of %zu classes\n  written to       %s\n", rows->rows, rows->cols,
            path);
  if (!isnan(share))
    app_print(stdout, "  accuracy         %.4f of %zu %s nodes\n", share, truth->count[part],
              truth->own ? "test" : "labelled");
  return SOTTO_OK;
}
