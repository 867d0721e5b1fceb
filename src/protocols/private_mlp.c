/* One training by DP-SGD at node level: a perceptron on features, or one-hop GraphSAGE, a perceptron on
 * features and the mean of neighbours' features (GNN DP-SGD, Daigavane et al. 2021). There a node is in its
 * own example and in those of its neighbours, before and after: 1 + 2 D_max of them. With `--fan-out` it
 * joins each of these with some probability. */
#include "private_mlp.h"

#include <math.h>

#include "base/error.h"
#include "inside/graph.h"
#include "protocols/node_budget.h"
#include "protocols/table.h"
#include "release/plan.h"
#include "run/settings/options.h"

static const sotto_i_private_mlp *variant_of(const sotto_options *options) {
  return sotto_i_variant_of(options)->protocol;
}

static sotto_status plan_of(sotto_i_sgd_plan *plan, sotto_i_budget_use *use, const sotto_i_job *job,
                            sotto_error *err) {
  const sotto_options *o = job->options;
  bool graph = variant_of(o)->neighbours;
  const uint64_t sample = graph ? o->fan_out : 0;
  const bool all = graph && sample == 0;
  if (sample > o->max_degree)
    return sotto_i_fail(err, SOTTO_RANGE, "fan-out: %llu of at most %llu neighbours (max-degree)",
                        (unsigned long long)sample, (unsigned long long)o->max_degree);
  sotto_status status = sotto_i_sgd_plan_new(plan, job, job->data->features.cols * (graph ? 2 : 1), o->epochs,
                                             all ? 1 + 2 * o->max_degree : 1, err);
  if (status != SOTTO_OK) return status;
  plan->sample = sample;
  plan->degree = o->max_degree;
  const char *what = "DP-SGD: noisy sums of the clipped gradients of secret batches of training nodes";
  if (all)
    what = "DP-SGD: noisy sums of the clipped gradients of all training nodes, of which one node is in 1 + 2 "
           "max-degree";
  if (sample > 0)
    what = "DP-SGD: noisy sums of the clipped gradients of secret batches of training nodes, each with a "
           "secret sample of its neighbours";
  *use = (sotto_i_budget_use){.what = what, .share = 1, .sgd = plan};
  return sotto_i_node_budget(use, 1, o->epsilon, o->delta, err);
}

sotto_status sotto_i_private_mlp_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_sgd_plan plan;
  sotto_i_budget_use use;
  sotto_status status;
  *out = (sotto_cost){.adjacency = "node"};
  if (job->data->features.cols == 0 || job->data->labels == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has no features or no labels to learn", job->data->name);
  SOTTO_TRY(plan_of(&plan, &use, job, err));
  sotto_i_node_cost_sgd(out, &use);
done:
  return status;
}

/* Features, concatenated with the mean over neighbours. */
static sotto_status append_neighbour_mean(sotto_matrix *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_operator *mean = NULL;
  sotto_matrix around = {0};
  SOTTO_TRY(sotto_operator_new(&mean, &job->data->graph, SOTTO_AGGREGATOR_MEAN, 0, false, err));
  SOTTO_TRY(sotto_matrix_new(&around, job->features->rows, job->features->cols, err));
  SOTTO_TRY(sotto_operator_apply(mean, &around, job->features, err));
  SOTTO_TRY(sotto_i_table_join(out, job->features, &around, err));
done:
  sotto_operator_free(mean);
  sotto_matrix_free(&around);
  return status;
}

sotto_status sotto_i_private_mlp_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_i_sgd_plan plan = {.steps = 0};
  sotto_i_budget_use use;
  sotto_i_parted parted = {0};
  sotto_i_private_net net = {.params = NULL};
  sotto_matrix wide = {0};
  bool graph = variant_of(job->options)->neighbours;
  SOTTO_TRY(plan_of(&plan, &use, job, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  if (graph) SOTTO_TRY(append_neighbour_mean(&wide, job, err));
  const sotto_i_subgraphs subgraphs = {
      .graph = &job->data->graph, .features = job->features, .sample = plan.sample, .degree = plan.degree};
  const sotto_i_private_fit fit = {.job = job,
                                   .parted = &parted,
                                   .table = graph ? &wide : job->features,
                                   .subgraphs = plan.sample > 0 ? &subgraphs : NULL,
                                   .plan = &plan,
                                   .name = variant_of(job->options)->name,
                                   .stage = "network",
                                   .file = "model.safetensors"};
  SOTTO_TRY(sotto_i_private_fit_run(&net, &out->quality.validation, &out->quality.test, &fit, err));
  out->quality.seed = job->seed;
  out->quality.baseline_test = out->quality.baseline_validation = sotto_i_quality_none();
done:
  sotto_i_private_net_free(&net);
  sotto_matrix_free(&wide);
  sotto_i_parted_free(&parted);
  return status;
}
