/* Start and end of one of the connected parties, and its state for other threads. */
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/wait.h"
#include "inside/party.h"
#include "staying.h"

/* The wire's observer: records connections, and forwards all calls. */
static void forward_progress(void *context, const char *stage, uint64_t done, uint64_t total,
                             const char *note) {
  sotto_i_progress(&((sotto_joint *)context)->guarded, stage, done, total, note);
}

static void forward_log(void *context, sotto_log_level level, const char *text) {
  sotto_i_log(&((sotto_joint *)context)->guarded, level, "%s", text);
}

static bool is_closing(void *context) {
  const sotto_joint *j = context;
  const sotto_observer *of = &j->guarded;
  return atomic_load(&j->closing) || (of->cancelled != NULL && of->cancelled(of->context));
}

/* Is the peer of an event there? locking: lock held. */
static void note_peer(sotto_joint *j, const char *name, bool here) {
  const sotto_party *party = j->p.run.party;
  j->state.peers_connected = 0;
  for (size_t i = 0; i < j->state.peers; i++) {
    if (name == NULL || strcmp(party->peers[i].name, name) == 0) j->here[i] = here;
    j->state.peers_connected += j->here[i];
  }
  j->state.connected = j->state.peers_connected == j->state.peers;
}

static void forward_event(void *context, const sotto_event *event) {
  sotto_joint *j = context;
  pthread_mutex_lock(&j->lock);
  if (event->kind == SOTTO_EVENT_CONNECTED) note_peer(j, event->peer, true);
  if (event->kind == SOTTO_EVENT_LOST) {
    note_peer(j, event->peer, false);
    (void)snprintf(j->state.problem, sizeof j->state.problem,
                   "the connection broke, and none was made since");
  }
  pthread_mutex_unlock(&j->lock);
  sotto_i_event(&j->guarded, event);
}

static sotto_status check_request(const sotto_i_predicting *p, sotto_error *err) {
  if (p->asking.nodes == NULL) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "asking: parties that stay up answer about all nodes");
}

/* Room for each peer. */
static sotto_status begin_peers(sotto_joint *j, const sotto_party *party, sotto_error *err) {
  sotto_status status;
  j->state.peers = party->peer_count > 0 ? party->peer_count : 1;
  SOTTO_TRY(sotto_i_new(&j->here, j->state.peers, sizeof *j->here, err));
  SOTTO_TRY(sotto_i_new(&j->counted, j->state.peers, sizeof *j->counted, err));
done:
  return status;
}

sotto_status sotto_joint_open(sotto_joint **out, const sotto_options *options, const sotto_dataset *data,
                              const uint8_t nodes[32], const sotto_party *party, const sotto_asking *asking,
                              const sotto_observer *observer, sotto_error *err) {
  SOTTO_I_CANCELLED_BY(observer);
  sotto_joint *j = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_TRY(sotto_i_new(&j, 1, sizeof *j, err));
  pthread_mutex_init(&j->lock, NULL);
  sotto_i_condition_init(&j->changed);
  j->guarded = sotto_i_guard_begin(&j->guard, observer);
  j->own = (sotto_observer){j, forward_progress, forward_log, is_closing, forward_event};
  j->p.stays = true;
  sotto_i_predicting_begin(&j->p, options, data, nodes, party, asking, &j->guarded);
  SOTTO_TRY(check_request(&j->p, err));
  SOTTO_TRY(begin_peers(j, party, err));
  SOTTO_TRY(sotto_i_predicting_prepare(&j->p, err));
  j->state.learns = sotto_i_party_learns(&j->p);
  j->state.nodes = (size_t)data->graph.nodes;
  (void)snprintf(j->state.problem, sizeof j->state.problem, "it was not here yet");
  SOTTO_TRY(sotto_i_staying_connect(j, err)); /* a wrong key or address is the caller's error, not a peer's */
  j->running = pthread_create(&j->thread, NULL, sotto_i_staying_main, j) == 0; /* outlives this call */
  if (!j->running) status = sotto_i_fail(err, SOTTO_NOMEM, "the system refused a thread");
done:
  if (status == SOTTO_OK)
    *out = j;
  else
    sotto_joint_close(j);
  return status;
}

void sotto_joint_close(sotto_joint *j) {
  if (j == NULL) return;
  atomic_store(&j->closing, true);
  if (j->running) (void)pthread_join(j->thread, NULL);
  sotto_wire_free(j->wire);
  sotto_i_among_free(j->mesh);
  sotto_i_predicting_end(&j->p);
  sotto_matrix_free(&j->table);
  sotto_i_free(j->here);
  sotto_i_free(j->counted);
  sotto_i_guard_end(&j->guard);
  (void)pthread_cond_destroy(&j->changed);
  (void)pthread_mutex_destroy(&j->lock);
  sotto_i_free(j);
}

void sotto_joint_look(sotto_joint *j, sotto_joint_state *out) {
  pthread_mutex_lock(&j->lock);
  *out = j->state;
  (void)snprintf(out->peer, sizeof out->peer, "%.127s", sotto_i_staying_absent(j));
  out->ready = j->entered && j->state.connected;
  if (out->ready)
    out->problem[0] = '\0';
  else if (out->problem[0] == '\0')
    (void)snprintf(out->problem, sizeof out->problem, "its part is being fetched");
  pthread_mutex_unlock(&j->lock);
}

const sotto_names *sotto_joint_class_names(const sotto_joint *j) {
  const sotto_schema *schema = j->p.matched.schema;
  return schema != NULL ? &schema->classes : &j->p.run.data->class_names;
}
