/* Predictions of gcn, mean, sage and pertgraph. The first layer's products are stored, the rest is computed
 * for each query; for pertgraph over the perturbed graph in the run folder. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "graph_model.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "protocols/answers/predict_private.h"
#include "run/train/predict.h"

typedef struct over {
  sotto_i_graph_model model; /* the first member, so that a pointer to one is a pointer to the other */
  sotto_dataset released;    /* pertgraph: the released graph */
} over;

/* [X W | X V]; V only for sage. */
static sotto_status first_products(void *self, sotto_matrix *out, const sotto_matrix *x,
                                   const uint32_t *nodes, sotto_error *err) {
  const sotto_i_graph_model *n = self;
  sotto_status status;
  sotto_tape *tape = NULL;
  (void)nodes;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_i_products made = sotto_i_graph_model_products(n, tape, 0, sotto_tape_fixed(tape, x));
  SOTTO_TRY(sotto_tape_copy(out, tape, n->sage ? sotto_tape_concat(tape, made.spread, made.own) : made.spread,
                            err));
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
  SOTTO_TRY(sotto_tape_copy(out, tape, sotto_tape_gather_rows(tape, x, nodes, count), err));
done:
  sotto_tape_free(tape);
  return status;
}

static void free_model(void *self) {
  over *o = self;
  sotto_i_graph_model_free(&o->model);
  sotto_dataset_free(&o->released);
  sotto_i_free(o);
}

/* The graph in the run folder, if it is of this data. */
static sotto_status load_graph(over *o, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = from->job;
  char *path = NULL;
  sotto_status status;
  if (from->fresh)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "fresh: answers come from the perturbed graph that the run keeps alone");
  SOTTO_TRY(sotto_i_opening_check(from, err));
  SOTTO_TRY(sotto_i_join(&path, job->folder, SOTTO_I_PERTURBED_FILE, err));
  SOTTO_TRY(sotto_dataset_open(&o->released, path, NULL, err));
  if (o->released.graph.nodes != job->data->graph.nodes)
    status = sotto_i_fail(err, SOTTO_INVALID,
                          "%s: is of other data than %s; another graph is another release, to be made and "
                          "charged by a run of its own",
                          path, job->data->name);
done:
  sotto_i_free(path);
  return status;
}

static sotto_status open_model(sotto_i_predictor *out, const sotto_i_opening *from, bool sage, bool perturbed,
                               sotto_error *err) {
  const sotto_i_job *job = from->job;
  const sotto_graph *graph = &job->data->graph;
  sotto_status status;
  over *o = NULL;
  SOTTO_TRY(sotto_i_new(&o, 1, sizeof *o, err));
  *out = (sotto_i_predictor){.self = o, .rows = first_products, .scores = scores_of, .free = free_model};
  o->model = (sotto_i_graph_model){.job = job, .parted = from->parted, .sage = sage};
  if (perturbed && job->cost->count > 0) {
    SOTTO_TRY(load_graph(o, from, err));
    graph = &o->released.graph;
  }
  SOTTO_TRY(sotto_i_graph_model_new(&o->model, graph, err));
  sotto_params *sets[] = {o->model.params};
  SOTTO_TRY(sotto_params_load(sets, 1, from->file, err));
done:
  return status;
}

sotto_status sotto_i_predict_graph(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  return open_model(out, from, false, false, err);
}

sotto_status sotto_i_predict_sage(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  if (sotto_i_answers_privately_fitted(from->job->options)) return sotto_i_predict_private(out, from, err);
  return open_model(out, from, true, false, err);
}

sotto_status sotto_i_predict_perturbed(sotto_i_predictor *out, const sotto_i_opening *from,
                                       sotto_error *err) {
  if (sotto_i_answers_privately_fitted(from->job->options)) return sotto_i_predict_private(out, from, err);
  return open_model(out, from, true, true, err);
}
