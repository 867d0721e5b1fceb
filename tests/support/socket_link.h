/* A link over a socket between two processes of one machine, with all that is sent kept. */
#ifndef SOTTO_TESTS_SUPPORT_SOCKET_LINK_H
#define SOTTO_TESTS_SUPPORT_SOCKET_LINK_H

#include "party/wire/link/transport.h"

typedef struct socket_end {
  int socket;
  bool keep; /* what is sent */
  uint8_t *sent;
  size_t size, capacity;
} socket_end;

/* The end is borrowed and outlives the link; `sent` is the caller's to free. */
sotto_status socket_link(sotto_link **out, socket_end *end, sotto_error *err);

#endif
