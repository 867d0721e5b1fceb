/* Answers of a finished run that its parties give together for as long as all are up. */
#ifndef SOTTO_JOINT_H
#define SOTTO_JOINT_H

#include "sotto/methods.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One party of them. A thread of its own keeps a session with the others: it begins with what
 * sotto_predict_party sends about all nodes of the run, after which the party with the labels answers by
 * itself, and the data party or the other holders ask it node by node. A server of holders learns nothing.
 * When the session ends, another one begins as soon as all are there. */
typedef struct sotto_joint sotto_joint;

/* Checks all that this party can check, says in the log what it will send, and starts the thread; `options`,
 * `party` and `asking` are as for sotto_predict_party, but that `asking` names no nodes, and the other
 * parties call this too. `data`, `party` and `observer` are borrowed until the end. With an epsilon the
 * answers are about other data, of which the data party makes one release for all sessions, and is charged
 * for it once; without, nothing is charged. Errors: those of sotto_predict_party but PROTOCOL: what the other
 * party does ends a session, and this goes on. */
SOTTO_API SOTTO_MUST_USE sotto_status sotto_joint_open(sotto_joint **out, const sotto_options *options,
                                                       const sotto_dataset *data, const uint8_t nodes[32],
                                                       const sotto_party *party, const sotto_asking *asking,
                                                       const sotto_observer *observer, sotto_error *err);
/* Tells the other parties that it ends, and frees the session. No other call may be running. NULL is allowed.
 */
SOTTO_API void sotto_joint_close(sotto_joint *joint);

/* Class probabilities out[i * classes + c] of nodes[i], or with task regression their numbers out[i], 1 to
 * SOTTO_MOST_ASKED of them in any order, all below the number of nodes; `classes` as sotto_joint_look said.
 * Several threads may call it at once; it ends within half a minute. Errors: UNSUPPORTED (this party does not
 * learn), RANGE, PROTOCOL (the other party is needed, and is not there or did not answer; the text says why),
 * INTERRUPTED, NOMEM. */
SOTTO_API sotto_status sotto_joint_answer(sotto_joint *joint, float *out, const uint32_t *nodes, size_t count,
                                          size_t classes, sotto_error *err);

/* What there is at this moment. */
typedef struct sotto_joint_state {
  bool learns;                    /* this party gets answers */
  bool connected, ready;          /* to all others; and the session has all that answers need */
  size_t peers, peers_connected;  /* the other parties */
  size_t nodes, classes;          /* classes 0: not known before the first session; 1: numbers */
  char peer[128];                 /* the other party's name; of several, one that is not connected */
  char problem[SOTTO_ERROR_TEXT]; /* why it is not ready; empty: it is */
  uint64_t sessions;              /* that got ready */
  sotto_traffic traffic;          /* bytes of payloads, of all sessions */
} sotto_joint_state;
SOTTO_API void sotto_joint_look(sotto_joint *joint, sotto_joint_state *out);
/* The names of classes by the run's own schema, or by the data; count 0: this party knows none. Borrowed. */
SOTTO_API const sotto_names *sotto_joint_class_names(const sotto_joint *joint);

#ifdef __cplusplus
}
#endif

#endif
