/* The noisy aggregates of the stages: their privacy cost, release, cache and charge.
 *
 * At edge level the summed rows follow from features, labels and earlier releases. So given these, one edge
 * changes two sums by a row of norm at most 1 each: sensitivity sqrt 2, or that of the operator with the
 * degree floor, in every stage. K adaptive Gaussian releases of mu / sqrt K compose to mu exactly. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "pmp/release.h"
#include "progap.h"
#include "protocols/table.h"
#include "release/artifact.h"
#include "release/plan.h"

enum { file_size = 32 };

static void name_file(char out[file_size], uint32_t stage) {
  (void)snprintf(out, file_size, "aggregate-%u.sotto", stage);
}

sotto_pmp_options sotto_i_progap_pmp(const sotto_options *options) {
  return (sotto_pmp_options){
      .aggregator = sotto_i_job_aggregator(options), .layers = 1, .degree_floor = options->degree_floor};
}

sotto_status sotto_i_progap_edge_plan(sotto_pmp_plan *out, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_pmp_options pmp = sotto_i_progap_pmp(o);
  double mu = INFINITY;
  sotto_status status = SOTTO_OK;
  if (sotto_i_price_asked(o)) {
    SOTTO_TRY(sotto_gdp_mu(&mu, o->epsilon, o->delta, err));
    mu *= (1 - 1e-9) / sqrt((double)o->layers); /* so that K of them, rounded, do not exceed the whole */
  }
  SOTTO_TRY(sotto_i_pmp_plan_for(out, &pmp, job->data->graph.nodes, o->hidden, mu, err));
done:
  return status;
}

void sotto_i_progap_cost_add(sotto_cost *cost, const sotto_pmp_plan *plan) {
  sotto_mechanism gaussian = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  gaussian.noise = plan->grid.sigma;
  gaussian.sensitivity = plan->sensitivity;
  const char *what = plan->options.protection.nonnegative
                         ? "noisy sums over neighbours of the previous stage's embeddings, floored at 0"
                         : "noisy sums over neighbours of the previous stage's embeddings";
  sotto_i_cost_add(cost, what, &gaussian, plan->mu, 0);
}

sotto_status sotto_i_progap_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err) {
  sotto_pmp_plan plan;
  *out = (sotto_cost){.adjacency = "edge"};
  sotto_status status = sotto_i_progap_edge_plan(&plan, job, err);
  if (status != SOTTO_OK || !(plan.grid.sigma > 0)) return status;
  for (uint64_t k = 0; k < job->options->layers; k++) sotto_i_progap_cost_add(out, &plan);
  return SOTTO_OK;
}

sotto_status sotto_i_progap_sums(sotto_matrix *out, const sotto_i_progap_aggregate *a, const sotto_key *key,
                                 sotto_error *err) {
  const sotto_i_job *job = a->job;
  sotto_release *made = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_release_new(&made, a->plan, &job->data->graph, a->rows, key, "", job->options->out, "",
                              job->observer, err));
  SOTTO_TRY(sotto_i_table_join(out, sotto_release_layer(made, 1), &(sotto_matrix){0}, err));
done:
  sotto_release_free(made);
  return status;
}

/* The exact sums to which the noise is added. */
static sotto_status exact_sums(void *context, sotto_matrix *table, sotto_error *err) {
  sotto_i_progap_aggregate a = *(const sotto_i_progap_aggregate *)context;
  sotto_pmp_plan plan = *a.plan;
  sotto_key key;
  plan.grid.sigma = 0;
  plan.options.raw = true;
  a.plan = &plan;
  sotto_key_system(&key);
  const sotto_status status = sotto_i_progap_sums(table, &a, &key, err);
  sotto_key_wipe(&key);
  return status;
}

/* Each stage has its own noise, also when a fixed seed replaces the system's key. */
static sotto_status make_aggregate(void *context, sotto_graph *graph, sotto_matrix *table,
                                   const sotto_key *whole, sotto_error *err) {
  const sotto_i_progap_aggregate *a = context;
  sotto_key key;
  (void)graph;
  sotto_i_key_derive(&key, whole, a->stage);
  sotto_status status = sotto_i_progap_sums(table, a, &key, err);
  sotto_key_wipe(&key);
  return status;
}

/* The parameters of the release, without its rows, which follow from data, options and earlier releases. */
static void describe_aggregate(char *out, size_t size, const sotto_i_progap_aggregate *a) {
  const sotto_options *o = a->job->options;
  const sotto_pmp_options *p = &a->plan->options;
  (void)snprintf(out, size,
                 "%s at %s level, stage %u of %llu: aggregator %d, floor %llu, at most %llu neighbours, row "
                 "clip %.17g, noise %.17g, mu %.17g, columns %zu%s",
                 o->method, sotto_adjacency_name(o->adjacency), (unsigned)a->stage,
                 (unsigned long long)o->layers, (int)p->aggregator, (unsigned long long)p->degree_floor,
                 (unsigned long long)p->protection.most, p->protection.row_clip, a->plan->grid.sigma,
                 a->plan->mu, a->rows->cols, p->protection.nonnegative ? ", rows floored at 0" : "");
}

sotto_status sotto_i_progap_release(sotto_matrix *out, const sotto_i_progap_aggregate *a, sotto_error *err) {
  sotto_i_progap_aggregate context = *a;
  sotto_dataset released = {0};
  char file[file_size], made_with[400];
  sotto_status status;
  name_file(file, a->stage);
  describe_aggregate(made_with, sizeof made_with, a);
  const sotto_i_table_artifact table = {
      .artifact = {.owner = sotto_i_job_owner(a->job),
                   .item = a->plan->grid.sigma > 0 ? a->item : SOTTO_I_NO_ITEM,
                   .file = file,
                   .made_with = made_with,
                   .processed = !a->plan->options.raw},
      .rows = a->job->data->graph.nodes,
      .context = &context,
      .make = make_aggregate,
      .exact = a->plan->options.raw ? NULL : exact_sums};
  SOTTO_TRY(sotto_i_table_use(&released, NULL, &table, err));
  SOTTO_TRY(sotto_i_table_join(out, &released.features, &(sotto_matrix){0}, err));
done:
  sotto_dataset_free(&released);
  return status;
}

sotto_status sotto_i_progap_kept(sotto_matrix *out, bool *found, const sotto_i_job *job, uint32_t stage,
                                 sotto_error *err) {
  sotto_dataset kept = {0};
  char file[file_size], *path = NULL;
  sotto_status status;
  *found = false;
  name_file(file, stage);
  SOTTO_TRY(sotto_i_join(&path, job->folder, file, err));
  if (!sotto_i_is_file(path)) goto done;
  SOTTO_TRY(sotto_dataset_open(&kept, path, NULL, err));
  if (kept.features.rows != job->data->graph.nodes || kept.features.cols != job->options->hidden) goto done;
  SOTTO_TRY(sotto_i_table_join(out, &kept.features, &(sotto_matrix){0}, err));
  *found = true;
done:
  sotto_dataset_free(&kept);
  sotto_i_free(path);
  return status;
}
