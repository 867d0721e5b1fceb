/* Access control of a server: its token, and the host names that are allowed without one. */
#ifndef SOTTO_APP_HTTP_GATE_H
#define SOTTO_APP_HTTP_GATE_H

#include "sotto/base.h"

enum { HTTP_LEAST_TOKEN = 16, HTTP_MOST_TOKEN = 256 };

typedef struct http_gate {
  char token[HTTP_MOST_TOKEN + 1]; /* empty: no token */
  bool any_host;                   /* any Host is allowed: a Unix socket, whose file permissions decide */
} http_gate;

/* Reads the token. Errors: NOT_FOUND, IO; INVALID if others may read the file, or its first line is not 16
 * to 256 visible characters. */
sotto_status http_gate_read(http_gate *out, const char *path, sotto_error *err);
/* Headers of a request; NULL: absent. */
typedef struct http_shown {
  const char *method;
  const char *authorization, *host, *origin, *site /* Sec-Fetch-Site */, *type; /* Content-Type */
} http_shown;

/* 0: the request is allowed. Else the HTTP status of the refusal: 401 (token); 403 (another name in Host,
 * or a page of another origin); 415 (a POST that is not application/json, as pages of other origins can
 * send it). The time taken does not depend on how much of a token is right. */
unsigned http_gate_check(const http_gate *gate, const http_shown *shown);

#endif
