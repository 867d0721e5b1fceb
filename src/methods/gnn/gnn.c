/* Graph networks without privacy: what the private ones are measured against.
 *   gin        VESPER with no noise (Wu et al. 2023: "the epsilon parameter set to infinity")
 *   gcn, mean  K layers S (dropout(X) W) with ReLU between (Kipf and Welling 2017), trained as one network
 *   sage       K layers X W + (mean of neighbours of X) V (Hamilton, Ying and Leskovec 2017), likewise */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/random.h"
#include "graph_model.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "methods/vesper/vesper.h"
#include "nn/number_scale.h"
#include "protocols/networks/networks.h"
#include "run/files/job_file.h"
#include "tensor/tape.h"

enum { convolution_streams = 48 };

sotto_i_products sotto_i_graph_model_products(const sotto_i_graph_model *n, sotto_tape *tape, size_t k,
                                              sotto_var x) {
  sotto_i_products made = {sotto_tape_matmul(tape, x, sotto_params_var(n->params, n->layers[k].weight, tape)),
                           {0}};
  if (n->sage) made.own = sotto_tape_matmul(tape, x, sotto_params_var(n->params, n->own[k], tape));
  return made;
}

sotto_var sotto_i_graph_model_layer(const sotto_i_graph_model *n, sotto_tape *tape, size_t k,
                                    const sotto_i_products *made) {
  /* The bias comes after S in Kipf and Welling's form; rows of S do not sum to 1, so the order matters. */
  sotto_var x = sotto_operator_var(n->spread, tape, made->spread);
  if (n->sage) x = sotto_tape_add(tape, x, made->own);
  x = sotto_tape_add_row(tape, x, sotto_params_var(n->params, n->layers[k].bias, tape));
  if (k + 1 < n->count) return sotto_tape_relu(tape, x);
  return sotto_i_learns_numbers(n->job->options) ? sotto_i_number_scale_apply(&n->scale, n->params, tape, x)
                                                 : x;
}

static sotto_var features_of(sotto_i_graph_model *n, sotto_tape *tape) {
  if (n->entries.worth) return sotto_i_tape_entries(tape, &(sotto_i_sparse_view){&n->entries, NULL});
  return sotto_tape_fixed(tape, n->own_rows.data != NULL ? &n->own_rows : n->job->features);
}

static sotto_status read_features(sotto_i_graph_model *n, sotto_error *err) {
  const sotto_i_job *job = n->job;
  const sotto_status status = sotto_i_scaled_entries(&n->entries, job->options, job->data, err);
  if (status != SOTTO_OK || n->entries.worth || job->features->data != NULL) return status;
  return sotto_i_scaled_features(&n->own_rows, job->options, job->data, err);
}

static sotto_var network_forward(void *model, const sotto_pass *pass, const sotto_i_batch *batch) {
  sotto_i_graph_model *n = model;
  sotto_tape *tape = pass->tape;
  float dropout = pass->training ? (float)n->job->options->dropout : 0;
  sotto_var x = features_of(n, tape);
  for (size_t k = 0; k < n->count; k++) {
    if (dropout > 0)
      x = sotto_tape_dropout(tape, x, dropout, pass->key, (uint32_t)(convolution_streams + k), pass->step);
    const sotto_i_products made = sotto_i_graph_model_products(n, tape, k, x);
    x = sotto_i_graph_model_layer(n, tape, k, &made);
  }
  return sotto_tape_gather_rows(tape, x, n->parted->split.rows[batch->part],
                                n->parted->split.count[batch->part]);
}

sotto_status sotto_i_graph_model_new(sotto_i_graph_model *n, const sotto_graph *graph, sotto_error *err) {
  const sotto_options *o = n->job->options;
  sotto_status status;
  sotto_key key;
  sotto_i_job_key(&key, n->job);
  n->count = (size_t)o->layers;
  SOTTO_TRY(sotto_params_new(&n->params, err));
  sotto_aggregator kind = n->sage ? SOTTO_AGGREGATOR_MEAN : sotto_i_job_aggregator(o);
  SOTTO_TRY(sotto_operator_new(&n->spread, graph, kind, 0, !n->sage, err));
  for (size_t k = 0; k < n->count; k++) {
    char name[40];
    size_t in = k == 0 ? n->job->features->cols : o->hidden;
    size_t out = k + 1 == n->count ? sotto_i_outputs(o, n->job->data) : o->hidden;
    (void)snprintf(name, sizeof name, "convolution%zu", k + 1);
    SOTTO_TRY(sotto_linear_new(&n->layers[k], n->params, name, in, out, &key, err));
    if (!n->sage) continue;
    (void)snprintf(name, sizeof name, "convolution%zu.own", k + 1);
    SOTTO_TRY(sotto_params_add(n->params, &n->own[k], name, in, out, SOTTO_INIT_GLOROT, true, &key, err));
  }
  if (sotto_i_learns_numbers(o))
    SOTTO_TRY(sotto_i_number_scale_new(&n->scale, n->params, "numbers", &key, err));
done:
  return status;
}

void sotto_i_graph_model_free(sotto_i_graph_model *n) {
  sotto_params_free(n->params);
  sotto_operator_free(n->spread);
  sotto_i_sparse_free(&n->entries);
  sotto_matrix_free(&n->own_rows);
}

static sotto_status run_network(sotto_i_outcome *out, const sotto_i_job *job, const sotto_graph *graph,
                                bool sage, sotto_error *err) {
  sotto_status status;
  sotto_i_parted parted = {0};
  sotto_i_graph_model n = {.job = job, .parted = &parted, .sage = sage};
  sotto_key key;
  sotto_i_job_key(&key, job);
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  SOTTO_TRY(sotto_i_graph_model_new(&n, graph, err));
  SOTTO_TRY(read_features(&n, err));
  sotto_i_task task = {.model = &n, .params = n.params, .forward = network_forward, .key = &key};
  sotto_i_parted_learn(&task, &parted);
  if (sotto_i_learns_numbers(job->options))
    SOTTO_TRY(sotto_i_number_scale_learn(&n.scale, n.params, task.targets, err));
  sotto_i_stage stage = {.job = job, .name = "network", .epochs = job->options->epochs};
  SOTTO_TRY(sotto_i_fit_and_measure(&out->quality.validation, &out->quality.test, &task, &stage, err));
  out->quality.seed = job->seed;
  out->quality.baseline_test = out->quality.baseline_validation = sotto_i_quality_none();
  const sotto_params *sets[] = {n.params};
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  sotto_i_graph_model_free(&n);
  sotto_i_parted_free(&parted);
  return status;
}

sotto_status sotto_i_gnn_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  if (job->plan->options.aggregator == SOTTO_AGGREGATOR_SUM) return sotto_i_vesper_run(out, job, err);
  return run_network(out, job, &job->data->graph, false, err);
}

sotto_status sotto_i_sage_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  return run_network(out, job, &job->data->graph, true, err);
}

sotto_status sotto_i_sage_on(sotto_i_outcome *out, const sotto_i_job *job, const sotto_graph *graph,
                             sotto_error *err) {
  return run_network(out, job, graph, true, err);
}
