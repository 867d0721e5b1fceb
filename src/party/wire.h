/* The inside of a wire: its thread, its connections, its session. Members below `thread` belong to the thread
 * once it runs; those above it do not change, and the session has a lock of its own. */
#ifndef SOTTO_SRC_PARTY_WIRE_H
#define SOTTO_SRC_PARTY_WIRE_H

#include <stdatomic.h>

#include "conn.h"
#include "session.h"

enum {
  SOTTO_I_PROTOCOL = 2,
  SOTTO_I_MOST_GUESTS = 16, /* connections that have not greeted yet */
  SOTTO_I_MOST_FAULTS = 3,  /* broken frames of the peer before the run is given up */
};

struct sotto_wire {
  sotto_wire_options options; /* its texts are owned */
  SSL_CTX *context;           /* NULL: no TLS */
  int listener;               /* -1: connects */
  uint8_t self[16];
  sotto_i_session session;
  uint64_t entered;       /* the recipe's: the session it is in */
  bool anew;              /* the recipe's: its last call failed for a new session */
  sotto_i_item *incoming; /* the recipe's: a chunk that is not used up */
  _Atomic bool quit;
  char stop[256]; /* the reason to tell; set before `stopping` */
  _Atomic bool stopping, stop_told;
  _Atomic uint64_t sent, received;
  pthread_t thread;

  sotto_i_conn *conn;                        /* the one that carries the session */
  sotto_i_conn *guests[SOTTO_I_MOST_GUESTS]; /* on their way to be it */
  uint8_t session_id[16];
  double lost; /* since when there is no connection */
  double next_try, pause;
  unsigned faults;
  uint64_t counted[2]; /* what connections count; published to `sent` and `received` */
  char last_problem[200];
  uint64_t refused; /* connections that came to nothing */
};

/* wire_address.c */
/* Is it HOST:PORT or [HOST]:PORT, and with `loopback` one of this machine alone? Errors: INVALID, IO. */
sotto_status sotto_i_address_check(const char *address, bool loopback, sotto_error *err);
/* A socket that listens. Errors: INVALID (not this machine's loopback, when that is asked for), IO. */
sotto_status sotto_i_address_listen(int *out, const char *address, bool loopback, sotto_error *err);
/* A socket that is being connected. Errors: INVALID, IO. */
sotto_status sotto_i_address_dial(int *out, const char *address, bool loopback, sotto_error *err);
/* The next connection of a listener, or -1; `with` names where it comes from. */
int sotto_i_address_accept(int listener, char with[80]);

/* wire_greet.c */
/* What this side says first. */
void sotto_i_greet_fill(sotto_i_hello *out, sotto_wire *wire);
/* What stands between the two; false with a sentence that names it. */
bool sotto_i_greet_agree(char *out, size_t size, const sotto_wire *wire, const sotto_i_hello *theirs);
/* The session of two greetings, and the progress that both have. */
void sotto_i_greet_session(uint8_t id[16], sotto_progress *common, const sotto_i_hello *mine,
                           const sotto_i_hello *theirs);

/* wire_thread.c: the thread's main function. */
void *sotto_i_wire_main(void *wire);
/* wire_guest.c: connections that have not greeted; promotes the one that did. */
void sotto_i_wire_admit(sotto_wire *wire); /* a listener's next connection */
void sotto_i_wire_dial(sotto_wire *wire);  /* a connector's next attempt */
void sotto_i_wire_serve_guest(sotto_wire *wire, size_t i, short events);
void sotto_i_wire_drop_guest(sotto_wire *wire, size_t i, const char *why);
void sotto_i_wire_log(sotto_wire *wire, sotto_log_level level, const char *format, ...) SOTTO_PRINTF(3, 4);

#endif
