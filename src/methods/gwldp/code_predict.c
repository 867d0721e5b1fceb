/* Answers about graphs by the labels that a run of codes learnt. They are computed where the graphs are:
 * nothing leaves, and nothing is charged. The labels of anchors follow from reports, and are all that is
 * read. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "code.h"
#include "protocols/answers/graph_items.h"
#include "run/train/predict.h"

/* A label has no probability here: its class gets nearly all. */
static const float sure = 30;

sotto_status sotto_i_code_items(sotto_dataset *out, const sotto_options *options, const sotto_dataset *data,
                                sotto_error *err) {
  sotto_i_gw_anchors anchors = {.count = 0};
  uint32_t *codes = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_graph_items_check(data, err));
  SOTTO_TRY(sotto_i_code_open_anchors(&anchors, options, err));
  SOTTO_TRY(sotto_i_new(&codes, data->graph_count, sizeof *codes, err));
  SOTTO_TRY(sotto_i_gw_code(codes, &anchors, data, err));
  SOTTO_TRY(sotto_i_graph_items(out, codes, data, err));
done:
  sotto_i_gw_anchors_free(&anchors);
  sotto_i_free(codes);
  return status;
}

typedef struct learnt {
  uint32_t *label;
  size_t anchors, classes;
} learnt;

static sotto_status copy_codes(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *graphs,
                               sotto_error *err) {
  (void)self;
  (void)graphs;
  const sotto_status status = sotto_matrix_new(out, x->rows, 1, err);
  if (status == SOTTO_OK) memcpy(out->data, x->data, x->rows * sizeof *x->data);
  return status;
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *graphs,
                              size_t count, sotto_error *err) {
  const learnt *l = self;
  const sotto_status status = sotto_matrix_new(out, count, l->classes, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++) {
    const float code = rows->data[graphs[i]];
    if (code >= 0 && code < (float)l->anchors) out->data[i * l->classes + l->label[(size_t)code]] = sure;
  }
  return SOTTO_OK;
}

static void free_learnt(void *self) {
  learnt *l = self;
  if (l != NULL) sotto_i_free(l->label);
  sotto_i_free(l);
}

sotto_status sotto_i_code_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  sotto_i_code_terms terms = {.classes = from->job->data->classes};
  learnt *l = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&l, 1, sizeof *l, err));
  *out = (sotto_i_predictor){
      .self = l, .rows = copy_codes, .scores = scores_of, .free = free_learnt, .fixed = true};
  SOTTO_TRY(sotto_i_code_open_anchors(&terms.anchors, from->job->options, err));
  l->anchors = terms.anchors.count;
  l->classes = terms.classes;
  SOTTO_TRY(sotto_i_code_load_labels(&l->label, &terms, from->file, err));
done:
  sotto_i_code_terms_free(&terms);
  return status;
}
