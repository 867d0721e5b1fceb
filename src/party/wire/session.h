/* A session: numbered frames between the method, which sends and receives payloads, and the wire's thread,
 * which moves frames. Frames are stored until the other side has acknowledged them.
 *
 * Locking rule: `lock` guards everything in it. `changed` is signalled when frames come or go, a session
 * begins, or all fails. Only the wire's thread frees frames in `out`, so it may read them without the
 * lock. */
#ifndef SOTTO_SRC_PARTY_WIRE_SESSION_H
#define SOTTO_SRC_PARTY_WIRE_SESSION_H

#include <pthread.h>

#include "frame.h"
#include "inside/party.h"

/* The window: most bytes under way in one direction, for the buffers of sender and receiver. A frame counts
 * as its bulk plus SOTTO_I_FRAME_COST bytes, which is more than it takes in memory. So frames without bulk
 * are bounded too, by SOTTO_I_WINDOW / SOTTO_I_FRAME_COST. */
enum { SOTTO_I_WINDOW = 8 << 20, SOTTO_I_FRAME_COST = 256 };

/* A numbered frame in transfer. */
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
  int wake;              /* an eventfd: wakes the wire's thread */
  uint64_t generation;   /* sessions begun; 0: none yet */
  uint8_t id[16];        /* of the last one; the same on both sides */
  uint64_t attempt;      /* attempt of the mesh in which the last one began */
  bool withdrawn;        /* the last one is over, and no other has begun */
  sotto_progress common; /* the progress from which this one goes on */
  sotto_progress reached;
  sotto_i_items out, in;
  sotto_i_item *unsent;           /* in `out`: the first that was not passed to the connection */
  uint64_t numbered, sent, acked; /* outgoing frames */
  uint64_t received, consumed, ack_sent, repeated_to; /* incoming frames */
  uint64_t left;                                      /* outstanding bytes of the incoming payload */
  size_t consumed_cost;                               /* since the last Ack */
  size_t window;                                      /* SOTTO_I_WINDOW, or less in a test */
  bool peer_checks;                                   /* the other side only checks, as this one does */
  bool peer_finished;                                 /* its last frame arrived; the wire thread's */
  double until; /* the method's: end of its waiting, when the session fails; 0: never */
  bool failed;
  sotto_error failure;
} sotto_i_wire_session;

sotto_status sotto_i_session_init(sotto_i_wire_session *s, sotto_error *err);
void sotto_i_session_destroy(sotto_i_wire_session *s);
void sotto_i_session_wake(sotto_i_wire_session *s);
/* Waits a tenth of a second at most; the lock is held. */
void sotto_i_session_wait(sotto_i_wire_session *s);

/* The method's side. `generation` is the session that it entered. Errors: PROTOCOL when another one began
 * (then *anew is set) or the session failed; INTERRUPTED. */
sotto_status
sotto_i_session_push(sotto_i_wire_session *s, uint64_t generation, sotto_i_item *item, bool *anew,
                     sotto_error *err); /* takes ownership of the item; waits for space in the window */
/* Checks without a frame that the session still goes on. */
sotto_status sotto_i_session_stands(sotto_i_wire_session *s, uint64_t generation, bool *anew,
                                    sotto_error *err);
/* Waits for the next incoming frame and passes it to the caller. */
sotto_status sotto_i_session_get(sotto_i_wire_session *s, uint64_t generation, sotto_i_item **item,
                                 bool *anew, sotto_error *err);
/* Waits until all pushed frames are acknowledged, for so many seconds at most. */
void sotto_i_session_flush(sotto_i_wire_session *s, uint64_t generation, double seconds);

/* The wire thread's side. */
sotto_i_item *sotto_i_session_next(sotto_i_wire_session *s); /* the frame to send now, or NULL */
void sotto_i_session_sent(sotto_i_wire_session *s);
/* Takes a numbered frame; owns *bulk on success. Errors: PROTOCOL (number, order, size), NOMEM. */
sotto_status sotto_i_session_take(sotto_i_wire_session *s, const sotto_i_frame *frame, uint8_t **bulk,
                                  size_t size, sotto_error *err);
sotto_status sotto_i_session_acked(sotto_i_wire_session *s, uint64_t number, sotto_error *err);
/* Is an Ack due, and for which number? */
bool sotto_i_session_ack_due(sotto_i_wire_session *s, uint64_t *number);
/* A new connection of the session: sends again the frames that did not arrive. Errors: PROTOCOL. */
sotto_status sotto_i_session_resume(sotto_i_wire_session *s, uint64_t received, sotto_error *err);
void sotto_i_session_begin(sotto_i_wire_session *s, uint64_t attempt, sotto_progress common);
/* Ends the session: the method learns that the run restarts. */
void sotto_i_session_withdraw(sotto_i_wire_session *s);
void sotto_i_session_fail(sotto_i_wire_session *s, sotto_status status, const char *text);
bool sotto_i_session_failed(sotto_i_wire_session *s);

void sotto_i_item_free(sotto_i_item *item);

#endif
