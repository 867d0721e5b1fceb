/* A wire, internal: its thread, its connections, its session. Members below `thread` belong to the thread
 * once it runs. Those above it do not change; the session has its own lock. */
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
  SOTTO_I_MOST_FAULTS = 3, /* faulty frames of the peer before the run is given up */
};

/* Seconds before a connecting side tries again, doubled each time. Parties that start together meet soon. */
#define SOTTO_I_FIRST_PAUSE 0.02
/* The longest pause, and how long a party that gives up stays for the peers that do not have the reason yet:
 * whoever tries again calls within that time. */
#define SOTTO_I_LONGEST_PAUSE 1.0
#define SOTTO_I_LONGEST_STOP  2.0

struct sotto_wire {
  sotto_wire_options options; /* its texts are owned */
  SSL_CTX *context;           /* NULL: no TLS */
  sotto_i_trusted *trusted;   /* whose certificates are accepted; NULL: no TLS */
  sotto_i_lobby *lobby;       /* for its peer's connections; NULL: this side connects */
  sotto_wire *next;           /* the next one of the lobby */
  sotto_i_mesh *mesh;         /* NULL: a run of two */
  size_t place;               /* in the mesh */
  bool own_lobby;
  bool may_leave; /* the run goes on without this peer, once it was there */
  bool anew;      /* of the method: its last call failed because of a new session */
  uint8_t self[16];
  sotto_i_wire_session session;
  uint64_t entered;       /* of the method: its session */
  sotto_i_item *incoming; /* of the method: a chunk that is partly read */
  _Atomic bool quit;
  char stop[256];                    /* reason for the peer; set before `stopping` */
  _Atomic bool stopping, stop_heard; /* the peer has the reason, or gave the run up itself */
  _Atomic uint64_t sent, received;
  sotto_i_conn *arrived[SOTTO_I_MOST_GUESTS]; /* from the lobby; under the session's lock, as is the next */
  char last_problem[200];
  sotto_trouble trouble; /* its cause; also that of the session's failure */
  bool running;
  pthread_t thread;

  uint64_t attempt;                          /* of the mesh, reached by this wire */
  sotto_i_conn *conn;                        /* the connection of the session */
  sotto_i_conn *guests[SOTTO_I_MOST_GUESTS]; /* connections before that state */
  uint8_t session_id[16];
  double lost; /* time since which there is no connection */
  double next_try, pause;
  double reported; /* time of the last report of that to the observer */
  unsigned faults;
  bool stop_sent;      /* over `conn`, which stays open until the peer closes it */
  bool passed_on;      /* the failure of its attempt, reported to the mesh */
  uint64_t counted[2]; /* what connections count; published to `sent` and `received` */
  uint64_t refused;    /* failed connections */
  uint64_t routine;    /* log lines that a peer can cause with each connection */
};

/* wire_address.c */
/* Checks that it is HOST:PORT or [HOST]:PORT, and with `loopback` an address of this machine alone. Errors:
 * INVALID, IO. */
sotto_status sotto_i_address_check(const char *address, bool loopback, sotto_error *err);
/* Makes a listening socket. Errors: INVALID (not this machine's loopback, when required), IO. */
sotto_status sotto_i_address_listen(int *out, const char *address, bool loopback, sotto_error *err);
/* Makes a connecting socket. Errors: INVALID, IO. */
sotto_status sotto_i_address_dial(int *out, sotto_trouble *trouble, const char *address, bool loopback,
                                  sotto_error *err);
/* Accepts the next connection of a listener, or returns -1 with errno; `with` and `from` describe its
 * source. */
int sotto_i_address_accept(int listener, char with[80], sotto_i_origin *from);
/* Closes it at once, without lingering state in the kernel. */
void sotto_i_address_reject(int fd);

/* wire_greet.c */
/* Fills this side's Hello. */
void sotto_i_greet_fill(sotto_i_hello *out, sotto_wire *wire);
/* Compares both greetings; false with a sentence that names the difference. */
bool sotto_i_greet_agree(char *out, size_t size, sotto_trouble *trouble, const sotto_wire *wire,
                         const sotto_i_hello *theirs);
/* The session of two greetings: its id, from these starts and the attempt, or, in a run of two, the progress;
 * and the common progress. */
void sotto_i_greet_session(uint8_t id[16], sotto_progress *common, const sotto_i_hello *mine,
                           const sotto_i_hello *theirs);

/* The terms of a party that comes to say that it cannot take part, one text for each reason. It says no more.
 */
const char *sotto_i_declined_terms(sotto_decline why);
/* wire_open.c: as sotto_wire_open, with a given lobby (NULL: as in the options) or mesh. */
sotto_status sotto_i_wire_open(sotto_wire **out, const sotto_wire_options *options, sotto_i_lobby *lobby,
                               sotto_i_mesh *mesh, size_t place, sotto_error *err);
/* Closes the connections and stops the thread; free the wire afterwards. */
void sotto_i_wire_end(sotto_wire *wire);
/* wire.c: has a peer that may leave left, or failed? */
bool sotto_i_wire_gone(sotto_wire *wire);
/* Between two parties that have met: does the other side only check, too? Then both may use a link. */
bool sotto_i_wire_peer_checks(sotto_wire *wire);
/* The peer gets this reason, or that of an earlier call. */
void sotto_i_wire_request_stop(sotto_wire *wire, const char *reason);
/* Wakes the threads that wait for the peer to get the reason of a stop. */
void sotto_i_wire_heard(sotto_wire *wire);
/* sotto_wire_give_up for several wires at once; `reason_sent` (empty: general words) goes to the peers.
 * Failed wires also send it, if their peers connect within `longest` seconds. */
void sotto_i_wires_give_up(sotto_wire *const *wires, size_t count, const char *reason_sent,
                           sotto_status status, double longest);
/* The two halves of sotto_wire_finish. */
sotto_status sotto_i_wire_say_finished(sotto_wire *wire, sotto_error *err);
sotto_status sotto_i_wire_hear_finished(sotto_wire *wire, sotto_error *err);
/* wire_session.c: after both greetings, the connection continues the session, or begins one. PROTOCOL when it
 * is not usable; without an error text when that is normal. */
sotto_status sotto_i_wire_enter(sotto_wire *wire, const sotto_i_conn *guest, sotto_error *err);
/* Waits for a session, and enters it; *stands is false when the mesh left this attempt meanwhile. */
sotto_status sotto_i_wire_stand(sotto_wire *wire, const sotto_i_mesh *mesh, uint64_t attempt, bool *stands,
                                sotto_error *err);
/* Moves to the attempt of the mesh. */
void sotto_i_wire_follow(sotto_wire *wire);
/* wire_guest.c: connections before their greeting, and the promotion of one that has greeted. */
void sotto_i_wire_admit(sotto_wire *wire); /* takes connections from the lobby */
void sotto_i_wire_dial(sotto_wire *wire);  /* next attempt of a connecting side */
void sotto_i_wire_serve_guest(sotto_wire *wire, size_t i, short events);
/* The peer ended the run. */
void sotto_i_wire_stopped(sotto_wire *wire, const char *reason);
/* The peer did not come within `grace`: the other peers of a mesh hear which one. */
void sotto_i_wire_tell_grace(sotto_wire *wire);
/* wire_note.c. Records why a connection failed, for the error of the limit `grace`. */
void sotto_i_wire_problem(sotto_wire *wire, const char *why, sotto_trouble trouble);
sotto_trouble sotto_i_wire_trouble(sotto_wire *wire);
/* The same for a connection with this address; also logs it when it is news. */
void sotto_i_wire_note_problem(sotto_wire *wire, const char *with, const char *why, sotto_trouble trouble);
/* Logs it alone. */
void sotto_i_wire_report(sotto_wire *wire, const char *with, const char *why);
void sotto_i_wire_drop_guest(sotto_wire *wire, size_t i, const char *why);
void sotto_i_wire_drop_guests(sotto_wire *wire); /* all of them, without a message */
/* Reports an event of the peer to the observer; `guest` is the connection, NULL: none. `text` may be
 * empty. */
void sotto_i_wire_event(sotto_wire *wire, sotto_event_kind kind, const sotto_i_conn *guest, const char *text);
void sotto_i_wire_log(sotto_wire *wire, sotto_log_level level, const char *format, ...) SOTTO_PRINTF(3, 4);
/* Should this refusal be logged? The first hundred are, then each hundredth, and from the ten thousandth on
 * each ten thousandth. */
bool sotto_i_refusal_logged(uint64_t *refused);
/* Should another such line be logged? Limits them, so that no peer fills a disk. */
bool sotto_i_wire_routine(sotto_wire *wire);

#endif
