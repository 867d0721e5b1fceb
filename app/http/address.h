/* Where the server listens. */
#ifndef SOTTO_APP_HTTP_ADDRESS_H
#define SOTTO_APP_HTTP_ADDRESS_H

#include "sotto/base.h"

typedef struct http_address {
  int socket;
  bool is_loopback;      /* reached from this machine alone */
  const char *unix_path; /* borrowed; NULL: not a Unix socket */
} http_address;

/* A socket that listens, with 128 places for those who wait. A Unix socket is made for this user alone (mode
 * 0600); one that is left over, where nobody listens, is replaced. `may_be_public`: other than this machine's
 * own addresses are taken. Errors: INVALID, IO, naming the address. */
sotto_status http_address_listen(http_address *out, const char *address, bool may_be_public, const char *flag,
                                 sotto_error *err);
/* Removes the Unix socket from its folder. Closing the socket is the caller's. */
void http_address_leave(const http_address *address);

#endif
