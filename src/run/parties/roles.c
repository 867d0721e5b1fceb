/* Roles as threads of one process, or one role over a network. While threads run, each touches its own
 * session and part alone; `lock` guards the order of failures. */
#include "roles.h"

#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/progress.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "wire_log.h"

typedef struct parties parties;

/* What the engine knows of one session. */
typedef struct part {
  parties *of;
  size_t index;
  sotto_i_wire_log *logs; /* of each link; with --record-wire */
  pthread_t thread;
  bool started;
  sotto_status status;
  sotto_error error;
} part;

struct parties {
  const sotto_i_job *job;
  const sotto_i_roles *roles;
  void *shared;
  sotto_i_session *sessions; /* the server or the data party first, then members, or the label party */
  part *parts;
  size_t count;
  pthread_mutex_t lock;
  part *failed; /* the first one */
};

void sotto_i_outcome_expose(sotto_i_outcome *out, size_t first, const sotto_exposure *list, size_t count) {
  const size_t most = sizeof out->exposures / sizeof *out->exposures;
  for (size_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t j = first; j < out->exposure_count; j++)
      known = known || strcmp(out->exposures[j].name, list[i].name) == 0;
    if (!known && out->exposure_count < most) out->exposures[out->exposure_count++] = list[i];
  }
}

/* Both parties are here. */
static void fill_both(sotto_i_outcome *out, const sotto_link *data, const sotto_link *label) {
  out->data_party = sotto_link_traffic(data);
  out->label_party = sotto_link_traffic(label);
  out->data_exposures = sotto_link_exposures(data, out->exposures);
  out->exposure_count =
      out->data_exposures + sotto_link_exposures(label, out->exposures + out->data_exposures);
}

/* One party's view: the other one received what this one sent; exposures are its own. */
static void fill_own(sotto_i_outcome *out, const sotto_link *link, bool is_data) {
  const sotto_traffic own = sotto_link_traffic(link);
  sotto_traffic other;
  memcpy(other.sent, own.received, sizeof other.sent);
  memcpy(other.received, own.sent, sizeof other.received);
  out->data_party = is_data ? own : other;
  out->label_party = is_data ? other : own;
  out->exposure_count = sotto_link_exposures(link, out->exposures);
  out->data_exposures = is_data ? out->exposure_count : 0;
}

void sotto_i_outcome_exchange(sotto_i_outcome *out, const sotto_link *data, const sotto_link *label) {
  if (data != NULL && label != NULL)
    fill_both(out, data, label);
  else
    fill_own(out, data != NULL ? data : label, data != NULL);
}

static const char *const stopped[] = {"the data party stopped", "the label party stopped",
                                      "the server stopped",     "a holder stopped",
                                      "a client stopped",       "the helper stopped"};

static void close_links(const sotto_i_session *s, const char *reason) {
  for (size_t i = 0; i < s->link_count; i++)
    if (s->links[i] != NULL) sotto_link_close(s->links[i], reason);
}

/* Does the error only repeat the reason for which another party closed the link? */
static bool is_told(const sotto_error *error) {
  if (strcmp(error->text, SOTTO_I_BREACH_REASON) == 0) return true;
  for (size_t i = 0; i < sizeof stopped / sizeof *stopped; i++)
    if (strcmp(error->text, stopped[i]) == 0) return true;
  return false;
}

/* Keeps the first failure that has a cause of its own. One that only repeats another party's reason is
 * replaced, in whatever order the threads end. */
static void *run_part(void *context) {
  part *p = context;
  parties *of = p->of;
  sotto_i_session *session = &of->sessions[p->index];
  p->status = of->roles->run[session->role](session, &p->error);
  if (p->status == SOTTO_OK) return NULL;
  pthread_mutex_lock(&of->lock);
  if (of->failed == NULL || (is_told(&of->failed->error) && !is_told(&p->error))) of->failed = p;
  pthread_mutex_unlock(&of->lock);
  close_links(session, stopped[session->role]);
  return NULL;
}

static void join_threads(parties *p, size_t own) {
  for (size_t i = 0; i < p->count; i++)
    if (i != own && p->parts[i].started) pthread_join(p->parts[i].thread, NULL);
}

static sotto_status start_others(parties *p, size_t own, sotto_error *err) {
  for (size_t i = 0; i < p->count; i++) {
    if (i == own) continue;
    p->parts[i].started = sotto_i_thread_start(&p->parts[i].thread, run_part, &p->parts[i]);
    if (p->parts[i].started) continue;
    for (size_t k = 0; k < p->count; k++) close_links(&p->sessions[k], "a thread is missing");
    join_threads(p, own);
    return sotto_i_fail(err, SOTTO_NOMEM, "the system refused to start a thread for each role");
  }
  return SOTTO_OK;
}

static sotto_status join_others(parties *p, size_t own, sotto_error *err) {
  join_threads(p, own);
  if (p->failed == NULL) return SOTTO_OK;
  if (err != NULL) *err = p->failed->error;
  return p->failed->status;
}

static sotto_status begin_session(sotto_i_session *s, const sotto_i_job *job, sotto_role role,
                                  uint32_t number, size_t links, sotto_error *err) {
  const sotto_party party = {.role = role, .number = number};
  *s = (sotto_i_session){.role = role, .number = number, .local = job->seat == NULL, .link_count = links};
  s->checkpoints = (sotto_i_checkpoints){.folder = job->folder, .every = job->options->checkpoint_every};
  sotto_party_role_name(s->checkpoints.role, &party);
  return sotto_i_new(&s->links, links, sizeof(sotto_link *), err);
}

/* Where one holder has the link to another: after the server, without itself. */
static size_t place_of(size_t other, size_t self) {
  return other < self ? other : other - 1;
}

static sotto_status all_sessions(parties *p, sotto_error *err) {
  const sotto_role member = p->roles->member;
  const bool holders = member == SOTTO_ROLE_HOLDER, joined = holders && sotto_i_labels_join(p->job->options),
             meet = holders && !joined;
  const sotto_role hub = joined ? SOTTO_ROLE_LABEL : SOTTO_ROLE_SERVER;
  sotto_status status = SOTTO_OK;
  if (member == SOTTO_ROLE_DATA) {
    SOTTO_TRY(begin_session(&p->sessions[0], p->job, SOTTO_ROLE_DATA, 0, 1, err));
    SOTTO_TRY(begin_session(&p->sessions[1], p->job, SOTTO_ROLE_LABEL, 0, 1, err));
    return sotto_link_pair(&p->sessions[0].links[0], &p->sessions[1].links[0], err);
  }
  SOTTO_TRY(begin_session(&p->sessions[0], p->job, hub, 0, p->count - 1, err));
  for (size_t i = 1; i < p->count; i++) {
    const bool last = i + 1 == p->count && sotto_i_has_helper(p->job->options);
    SOTTO_TRY(begin_session(&p->sessions[i], p->job, last ? SOTTO_ROLE_HELPER : member,
                            last ? 0 : (uint32_t)i, meet ? p->count - 1 : 1, err));
    SOTTO_TRY(sotto_link_pair(&p->sessions[i].links[0], &p->sessions[0].links[i - 1], err));
  }
  for (size_t i = 1; meet && i < p->count; i++)
    for (size_t j = i + 1; j < p->count; j++)
      SOTTO_TRY(
          sotto_link_pair(&p->sessions[i].links[place_of(j, i)], &p->sessions[j].links[place_of(i, j)], err));
done:
  return status;
}

/* In one process all files are at hand. The token of what is to be saved is new with each start. */
static void agree_here(parties *p) {
  sotto_i_checkpoint_list common = {{{0, 0}}}, own;
  uint32_t token = randombytes_random();
  for (size_t i = 0; i < p->count; i++) {
    const sotto_i_checkpoints *c = &p->sessions[i].checkpoints;
    sotto_i_checkpoints_found(&own, c->folder, c->role);
    if (i == 0)
      common = own;
    else
      sotto_i_checkpoints_join(&common, &own);
  }
  const sotto_i_checkpoint agreed = sotto_i_checkpoints_latest(&common);
  for (size_t i = 0; i < p->count; i++) {
    sotto_i_checkpoints *c = &p->sessions[i].checkpoints;
    sotto_i_checkpoints_cut(c->folder, c->role, agreed);
    c->at = agreed;
    c->token = p->roles->member == SOTTO_ROLE_HOLDER ? token : 0;
  }
}

/* Two parties send each other what they have, unless one of them is known to have nothing. */
static sotto_status agree_over(sotto_i_session *s, const sotto_i_seat *seat, sotto_error *err) {
  enum { count = 2 * SOTTO_I_KEPT_CHECKPOINTS };
  sotto_i_checkpoints *c = &s->checkpoints;
  sotto_i_checkpoint_list own, theirs = {{{0, 0}}};
  sotto_status status = SOTTO_OK;
  c->wire = seat->wire;
  c->index = seat->index;
  sotto_i_checkpoints_found(&own, c->folder, c->role);
  if (seat->stage > 0) {
    const sotto_words words = {"points", SOTTO_WIRE_PUBLIC, NULL, &own, 1, count};
    const sotto_expectation expected = {words.name, words.kind, words.rows, words.cols, 0};
    SOTTO_TRY(sotto_link_send_words(s->links[0], &words, err));
    SOTTO_TRY(sotto_link_receive_words(s->links[0], &theirs, &expected, err));
    sotto_i_checkpoints_join(&own, &theirs);
    c->at = sotto_i_checkpoints_latest(&own);
  }
  sotto_i_checkpoints_cut(c->folder, c->role, c->at);
  sotto_wire_reached(seat->wire, (sotto_progress){seat->index, c->at.number});
done:
  return status;
}

/* The session of this process's role; among several, all agreed before (party_mesh.c). */
static sotto_status one_session(parties *p, sotto_error *err) {
  const sotto_i_seat *seat = p->job->seat;
  sotto_i_session *s = &p->sessions[0];
  sotto_status status;
  SOTTO_TRY(
      begin_session(s, p->job, seat->role, seat->number, seat->wire != NULL ? 1 : seat->link_count, err));
  if (seat->wire != NULL) {
    SOTTO_TRY(sotto_wire_link(seat->wire, &s->links[0], err));
    return agree_over(s, seat, err);
  }
  memcpy(s->links, seat->links, seat->link_count * sizeof(sotto_link *));
  s->checkpoints.at = seat->at;
  s->checkpoints.token = seat->token;
done:
  return status;
}

static sotto_status record(parties *p, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < p->count; i++) {
    sotto_i_session *s = &p->sessions[i];
    if (s->role != SOTTO_ROLE_SERVER && !p->roles->members_record) continue;
    SOTTO_TRY(sotto_i_new(&p->parts[i].logs, s->link_count, sizeof(sotto_i_wire_log), err));
    for (size_t k = 0; k < s->link_count; k++) {
      const sotto_i_wire_end end = {s->role, s->role == SOTTO_ROLE_SERVER ? (uint32_t)k + 1 : s->number};
      bool goes_on = !s->local || s->checkpoints.at.number > 0;
      SOTTO_TRY(sotto_i_wire_log_begin(&p->parts[i].logs[k], s->links[k], p->job, end, goes_on, err));
    }
  }
done:
  return status;
}

static void end(parties *p) {
  bool borrowed = p->job->seat != NULL && p->job->seat->wire == NULL;
  const bool given = p->roles->given != NULL;
  if (p->shared != NULL && !given) p->roles->release(p->shared);
  for (size_t i = 0; p->sessions != NULL && i < p->count; i++) {
    for (size_t k = 0; !borrowed && p->sessions[i].links != NULL && k < p->sessions[i].link_count; k++)
      sotto_link_free(p->sessions[i].links[k]);
    sotto_i_free(p->sessions[i].links);
  }
  for (size_t i = 0; p->parts != NULL && i < p->count; i++) sotto_i_free(p->parts[i].logs);
  sotto_i_free(p->sessions);
  sotto_i_free(p->parts);
  if (!given) sotto_i_free(p->shared);
  pthread_mutex_destroy(&p->lock);
}

static sotto_status begin(parties *p, sotto_error *err) {
  const sotto_i_job *job = p->job;
  sotto_status status;
  if (job->seat != NULL)
    p->count = 1;
  else
    p->count = p->roles->member == SOTTO_ROLE_DATA
                   ? 2
                   : 1 + (size_t)p->roles->members(job) + sotto_i_has_helper(job->options);
  SOTTO_TRY(sotto_i_new(&p->sessions, p->count, sizeof *p->sessions, err));
  SOTTO_TRY(sotto_i_new(&p->parts, p->count, sizeof *p->parts, err));
  if (p->roles->given != NULL)
    p->shared = p->roles->given;
  else
    SOTTO_TRY(sotto_i_new(&p->shared, 1, p->roles->size, err));
  for (size_t i = 0; i < p->count; i++) p->parts[i] = (part){.of = p, .index = i};
  SOTTO_TRY(job->seat == NULL ? all_sessions(p, err) : one_session(p, err));
  for (size_t i = 0; i < p->count; i++) SOTTO_I_CHECK(p->roles->run[p->sessions[i].role] != NULL);
  if (job->seat == NULL && p->roles->given == NULL) agree_here(p);
  for (size_t i = 0; i < p->count; i++)
    for (size_t k = 0; k < p->sessions[i].link_count; k++)
      if (p->sessions[i].links[k] != NULL) sotto_i_link_watch(p->sessions[i].links[k], job->observer);
  const sotto_i_checkpoint at = p->sessions[0].checkpoints.at;
  if (at.number > 0)
    sotto_i_log(job->observer, SOTTO_LOG_INFO, "going on from checkpoint %u", (unsigned)at.number);
  if (job->options->record_wire && p->roles->given == NULL) SOTTO_TRY(record(p, err));
done:
  return status;
}

/* The label party or the server is on the calling thread: it is the one that reports epochs. */
sotto_status sotto_i_roles_run(sotto_i_outcome *out, const sotto_i_job *job, const sotto_i_roles *roles,
                               sotto_error *err) {
  parties p = {.job = job, .roles = roles};
  size_t own;
  sotto_status status;
  if (!sotto_i_ranks_first(sotto_i_job_ranks(job))) return roles->help(out, job, err);
  (void)pthread_mutex_init(&p.lock, NULL);
  SOTTO_TRY(begin(&p, err));
  SOTTO_TRY(roles->prepare(p.shared, job, p.sessions, p.count, err));
  if (job->seat == NULL) {
    own = roles->member == SOTTO_ROLE_DATA ? p.count - 1 : 0;
    SOTTO_TRY(start_others(&p, own, err));
    (void)run_part(&p.parts[own]);
    SOTTO_TRY(join_others(&p, own, err));
  } else {
    SOTTO_TRY(roles->run[p.sessions[0].role](&p.sessions[0], err));
  }
  if (roles->given == NULL) SOTTO_TRY(roles->finish(out, p.shared, err));
done:
  end(&p);
  return status;
}
