/* A run: checks first, then one seed after the other, each kept in the run folder as it is done. */
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/random.h"
#include "base/text.h"
#include "cost.h"
#include "label_response.h"
#include "method.h"
#include "pmp/contractive.h"
#include "pmp/publish.h"
#include "seed_file.h"

typedef struct run {
  const sotto_options *options;
  const sotto_dataset *data;
  sotto_dataset cut; /* the dataset with fewer edges, when degree-cut asks for it: data points here */
  const sotto_i_method *method;
  sotto_matrix features;
  sotto_pmp_plan plan;
  sotto_contractive_plan contractive;
  sotto_cost cost;
  bool has_plan, charges;
  uint64_t releases; /* of one seed; each is as the plan says */
  sotto_ledger *ledger;
  char id[33];
} run;

void sotto_result_free(sotto_result *result) {
  sotto_i_free(result->seeds);
  *result = (sotto_result){0};
}

/* The run's name in the ledger: made once, kept in the folder, so that a resumed run finds its charges. */
static sotto_status run_identity(run *r, sotto_error *err) {
  char *path = NULL;
  sotto_i_map map = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, r->options->out, "run.id", err));
  if (sotto_i_is_file(path)) {
    SOTTO_TRY(sotto_i_map_open(&map, path, err));
    if (map.size < 32)
      status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: is cut short", path);
    else
      memcpy(r->id, map.data, 32);
  } else {
    sotto_key key;
    sotto_key_system(&key);
    sotto_i_hex(r->id, key.bytes, 16);
    status = sotto_i_write_file(path, r->id, 32, err);
  }
done:
  sotto_i_map_close(&map);
  sotto_i_free(path);
  return status;
}

/* Gaussian releases compose by the squares of their mu: each of R gets mu / sqrt R. */
static sotto_status share_of_release(double *epsilon, uint64_t releases, double delta, sotto_error *err) {
  double mu;
  if (releases == 1 || isinf(*epsilon)) return SOTTO_OK;
  sotto_status status = sotto_gdp_mu(&mu, *epsilon, delta, err);
  if (status != SOTTO_OK) return status;
  return sotto_gdp_epsilon(epsilon, mu / sqrt((double)releases) * (1 - 1e-9), delta, err);
}

static sotto_status make_plan(run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  if (r->method->price != NULL) {
    const sotto_i_job job = {.options = o, .data = r->data, .seed = o->seed};
    sotto_status priced = r->method->price(&r->cost, &job, err);
    r->charges = r->cost.count > 0;
    return priced;
  }
  if (!r->method->edges) return SOTTO_OK;
  const sotto_pmp_options pmp = sotto_i_job_pmp(o);
  double epsilon = r->method->noisy && sotto_i_job_wants_privacy(o) ? o->epsilon : INFINITY;
  uint64_t nodes = r->data->graph.nodes;
  sotto_status status;
  if (r->method->contractive) {
    const sotto_contractive_options contractive = sotto_i_job_contractive(o);
    SOTTO_TRY(
        sotto_contractive_plan_new(&r->contractive, &contractive, nodes, o->hidden, epsilon, o->delta, err));
    r->plan = sotto_i_contractive_shown(&r->contractive);
  } else {
    SOTTO_TRY(share_of_release(&epsilon, r->releases, o->delta, err));
    if (sotto_i_publishes(o, "vfgnn"))
      SOTTO_TRY(sotto_i_publish_plan(&r->plan, &pmp, o->max_degree, nodes, sotto_i_released_width(o), epsilon,
                                     o->delta, err));
    else
      SOTTO_TRY(sotto_pmp_plan_new(&r->plan, &pmp, nodes, sotto_i_released_width(o), epsilon, o->delta, err));
  }
  r->has_plan = true;
  r->charges = r->plan.grid.sigma > 0;
done:
  return status;
}

/* Would every release of this run be accepted? Asked before anything is trained or sent. */
static sotto_status check_budget(run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_status status = SOTTO_OK;
  sotto_charge *charges = NULL;
  char(*ids)[SOTTO_I_ID_SIZE] = NULL;
  size_t count = o->seeds * r->releases;
  if (sotto_i_labels_asked(o)) {
    SOTTO_TRY(sotto_ledger_open(&r->ledger, o->ledger[0] == '\0' ? NULL : o->ledger, err));
    SOTTO_TRY(sotto_i_labels_ask(r->ledger, o, r->data, r->id, err));
  }
  if (!r->charges) return SOTTO_OK;
  if (r->method->price != NULL) return sotto_i_cost_ask(&r->ledger, &r->cost, o, r->data, r->id, err);
  if (r->ledger == NULL)
    SOTTO_TRY(sotto_ledger_open(&r->ledger, o->ledger[0] == '\0' ? NULL : o->ledger, err));
  SOTTO_TRY(sotto_i_new(&charges, count, sizeof *charges, err));
  SOTTO_TRY(sotto_i_new(&ids, count, sizeof *ids, err));
  for (uint64_t i = 0; i < count; i++) {
    sotto_i_release_id(ids[i], o, r->id, o->seed + i / r->releases, i % r->releases);
    charges[i] = (sotto_charge){.id = ids[i],
                                .run = o->out,
                                .mechanism = "gaussian",
                                .adjacency = "edge",
                                .description = "",
                                .mu = r->plan.mu,
                                .insecure = o->insecure_seed != SOTTO_UNSET};
  }
  SOTTO_TRY(sotto_ledger_would_accept(r->ledger, r->data->digest, r->data->name, charges, count, err));
done:
  sotto_i_free(charges);
  sotto_i_free(ids);
  return status;
}

static void add_traffic(sotto_traffic *to, const sotto_traffic *from) {
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    to->sent[kind] += from->sent[kind];
    to->received[kind] += from->received[kind];
  }
}

static sotto_status run_seed(sotto_result *out, const run *r, uint64_t index, const sotto_observer *observer,
                             const sotto_recorder *recorder, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_i_outcome outcome = {.exposure_count = 0};
  char name[40];
  char *folder = NULL;
  sotto_status status;
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)(o->seed + index));
  SOTTO_TRY(sotto_i_join(&folder, o->out, name, err));
  SOTTO_TRY(sotto_i_make_folder(folder, err));
  sotto_seed_result *result = &out->seeds[index];
  if (o->resume && sotto_i_seed_file_exists(folder)) {
    SOTTO_TRY(sotto_i_seed_file_read(&outcome, folder, err));
    outcome.quality.resumed = true;
  } else {
    const sotto_i_job job = {.options = o,
                             .data = r->data,
                             .features = &r->features,
                             .plan = r->has_plan ? &r->plan : NULL,
                             .contractive = r->method->contractive ? &r->contractive : NULL,
                             .ledger = r->ledger,
                             .cost = r->method->price != NULL ? &r->cost : NULL,
                             .run_id = r->id,
                             .folder = folder,
                             .seed = o->seed + index,
                             .observer = observer,
                             .recorder = recorder};
    SOTTO_TRY(r->method->run(&outcome, &job, err));
    SOTTO_TRY(sotto_i_seed_file_write(&outcome, folder, err));
  }
  *result = outcome.quality;
  add_traffic(&out->data_party, &outcome.data_party);
  add_traffic(&out->label_party, &outcome.label_party);
  if (outcome.exposure_count > 0) {
    memcpy(out->exposures, outcome.exposures, outcome.exposure_count * sizeof *out->exposures);
    out->data_exposures = outcome.data_exposures;
    out->exposure_count = outcome.exposure_count;
  }
  if (recorder != NULL && recorder->seed != NULL) recorder->seed(recorder->context, result);
done:
  sotto_i_free(folder);
  return status;
}

/* The model that the run leaves behind is the seed's with the best validation; at node level the first one,
 * since validation nodes are protected too and a choice by their labels would be one more release. */
static sotto_status keep_best_model(sotto_result *out, const run *r, sotto_error *err) {
  sotto_i_measure measure = sotto_i_job_measure(r->options);
  size_t best = 0;
  bool choose = r->cost.count == 0 || strcmp(r->cost.adjacency, "node") != 0;
  for (size_t i = 1; choose && i < out->seed_count; i++)
    if (sotto_i_quality_value(&out->seeds[i].validation, measure) >
        sotto_i_quality_value(&out->seeds[best].validation, measure))
      best = i;
  char from[1200];
  sotto_i_map map;
  (void)snprintf(from, sizeof from, "%s/seed-%llu/model.safetensors", r->options->out,
                 (unsigned long long)out->seeds[best].seed);
  (void)snprintf(out->model, sizeof out->model, "%.1000s/model.safetensors", r->options->out);
  sotto_status status = sotto_i_map_open(&map, from, err);
  if (status != SOTTO_OK) return status;
  status = sotto_i_write_file(out->model, map.data, map.size, err);
  sotto_i_map_close(&map);
  return status;
}

static sotto_status state_labels(sotto_result *out, const run *r, sotto_error *err) {
  sotto_response response;
  uint8_t digest[32];
  sotto_status status = sotto_i_labels_price(&response, r->options, r->data, err);
  if (status != SOTTO_OK) return status;
  sotto_i_labels_digest(digest, r->data);
  out->label_epsilon = response.epsilon;
  out->label_lie = (double)response.lie * 0x1p-64;
  (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  return sotto_ledger_spent(r->ledger, &out->label_spent, digest, "node", err);
}

static sotto_status state_privacy(sotto_result *out, run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  out->private_edges = r->charges;
  out->insecure = r->charges && o->insecure_seed != SOTTO_UNSET;
  out->epsilon = r->method->edges ? INFINITY : 0;
  out->total_epsilon = out->epsilon;
  out->central = r->method->price != NULL;
  out->cost = r->cost;
  out->releases = r->releases;
  sotto_status status = sotto_i_labels_asked(o) ? state_labels(out, r, err) : SOTTO_OK;
  if (status != SOTTO_OK || !r->charges) return status;
  (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  if (out->central) {
    SOTTO_TRY(sotto_i_cost_epsilon(&out->epsilon, &r->cost, 1, o->delta, err));
    SOTTO_TRY(sotto_i_cost_epsilon(&out->total_epsilon, &r->cost, o->seeds, o->delta, err));
    return sotto_ledger_spent(r->ledger, &out->spent, r->data->digest, r->cost.adjacency, err);
  }
  out->plan = r->plan;
  out->contractive = r->method->contractive;
  out->contractive_plan = r->contractive;
  SOTTO_TRY(sotto_gdp_epsilon(&out->epsilon, r->plan.mu * sqrt((double)r->releases), o->delta, err));
  SOTTO_TRY(sotto_gdp_epsilon(&out->total_epsilon, r->plan.mu * sqrt((double)(o->seeds * r->releases)),
                              o->delta, err));
  SOTTO_TRY(sotto_ledger_spent(r->ledger, &out->spent, r->data->digest, "edge", err));
done:
  return status;
}

/* Holds the graph to the declared bound, and delta to the number of nodes. */
static sotto_status check_domain(run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_status status = SOTTO_OK;
  sotto_key key;
  if (strcmp(o->adjacency, "node") == 0 && o->delta * (double)r->data->graph.nodes >= 1)
    return sotto_i_fail(err, SOTTO_RANGE, "delta: %g is not below one in %llu, the number of nodes", o->delta,
                        (unsigned long long)r->data->graph.nodes);
  if (o->max_degree == 0) return SOTTO_OK;
  if (o->degree_cut) {
    r->cut = *r->data;
    sotto_key_public(&key, o->seed);
    status = sotto_graph_cut_degrees(&r->cut.graph, &r->data->graph, o->max_degree, &key, err);
    if (status == SOTTO_OK) r->data = &r->cut;
    return status;
  }
  sotto_error found = {0};
  status = sotto_graph_check_degrees(&r->data->graph, o->max_degree, &found);
  if (status == SOTTO_OK) return status;
  return sotto_i_fail(err, status, "max-degree: %.300s: declare a larger one%s", found.text,
                      strcmp(o->adjacency, "edge") == 0 ? "" : ", or cut edges with --degree-cut");
}

sotto_status sotto_train(sotto_result *out, const sotto_options *options, const sotto_dataset *data,
                         const sotto_observer *observer, const sotto_recorder *recorder, sotto_error *err) {
  sotto_status status;
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  options = &resolved;
  run r = {.options = options, .data = data, .releases = sotto_i_job_releases(options)};
  *out = (sotto_result){0};
  SOTTO_TRY(sotto_options_check(options, err));
  r.method = sotto_i_method_of(options);
  if (data->features.cols == 0) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no features to learn from", data->name);
    goto done;
  }
  SOTTO_TRY(check_domain(&r, err));
  SOTTO_TRY(run_identity(&r, err));
  SOTTO_TRY(make_plan(&r, err));
  SOTTO_TRY(check_budget(&r, err));
  SOTTO_TRY(sotto_i_scaled_features(&r.features, options, data, err));
  SOTTO_TRY(sotto_i_new(&out->seeds, options->seeds, sizeof *out->seeds, err));
  for (uint64_t i = 0; i < options->seeds; i++) {
    sotto_i_progress(observer, "seed", i, options->seeds, NULL);
    SOTTO_TRY(run_seed(out, &r, i, observer, recorder, err));
    out->seed_count = i + 1;
  }
  sotto_i_progress(observer, "seed", options->seeds, options->seeds, NULL);
  SOTTO_TRY(keep_best_model(out, &r, err));
  SOTTO_TRY(state_privacy(out, &r, err));
done:
  if (r.data == &r.cut) sotto_graph_free(&r.cut.graph);
  sotto_matrix_free(&r.features);
  sotto_ledger_close(r.ledger);
  if (status != SOTTO_OK) sotto_result_free(out);
  return status;
}
