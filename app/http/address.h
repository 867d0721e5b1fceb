/* Where the server listens. */
#ifndef SOTTO_APP_HTTP_ADDRESS_H
#define SOTTO_APP_HTTP_ADDRESS_H

#include "sotto/base.h"

typedef struct http_address {
  int socket;
  bool is_loopback;      /* reachable only from this machine */
  const char *unix_path; /* borrowed; NULL: not a Unix socket */
} http_address;

/* A listening socket with a queue of 128. The file of a Unix socket gets mode 0600; a file without a
 * listener is replaced. `may_be_public`: addresses other than this machine's own are allowed. Errors:
 * INVALID, IO, naming the address. */
sotto_status http_address_listen(http_address *out, const char *address, bool may_be_public, const char *flag,
                                 sotto_error *err);
/* Removes the file of the Unix socket. The caller closes the socket. */
void http_address_leave(const http_address *address);

#endif
