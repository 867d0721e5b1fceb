/* Outputs of the roles of vfgnn: bytes sent and received, exposures, figures, and the model. */
#include <math.h>
#include <string.h>

#include "base/error.h"

#include "nn/inside/nn.h"
#include "party/inside/party.h"
#include "run/files/job_file.h"
#include "vfgnn.h"

static void add_link(sotto_traffic *to, const sotto_link *link) {
  const sotto_traffic more = sotto_link_traffic(link);
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    to->sent[kind] += more.sent[kind];
    to->received[kind] += more.received[kind];
  }
}

/* Adds what a link exposed, each name once from `first` on. */
static void add_exposures(sotto_i_outcome *out, size_t first, const sotto_exposure *list, size_t count) {
  const size_t most = sizeof out->exposures / sizeof *out->exposures;
  for (size_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t j = first; j < out->exposure_count; j++)
      known = known || strcmp(out->exposures[j].name, list[i].name) == 0;
    if (!known && out->exposure_count < most) out->exposures[out->exposure_count++] = list[i];
  }
}

static void add_opened(sotto_i_outcome *out, const sotto_i_vfgnn *c) {
  static const sotto_exposure opened = {"initial.embeddings",
                                        "the first layer's rows X W are opened to all holders from shares; "
                                        "they can reveal the other holders' features"};
  static const sotto_exposure weights = {"weights", "the first layer's weights, opened to all holders by "
                                                    "export-first"};
  static const sotto_exposure scores = {"scores",
                                        "scores of training, validation and test nodes, opened to the label "
                                        "holder in every epoch"};
  if (c->secure) add_exposures(out, 0, &scores, 1);
  if (c->secure) return;
  if (c->collaborative) add_exposures(out, 0, &opened, 1);
  if (c->collaborative && sotto_i_holder_settings_of(c->job->options)->export_first)
    add_exposures(out, 0, &weights, 1);
}

static void add_holder(sotto_i_outcome *out, const sotto_i_vfgnn_holder *holder) {
  const sotto_i_peers *peers = &holder->peers;
  sotto_exposure list[SOTTO_MOST_EXPOSURES] = {{.name = ""}};
  add_link(&out->data_party, peers->dealer);
  add_exposures(out, 0, list, sotto_link_exposures(peers->dealer, list));
  for (size_t j = 0; j < peers->count; j++) {
    if (j == peers->self) continue;
    add_link(&out->data_party, peers->holder[j]);
    add_exposures(out, 0, list, sotto_link_exposures(peers->holder[j], list));
  }
  add_opened(out, holder->shared);
  out->data_exposures = out->exposure_count;
}

static void add_server(sotto_i_outcome *out, const sotto_i_vfgnn_server *server) {
  sotto_exposure list[SOTTO_MOST_EXPOSURES] = {{.name = ""}};
  for (size_t i = 0; i < server->shared->holders; i++) {
    add_link(&out->label_party, server->links[i]);
    add_exposures(out, out->data_exposures, list, sotto_link_exposures(server->links[i], list));
  }
}

static const sotto_quality unknown = {NAN, NAN, NAN};

/* With counts there is a result without edges. */
static void fill_quality(sotto_i_outcome *out, const sotto_i_vfgnn *c, const sotto_i_vfgnn_labels *l) {
  out->quality = (sotto_seed_result){.seed = c->job->seed,
                                     .test = l->test,
                                     .validation = l->validation,
                                     .baseline_test = c->counts ? l->baseline_test : unknown,
                                     .baseline_validation = c->counts ? l->baseline_validation : unknown};
}

static void fill_all(sotto_i_outcome *out, const sotto_i_vfgnn_play *p) {
  const sotto_i_vfgnn *c = &p->shared;
  uint64_t setup = p->server.setup_bytes, sent = 0, trained = p->server.trained_bytes;
  fill_quality(out, c, &p->labels);
  for (size_t i = 0; i < c->holders; i++) {
    setup += p->holders[i].setup_bytes;
    trained += p->holders[i].trained_bytes;
    add_holder(out, &p->holders[i]);
  }
  add_server(out, &p->server);
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    sent += out->data_party.sent[kind] + out->label_party.sent[kind];
  out->setup_bytes = setup;
  out->rounds = p->server.epochs;
  if (p->server.epochs == 0) return; /* all was trained before this start */
  out->round_bytes = ((c->counts ? trained : sent) - setup) / p->server.epochs;
  out->round_seconds = p->server.seconds / (double)p->server.epochs;
}

static sotto_status save_all(sotto_i_vfgnn_play *p, sotto_error *err) {
  const sotto_i_vfgnn *c = &p->shared;
  const sotto_params *sets[SOTTO_MOST_HOLDERS + 2];
  size_t count = 0, number;
  const sotto_matrix *weight = &p->holders[0].weight;
  if (c->secure) { /* weights stay shared */
    sotto_status status = sotto_params_new(&p->labels.params, err);
    sets[0] = p->labels.params;
    return status == SOTTO_OK ? sotto_i_job_save_model(c->job, sets, 1, err) : status;
  }
  if (weight->data != NULL) {
    sotto_status status = sotto_params_add(p->labels.params, &number, "first.weight", weight->rows,
                                           weight->cols, SOTTO_INIT_ZERO, 0, true, &c->key, err);
    if (status != SOTTO_OK) return status;
    memcpy(sotto_params_value(p->labels.params, number)->data, weight->data,
           weight->rows * weight->cols * sizeof(float));
  }
  for (size_t i = 0; i < c->holders; i++) sets[count++] = p->holders[i].local.params;
  sets[count++] = p->server.params;
  sets[count++] = p->labels.params;
  return sotto_i_job_save_model(c->job, sets, count, err);
}

static void fill_one(sotto_i_outcome *out, const sotto_i_vfgnn *c, const sotto_traffic *traffic,
                     uint64_t setup, uint64_t trained, uint64_t epochs, double seconds) {
  uint64_t sent = 0;
  out->quality = (sotto_seed_result){.seed = c->job->seed,
                                     .test = unknown,
                                     .validation = unknown,
                                     .baseline_test = unknown,
                                     .baseline_validation = unknown};
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) sent += traffic->sent[kind];
  out->setup_bytes = setup;
  out->rounds = epochs;
  out->round_bytes = epochs == 0 ? 0 : ((c->counts ? trained : sent) - setup) / epochs;
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
  SOTTO_TRY(sotto_i_vfgnn_keep_holder(h, err));
done:
  sotto_params_free(own);
  return status;
}

static sotto_status finish_holder(sotto_i_outcome *out, const sotto_i_vfgnn_holder *h, sotto_error *err) {
  add_holder(out, h);
  fill_one(out, h->shared, &out->data_party, h->setup_bytes, h->trained_bytes, h->epochs, h->seconds);
  if (h->labels != NULL) fill_quality(out, h->shared, h->labels);
  return save_holder(h, err);
}

static sotto_status finish_server(sotto_i_outcome *out, const sotto_i_vfgnn_server *s, sotto_error *err) {
  const sotto_params *sets[1];
  sotto_params *empty = NULL;
  sotto_status status;
  add_server(out, s);
  fill_one(out, s->shared, &out->label_party, s->setup_bytes, s->trained_bytes, s->epochs, s->seconds);
  SOTTO_TRY(sotto_params_new(&empty, err)); /* securegnn's weights stay shared */
  sets[0] = s->shared->secure ? empty : s->params;
  SOTTO_TRY(sotto_i_job_save_model(s->shared->job, sets, 1, err));
  SOTTO_TRY(sotto_i_vfgnn_keep_server(s, err));
done:
  sotto_params_free(empty);
  return status;
}

sotto_status sotto_i_vfgnn_finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  sotto_i_vfgnn_play *p = shared;
  const sotto_i_session *session = p->sessions;
  if (session->role != SOTTO_ROLE_SERVER) return finish_holder(out, &p->holders[session->number - 1], err);
  if (!session->local) return finish_server(out, &p->server, err);
  fill_all(out, p);
  sotto_status status = save_all(p, err);
  if (status == SOTTO_OK)
    status = sotto_i_vfgnn_keep_all(&p->holders[p->shared.label_holder], &p->server, err);
  for (size_t i = 0; status == SOTTO_OK && i < p->shared.holders; i++)
    sotto_i_vfgnn_forget_all_published(&p->holders[i]);
  return status;
}
