/* The inside of answers for as long as both parties are up: a thread that keeps the session, and questions.
 *
 * Locking rule: `lock` guards what stands below it; `changed` is signalled when a question comes or is
 * answered. What stands above it is the thread's once that runs. */
#ifndef SOTTO_SRC_RUN_JOINT_STAYING_H
#define SOTTO_SRC_RUN_JOINT_STAYING_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/progress.h"
#include "inside/party.h"
#include "predicting.h"
#include "sotto/joint.h"

/* A question of the data party on its way; on the stack of whoever asks. */
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
  sotto_observer guarded, own; /* own: listens to the wire, and passes all on to `guarded` */
  pthread_t thread;
  bool running;
  sotto_wire *wire; /* of the next session; NULL: it is to be opened */
  _Atomic bool closing;
  sotto_traffic before; /* of the sessions that are over */

  pthread_mutex_t lock;
  pthread_cond_t changed;
  sotto_joint_state state;
  bool entered;       /* the session has brought all */
  sotto_matrix table; /* label party: answers about all nodes, from the last session that brought them */
  sotto_i_staying_question *first;
};

/* Opens j->wire. Errors: those of sotto_wire_open. */
sotto_status sotto_i_staying_wire(sotto_joint *j, sotto_error *err);
/* The session's thread. */
void *sotto_i_staying_main(void *joint);
/* A time to wait, or until this party ends. */
void sotto_i_staying_pause(sotto_joint *j, double seconds);
/* Notes what has passed over a link. */
void sotto_i_staying_count(sotto_joint *j, const sotto_link *link);

/* staying_asks.c: until the session ends. The label party waits for questions; the data party passes them on.
 */
sotto_status sotto_i_staying_reply(sotto_joint *j, sotto_link *link, sotto_error *err);
sotto_status sotto_i_staying_ask(sotto_joint *j, sotto_wire *wire, sotto_link *link, sotto_error *err);
/* Nobody will answer what is waiting. */
void sotto_i_staying_refuse(sotto_joint *j, const char *why);

#endif
