/* One party of vfgnn or securegnn in a process of its own: the same recipes as in one process, over the links
 * that the meeting gave it, and its own part of the model. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "vfgnn.h"

/* Links, in the order of the roles that this party talks to. */
static void take_links(sotto_i_peers *peers, const sotto_i_seat *seat) {
  peers->self = seat->number - 1;
  peers->count = seat->link_count;
  peers->dealer = seat->links[0];
  for (size_t i = 1; i < seat->link_count; i++)
    peers->holder[i - 1 + (i - 1 >= peers->self)] = seat->links[i];
}

static void fill(sotto_i_outcome *out, const sotto_i_job *job, const sotto_traffic *traffic, uint64_t setup,
                 uint64_t epochs, double seconds) {
  const sotto_quality unknown = {NAN, NAN, NAN};
  uint64_t sent = 0;
  out->quality = (sotto_seed_result){.seed = job->seed,
                                     .test = unknown,
                                     .validation = unknown,
                                     .baseline_test = unknown,
                                     .baseline_validation = unknown};
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) sent += traffic->sent[kind];
  out->setup_bytes = setup;
  out->rounds = epochs;
  out->round_bytes = epochs == 0 ? 0 : (sent - setup) / epochs;
  out->round_seconds = epochs == 0 ? 0 : seconds / (double)epochs;
}

/* This holder's networks, the label holder's output layer, and, with --export-first, the first layer. */
static sotto_status save_holder(const sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  const sotto_params *sets[3];
  sotto_params *own = NULL;
  size_t count = 0, number;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&own, err));
  if (h->weight.data != NULL) {
    SOTTO_TRY(sotto_params_add(own, &number, "first.weight", h->weight.rows, h->weight.cols, SOTTO_INIT_ZERO,
                               0, true, &c->key, err));
    memcpy(sotto_params_value(own, number)->data, h->weight.data,
           h->weight.rows * h->weight.cols * sizeof(float));
  }
  if (!c->secure) sets[count++] = h->local.params;
  if (!c->secure && h->labels != NULL) sets[count++] = h->labels->params;
  sets[count++] = own;
  SOTTO_TRY(sotto_i_job_save_model(c->job, sets, count, err));
done:
  sotto_params_free(own);
  return status;
}

static sotto_status run_holder(sotto_i_outcome *out, const sotto_i_vfgnn *shared, sotto_error *err) {
  const sotto_i_job *job = shared->job;
  sotto_i_vfgnn_labels labels = {.params = NULL};
  sotto_i_vfgnn_holder *h = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&h, 1, sizeof *h, err));
  h->shared = shared;
  h->index = job->seat->number - 1;
  h->data = job->data;
  take_links(&h->peers, job->seat);
  if (h->index == shared->label_holder) {
    h->labels = &labels;
    SOTTO_TRY(sotto_i_parted_new(&labels.parted, job, err));
  }
  SOTTO_TRY(sotto_i_vfgnn_holder_prepare(h, err));
  SOTTO_TRY(shared->secure ? sotto_i_securegnn_holder_recipe(h, err) : sotto_i_vfgnn_holder_recipe(h, err));
  sotto_i_vfgnn_add_holder(out, h);
  fill(out, job, &out->data_party, h->setup_bytes, h->epochs, h->seconds);
  if (h->labels != NULL) {
    out->quality.test = labels.test;
    out->quality.validation = labels.validation;
  }
  SOTTO_TRY(save_holder(h, err));
done:
  if (h != NULL) sotto_i_vfgnn_holder_free(h);
  sotto_i_vfgnn_labels_free(&labels);
  sotto_i_free(h);
  return status;
}

static sotto_status run_server(sotto_i_outcome *out, const sotto_i_vfgnn *shared, sotto_error *err) {
  const sotto_i_job *job = shared->job;
  sotto_i_vfgnn_server *s = NULL;
  const sotto_params *sets[1];
  sotto_params *empty = NULL;
  sotto_status status;
  if (shared->nodes == 0) return sotto_i_fail(err, SOTTO_PROTOCOL, "no holder said how many nodes there are");
  SOTTO_TRY(sotto_i_new(&s, 1, sizeof *s, err));
  s->shared = shared;
  memcpy(s->links, job->seat->links, job->seat->link_count * sizeof(sotto_link *));
  SOTTO_TRY(shared->secure ? sotto_i_securegnn_server_recipe(s, err) : sotto_i_vfgnn_server_recipe(s, err));
  sotto_i_vfgnn_add_server(out, s);
  fill(out, job, &out->label_party, s->setup_bytes, s->epochs, s->seconds);
  SOTTO_TRY(sotto_params_new(&empty, err)); /* securegnn's weights stay shared */
  sets[0] = shared->secure ? empty : s->params;
  SOTTO_TRY(sotto_i_job_save_model(job, sets, 1, err));
done:
  if (s != NULL) sotto_i_vfgnn_server_free(s);
  sotto_params_free(empty);
  sotto_i_free(s);
  return status;
}

sotto_status sotto_i_vfgnn_party(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  sotto_i_vfgnn *shared = NULL;
  sotto_status status = sotto_i_new(&shared, 1, sizeof *shared, err);
  if (status != SOTTO_OK) return status;
  sotto_i_vfgnn_settle(shared, job);
  status = job->seat->role == SOTTO_ROLE_SERVER ? run_server(out, shared, err) : run_holder(out, shared, err);
  sotto_key_wipe(&shared->first_key);
  sotto_i_free(shared);
  return status;
}
