/* One connection: a socket, TLS over it or not, a frame being read and a frame being written. Never blocks.
 */
#ifndef SOTTO_SRC_PARTY_WIRE_CONN_H
#define SOTTO_SRC_PARTY_WIRE_CONN_H

#include <openssl/ssl.h>

#include "frame.h"
#include "party/reach/proxy.h"
#include "sotto/party.h"

enum { SOTTO_I_MOST_GUESTS = 16 }; /* connections that have not greeted yet */

typedef enum sotto_i_conn_state {
  SOTTO_I_CONN_CONNECTING,
  SOTTO_I_CONN_PROXY,     /* asks a proxy for the way */
  SOTTO_I_CONN_HANDSHAKE, /* of TLS */
  SOTTO_I_CONN_GREETING,  /* Hellos pass */
  SOTTO_I_CONN_OPEN
} sotto_i_conn_state;

typedef struct sotto_i_conn {
  int fd;
  SSL *ssl; /* NULL: plain, on loopback alone */
  sotto_i_conn_state state;
  char with[80];         /* its address, for people */
  sotto_i_proxy *proxy;  /* NULL: straight; owned */
  sotto_trouble trouble; /* what broke it */
  bool judged;           /* by a certificate that one side refused: another try would end so, too */
  double deadline;       /* of connection, handshake and greeting together */
  double heard, spoke;   /* when the last whole frame came, and went */
  bool needs_write;      /* TLS waits for room to write */
  bool came;             /* the peer's greeting is in the cutter already */
  bool ended;            /* the peer hung up, in order */
  sotto_i_cutter cutter;
  size_t head_size, head_at; /* the frame that is being written: prefix and body ... */
  const uint8_t *bulk;       /* ... and bulk, borrowed */
  size_t bulk_size, bulk_at;
  bool numbered;              /* ... which is the session's next one */
  sotto_i_hello mine, theirs; /* mine: as it was sent */
  uint64_t *sent, *received;  /* byte counts, borrowed */
  uint8_t *head; /* room for a prefix and a body; from GREETING on, so that few bytes are kept before */
} sotto_i_conn;

/* Takes the socket over in every case. `context` NULL: no TLS. */
sotto_status sotto_i_conn_new(sotto_i_conn **out, int fd, SSL_CTX *context, bool accepts, bool connecting,
                              const char *with, sotto_error *err);
void sotto_i_conn_free(sotto_i_conn *conn);

/* What to wait for, as poll has it. */
short sotto_i_conn_events(const sotto_i_conn *conn, bool more_to_write);
/* What it means when its deadline is over. */
sotto_trouble sotto_i_conn_late(const sotto_i_conn *conn);
/* What a failed call on a socket that is being connected means. */
sotto_trouble sotto_i_trouble_of_connect(int code);
/* It connects to a proxy, and asks it for the way to an address. Errors: NOMEM. */
sotto_status sotto_i_conn_by_proxy(sotto_i_conn *conn, const char *address, sotto_error *err);
/* From CONNECTING by PROXY and HANDSHAKE to GREETING. */
sotto_i_step sotto_i_conn_advance(sotto_i_conn *conn, sotto_error *err);

/* Is the frame before written? Then another may be begun. */
bool sotto_i_conn_idle(const sotto_i_conn *conn);
void sotto_i_conn_begin(sotto_i_conn *conn, const sotto_i_frame *frame, const uint8_t *bulk,
                        size_t bulk_size);
/* MOVED: the frame is written whole. */
sotto_i_step sotto_i_conn_write(sotto_i_conn *conn, sotto_error *err);
/* MOVED: a frame is whole in conn->cutter. */
sotto_i_step sotto_i_conn_read(sotto_i_conn *conn, sotto_error *err);

#endif
