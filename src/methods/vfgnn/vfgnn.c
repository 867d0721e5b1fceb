/* VFGNN (docs/vfgnn.md): holders and a server, all in one process or each in its own. */
#include "vfgnn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "inside/nn.h"
#include "inside/party.h"
#include "release/plan.h"
#include "run/files/job_file.h"

static void add_opened(sotto_i_outcome *out, const sotto_i_vfgnn *c) {
  static const sotto_exposure opened = {"initial.embeddings",
                                        "the first layer's rows X W are opened to all holders from shares; "
                                        "they can reveal the other holders' features"};
  static const sotto_exposure read = {"initial.embeddings",
                                      "the first layer's rows X W are opened to one holder from shares; "
                                      "they can reveal the other holders' features"};
  static const sotto_exposure weights = {"weights", "the first layer's weights, opened to all holders by "
                                                    "initial: opened"};
  static const sotto_exposure scores = {"scores",
                                        "scores of training, validation and test nodes, opened to the label "
                                        "holder in every epoch"};
  if (c->secure) sotto_i_outcome_expose(out, 0, &scores, 1);
  if (c->secure) return;
  if (c->collaborative) sotto_i_outcome_expose(out, 0, sotto_i_vfgnn_one_reads(c) ? &read : &opened, 1);
  if (sotto_i_holder_settings_of(c->job->options)->initial == SOTTO_I_INITIAL_OPENED)
    sotto_i_outcome_expose(out, 0, &weights, 1);
}

static void add_holder(sotto_i_outcome *out, const sotto_i_vfgnn_holder *holder) {
  const sotto_i_peers *peers = &holder->peers;
  sotto_exposure list[SOTTO_MOST_EXPOSURES] = {{.name = ""}};
  sotto_traffic_add(&out->data_party, sotto_link_traffic(peers->dealer));
  sotto_i_outcome_expose(out, 0, list, sotto_link_exposures(peers->dealer, list));
  for (size_t j = 0; j < sotto_i_vfgnn_members(holder->shared); j++) {
    if (j == peers->self) continue;
    sotto_traffic_add(&out->data_party, sotto_link_traffic(peers->holder[j]));
    sotto_i_outcome_expose(out, 0, list, sotto_link_exposures(peers->holder[j], list));
  }
  if (sotto_i_vfgnn_has_columns(holder)) add_opened(out, holder->shared);
  out->data_exposures = out->exposure_count;
}

static void add_server(sotto_i_outcome *out, const sotto_i_vfgnn_server *server) {
  sotto_exposure list[SOTTO_MOST_EXPOSURES] = {{.name = ""}};
  for (size_t i = 0; i < sotto_i_vfgnn_members(server->shared); i++) {
    sotto_traffic_add(&out->label_party, sotto_link_traffic(server->links[i]));
    sotto_i_outcome_expose(out, out->data_exposures, list, sotto_link_exposures(server->links[i], list));
  }
}

/* With counts there is a result without edges. */
static void fill_quality(sotto_i_outcome *out, const sotto_i_vfgnn *c, const sotto_i_vfgnn_labels *l) {
  out->quality =
      (sotto_seed_result){.seed = c->job->seed,
                          .test = l->test,
                          .validation = l->validation,
                          .baseline_test = c->counts ? l->baseline_test : sotto_i_quality_none(),
                          .baseline_validation = c->counts ? l->baseline_validation : sotto_i_quality_none()};
}

static void fill_all(sotto_i_outcome *out, const sotto_i_vfgnn_parties *p) {
  const sotto_i_vfgnn *c = &p->shared;
  uint64_t setup = p->server.setup_bytes, sent = 0, trained = p->server.trained_bytes;
  fill_quality(out, c, &p->labels);
  for (size_t i = 0; i < sotto_i_vfgnn_members(c); i++) {
    setup += p->holders[i].setup_bytes;
    trained += p->holders[i].trained_bytes;
    add_holder(out, &p->holders[i]);
  }
  add_server(out, &p->server);
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    sent += out->data_party.sent[kind] + out->label_party.sent[kind];
  out->setup_bytes = setup;
  out->rounds = p->server.epochs;
  if (p->server.epochs == 0) return; /* the training ended before this start */
  out->round_bytes = ((c->counts ? trained : sent) - setup) / p->server.epochs;
  out->round_seconds = p->server.seconds / (double)p->server.epochs;
}

static sotto_status save_all(sotto_i_vfgnn_parties *p, sotto_error *err) {
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
                                           weight->cols, SOTTO_INIT_ZERO, true, &c->key, err);
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
                                     .test = sotto_i_quality_none(),
                                     .validation = sotto_i_quality_none(),
                                     .baseline_test = sotto_i_quality_none(),
                                     .baseline_validation = sotto_i_quality_none()};
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) sent += traffic->sent[kind];
  out->setup_bytes = setup;
  out->rounds = epochs;
  out->round_bytes = epochs == 0 ? 0 : ((c->counts ? trained : sent) - setup) / epochs;
  out->round_seconds = epochs == 0 ? 0 : seconds / (double)epochs;
}

/* This holder's networks (none of labels alone), the label holder's output layer, and, with --initial opened,
 * the first layer. */
static sotto_status save_holder(const sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_vfgnn *c = h->shared;
  const sotto_params *sets[3];
  sotto_params *own = NULL;
  size_t count = 0, number;
  sotto_status status;
  SOTTO_TRY(sotto_params_new(&own, err));
  if (h->weight.data != NULL) {
    SOTTO_TRY(sotto_params_add(own, &number, "first.weight", h->weight.rows, h->weight.cols, SOTTO_INIT_ZERO,
                               true, &c->key, err));
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

static sotto_status vfgnn_finish(sotto_i_outcome *out, void *shared, sotto_error *err) {
  sotto_i_vfgnn_parties *p = shared;
  const sotto_i_session *session = p->sessions;
  if (session->role != SOTTO_ROLE_SERVER) return finish_holder(out, &p->holders[session->number - 1], err);
  if (!session->local) return finish_server(out, &p->server, err);
  fill_all(out, p);
  sotto_status status = save_all(p, err);
  if (status == SOTTO_OK) status = sotto_i_vfgnn_keep_all(p, err);
  for (size_t i = 0; status == SOTTO_OK && i < p->shared.holders; i++)
    sotto_i_vfgnn_forget_all_published(&p->holders[i]);
  return status;
}

sotto_status sotto_i_vfgnn_holder_prepare(sotto_i_vfgnn_holder *h, sotto_error *err) {
  const sotto_i_job *job = h->shared->job;
  return sotto_i_vfgnn_features(&h->features, job->options, job->data, h->data, err);
}

/* A single holder has the whole dataset; for several it is partitioned by this seed. */
static sotto_status partition_data(sotto_i_vfgnn_parties *p, sotto_error *err) {
  const sotto_i_job *job = p->shared.job;
  sotto_status status = SOTTO_OK;
  if (p->shared.holders > 1) SOTTO_TRY(sotto_i_holders_deal(p->parts, job, p->shared.label_holder, err));
  for (size_t i = 0; i < p->shared.holders; i++)
    p->holders[i].data = p->shared.holders == 1 ? job->data : &p->parts[i];
done:
  return status;
}

/* Shares are among the holders of columns; a party of labels alone follows them in peers.holder. */
void sotto_i_vfgnn_join_links(sotto_i_vfgnn_holder *h, size_t index, sotto_link **links) {
  h->index = h->peers.self = index;
  h->peers.count = h->shared->holders;
  h->peers.dealer = links[0];
  for (size_t i = 1; i < sotto_i_vfgnn_members(h->shared); i++)
    h->peers.holder[i - 1 + (i - 1 >= index)] = links[i];
}

static void join_holder(sotto_i_vfgnn_parties *p, sotto_i_session *session) {
  const size_t index = session->number - 1;
  sotto_i_vfgnn_holder *h = &p->holders[index];
  sotto_i_vfgnn_join_links(h, index, session->links);
  h->checkpoints = &session->checkpoints;
  session->own = h;
  if (index == p->shared.label_holder) h->labels = &p->labels;
}

static void join_role(sotto_i_vfgnn_parties *p, sotto_i_session *session) {
  for (size_t i = 0; i < session->link_count; i++)
    if (session->links[i] != NULL) sotto_link_set_format(session->links[i], p->shared.job->options->wire);
  if (session->role != SOTTO_ROLE_SERVER) {
    join_holder(p, session);
    return;
  }
  memcpy(p->server.links, session->links, session->link_count * sizeof(sotto_link *));
  p->server.checkpoints = &session->checkpoints;
  session->own = &p->server;
}

static sotto_status prepare_holder(sotto_i_vfgnn_parties *p, const sotto_i_session *session,
                                   sotto_error *err) {
  sotto_i_vfgnn_holder *h = &p->holders[session->number - 1];
  if (!sotto_i_vfgnn_has_columns(h)) return SOTTO_OK;
  if (!session->local) h->data = p->shared.job->data;
  return sotto_i_vfgnn_holder_prepare(h, err);
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  sotto_i_vfgnn_parties *p = shared;
  sotto_status status = SOTTO_OK;
  p->sessions = sessions;
  sotto_i_vfgnn_settle(&p->shared, job);
  p->server.shared = &p->shared;
  for (size_t i = 0; i < sotto_i_vfgnn_members(&p->shared); i++) p->holders[i].shared = &p->shared;
  for (size_t i = 0; i < count; i++) join_role(p, &sessions[i]);
  if (p->shared.nodes == 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "no holder said how many nodes there are");
  if (p->shared.counts) SOTTO_TRY(sotto_i_vfgnn_counts_check(&p->shared, err));
  if (p->holders[p->shared.label_holder].labels != NULL)
    SOTTO_TRY(sotto_i_parted_new(&p->labels.parted, job, err));
  if (sessions[0].local) {
    SOTTO_TRY(sotto_i_vfgnn_clear_new(&p->shared.clear, p->shared.holders, err));
    for (size_t i = 0; p->shared.clear != NULL && i < p->shared.holders; i++)
      p->holders[i].checkpoints = NULL; /* checkpoints there would have no shares */
    SOTTO_TRY(partition_data(p, err));
  }
  for (size_t i = 0; i < count; i++)
    if (sessions[i].role == SOTTO_ROLE_HOLDER) SOTTO_TRY(prepare_holder(p, &sessions[i], err));
done:
  return status;
}

static sotto_status run_server(sotto_i_session *session, sotto_error *err) {
  sotto_i_vfgnn_server *s = session->own;
  return s->shared->secure ? sotto_i_securegnn_server_protocol(s, err)
                           : sotto_i_vfgnn_server_protocol(s, err);
}

static sotto_status run_holder(sotto_i_session *session, sotto_error *err) {
  sotto_i_vfgnn_holder *h = session->own;
  if (!sotto_i_vfgnn_has_columns(h)) return sotto_i_vfgnn_apart_protocol(h, err);
  return h->shared->secure ? sotto_i_securegnn_holder_protocol(h, err)
                           : sotto_i_vfgnn_holder_protocol(h, err);
}

static void free_roles(void *shared) {
  sotto_i_vfgnn_parties *p = shared;
  for (size_t i = 0; i < SOTTO_MOST_HOLDERS; i++) {
    sotto_i_vfgnn_holder_free(&p->holders[i]);
    sotto_dataset_free(&p->parts[i]);
  }
  sotto_i_vfgnn_labels_free(&p->labels);
  sotto_i_vfgnn_server_free(&p->server);
  sotto_i_vfgnn_clear_free(p->shared.clear);
  sotto_key_wipe(&p->shared.first_key);
}

static uint32_t member_count(const sotto_i_job *job) {
  return (uint32_t)(job->options->holders + sotto_i_has_labels_apart(job->options));
}

const sotto_i_roles sotto_i_vfgnn_roles = {
    .member = SOTTO_ROLE_HOLDER,
    .size = sizeof(sotto_i_vfgnn_parties),
    .members = member_count,
    .prepare = prepare,
    .run = {[SOTTO_ROLE_SERVER] = run_server, [SOTTO_ROLE_HOLDER] = run_holder},
    .finish = vfgnn_finish,
    .release = free_roles};

sotto_status sotto_i_vfgnn_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  SOTTO_I_CHECK(job->plan != NULL || sotto_i_vfgnn_by_counts(job->options));
  return sotto_i_roles_run(out, job, &sotto_i_vfgnn_roles, err);
}
