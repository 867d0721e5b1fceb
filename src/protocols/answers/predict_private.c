/* Predictions of networks that DP-SGD fitted at node level. */
#include "predict_private.h"

#include "base/error.h"
#include "base/memory.h"
#include "inside/graph.h"
#include "inside/nn.h"
#include "protocols/networks/networks.h"
#include "protocols/private_fit.h"
#include "protocols/private_mlp.h"
#include "protocols/table.h"
#include "run/settings/options.h"
#include "tensor/columns.h"

typedef struct fitted {
  sotto_i_private_net net;
  sotto_operator *mean;  /* of neighbours' rows; NULL: the network reads a node's own row */
  sotto_matrix released; /* of all nodes, read beside a node's own row; without columns: none */
} fitted;

const char sotto_i_no_node_release[] =
    "its answers read rows that the training released, and no release of other data is made at node level";

bool sotto_i_answers_privately_fitted(const sotto_options *options) {
  return sotto_i_variant_of(options)->run == sotto_i_private_mlp_run;
}

static sotto_status copy_features(void *self, sotto_matrix *out, const sotto_matrix *x, const uint32_t *nodes,
                                  sotto_error *err) {
  (void)self;
  (void)nodes;
  return sotto_i_take_columns(out, x, 0, x->cols, err);
}

/* Rows of all nodes, concatenated with the mean over neighbours. */
static sotto_status append_neighbours(sotto_matrix *out, const fitted *f, const sotto_matrix *rows,
                                      sotto_error *err) {
  sotto_matrix around = {0};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&around, rows->rows, rows->cols, err));
  SOTTO_TRY(sotto_operator_apply(f->mean, &around, rows, err));
  SOTTO_TRY(sotto_i_table_join(out, rows, &around, err));
done:
  sotto_matrix_free(&around);
  return status;
}

/* The network's input about each node. */
static sotto_status inputs_of(sotto_matrix *out, const fitted *f, const sotto_matrix *rows,
                              sotto_error *err) {
  if (f->mean != NULL) return append_neighbours(out, f, rows, err);
  return sotto_i_table_join(out, rows, &f->released, err);
}

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const fitted *f = self;
  const sotto_key none = {{0}, SOTTO_KEY_NONE}; /* not read: there is no dropout */
  sotto_matrix wide = {0}, taken = {0};
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(inputs_of(&wide, f, rows, err));
  SOTTO_TRY(sotto_i_take_rows(&taken, &wide, nodes, count, err));
  SOTTO_TRY(sotto_i_embed_all(out, &f->net.mlp, f->net.params, &taken, &none, err));
done:
  sotto_matrix_free(&wide);
  sotto_matrix_free(&taken);
  return status;
}

static void free_fitted(void *self) {
  fitted *f = self;
  sotto_i_private_net_free(&f->net);
  sotto_operator_free(f->mean);
  sotto_matrix_free(&f->released);
  sotto_i_free(f);
}

sotto_status sotto_i_predict_private(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = from->job;
  const sotto_i_private_mlp *network = sotto_i_variant_of(job->options)->protocol;
  fitted *f = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&f, 1, sizeof *f, err));
  *out = (sotto_i_predictor){.self = f,
                             .rows = copy_features,
                             .scores = scores_of,
                             .free = free_fitted,
                             .fixed = !network->neighbours};
  if (network->neighbours)
    SOTTO_TRY(sotto_operator_new(&f->mean, &job->data->graph, SOTTO_AGGREGATOR_MEAN, 0, false, err));
  SOTTO_TRY(sotto_i_private_net_new(&f->net, job, job->features->cols * (network->neighbours ? 2 : 1),
                                    network->name, 0, err));
  SOTTO_TRY(sotto_params_load(&f->net.params, 1, from->file, err));
done:
  return status;
}

sotto_status sotto_i_check_released_nodes(const sotto_i_opening *from, sotto_error *err) {
  return from->own ? SOTTO_OK : sotto_i_opening_refuse(from, "train a new run with it", err);
}

sotto_status sotto_i_predict_beside_release(sotto_i_predictor *out, const sotto_i_opening *from,
                                            const char *name, sotto_matrix *released, sotto_error *err) {
  const sotto_i_job *job = from->job;
  fitted *f = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&f, 1, sizeof *f, err));
  *out = (sotto_i_predictor){
      .self = f, .rows = copy_features, .scores = scores_of, .free = free_fitted, .fixed = true};
  f->released = *released;
  *released = (sotto_matrix){0};
  if (f->released.rows != job->data->graph.nodes) {
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: its release has rows of %zu nodes, and %s has %llu; give the folder as the "
                          "training left it",
                          job->folder, f->released.rows, job->data->name,
                          (unsigned long long)job->data->graph.nodes);
    goto done;
  }
  SOTTO_TRY(sotto_i_private_net_new(&f->net, job, job->features->cols + f->released.cols, name, 0, err));
  SOTTO_TRY(sotto_i_params_load_some(&f->net.params, 1, from->file, err));
done:
  sotto_matrix_free(released);
  return status;
}
