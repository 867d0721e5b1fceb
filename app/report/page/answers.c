/* Predictions of the run's model for the test nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "common/memory.h"
#include "owner.h"
#include "sotto/model.h"

static sotto_status open_data(sotto_dataset *out, const page_run *run, const char *folder, const char *path,
                              sotto_error *err) {
  sotto_options options = run->options;
  if (path != NULL) (void)snprintf(options.data, sizeof options.data, "%s", path);
  return sotto_run_data_open(out, &options, folder, NULL, err);
}

static size_t bin_of(uint64_t degree) {
  size_t bin = 0;
  for (; degree > 0 && bin + 1 < PAGE_DEGREES; degree /= 2) bin++;
  return bin;
}

static void count_degrees(page_answers *out, const sotto_matrix *rows, const sotto_dataset *data,
                          const uint32_t *tested, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const float *row = rows->data + (size_t)tested[i] * rows->cols;
    size_t best = 0;
    for (size_t c = 1; c < rows->cols; c++)
      if (row[c] > row[best]) best = c;
    const size_t bin = bin_of(sotto_graph_degree(&data->graph, tested[i]));
    out->nodes_of[bin]++;
    out->right_of[bin] += (int32_t)best == data->labels[tested[i]];
  }
}

static sotto_status predict_test_nodes(page_answers *out, const page_run *run, const char *folder,
                                       const char *path, sotto_error *err) {
  sotto_dataset data = {0};
  sotto_model *model = NULL;
  sotto_matrix rows = {0};
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(open_data(&data, run, folder, path, err));
  SOTTO_TRY(sotto_model_open(&model, folder, &data, NULL, err));
  SOTTO_TRY(sotto_model_query(&rows, model, &(sotto_query){.wanted = NULL}, err));
  const uint32_t *tested = sotto_model_part(model, SOTTO_PART_TEST, &count);
  const int32_t *labels = sotto_model_data(model)->labels;
  if (labels == NULL || count == 0) {
    status = sotto_i_fail(err, SOTTO_UNSUPPORTED, "the data has no labelled test part");
    goto done;
  }
  SOTTO_TRY(sotto_confusion_measure(&out->confusion, &rows, labels, tested, count, err));
  SOTTO_TRY(sotto_calibration_measure(&out->calibration, &rows, labels, tested, count, err));
  count_degrees(out, &rows, sotto_model_data(model), tested, count);
  out->there = true;
done:
  sotto_matrix_free(&rows);
  sotto_model_free(model);
  sotto_dataset_free(&data);
  return status;
}

sotto_status page_answers_get(page_answers *out, const page_run *run, const char *folder, const char *data,
                              sotto_error *err) {
  sotto_error why = {0};
  *out = (page_answers){.there = false};
  if (!run->has_options) {
    (void)snprintf(out->why, sizeof out->why, "the folder has no run.yaml");
    return SOTTO_OK;
  }
  if (run->options.task == SOTTO_TASK_REGRESSION) {
    (void)snprintf(out->why, sizeof out->why, "the model predicts numbers, and no classes");
    return SOTTO_OK;
  }
  const sotto_status status = predict_test_nodes(out, run, folder, data, &why);
  if (status == SOTTO_NOMEM || status == SOTTO_INTERRUPTED || (data != NULL && status == SOTTO_NOT_FOUND)) {
    *err = why;
    return status;
  }
  if (status != SOTTO_OK) (void)snprintf(out->why, sizeof out->why, "%.590s", why.text);
  return SOTTO_OK;
}
