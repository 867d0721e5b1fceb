/* Predictions of networks that DP-SGD fitted at node level. */
#include "predict_private.h"

#include "base/memory.h"
#include "inside/graph.h"
#include "protocols/networks/networks.h"
#include "protocols/private_fit.h"
#include "protocols/private_mlp.h"
#include "protocols/table.h"
#include "run/settings/options.h"
#include "tensor/columns.h"

typedef struct fitted {
  sotto_i_private_net net;
  sotto_operator *mean; /* of neighbours' rows; NULL: the network reads a node's own row */
} fitted;

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

static sotto_status scores_of(void *self, sotto_matrix *out, const sotto_matrix *rows, const uint32_t *nodes,
                              size_t count, sotto_error *err) {
  const fitted *f = self;
  const sotto_key none = {{0}, SOTTO_KEY_NONE}; /* not read: there is no dropout */
  sotto_matrix wide = {0}, taken = {0};
  sotto_status status = SOTTO_OK;
  if (f->mean != NULL) SOTTO_TRY(append_neighbours(&wide, f, rows, err));
  SOTTO_TRY(sotto_i_take_rows(&taken, f->mean == NULL ? rows : &wide, nodes, count, err));
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
  sotto_i_free(f);
}

sotto_status sotto_i_predict_private(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  const sotto_i_job *job = from->job;
  const sotto_i_private_mlp *network = sotto_i_variant_of(job->options)->recipe;
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
