/* Node level of `gap`, `caribou` and `dpdgc`: an encoder fitted by DP-SGD, a release of its embeddings
 * summed over neighbours, and a classifier fitted by DP-SGD on a node's features and the released rows.
 * Each of the three is charged before it is used; together they cost the requested epsilon. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "central.h"
#include "inside/pmp.h"
#include "pmp/contractive.h"
#include "protocols/answers/predict_private.h"
#include "protocols/answers/predict_stages.h"
#include "protocols/node_budget.h"
#include "protocols/options.h"
#include "protocols/table.h"
#include "release/plan.h"

enum { encoder, release, classifier, use_count };
static const char classifier_name[] = "classifier";

typedef struct plans {
  sotto_i_sgd_plan sgd[use_count]; /* of encoder and classifier */
  sotto_i_budget_use uses[use_count];
  sotto_pmp_plan pmp;
  sotto_contractive_plan contractive;
  bool is_contractive;
} plans;

const sotto_i_central_release_kind sotto_i_central_contractive = SOTTO_I_CENTRAL_CONTRACTIVE;
const sotto_i_central_release_kind sotto_i_central_decoupled = SOTTO_I_CENTRAL_DECOUPLED;

static sotto_i_central_release_kind kind_of(const sotto_options *o) {
  const sotto_i_central_release_kind *kind = sotto_i_variant_of(o)->protocol;
  return kind == NULL ? SOTTO_I_CENTRAL_LAYERS : *kind;
}

static bool is_decoupled(const sotto_options *o) {
  return kind_of(o) == SOTTO_I_CENTRAL_DECOUPLED;
}

static sotto_pmp_options pmp_of(const sotto_options *o) {
  sotto_pmp_options pmp = {.aggregator = SOTTO_AGGREGATOR_SUM, .layers = 1};
  if (!is_decoupled(o)) pmp = sotto_i_job_pmp(o);
  pmp.protection = sotto_i_node_protection(o, pmp.aggregator != SOTTO_AGGREGATOR_SUM);
  if (is_decoupled(o)) pmp.protection.nonnegative = true; /* its rows are class probabilities */
  return pmp;
}

static size_t released_width(const sotto_i_job *job) {
  return is_decoupled(job->options) ? job->data->classes : job->options->hidden;
}

static sotto_status plan_release(plans *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  uint64_t nodes = job->data->graph.nodes;
  double mu = 1 / p->uses[release].noise;
  if (!p->is_contractive) {
    const sotto_pmp_options pmp = pmp_of(o);
    return sotto_i_pmp_plan_for(&p->pmp, &pmp, nodes, released_width(job), mu, err);
  }
  sotto_contractive_options contractive = sotto_i_contractive_options(o);
  contractive.protection = sotto_i_node_protection(o, true);
  sotto_status status =
      sotto_i_contractive_plan_for(&p->contractive, &contractive, nodes, released_width(job), mu, err);
  p->pmp = sotto_i_contractive_shown(&p->contractive);
  return status;
}

static sotto_status plans_new(plans *p, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_status status;
  *p = (plans){.is_contractive = kind_of(o) == SOTTO_I_CENTRAL_CONTRACTIVE};
  size_t layers = p->is_contractive || is_decoupled(o) ? 1 : o->layers, features = job->data->features.cols;
  size_t in = features + layers * released_width(job);
  SOTTO_TRY(sotto_i_sgd_plan_new(&p->sgd[encoder], job, features, o->encoder_epochs, 1, err));
  SOTTO_TRY(sotto_i_sgd_plan_new(&p->sgd[classifier], job, in, o->epochs, 1, err));
  p->uses[encoder] = (sotto_i_budget_use){
      .what = "encoder, DP-SGD: noisy sums of clipped gradients of secret batches of nodes",
      .share = sotto_i_node_settings_of(o)->encoder_share,
      .sgd = &p->sgd[encoder]};
  p->uses[release] = (sotto_i_budget_use){.share = sotto_i_node_settings_of(o)->release_share,
                                          .kind = SOTTO_MECHANISM_GAUSSIAN};
  p->uses[classifier] = (sotto_i_budget_use){
      .what = "classifier, DP-SGD: noisy sums of clipped gradients of secret batches of nodes",
      .share = 1 - sotto_i_node_settings_of(o)->encoder_share - sotto_i_node_settings_of(o)->release_share,
      .sgd = &p->sgd[classifier]};
  SOTTO_TRY(sotto_i_node_budget(p->uses, use_count, o->epsilon, o->delta, err));
  SOTTO_TRY(plan_release(p, job, err));
done:
  return status;
}

sotto_status sotto_i_central_node_release(sotto_pmp_plan *plan, sotto_contractive_plan *contractive,
                                          bool *is_contractive, size_t *item, const sotto_i_job *job,
                                          sotto_error *err) {
  plans p;
  sotto_status status = plans_new(&p, job, err);
  if (status != SOTTO_OK) return status;
  *plan = p.pmp;
  *contractive = p.contractive;
  *is_contractive = p.is_contractive;
  *item = release;
  return SOTTO_OK;
}

static sotto_cost_item release_item(const plans *p) {
  if (p->is_contractive)
    return (sotto_cost_item){.what = "the last of several noisy contractive layers over the whole graph",
                             .mechanism = sotto_contractive_mechanism(&p->contractive),
                             .mu = p->contractive.mu};
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = p->pmp.grid.sigma;
  gaussian.sensitivity = p->pmp.sensitivity;
  gaussian.count = p->pmp.options.layers;
  return (sotto_cost_item){.what =
                               p->pmp.options.protection.nonnegative
                                   ? "noisy layers of sums over neighbours of rows floored at 0, rows "
                                     "cut, over the whole graph"
                                   : "noisy layers of sums over neighbours, rows cut, over the whole graph",
                           .mechanism = gaussian,
                           .mu = p->pmp.mu};
}

sotto_status sotto_i_central_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  plans p;
  sotto_status status;
  *out = (sotto_cost){.adjacency = "node"};
  SOTTO_TRY(plans_new(&p, job, err));
  sotto_i_node_cost_sgd(out, &p.uses[encoder]);
  out->items[out->count++] = release_item(&p);
  sotto_i_node_cost_sgd(out, &p.uses[classifier]);
done:
  return status;
}

static void normalise_rows(sotto_matrix *x) {
  for (size_t i = 0; i < x->rows; i++) {
    float *row = x->data + i * x->cols;
    double square = 0;
    for (size_t j = 0; j < x->cols; j++) square += (double)row[j] * row[j];
    double factor = square < 1e-24 ? 0 : 1 / sqrt(square);
    for (size_t j = 0; j < x->cols; j++) row[j] = (float)(row[j] * factor);
  }
}

/* [layer 1 | ...]: columns of released layers, which are public, get a standard deviation of 1 / sqrt(width),
 * so that rows have norm about 1. */
static sotto_status read_layers(sotto_matrix *out, const sotto_release *made, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_matrix scaled = {0}, wider = {0};
  for (uint32_t k = 1; k <= sotto_release_plan(made)->options.layers; k++) {
    SOTTO_TRY(sotto_i_table_join(&scaled, sotto_release_layer(made, k), &(sotto_matrix){0}, err));
    SOTTO_TRY(sotto_i_columns_to_standard(&scaled, err));
    float factor = (float)(1 / sqrt((double)scaled.cols));
    for (size_t i = 0; i < scaled.rows * scaled.cols; i++) scaled.data[i] *= factor;
    if (k == 1) {
      *out = scaled;
      scaled = (sotto_matrix){0};
      continue;
    }
    SOTTO_TRY(sotto_i_table_join(&wider, out, &scaled, err));
    sotto_matrix_free(out);
    *out = wider;
    sotto_matrix_free(&scaled);
  }
done:
  sotto_matrix_free(&scaled);
  return status;
}

/* Releases and charges sums of the encoder's rows, and appends them to the features. */
static sotto_status release_rows(sotto_matrix *table, const plans *p, const sotto_i_private_net *net,
                                 const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  sotto_release *made = NULL;
  sotto_matrix rows = {0}, layers = {0};
  sotto_i_job planned = *job;
  planned.plan = &p->pmp;
  planned.contractive = p->is_contractive ? &p->contractive : NULL;
  SOTTO_TRY(sotto_i_private_net_rows(&rows, net, job->features, !is_decoupled(job->options), err));
  normalise_rows(&rows);
  const sotto_i_release_request request = {.inputs = &rows, .item = release};
  SOTTO_TRY(sotto_i_job_release(&made, &planned, &request, err));
  SOTTO_TRY(read_layers(&layers, made, err));
  SOTTO_TRY(sotto_i_table_join(table, job->features, &layers, err));
done:
  sotto_matrix_free(&layers);
  sotto_release_free(made);
  sotto_matrix_free(&rows);
  return status;
}

sotto_status sotto_i_central_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  plans p;
  sotto_i_parted parted = {0};
  sotto_matrix table = {0};
  sotto_i_private_net first = {.params = NULL}, second = {.params = NULL};
  sotto_quality *base = &out->quality.baseline_validation, *with = &out->quality.validation;
  SOTTO_TRY(plans_new(&p, job, err));
  SOTTO_TRY(sotto_i_parted_new(&parted, job, err));
  sotto_i_private_fit fit = {.job = job,
                             .parted = &parted,
                             .table = job->features,
                             .plan = &p.sgd[encoder],
                             .name = "encoder",
                             .stage = "encoder",
                             .file = "encoder.safetensors",
                             .item = encoder};
  SOTTO_TRY(sotto_i_private_fit_run(&first, base, &out->quality.baseline_test, &fit, err));
  SOTTO_TRY(release_rows(&table, &p, &first, job, err));
  fit.table = &table;
  fit.plan = &p.sgd[classifier];
  fit.name = classifier_name;
  fit.stage = "decoder";
  fit.file = "model.safetensors";
  fit.item = fit.number = classifier;
  fit.earlier = first.params;
  SOTTO_TRY(sotto_i_private_fit_run(&second, with, &out->quality.test, &fit, err));
  out->quality.seed = job->seed;
done:
  sotto_i_private_net_free(&first);
  sotto_i_private_net_free(&second);
  sotto_matrix_free(&table);
  sotto_i_parted_free(&parted);
  return status;
}

/* The rows that the classifier read in training, from the seed's folder. */
static sotto_status read_released(sotto_matrix *out, const sotto_i_job *job, sotto_error *err) {
  sotto_release *made = NULL;
  char file[40], *path = NULL;
  sotto_status status;
  sotto_i_release_file(file, job->options, 0, false);
  SOTTO_TRY(sotto_i_join(&path, job->folder, file, err));
  SOTTO_TRY(sotto_release_load(&made, path, err));
  SOTTO_TRY(read_layers(out, made, err));
done:
  sotto_release_free(made);
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_central_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err) {
  if (from->job->options->adjacency == SOTTO_ADJACENCY_NODE) return sotto_i_central_node_open(out, from, err);
  return sotto_i_predict_stages(out, from, err);
}

sotto_status sotto_i_central_node_open(sotto_i_predictor *out, const sotto_i_opening *from,
                                       sotto_error *err) {
  sotto_matrix released = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_check_released_nodes(from, err));
  SOTTO_TRY(read_released(&released, from->job, err));
  return sotto_i_predict_beside_release(out, from, classifier_name, &released, err);
done:
  sotto_matrix_free(&released);
  return status;
}
