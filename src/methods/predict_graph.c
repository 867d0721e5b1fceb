/* Predictions of gcn, mean and sage: the first layer's products are kept, all else is computed anew. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph_model.h"
#include "predict.h"

static sotto_status copy_value(sotto_matrix *out, sotto_tape *tape, sotto_var x, sotto_error *err) {
  sotto_status status = sotto_tape_check(tape, err);
  if (status != SOTTO_OK) return status;
  const sotto_matrix value = sotto_tape_value(tape, x);
  status = sotto_matrix_new(out, value.rows, value.cols, err);
  if (status == SOTTO_OK) memcpy(out->data, value.data, value.rows * value.cols * sizeof(float));
  return status;
}

/* [X W | X V]; V for sage alone. */
static sotto_status rows_of(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                            sotto_error *err) {
  const sotto_i_graph_model *n = self;
  sotto_status status;
  sotto_tape *tape = NULL;
  (void)nodes;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_i_products made = sotto_i_graph_model_products(n, tape, 0, sotto_tape_fixed(tape, x));
  SOTTO_TRY(
      copy_value(out, tape, n->sage ? sotto_tape_concat(tape, made.spread, made.own) : made.spread, err));
done:
  sotto_tape_free(tape);
  return status;
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const sotto_i_graph_model *n = self;
  sotto_status status;
  sotto_tape *tape = NULL;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  sotto_var x = sotto_tape_constant(tape, rows);
  sotto_i_products made = {x, {0}};
  if (n->sage) {
    made.spread = sotto_tape_columns(tape, x, 0, rows->cols / 2);
    made.own = sotto_tape_columns(tape, x, rows->cols / 2, rows->cols);
  }
  x = sotto_i_graph_model_layer(n, tape, 0, &made);
  for (size_t k = 1; k < n->count; k++) {
    made = sotto_i_graph_model_products(n, tape, k, x);
    x = sotto_i_graph_model_layer(n, tape, k, &made);
  }
  SOTTO_TRY(copy_value(out, tape, sotto_tape_gather_rows(tape, x, nodes, count), err));
done:
  sotto_tape_free(tape);
  return status;
}

static void free_model(void *self) {
  sotto_i_graph_model_free(self);
  sotto_i_free(self);
}

sotto_status sotto_i_predict_graph(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  sotto_status status;
  sotto_i_graph_model *n = NULL;
  SOTTO_TRY(sotto_i_new(&n, 1, sizeof *n, err));
  *out = (sotto_i_predictor){.self = n, .rows = rows_of, .scores = scores_of, .free = free_model};
  *n = (sotto_i_graph_model){
      .job = from->job, .parted = from->parted, .sage = strcmp(from->job->options->method, "sage") == 0};
  SOTTO_TRY(sotto_i_graph_model_new(n, &from->job->data->graph, err));
  sotto_params *sets[] = {n->params};
  SOTTO_TRY(sotto_params_load(sets, 1, from->file, err));
done:
  return status;
}
