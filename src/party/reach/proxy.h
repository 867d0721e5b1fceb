/* Connecting through an HTTP proxy: CONNECT HOST:PORT, and its answer (RFC 9110, section 9.3.6). Everything
 * after the answer belongs to the peer. */
#ifndef SOTTO_SRC_PARTY_REACH_PROXY_H
#define SOTTO_SRC_PARTY_REACH_PROXY_H

#include <stddef.h>

#include "sotto/base.h"

enum { SOTTO_I_MOST_PROXY_ANSWER = 4096 };

/* Result of a step. BROKEN: the error has the reason; free the connection. */
typedef enum sotto_i_step { SOTTO_I_WAIT, SOTTO_I_MOVED, SOTTO_I_BROKEN } sotto_i_step;

typedef struct sotto_i_proxy {
  char request[700], first[120]; /* first: the status line of the answer */
  size_t size, sent, came, line;
  unsigned blank; /* number of bytes received of the four that end the answer */
} sotto_i_proxy;

void sotto_i_proxy_begin(sotto_i_proxy *out, const char *address);
/* Is the request sent and the answer outstanding? */
bool sotto_i_proxy_asked(const sotto_i_proxy *proxy);
/* MOVED: the tunnel is open, and no byte after the answer was read. */
sotto_i_step sotto_i_proxy_advance(sotto_i_proxy *proxy, int fd, sotto_error *err);

#endif
