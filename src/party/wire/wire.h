/* The inside of a wire: its thread, its connections, its session. Members below `thread` belong to the thread
 * once it runs; those above it do not change, and the session has a lock of its own. */
#ifndef SOTTO_SRC_PARTY_WIRE_WIRE_H
#define SOTTO_SRC_PARTY_WIRE_WIRE_H

#include <stdatomic.h>

#include "conn.h"
#include "crowd.h"
#include "inside/party.h"
#include "party/identity/identity.h"
#include "session.h"

typedef struct sotto_i_lobby sotto_i_lobby; /* lobby.h */
typedef struct sotto_i_mesh sotto_i_mesh;   /* mesh.h */

enum {
  SOTTO_I_MOST_FAULTS = 3, /* broken frames of the peer before the run is given up */
};

/* Seconds before a connector calls again; twice as long each time. Parties that start together meet soon. */
#define SOTTO_I_FIRST_PAUSE 0.02

struct sotto_wire {
  sotto_wire_options options; /* its texts are owned */
  SSL_CTX *context;           /* NULL: no TLS */
  sotto_i_trusted *trusted;   /* whose certificates are accepted; NULL: no TLS */
  sotto_i_lobby *lobby;       /* where its peer comes in; NULL: connects */
  sotto_wire *next;           /* the next one of the lobby */
  sotto_i_mesh *mesh;         /* NULL: a run of two */
  size_t place;               /* in the mesh */
  bool own_lobby;
  bool may_leave; /* the run goes on without this peer, once it was there */
  bool anew;      /* the method's: its last call failed for a new session */
  uint8_t self[16];
  sotto_i_wire_session session;
  uint64_t entered;       /* the method's: the session it is in */
  sotto_i_item *incoming; /* the method's: a chunk that is not used up */
  _Atomic bool quit;
  char stop[256];                    /* the reason to tell; set before `stopping` */
  _Atomic bool stopping, stop_heard; /* the peer has the reason, or gave the run up itself */
  _Atomic uint64_t sent, received;
  sotto_i_conn *arrived[SOTTO_I_MOST_GUESTS]; /* from the lobby; under the session's lock, as the next */
  char last_problem[200];
  sotto_trouble trouble; /* what that was; also what failed the session */
  bool running;
  pthread_t thread;

  uint64_t attempt;                          /* of the mesh's, which this wire has come to */
  sotto_i_conn *conn;                        /* the one that carries the session */
  sotto_i_conn *guests[SOTTO_I_MOST_GUESTS]; /* on their way to be it */
  uint8_t session_id[16];
  double lost; /* since when there is no connection */
  double next_try, pause;
  double told; /* when the observer last heard that there is none */
  unsigned faults;
  bool stop_sent;      /* by `conn`, which stays until the peer hangs up */
  bool passed_on;      /* the failure of its attempt, to the mesh */
  uint64_t counted[2]; /* what connections count; published to `sent` and `received` */
  uint64_t refused;    /* connections that came to nothing */
  uint64_t routine;    /* lines of the log that a peer can cause as often as it connects */
};

/* wire_address.c */
/* Is it HOST:PORT or [HOST]:PORT, and with `loopback` one of this machine alone? Errors: INVALID, IO. */
sotto_status sotto_i_address_check(const char *address, bool loopback, sotto_error *err);
/* A socket that listens. Errors: INVALID (not this machine's loopback, when that is asked for), IO. */
sotto_status sotto_i_address_listen(int *out, const char *address, bool loopback, sotto_error *err);
/* A socket that is being connected. Errors: INVALID, IO. */
sotto_status sotto_i_address_dial(int *out, sotto_trouble *trouble, const char *address, bool loopback,
                                  sotto_error *err);
/* The next connection of a listener, or -1 with errno; `with` and `from` say where it comes from. */
int sotto_i_address_accept(int listener, char with[80], sotto_i_origin *from);
/* Hangs up at once: nothing is kept for a connection that was never of use. */
void sotto_i_address_reject(int fd);

/* wire_greet.c */
/* What this side says first. */
void sotto_i_greet_fill(sotto_i_hello *out, sotto_wire *wire);
/* What stands between the two; false with a sentence that names it. */
bool sotto_i_greet_agree(char *out, size_t size, sotto_trouble *trouble, const sotto_wire *wire,
                         const sotto_i_hello *theirs);
/* The session of two greetings: of these starts in this attempt, or, in a run of two, from this progress; and
 * the progress that both have. */
void sotto_i_greet_session(uint8_t id[16], sotto_progress *common, const sotto_i_hello *mine,
                           const sotto_i_hello *theirs);

/* wire_open.c: as sotto_wire_open, but into a lobby (NULL: as the options say) or a mesh that there is. */
sotto_status sotto_i_wire_open(sotto_wire **out, const sotto_wire_options *options, sotto_i_lobby *lobby,
                               sotto_i_mesh *mesh, size_t place, sotto_error *err);
/* Hangs up; what is left is to free it. */
void sotto_i_wire_end(sotto_wire *wire);
/* wire.c: has a peer that may leave done so, or failed? */
bool sotto_i_wire_gone(sotto_wire *wire);
/* Wakes who waits for the peer to hear that the run is given up. */
void sotto_i_wire_heard(sotto_wire *wire);
/* As sotto_wire_give_up, to all at once; `reason_sent` (empty: general words) goes to the peers. Failed
 * ones receive it too, if they connect. */
void sotto_i_wires_give_up(sotto_wire *const *wires, size_t count, const char *reason_sent,
                           sotto_status status);
/* The two halves of sotto_wire_finish. */
sotto_status sotto_i_wire_say_finished(sotto_wire *wire, sotto_error *err);
sotto_status sotto_i_wire_hear_finished(sotto_wire *wire, sotto_error *err);
/* wire_session.c: both have greeted; the connection goes on with the session, or begins one. PROTOCOL when it
 * is of no use; without a text in the error when nothing is wrong. */
sotto_status sotto_i_wire_enter(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err);
/* Waits until a session stands, and enters it; *stands is false when the mesh left this attempt meanwhile. */
sotto_status sotto_i_wire_stand(sotto_wire *wire, const sotto_i_mesh *mesh, uint64_t attempt, bool *stands,
                                sotto_error *err);
/* Goes to the attempt that the mesh is at. */
void sotto_i_wire_follow(sotto_wire *wire);
/* wire_guest.c: connections that have not greeted; promotes the one that did. */
void sotto_i_wire_admit(sotto_wire *wire); /* takes what the lobby handed over */
void sotto_i_wire_dial(sotto_wire *wire);  /* a connector's next attempt */
void sotto_i_wire_serve_guest(sotto_wire *wire, size_t i, short events);
/* The peer said that it ends the run. */
void sotto_i_wire_stopped(sotto_wire *wire, const char *reason);
/* wire_note.c. Remembers what came in the way of a connection, for the message of the limit `grace`. */
void sotto_i_wire_problem(sotto_wire *wire, const char *why, sotto_trouble trouble);
sotto_trouble sotto_i_wire_trouble(sotto_wire *wire);
/* As that, for a connection with this address; and says so, where it is news. */
void sotto_i_wire_note_problem(sotto_wire *wire, const char *with, const char *why, sotto_trouble trouble);
void sotto_i_wire_drop_guest(sotto_wire *wire, size_t i, const char *why);
void sotto_i_wire_drop_guests(sotto_wire *wire); /* all of them, without a word */
/* Tells the observer of the peer; `guest` is the connection, NULL: none. `text` may be empty. */
void sotto_i_wire_event(sotto_wire *wire, sotto_event_kind kind, const sotto_i_conn *guest, const char *text);
void sotto_i_wire_log(sotto_wire *wire, sotto_log_level level, const char *format, ...) SOTTO_PRINTF(3, 4);
/* Is this refusal to be logged: the first hundred, then each hundredth, from the ten thousandth on each ten
 * thousandth? */
bool sotto_i_refusal_logged(uint64_t *refused);
/* Is another such line to be logged? So that no peer fills a disk. */
bool sotto_i_wire_routine(sotto_wire *wire);

#endif
