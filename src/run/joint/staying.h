/* The inside of predictions by two connected parties: a thread that keeps the session, and questions.
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
#include "sotto/joint.h"

/* A question of the data party that is in progress; on the stack of the asking thread. */
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
  sotto_wire *wire; /* of the next session; NULL: to be opened */
  _Atomic bool closing;
  sotto_traffic before; /* of the ended sessions */

  pthread_mutex_t lock;
  pthread_cond_t changed;
  sotto_joint_state state;
  bool entered;       /* the session's initial exchange is complete */
  sotto_matrix table; /* label party: predictions of all nodes, from the last complete exchange */
  sotto_i_staying_question *first;
};

/* Opens j->wire. Errors: those of sotto_wire_open. */
sotto_status sotto_i_staying_wire(sotto_joint *j, sotto_error *err);
/* The session's thread. */
void *sotto_i_staying_main(void *joint);
/* Adds the traffic of a link. */
void sotto_i_staying_count(sotto_joint *j, const sotto_link *link);

/* staying_asks.c: run until the session ends. At the label party: waits for questions; at the data party:
 * forwards them. */
sotto_status sotto_i_staying_reply(sotto_joint *j, sotto_link *link, sotto_error *err);
sotto_status sotto_i_staying_ask(sotto_joint *j, sotto_wire *wire, sotto_link *link, sotto_error *err);
/* Fails all waiting questions. */
void sotto_i_staying_refuse(sotto_joint *j, const char *why);

#endif
