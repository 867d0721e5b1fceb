/* The inside of predictions by connected parties: a thread that keeps the session, and questions.
 *
 * Locking: `lock` guards the members below it; `changed` is signalled when a question arrives or is
 * answered. The members above it belong to the thread once it runs. */
#ifndef SOTTO_SRC_RUN_JOINT_STAYING_H
#define SOTTO_SRC_RUN_JOINT_STAYING_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/progress.h"
#include "inside/party.h"
#include "predicting.h"
#include "run/parties/party_among.h"
#include "sotto/joint.h"

/* A question of a party without labels that is in progress; on the stack of the asking thread. */
typedef struct sotto_i_staying_question {
  struct sotto_i_staying_question *next;
  const uint32_t *nodes;
  size_t count, classes;
  float *out;
  bool taken, done;
  sotto_status status;
  sotto_error err;
} sotto_i_staying_question;

struct sotto_joint {
  sotto_i_predicting p;
  sotto_i_guard guard;
  sotto_observer guarded, own; /* own: observes the wire, and forwards all calls to `guarded` */
  pthread_t thread;
  bool running;
  /* Of the next session, the first of two parties and the second of several; NULL: to be opened. */
  sotto_wire *wire;
  sotto_i_among_mesh *mesh;
  _Atomic bool closing;

  pthread_mutex_t lock;
  pthread_cond_t changed;
  sotto_joint_state state;
  bool *here;             /* by peer: is it connected? */
  sotto_traffic *counted; /* by link of this session: what `state` has of it */
  bool entered;           /* the session's initial exchange is complete */
  sotto_matrix table;     /* label party: predictions of all nodes, from the last complete exchange */
  sotto_i_staying_question *first;
};

/* Opens j->wire or j->mesh. Errors: those of sotto_wire_open. */
sotto_status sotto_i_staying_connect(sotto_joint *j, sotto_error *err);
/* The session's thread. */
void *sotto_i_staying_main(void *joint);
/* The name of a party that is not connected, or of the first one. locking: lock held. */
static inline const char *sotto_i_staying_absent(const sotto_joint *j) {
  size_t away = 0;
  while (away < j->state.peers && j->here[away]) away++;
  return j->p.run.party->peers[away < j->state.peers ? away : 0].name;
}
/* Adds the traffic of a link; on the thread that uses it. */
void sotto_i_staying_count(sotto_joint *j, const sotto_i_links *links, size_t i);

/* staying_asks.c: run until the session ends. At the label party: waits for questions of all others but the
 * server; at the others: forwards them. */
sotto_status sotto_i_staying_reply(sotto_joint *j, const sotto_i_links *links, sotto_error *err);
sotto_status sotto_i_staying_ask(sotto_joint *j, const sotto_i_links *links, sotto_error *err);
/* Fails all waiting questions. */
void sotto_i_staying_refuse(sotto_joint *j, const char *why);

#endif
