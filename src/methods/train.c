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
#include "method.h"
#include "party_run.h"
#include "pmp/contractive.h"
#include "seed_file.h"

typedef struct run {
  const sotto_options *options;
  const sotto_dataset *data;
  const sotto_i_method *method;
  sotto_matrix features;
  sotto_pmp_plan plan;
  sotto_contractive_plan contractive;
  sotto_cost cost;
  bool has_plan, charges;
  sotto_ledger *ledger;
  const sotto_party *party; /* NULL: all parties are in this process */
  const uint8_t *nodes;     /* digest of the node ids, for a party */
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
    SOTTO_TRY(sotto_pmp_plan_new(&r->plan, &pmp, nodes, o->hidden, epsilon, o->delta, err));
  }
  r->has_plan = true;
  r->charges = r->plan.grid.sigma > 0;
done:
  return status;
}

/* Is it this process that makes the releases? */
static bool owns_edges(const run *r) {
  return r->party == NULL || r->party->role == SOTTO_ROLE_DATA;
}

/* Would every release of this run be accepted? Asked before anything is trained or sent. */
static sotto_status check_budget(run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_status status;
  sotto_charge *charges = NULL;
  char(*ids)[64] = NULL;
  if (!r->charges || !owns_edges(r)) return SOTTO_OK;
  if (r->method->price != NULL) return sotto_i_cost_ask(&r->ledger, &r->cost, o, r->data, r->id, err);
  SOTTO_TRY(sotto_ledger_open(&r->ledger, o->ledger[0] == '\0' ? NULL : o->ledger, err));
  SOTTO_TRY(sotto_i_new(&charges, o->seeds, sizeof *charges, err));
  SOTTO_TRY(sotto_i_new(&ids, o->seeds, sizeof *ids, err));
  for (uint64_t i = 0; i < o->seeds; i++) {
    (void)snprintf(ids[i], sizeof ids[i], "%s-%llu", r->id, (unsigned long long)(o->seed + i));
    charges[i] = (sotto_charge){.id = ids[i],
                                .run = o->out,
                                .mechanism = "gaussian",
                                .adjacency = "edge",
                                .description = "",
                                .mu = r->plan.mu,
                                .insecure = o->insecure_seed != SOTTO_UNSET};
  }
  SOTTO_TRY(sotto_ledger_would_accept(r->ledger, r->data->digest, r->data->name, charges, o->seeds, err));
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

static sotto_status seed_folder(char **out, const run *r, uint64_t index, sotto_error *err) {
  char name[40];
  (void)snprintf(name, sizeof name, "seed-%llu", (unsigned long long)(r->options->seed + index));
  return sotto_i_join(out, r->options->out, name, err);
}

/* `taken_over`: it is done, and its result is read. */
static sotto_status run_seed(sotto_result *out, const run *r, uint64_t index, const sotto_i_seat *seat,
                             bool taken_over, const sotto_observer *observer, const sotto_recorder *recorder,
                             sotto_error *err) {
  const sotto_options *o = r->options;
  sotto_i_outcome outcome = {.exposure_count = 0};
  char *folder = NULL;
  sotto_status status;
  SOTTO_TRY(seed_folder(&folder, r, index, err));
  SOTTO_TRY(sotto_i_make_folder(folder, err));
  sotto_seed_result *result = &out->seeds[index];
  if (taken_over) {
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
                             .seat = seat,
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
 * since validation nodes are protected too and a choice by their labels would be one more release; and the
 * first one for parties apart, of which one alone has measures. */
static sotto_status keep_best_model(sotto_result *out, const run *r, sotto_error *err) {
  sotto_i_measure measure = sotto_i_job_measure(r->options);
  size_t best = 0;
  bool choose = r->party == NULL && (r->cost.count == 0 || strcmp(r->cost.adjacency, "node") != 0);
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

static sotto_status state_privacy(sotto_result *out, run *r, sotto_error *err) {
  const sotto_options *o = r->options;
  out->private_edges = r->charges;
  out->insecure = r->charges && o->insecure_seed != SOTTO_UNSET;
  out->epsilon = r->method->edges ? INFINITY : 0;
  out->total_epsilon = out->epsilon;
  out->central = r->method->price != NULL;
  out->cost = r->cost;
  if (!r->charges) return SOTTO_OK;
  sotto_status status;
  if (r->ledger != NULL) (void)snprintf(out->ledger, sizeof out->ledger, "%s", sotto_ledger_path(r->ledger));
  if (out->central) {
    SOTTO_TRY(sotto_i_cost_epsilon(&out->epsilon, &r->cost, 1, o->delta, err));
    SOTTO_TRY(sotto_i_cost_epsilon(&out->total_epsilon, &r->cost, o->seeds, o->delta, err));
    return sotto_ledger_spent(r->ledger, &out->spent, r->data->digest, r->cost.adjacency, err);
  }
  out->plan = r->plan;
  out->contractive = r->method->contractive;
  out->contractive_plan = r->contractive;
  SOTTO_TRY(sotto_gdp_epsilon(&out->epsilon, r->plan.mu, o->delta, err));
  SOTTO_TRY(sotto_gdp_epsilon(&out->total_epsilon, r->plan.mu * sqrt((double)o->seeds), o->delta, err));
  if (r->ledger != NULL) SOTTO_TRY(sotto_ledger_spent(r->ledger, &out->spent, r->data->digest, "edge", err));
done:
  return status;
}

/* What the seeds of a run need, in one place for a party's callbacks. */
typedef struct training {
  sotto_result *out;
  run *r;
  const sotto_observer *observer;
  const sotto_recorder *recorder;
} training;

static sotto_status party_seed(void *context, uint64_t index, const sotto_i_seat *seat, bool taken_over,
                               sotto_error *err) {
  training *t = context;
  sotto_status status = run_seed(t->out, t->r, index, seat, taken_over, t->observer, t->recorder, err);
  if (status == SOTTO_OK) t->out->seed_count = index + 1;
  return status;
}

static sotto_status party_folder(void *context, char **out, uint64_t index, sotto_error *err) {
  return seed_folder(out, ((training *)context)->r, index, err);
}

static sotto_status train_seeds(training *t, sotto_error *err) {
  const sotto_options *o = t->r->options;
  if (t->r->party != NULL) {
    const sotto_i_party_run party = {.options = o,
                                     .party = t->r->party,
                                     .nodes = t->r->nodes,
                                     .observer = t->observer,
                                     .context = t,
                                     .seed = party_seed,
                                     .folder = party_folder};
    return sotto_i_party_seeds(&party, err);
  }
  for (uint64_t i = 0; i < o->seeds; i++) {
    char *folder = NULL;
    sotto_i_progress(t->observer, "seed", i, o->seeds, NULL);
    sotto_status status = seed_folder(&folder, t->r, i, err);
    if (status != SOTTO_OK) return status;
    bool done = o->resume && sotto_i_seed_file_exists(folder);
    sotto_i_free(folder);
    status = party_seed(t, i, NULL, done, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status train(sotto_result *out, run *r, const sotto_observer *observer,
                          const sotto_recorder *recorder, sotto_error *err) {
  sotto_status status;
  training t = {out, r, observer, recorder};
  *out = (sotto_result){0};
  SOTTO_TRY(sotto_options_check(r->options, err));
  if (r->party != NULL) SOTTO_TRY(sotto_i_party_supported(r->options, err));
  r->method = sotto_i_method_of(r->options);
  if (r->data->features.cols == 0 && owns_edges(r)) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: its nodes have no features to learn from", r->data->name);
    goto done;
  }
  SOTTO_TRY(run_identity(r, err));
  SOTTO_TRY(make_plan(r, err));
  SOTTO_TRY(check_budget(r, err));
  if (owns_edges(r)) SOTTO_TRY(sotto_i_scaled_features(&r->features, r->options, r->data, err));
  SOTTO_TRY(sotto_i_new(&out->seeds, r->options->seeds, sizeof *out->seeds, err));
  SOTTO_TRY(train_seeds(&t, err));
  sotto_i_progress(observer, "seed", r->options->seeds, r->options->seeds, NULL);
  SOTTO_TRY(keep_best_model(out, r, err));
  SOTTO_TRY(state_privacy(out, r, err));
done:
  sotto_matrix_free(&r->features);
  sotto_ledger_close(r->ledger);
  if (status != SOTTO_OK) sotto_result_free(out);
  return status;
}

sotto_status sotto_i_party_budget(char *out, size_t size, const sotto_options *options,
                                  const sotto_dataset *data, sotto_error *err) {
  run r = {.options = options, .data = data, .method = sotto_i_method_of(options), .id = "check"};
  sotto_spent spent;
  sotto_status status;
  SOTTO_TRY(make_plan(&r, err));
  if (!r.charges) {
    (void)snprintf(out, size, "nothing will be charged");
    goto done;
  }
  SOTTO_TRY(check_budget(&r, err));
  SOTTO_TRY(sotto_ledger_spent(r.ledger, &spent, data->digest, "edge", err));
  (void)snprintf(out, size, "epsilon %.4g of %.4g is spent (0: no budget), and the run fits", spent.epsilon,
                 spent.budget.epsilon);
done:
  sotto_ledger_close(r.ledger);
  return status;
}

sotto_status sotto_train(sotto_result *out, const sotto_options *options, const sotto_dataset *data,
                         const sotto_observer *observer, const sotto_recorder *recorder, sotto_error *err) {
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  run r = {.options = &resolved, .data = data};
  return train(out, &r, observer, recorder, err);
}

sotto_status sotto_train_party(sotto_result *out, const sotto_options *options, const sotto_dataset *data,
                               const uint8_t nodes[32], const sotto_party *party,
                               const sotto_observer *observer, const sotto_recorder *recorder,
                               sotto_error *err) {
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  run r = {.options = &resolved, .data = data, .nodes = nodes, .party = party};
  sotto_i_guard guard; /* the wire's thread speaks beside this one */
  const sotto_observer guarded = sotto_i_guard_begin(&guard, observer);
  sotto_status status = train(out, &r, &guarded, recorder, err);
  sotto_i_guard_end(&guard);
  return status;
}
