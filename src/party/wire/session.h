/* What a session holds between the method, which sends and receives payloads, and the wire's thread, which
 * moves frames: numbered frames in and out, kept until the other side took them over.
 *
 * Locking rule: `lock` guards everything in it. `changed` is signalled when frames come or go, a session
 * begins, or all fails. Frames in `out` are freed by the wire's thread alone, so it may read them without the
 * lock. */
#ifndef SOTTO_SRC_PARTY_WIRE_SESSION_H
#define SOTTO_SRC_PARTY_WIRE_SESSION_H

#include <pthread.h>

#include "frame.h"
#include "inside/party.h"

/* What may be under way in one direction, as a sender keeps it and a receiver sets it aside: a frame counts
 * as its bulk and SOTTO_I_FRAME_COST bytes, which is more than keeping it takes, so frames without bulk are
 * bounded too, by SOTTO_I_WINDOW / SOTTO_I_FRAME_COST. */
enum { SOTTO_I_WINDOW = 8 << 20, SOTTO_I_FRAME_COST = 256 };

/* A numbered frame on its way. */
typedef struct sotto_i_item {
  struct sotto_i_item *next;
  sotto_i_frame_kind kind;
  uint64_t number;
  sotto_i_header header;
  uint8_t *bytes; /* owned */
  size_t size, taken;
} sotto_i_item;

typedef struct sotto_i_items {
  sotto_i_item *first, *last;
  size_t cost;
} sotto_i_items;

typedef struct sotto_i_wire_session {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int wake;              /* an eventfd: there is something for the wire's thread to do */
  uint64_t generation;   /* sessions begun; 0: none yet */
  uint8_t id[16];        /* of the last one; both sides have the same */
  uint64_t attempt;      /* of the mesh, in which the last one began */
  bool withdrawn;        /* the last one is over, and none has taken its place */
  sotto_progress common; /* where this one goes on from */
  sotto_progress reached;
  sotto_i_items out, in;
  sotto_i_item *unsent;           /* in `out`: the first that was not handed to the connection */
  uint64_t numbered, sent, acked; /* outgoing frames */
  uint64_t received, consumed, ack_sent, repeated_to; /* incoming frames */
  uint64_t left;                                      /* bytes of the incoming payload that are to come */
  size_t consumed_cost;                               /* since the last Ack */
  size_t window;                                      /* SOTTO_I_WINDOW, or less in a test */
  bool peer_finished;                                 /* its last frame came; the wire thread's */
  double until; /* the method's: when it stops waiting, and the session fails; 0: never */
  bool failed;
  sotto_error failure;
} sotto_i_wire_session;

sotto_status sotto_i_session_init(sotto_i_wire_session *s, sotto_error *err);
void sotto_i_session_destroy(sotto_i_wire_session *s);
void sotto_i_session_wake(sotto_i_wire_session *s);
/* Waits a tenth of a second at most; the lock is held. */
void sotto_i_session_wait(sotto_i_wire_session *s);

/* The method's side. `generation` is the session that it entered. Errors: PROTOCOL when another one began
 * (then *anew is set) or all failed; INTERRUPTED. */
sotto_status sotto_i_session_push(sotto_i_wire_session *s, uint64_t generation, sotto_i_item *item,
                                  bool *anew, sotto_error *err); /* takes the item over; waits for room */
/* The same without a frame: does the session go on? */
sotto_status sotto_i_session_stands(sotto_i_wire_session *s, uint64_t generation, bool *anew,
                                    sotto_error *err);
/* Waits for the next incoming frame and hands it over. */
sotto_status sotto_i_session_get(sotto_i_wire_session *s, uint64_t generation, sotto_i_item **item,
                                 bool *anew, sotto_error *err);
/* Waits until all that was pushed has been taken over, for so many seconds at most. */
void sotto_i_session_flush(sotto_i_wire_session *s, uint64_t generation, double seconds);

/* The wire thread's side. */
sotto_i_item *sotto_i_session_next(sotto_i_wire_session *s); /* the frame to send now, or NULL */
void sotto_i_session_sent(sotto_i_wire_session *s);
/* A numbered frame came; *bulk is taken over on success. Errors: PROTOCOL (number, order, size), NOMEM. */
sotto_status sotto_i_session_take(sotto_i_wire_session *s, const sotto_i_frame *frame, uint8_t **bulk,
                                  size_t size, sotto_error *err);
sotto_status sotto_i_session_acked(sotto_i_wire_session *s, uint64_t number, sotto_error *err);
/* Is it time for an Ack, and of which number? */
bool sotto_i_session_ack_due(sotto_i_wire_session *s, uint64_t *number);
/* A connection that goes on with the session: sends again what did not arrive. Errors: PROTOCOL. */
sotto_status sotto_i_session_resume(sotto_i_wire_session *s, uint64_t received, sotto_error *err);
void sotto_i_session_begin(sotto_i_wire_session *s, uint64_t attempt, sotto_progress common);
/* Ends it: whoever entered it learns that the run begins anew. */
void sotto_i_session_withdraw(sotto_i_wire_session *s);
void sotto_i_session_fail(sotto_i_wire_session *s, sotto_status status, const char *text);
bool sotto_i_session_failed(sotto_i_wire_session *s);

void sotto_i_item_free(sotto_i_item *item);

#endif
