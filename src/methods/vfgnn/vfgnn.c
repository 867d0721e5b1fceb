/* VFGNN (paper 001; docs/vfgnn.md) in one process: a thread for each holder and one for the server, links
 * between them, and what they leave behind. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "run/cost.h"
#include "run/wire_log.h"
#include "vfgnn.h"

typedef struct run {
  sotto_i_vfgnn shared;
  sotto_dataset parts[SOTTO_MOST_HOLDERS];
  sotto_i_vfgnn_holder holders[SOTTO_MOST_HOLDERS];
  sotto_i_vfgnn_labels labels;
  sotto_i_vfgnn_server server;
  sotto_i_wire_log logs[SOTTO_MOST_HOLDERS]; /* of what the server receives */
} run;

static void close_holder(const sotto_i_vfgnn_holder *h, const char *reason) {
  sotto_link_close(h->peers.dealer, reason);
  for (size_t i = 0; i < h->peers.count; i++)
    if (i != h->index) sotto_link_close(h->peers.holder[i], reason);
}

static void *holder_thread(void *context) {
  sotto_i_vfgnn_holder *h = context;
  h->status = h->shared->secure ? sotto_i_securegnn_holder_recipe(h, &h->error)
                                : sotto_i_vfgnn_holder_recipe(h, &h->error);
  if (h->status != SOTTO_OK) close_holder(h, "a holder stopped");
  return NULL;
}

static void server_here(sotto_i_vfgnn_server *s) {
  s->status = s->shared->secure ? sotto_i_securegnn_server_recipe(s, &s->error)
                                : sotto_i_vfgnn_server_recipe(s, &s->error);
  for (size_t i = 0; s->status != SOTTO_OK && i < s->shared->holders; i++)
    sotto_link_close(s->links[i], "the server stopped");
}

/* The failure that is no broken link is the cause. */
static sotto_status first_failure(const run *r, sotto_error *err) {
  const sotto_error *cause = NULL;
  sotto_status status = r->server.status;
  if (status != SOTTO_OK) cause = &r->server.error;
  for (size_t i = 0; i < r->shared.holders; i++) {
    const sotto_i_vfgnn_holder *h = &r->holders[i];
    if (h->status == SOTTO_OK || (status != SOTTO_OK && status != SOTTO_PROTOCOL)) continue;
    if (status == SOTTO_PROTOCOL && h->status == SOTTO_PROTOCOL) continue;
    status = h->status;
    cause = &h->error;
  }
  if (cause != NULL && err != NULL) *err = *cause;
  return status;
}

static sotto_status run_threads(run *r, sotto_error *err) {
  pthread_t threads[SOTTO_MOST_HOLDERS];
  size_t started = 0, holders = r->shared.holders;
  while (started < holders && sotto_i_thread_start(&threads[started], holder_thread, &r->holders[started]))
    started++;
  if (started == holders)
    server_here(&r->server);
  else
    for (size_t i = 0; i < holders; i++) close_holder(&r->holders[i], "a thread is missing");
  for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  if (started < holders)
    return sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for each holder");
  return first_failure(r, err);
}

static sotto_status open_links(run *r, sotto_error *err) {
  size_t holders = r->shared.holders;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < holders; i++) {
    sotto_i_peers *peers = &r->holders[i].peers;
    SOTTO_TRY(sotto_link_pair(&peers->dealer, &r->server.links[i], err));
    for (size_t j = i + 1; j < holders; j++)
      SOTTO_TRY(sotto_link_pair(&peers->holder[j], &r->holders[j].peers.holder[i], err));
  }
done:
  return status;
}

static sotto_status record(run *r, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < r->shared.holders; i++)
    SOTTO_TRY(sotto_i_wire_log_begin(&r->logs[i], r->server.links[i], r->shared.job,
                                     (sotto_i_wire_end){SOTTO_ROLE_SERVER, (uint32_t)i + 1}, false, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_deal(sotto_dataset *parts, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  sotto_vertical how = {.holders = (size_t)o->holders,
                        .label_holder = (size_t)o->label_holder - 1,
                        .features = true,
                        .edges = true};
  sotto_key key;
  sotto_status status;
  for (size_t i = 0; i < how.holders; i++) how.share[i] = 1.0 / (double)how.holders;
  if (o->proportion[0] != '\0')
    SOTTO_TRY(sotto_vertical_proportion(how.share, how.holders, o->proportion, err));
  sotto_i_job_key(&key, job);
  SOTTO_TRY(sotto_split_vertical(parts, job->data, &how, &key, err));
done:
  return status;
}

/* One holder has everything; several are dealt the dataset by this seed. */
static sotto_status deal(run *r, sotto_error *err) {
  const sotto_i_job *job = r->shared.job;
  sotto_status status = SOTTO_OK;
  if (r->shared.holders > 1) SOTTO_TRY(sotto_i_vfgnn_deal(r->parts, job, err));
  for (size_t i = 0; i < r->shared.holders; i++)
    r->holders[i].data = r->shared.holders == 1 ? job->data : &r->parts[i];
done:
  return status;
}

sotto_status sotto_i_vfgnn_holder_prepare(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_options *o = h->shared->job->options;
  return sotto_i_scaled_features(&h->features, o, h->data, err);
}

static sotto_status prepare(run *r, sotto_error *err) {
  const sotto_i_job *job = r->shared.job;
  sotto_status status;
  SOTTO_TRY(sotto_i_parted_new(&r->labels.parted, job, err));
  SOTTO_TRY(deal(r, err));
  for (size_t i = 0; i < r->shared.holders; i++) SOTTO_TRY(sotto_i_vfgnn_holder_prepare(&r->holders[i], err));
  SOTTO_TRY(open_links(r, err));
  if (job->options->record_wire) SOTTO_TRY(record(r, err));
done:
  return status;
}

static void fill_outcome(sotto_i_outcome *out, const run *r) {
  const sotto_i_vfgnn *c = &r->shared;
  const sotto_quality unknown = {NAN, NAN, NAN};
  uint64_t setup = r->server.setup_bytes, sent = 0;
  out->quality = (sotto_seed_result){.seed = c->job->seed,
                                     .test = r->labels.test,
                                     .validation = r->labels.validation,
                                     .baseline_test = unknown,
                                     .baseline_validation = unknown};
  for (size_t i = 0; i < c->holders; i++) {
    setup += r->holders[i].setup_bytes;
    sotto_i_vfgnn_add_holder(out, &r->holders[i]);
  }
  sotto_i_vfgnn_add_server(out, &r->server);
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    sent += out->data_party.sent[kind] + out->label_party.sent[kind];
  out->setup_bytes = setup;
  out->rounds = r->server.epochs;
  out->round_bytes = (sent - setup) / r->server.epochs;
  out->round_seconds = r->server.seconds / (double)r->server.epochs;
}

static sotto_status save(run *r, sotto_error *err) {
  const sotto_i_vfgnn *c = &r->shared;
  const sotto_params *sets[SOTTO_MOST_HOLDERS + 2];
  size_t count = 0, number;
  const sotto_matrix *weight = &r->holders[0].weight;
  if (c->secure) { /* weights stay shared */
    sotto_status status = sotto_params_new(&r->labels.params, err);
    sets[0] = r->labels.params;
    return status == SOTTO_OK ? sotto_i_job_save_model(c->job, sets, 1, err) : status;
  }
  if (weight->data != NULL) {
    sotto_status status = sotto_params_add(r->labels.params, &number, "first.weight", weight->rows,
                                           weight->cols, SOTTO_INIT_ZERO, 0, true, &c->key, err);
    if (status != SOTTO_OK) return status;
    memcpy(sotto_params_value(r->labels.params, number)->data, weight->data,
           weight->rows * weight->cols * sizeof(float));
  }
  for (size_t i = 0; i < c->holders; i++) sets[count++] = r->holders[i].local.params;
  sets[count++] = r->server.params;
  sets[count++] = r->labels.params;
  return sotto_i_job_save_model(c->job, sets, count, err);
}

static void release(run *r) {
  for (size_t i = 0; i < r->shared.holders; i++) {
    sotto_link_free(r->server.links[i]);
    sotto_link_free(r->holders[i].peers.dealer);
    for (size_t j = 0; j < r->shared.holders; j++) sotto_link_free(r->holders[i].peers.holder[j]);
    sotto_i_vfgnn_holder_free(&r->holders[i]);
    sotto_dataset_free(&r->parts[i]);
  }
  sotto_i_vfgnn_labels_free(&r->labels);
  sotto_i_vfgnn_server_free(&r->server);
  sotto_i_vfgnn_clear_free(r->shared.clear);
  sotto_key_wipe(&r->shared.first_key);
  sotto_i_free(r);
}

void sotto_i_vfgnn_settle(sotto_i_vfgnn *out, const sotto_i_job *job) {
  const sotto_options *o = job->options;
  bool noisy = job->plan->grid.sigma > 0;
  *out = (sotto_i_vfgnn){
      .job = job,
      .holders = (size_t)o->holders,
      .label_holder = (size_t)o->label_holder - 1,
      .nodes = job->facts != NULL ? job->facts->words[SOTTO_I_FACT_NODES] : job->data->graph.nodes,
      .width = o->hidden,
      .classes = job->facts != NULL ? job->facts->words[SOTTO_I_FACT_CLASSES] : job->data->classes,
      .collaborative = strcmp(o->initial, "collaboratively") == 0,
      .secure = sotto_i_variant_of(o)->recipe != NULL,
      .noisy = noisy,
      .sound = noisy && strcmp(o->accounting, "sound") == 0};
  sotto_i_job_key(&out->key, job);
  sotto_i_job_noise_key(&out->first_key, job);
}

static void settle(run *r, const sotto_i_job *job) {
  sotto_i_vfgnn_settle(&r->shared, job);
  for (size_t i = 0; i < r->shared.holders; i++) {
    r->holders[i].shared = &r->shared;
    r->holders[i].index = i;
    r->holders[i].peers.self = i;
    r->holders[i].peers.count = r->shared.holders;
  }
  r->holders[r->shared.label_holder].labels = &r->labels;
  r->server.shared = &r->shared;
}

sotto_status sotto_i_vfgnn_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_status status;
  run *r = NULL;
  SOTTO_I_CHECK(job->plan != NULL);
  if (job->seat != NULL) return sotto_i_vfgnn_party(out, job, err);
  status = sotto_i_new(&r, 1, sizeof *r, err);
  if (status != SOTTO_OK) return status;
  settle(r, job);
  SOTTO_TRY(sotto_i_vfgnn_clear_new(&r->shared.clear, r->shared.holders, err));
  SOTTO_TRY(prepare(r, err));
  SOTTO_TRY(run_threads(r, err));
  fill_outcome(out, r);
  SOTTO_TRY(save(r, err));
  for (size_t i = 0; i < r->shared.holders; i++) sotto_i_vfgnn_forget_all_published(&r->holders[i]);
done:
  release(r);
  return status;
}
