/* The way through an HTTP proxy: CONNECT HOST:PORT, and its answer (RFC 9110, section 9.3.6). What follows on
 * the socket is the peer's. */
#ifndef SOTTO_SRC_PARTY_REACH_PROXY_H
#define SOTTO_SRC_PARTY_REACH_PROXY_H

#include <stddef.h>

#include "sotto/base.h"

enum { SOTTO_I_MOST_PROXY_ANSWER = 4096 };

/* What a step did. BROKEN: the error says why, and the connection is to be freed. */
typedef enum sotto_i_step { SOTTO_I_WAIT, SOTTO_I_MOVED, SOTTO_I_BROKEN } sotto_i_step;

typedef struct sotto_i_proxy {
  char request[700], first[120]; /* first: the line of the answer that says yes or no */
  size_t size, sent, came, line;
  unsigned blank; /* of the four bytes that end the answer, how many stand at its end */
} sotto_i_proxy;

void sotto_i_proxy_begin(sotto_i_proxy *out, const char *address);
/* Is the request sent, so that only the answer is awaited? */
bool sotto_i_proxy_asked(const sotto_i_proxy *proxy);
/* MOVED: the way stands, and no byte behind the answer was read. */
sotto_i_step sotto_i_proxy_advance(sotto_i_proxy *proxy, int fd, sotto_error *err);

#endif
