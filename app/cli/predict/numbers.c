/* Predicted numbers: their file, their errors, and the summary. */
#include "predict.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "common/memory.h"
#include "common/print.h"
#include "sotto/nn.h"

static const char *const part_words[] = {"known", "training", "validation", "test"};

/* The quality of the nodes of a part, or with SOTTO_PART_NONE of all, whose number is known. */
static sotto_status measure_part(predict_numbers *out, sotto_part part, const predict_numbers_of *of,
                                 sotto_error *err) {
  const size_t all = of->nodes->count;
  sotto_matrix predicted = {0};
  float *known = NULL;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(app_new(&predicted.data, all, sizeof *predicted.data, err));
  SOTTO_TRY(app_new(&known, all, sizeof *known, err));
  for (size_t i = 0; i < all; i++) {
    const float number = of->numbers == NULL ? NAN : of->numbers[of->nodes->nodes[i]];
    if (!isfinite(number) || (part != SOTTO_PART_NONE && (of->parts == NULL || of->parts[i] != part)))
      continue;
    predicted.data[count] = of->rows->data[i];
    known[count++] = number;
  }
  predicted.rows = count;
  predicted.cols = 1;
  out->nodes[part] = count;
  status = sotto_number_quality(&out->of[part], &predicted, known, count, err);
done:
  free(predicted.data);
  free(known);
  return status;
}

sotto_status predict_numbers_measure(predict_numbers *out, const predict_numbers_of *of, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = (predict_numbers){.part = of->parts == NULL ? SOTTO_PART_NONE : SOTTO_PART_TEST};
  for (sotto_part part = SOTTO_PART_NONE; part <= SOTTO_PART_TEST; part++)
    SOTTO_TRY(measure_part(out, part, of, err));
done:
  return status;
}

static json_t *measures_json(const predict_numbers *m, sotto_part part) {
  static const sotto_measure list[] = {SOTTO_MEASURE_R2, SOTTO_MEASURE_RMSE, SOTTO_MEASURE_MAE};
  json_t *out = json_pack("{s:I}", "nodes", (json_int_t)m->nodes[part]);
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    const double value = m->of[part].of[list[i]];
    (void)json_object_set_new(out, sotto_measure_name(list[i]),
                              isfinite(value) ? json_real(value) : json_null());
  }
  return out;
}

static sotto_status print_json(const predict_numbers *m, const predict_numbers_of *of, const char *path,
                               sotto_error *err) {
  const sotto_unseen *u = of->unseen;
  json_t *parts = json_object();
  for (sotto_part part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    (void)json_object_set_new(parts, part == SOTTO_PART_TRAIN ? "train" : part_words[part],
                              measures_json(m, part));
  json_t *unseen = u == NULL ? json_null()
                             : json_pack("{s:I,s:I,s:s}", "count", (json_int_t)u->count, "nodes",
                                         (json_int_t)u->nodes, "words", u->words);
  json_t *root =
      json_pack("{s:I,s:s,s:s,s:s,s:o,s:o,s:o}", "nodes", (json_int_t)of->nodes->count, "task", "regression",
                "file", path, "measured_on", part_words[m->part], "measures", measures_json(m, m->part),
                "measures_by_part", of->parts == NULL ? json_null() : json_incref(parts), "unseen", unseen);
  char *text = root == NULL ? NULL : json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6));
  json_decref(parts);
  json_decref(root);
  if (text == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the summary of predictions");
  (void)puts(text);
  free(text);
  return SOTTO_OK;
}

sotto_status predict_numbers_print(const predict_numbers *m, const predict_numbers_of *of, const char *path,
                                   bool json, sotto_error *err) {
  const char *title = "R2, RMSE, MAE";
  if (json) return print_json(m, of, path, err);
  app_print(stdout, "  nodes            %zu, a number each\n  written to       %s\n", of->nodes->count, path);
  for (int part = m->part; part >= 0; part--) {
    const double *value = m->of[part].of;
    if (m->nodes[part] == 0 || (part == SOTTO_PART_NONE && m->part != SOTTO_PART_NONE)) continue;
    app_print(stdout, "  %-16s %.4f, %.5g, %.5g of %zu %s nodes\n", title, value[SOTTO_MEASURE_R2],
              value[SOTTO_MEASURE_RMSE], value[SOTTO_MEASURE_MAE], m->nodes[part], part_words[part]);
    title = "";
  }
  return SOTTO_OK;
}
