/* VFGNN (docs/vfgnn.md): holders and a server, all in one process or each in one of its own. */
#include "vfgnn.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "run/spending/cost.h"

sotto_status sotto_i_vfgnn_deal(sotto_dataset *parts, const sotto_i_job *job, sotto_error *err) {
  const sotto_options *o = job->options;
  const sotto_i_holder_settings *own = sotto_i_holder_settings_of(o);
  sotto_vertical how = {.holders = (size_t)o->holders,
                        .label_holder = (size_t)o->label_holder - 1,
                        .features = true,
                        .edges = true};
  sotto_key key;
  sotto_status status;
  for (size_t i = 0; i < how.holders; i++) how.share[i] = 1.0 / (double)how.holders;
  if (own->proportion[0] != '\0')
    SOTTO_TRY(sotto_vertical_proportion(how.share, how.holders, own->proportion, err));
  sotto_i_job_key(&key, job);
  SOTTO_TRY(sotto_split_vertical(parts, job->data, &how, &key, err));
done:
  return status;
}

sotto_status sotto_i_vfgnn_holder_prepare(sotto_i_vfgnn_holder *h, sotto_error *err) {
  return sotto_i_scaled_features(&h->features, h->shared->job->options, h->data, err);
}

/* One holder has everything; several are dealt the dataset by this seed. */
static sotto_status deal(sotto_i_vfgnn_play *p, sotto_error *err) {
  const sotto_i_job *job = p->shared.job;
  sotto_status status = SOTTO_OK;
  if (p->shared.holders > 1) SOTTO_TRY(sotto_i_vfgnn_deal(p->parts, job, err));
  for (size_t i = 0; i < p->shared.holders; i++)
    p->holders[i].data = p->shared.holders == 1 ? job->data : &p->parts[i];
done:
  return status;
}

/* Links, in the order of the roles that this holder talks to. */
static void join_holder(sotto_i_vfgnn_play *p, sotto_i_session *session) {
  const size_t index = session->number - 1;
  sotto_i_vfgnn_holder *h = &p->holders[index];
  h->index = h->peers.self = index;
  h->peers.count = session->link_count;
  h->peers.dealer = session->links[0];
  for (size_t i = 1; i < session->link_count; i++)
    h->peers.holder[i - 1 + (i - 1 >= index)] = session->links[i];
  h->checkpoints = &session->checkpoints;
  if (index == p->shared.label_holder) h->labels = &p->labels;
}

static void join(sotto_i_vfgnn_play *p, sotto_i_session *session) {
  if (session->role != SOTTO_ROLE_SERVER) {
    join_holder(p, session);
    return;
  }
  memcpy(p->server.links, session->links, session->link_count * sizeof(sotto_link *));
  p->server.checkpoints = &session->checkpoints;
}

static sotto_status prepare_holder(sotto_i_vfgnn_play *p, const sotto_i_session *session, sotto_error *err) {
  sotto_i_vfgnn_holder *h = &p->holders[session->number - 1];
  if (!session->local) h->data = p->shared.job->data;
  return sotto_i_vfgnn_holder_prepare(h, err);
}

static sotto_status prepare(void *shared, const sotto_i_job *job, sotto_i_session *sessions, size_t count,
                            sotto_error *err) {
  sotto_i_vfgnn_play *p = shared;
  sotto_status status = SOTTO_OK;
  p->sessions = sessions;
  sotto_i_vfgnn_settle(&p->shared, job);
  p->server.shared = &p->shared;
  for (size_t i = 0; i < p->shared.holders; i++) p->holders[i].shared = &p->shared;
  for (size_t i = 0; i < count; i++) join(p, &sessions[i]);
  if (p->shared.nodes == 0)
    return sotto_i_fail(err, SOTTO_PROTOCOL, "no holder said how many nodes there are");
  if (p->shared.counts) SOTTO_TRY(sotto_i_vfgnn_counts_check(&p->shared, err));
  if (p->holders[p->shared.label_holder].labels != NULL)
    SOTTO_TRY(sotto_i_parted_new(&p->labels.parted, job, err));
  if (sessions[0].local) {
    SOTTO_TRY(sotto_i_vfgnn_clear_new(&p->shared.clear, p->shared.holders, err));
    for (size_t i = 0; p->shared.clear != NULL && i < p->shared.holders; i++)
      p->holders[i].checkpoints = NULL; /* which would have no shares to keep */
    SOTTO_TRY(deal(p, err));
  }
  for (size_t i = 0; i < count; i++)
    if (sessions[i].role == SOTTO_ROLE_HOLDER) SOTTO_TRY(prepare_holder(p, &sessions[i], err));
done:
  return status;
}

static sotto_status take_part(void *shared, sotto_i_session *session, sotto_error *err) {
  sotto_i_vfgnn_play *p = shared;
  const bool secure = p->shared.secure;
  if (session->role == SOTTO_ROLE_SERVER)
    return secure ? sotto_i_securegnn_server_recipe(&p->server, err)
                  : sotto_i_vfgnn_server_recipe(&p->server, err);
  sotto_i_vfgnn_holder *h = &p->holders[session->number - 1];
  return secure ? sotto_i_securegnn_holder_recipe(h, err) : sotto_i_vfgnn_holder_recipe(h, err);
}

static void release(void *shared) {
  sotto_i_vfgnn_play *p = shared;
  for (size_t i = 0; i < SOTTO_MOST_HOLDERS; i++) {
    sotto_i_vfgnn_holder_free(&p->holders[i]);
    sotto_dataset_free(&p->parts[i]);
  }
  sotto_i_vfgnn_labels_free(&p->labels);
  sotto_i_vfgnn_server_free(&p->server);
  sotto_i_vfgnn_clear_free(p->shared.clear);
  sotto_key_wipe(&p->shared.first_key);
}

static uint32_t members(const sotto_i_job *job) {
  return (uint32_t)job->options->holders;
}

const sotto_i_roles sotto_i_vfgnn_roles = {.member = SOTTO_ROLE_HOLDER,
                                           .size = sizeof(sotto_i_vfgnn_play),
                                           .members = members,
                                           .prepare = prepare,
                                           .play = take_part,
                                           .finish = sotto_i_vfgnn_finish,
                                           .release = release};

sotto_status sotto_i_vfgnn_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err) {
  SOTTO_I_CHECK(job->plan != NULL || sotto_i_vfgnn_by_counts(job->options));
  return sotto_i_roles_run(out, job, &sotto_i_vfgnn_roles, err);
}
