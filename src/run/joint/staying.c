/* Parties that stay connected and answer for a finished run: when a session ends for any reason, another one
 * follows. */
#include "staying.h"

#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/wait.h"
#include "inside/party.h"
#include "party/wire/link/transport.h"
#include "record.h"
#include "run/parties/party_run.h"

static const double shortest_pause = 0.2, longest_pause = 30; /* seconds between two sessions */

/* Waits for this time, or until this party ends. */
static void pause_session(sotto_joint *j, double seconds) {
  const double end = sotto_i_seconds() + seconds;
  pthread_mutex_lock(&j->lock);
  while (sotto_i_seconds() < end && !sotto_i_stopped()) sotto_i_condition_wait(&j->changed, &j->lock);
  pthread_mutex_unlock(&j->lock);
}

void sotto_i_staying_count(sotto_joint *j, const sotto_i_links *links, size_t i) {
  const sotto_traffic now = sotto_link_traffic(links->all[i]);
  pthread_mutex_lock(&j->lock);
  sotto_traffic *before = &j->counted[i];
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++) {
    j->state.traffic.sent[kind] += now.sent[kind] - before->sent[kind];
    j->state.traffic.received[kind] += now.received[kind] - before->received[kind];
  }
  *before = now;
  pthread_mutex_unlock(&j->lock);
}

/* Sets why no answers are possible now. locking: lock held. */
static void set_problem(sotto_joint *j, const char *why) {
  (void)snprintf(j->state.problem, sizeof j->state.problem, "%s", why);
}

/* The number of classes, for all that ask. */
static sotto_status exchange_classes(uint32_t *classes, const sotto_i_predicting *p,
                                     const sotto_i_links *links, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (!sotto_i_data_learns(p)) return SOTTO_OK;
  if (!sotto_i_is_label_party(p) && links->server) return SOTTO_OK;
  if (!sotto_i_is_label_party(p))
    return sotto_i_classes_receive(classes, links->all[sotto_i_label_link(p, links)],
                                   sotto_i_answer_kind_of(&p->options), err);
  for (size_t i = sotto_i_first_learner(links); i < links->count; i++)
    SOTTO_TRY(sotto_i_classes_send(links->all[i], *classes, err));
done:
  return status;
}

/* The start of a session: the method's messages about all nodes of the run. */
static sotto_status exchange_rows(sotto_joint *j, const sotto_i_links *links, sotto_error *err) {
  sotto_i_predicting *p = &j->p;
  const bool is_label = sotto_i_is_label_party(p);
  sotto_matrix rows = {0};
  uint32_t *nodes = NULL, classes = 0;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_predicting_answer(&rows, &nodes, &count, p, links, err));
  SOTTO_TRY(sotto_i_other_data_state(&p->release, links->all, links->count, err));
  if (is_label) classes = (uint32_t)rows.cols;
  SOTTO_TRY(exchange_classes(&classes, p, links, err));
  pthread_mutex_lock(&j->lock);
  if (is_label) {
    sotto_matrix_free(&j->table);
    j->table = rows;
    rows = (sotto_matrix){0};
  }
  j->state.classes = classes;
  j->state.sessions++;
  j->entered = true;
  pthread_mutex_unlock(&j->lock);
  for (size_t i = 0; i < links->count; i++) sotto_i_staying_count(j, links, i);
  SOTTO_TRY(sotto_i_joint_record(p, count, links, err));
  sotto_i_log(&j->guarded, SOTTO_LOG_INFO, "%s: answers are ready",
              links->several ? p->options.out : p->run.party->peers->name);
done:
  sotto_matrix_free(&rows);
  sotto_i_free(nodes);
  return status;
}

/* A session from its start to its end, over links to all others. */
static sotto_status run_session(sotto_joint *j, const sotto_i_links *links, sotto_error *err) {
  sotto_i_predicting *p = &j->p;
  sotto_status status;
  memset(j->counted, 0, links->count * sizeof *j->counted);
  SOTTO_TRY(exchange_rows(j, links, err));
  status =
      sotto_i_is_label_party(p) ? sotto_i_staying_reply(j, links, err) : sotto_i_staying_ask(j, links, err);
  if (sotto_i_joint_record(p, (size_t)p->run.data->graph.nodes, links, NULL) != SOTTO_OK)
    sotto_i_log(&j->guarded, SOTTO_LOG_WARNING, "%s: predictions.json could not be written", p->options.out);
done:
  for (size_t i = 0; i < links->count; i++) sotto_i_staying_count(j, links, i);
  pthread_mutex_lock(&j->lock);
  j->entered = false;
  pthread_mutex_unlock(&j->lock);
  return status;
}

/* After a session in which another party was started again. */
static void begin_anew(sotto_joint *j, const char *who) {
  char why[100];
  (void)snprintf(why, sizeof why, "%s was started again; its part is being fetched", who);
  pthread_mutex_lock(&j->lock);
  set_problem(j, why);
  pthread_mutex_unlock(&j->lock);
  sotto_i_staying_refuse(j, why);
}

/* Runs sessions over one wire: a restarted peer begins another one. */
static sotto_status run_sessions(sotto_joint *j, sotto_wire *wire, sotto_error *err) {
  for (;;) {
    sotto_progress common;
    sotto_link *link = NULL;
    sotto_status status = sotto_wire_meet(wire, &common, err);
    if (status != SOTTO_OK) return status;
    const sotto_i_links links = {.all = &link, .count = 1};
    status = sotto_wire_link(wire, &link, err);
    if (status == SOTTO_OK) status = run_session(j, &links, err);
    sotto_link_free(link);
    if (!sotto_wire_anew(wire)) return status;
    begin_anew(j, "the other party");
    if (err != NULL) *err = (sotto_error){.status = SOTTO_OK};
  }
}

/* One session among several parties. */
static sotto_status converse(void *context, const sotto_i_among_links *met, sotto_error *err) {
  sotto_joint *j = context;
  const sotto_i_links links = {.all = met->links,
                               .count = met->count,
                               .several = true,
                               .server = sotto_i_party_is_hub(j->p.run.party, &j->p.options)};
  const sotto_status status = run_session(j, &links, err);
  if (status != SOTTO_OK) begin_anew(j, "another party");
  return status;
}

static const char goodbye[] = "it stopped its service";

/* Tells the other party, if it is connected, why this one leaves. */
static void say_goodbye(sotto_joint *j, sotto_wire *wire, sotto_status status) {
  pthread_mutex_lock(&j->lock);
  const bool connected = j->state.connected;
  pthread_mutex_unlock(&j->lock);
  if (connected && status == SOTTO_INTERRUPTED)
    sotto_wire_stop(wire, goodbye);
  else if (connected)
    sotto_wire_give_up(wire, status);
}

sotto_status sotto_i_staying_connect(sotto_joint *j, sotto_error *err) {
  const sotto_i_predicting *p = &j->p;
  if (j->wire != NULL || j->mesh != NULL) return SOTTO_OK;
  if (!sotto_i_is_among_several(p))
    return sotto_i_party_wire(&j->wire, &p->options, p->run.party, p->run.nodes, p->terms,
                              (sotto_progress){0, 0}, false, &j->own, err);
  const sotto_i_among among = {.options = &p->options,
                               .party = p->run.party,
                               .nodes = p->run.nodes,
                               .terms = p->terms,
                               .observer = &j->own,
                               .context = j,
                               .converse = converse,
                               .goodbye = goodbye};
  return sotto_i_among_open(&j->mesh, &among, err);
}

static void hold_session(sotto_joint *j, sotto_error *err) {
  if (sotto_i_staying_connect(j, err) != SOTTO_OK) return;
  if (j->mesh != NULL) {
    (void)sotto_i_among_hold(j->mesh, err);
    sotto_i_among_free(j->mesh);
    j->mesh = NULL;
    return;
  }
  const sotto_status status = run_sessions(j, j->wire, err);
  say_goodbye(j, j->wire, status);
  sotto_wire_free(j->wire);
  j->wire = NULL;
}

void *sotto_i_staying_main(void *context) {
  sotto_joint *j = context;
  SOTTO_I_CANCELLED_BY(&j->own);
  double pause = shortest_pause;
  while (!sotto_i_stopped()) {
    sotto_error problem = {0};
    const uint64_t before = j->state.sessions; /* only this thread changes it */
    hold_session(j, &problem);
    pthread_mutex_lock(&j->lock);
    set_problem(j, problem.text);
    j->state.connected = false;
    j->state.peers_connected = 0;
    memset(j->here, 0, j->state.peers * sizeof *j->here);
    pthread_mutex_unlock(&j->lock);
    sotto_i_staying_refuse(j, problem.text);
    if (sotto_i_stopped()) break;
    if (j->state.sessions > before) pause = shortest_pause;
    sotto_i_log(&j->guarded, SOTTO_LOG_WARNING, "the session ended: %s; trying again in %.3g s", problem.text,
                pause);
    pause_session(j, pause);
    pause = pause * 2 < longest_pause ? pause * 2 : longest_pause;
  }
  return NULL;
}
