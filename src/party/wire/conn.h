/* One connection: a socket, with or without TLS, a frame being read and a frame being written. Never
 * blocks. */
#ifndef SOTTO_SRC_PARTY_WIRE_CONN_H
#define SOTTO_SRC_PARTY_WIRE_CONN_H

#include <openssl/ssl.h>

#include "frame.h"
#include "party/reach/proxy.h"
#include "sotto/party.h"

enum { SOTTO_I_MOST_GUESTS = 16 }; /* connections that have not greeted yet */

typedef enum sotto_i_conn_state {
  SOTTO_I_CONN_CONNECTING,
  SOTTO_I_CONN_PROXY,     /* asks a proxy for a tunnel */
  SOTTO_I_CONN_HANDSHAKE, /* of TLS */
  SOTTO_I_CONN_GREETING,  /* Hellos are exchanged */
  SOTTO_I_CONN_OPEN
} sotto_i_conn_state;

typedef struct sotto_i_conn {
  int fd;
  SSL *ssl; /* NULL: plain, on loopback alone */
  sotto_i_conn_state state;
  char with[80];         /* its address, for messages */
  sotto_i_proxy *proxy;  /* NULL: direct; owned */
  sotto_trouble trouble; /* cause of its failure */
  bool judged;           /* one side refused a certificate: another attempt would fail in the same way */
  double deadline;       /* of connection, handshake and greeting together */
  double heard, spoke;   /* time of the last whole frame, received and sent */
  bool needs_write;      /* TLS waits until the socket is writable */
  bool came;             /* the peer's greeting is in the cutter */
  bool ended;            /* the peer closed the connection in order */
  sotto_i_cutter cutter;
  size_t head_size, head_at; /* the frame being written: prefix and body ... */
  const uint8_t *bulk;       /* ... and bulk, borrowed */
  size_t bulk_size, bulk_at;
  bool numbered;              /* ... which is the session's next one */
  sotto_i_hello mine, theirs; /* mine: as it was sent */
  uint64_t *sent, *received;  /* byte counts, borrowed */
  uint8_t *head;              /* space for a prefix and a body; from GREETING on, to save memory before */
} sotto_i_conn;

/* Takes ownership of the socket in every case. `context` NULL: no TLS. */
sotto_status sotto_i_conn_new(sotto_i_conn **out, int fd, SSL_CTX *context, bool accepts, bool connecting,
                              const char *with, sotto_error *err);
void sotto_i_conn_free(sotto_i_conn *conn);

/* The events to wait for, as in poll. */
short sotto_i_conn_events(const sotto_i_conn *conn, bool more_to_write);
/* The cause to report when its deadline is over. */
sotto_trouble sotto_i_conn_late(const sotto_i_conn *conn);
/* The cause of a failed call on a connecting socket. */
sotto_trouble sotto_i_trouble_of_connect(int code);
/* The connection goes to a proxy, which is asked for a tunnel to an address. Errors: NOMEM. */
sotto_status sotto_i_conn_by_proxy(sotto_i_conn *conn, const char *address, sotto_error *err);
/* Advances from CONNECTING by PROXY and HANDSHAKE to GREETING. */
sotto_i_step sotto_i_conn_advance(sotto_i_conn *conn, sotto_error *err);

/* Is the previous frame written, so that another may begin? */
bool sotto_i_conn_idle(const sotto_i_conn *conn);
void sotto_i_conn_begin(sotto_i_conn *conn, const sotto_i_frame *frame, const uint8_t *bulk,
                        size_t bulk_size);
/* MOVED: the whole frame is written. */
sotto_i_step sotto_i_conn_write(sotto_i_conn *conn, sotto_error *err);
/* MOVED: a whole frame is in conn->cutter. */
sotto_i_step sotto_i_conn_read(sotto_i_conn *conn, sotto_error *err);

#endif
