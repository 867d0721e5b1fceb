/* Access control: the token of a server, and the host names under which it may be reached without one. */
#ifndef SOTTO_APP_HTTP_GATE_H
#define SOTTO_APP_HTTP_GATE_H

#include "sotto/base.h"

enum { HTTP_LEAST_TOKEN = 16, HTTP_MOST_TOKEN = 256 };

typedef struct http_gate {
  char token[HTTP_MOST_TOKEN + 1]; /* empty: none */
  bool any_host;                   /* a Unix socket, whose permissions say who may come */
} http_gate;

/* Reads the token. Errors: NOT_FOUND, IO; INVALID when others may read the file, or its first line is not 16
 * to 256 visible characters. */
sotto_status http_gate_read(http_gate *out, const char *path, sotto_error *err);
/* What a request shows; NULL: the header is absent. */
typedef struct http_shown {
  const char *method;
  const char *authorization, *host, *origin, *site /* Sec-Fetch-Site */, *type; /* Content-Type */
} http_shown;

/* May who shows this come in? 0, or the HTTP status that refuses: 401 (token), 403 (another name in Host; a
 * page of another origin), 415 (a POST that is not application/json, as pages of other origins may send it).
 * The time that it takes does not depend on how much of a token is right. */
unsigned http_gate_check(const http_gate *gate, const http_shown *shown);

#endif
