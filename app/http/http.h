/* A small HTTP/1.1 server: one address, a table of routes, limits on everything.
 *
 * The server has its own threads; handlers run on them, several at once. A loopback address or a Unix socket
 * needs no token; Host must then name this machine, so that a page in a browser cannot reach it under another
 * name. Every other address needs a token in each request (Authorization: Bearer). Requests from pages of
 * other origins are refused by Origin and Sec-Fetch-Site, and a POST must be application/json. */
#ifndef SOTTO_APP_HTTP_HTTP_H
#define SOTTO_APP_HTTP_HTTP_H

#include <stddef.h>

#include "sotto/base.h"

/* Borrowed for the call. The path is decoded and has no query; the body ends with a zero byte that `size`
 * does not count. */
typedef struct http_request {
  const char *method, *path, *body;
  size_t size;
} http_request;

/* A long response. Calls come from a thread of the server, one at a time for one stream. */
typedef struct http_stream {
  void *context; /* owned: `end` frees it */
  /* The new text since the last call, from malloc; NULL: nothing new. *last is set if no more text follows.
   * It is called about twice a second, but not while the reader has not taken the previous text. */
  char *(*more)(void *context, bool *last);
  void (*end)(void *context);
} http_stream;

/* A handler fills it once, with http_reply_text, http_reply_page, http_reply_stream or http_reply_error. */
typedef struct http_reply {
  unsigned status;
  const char *type;   /* static */
  const char *policy; /* static: the Content-Security-Policy of a page; NULL: nothing may be loaded */
  char *body;         /* owned; NULL: out of memory */
  size_t size;
  http_stream stream; /* `more` NULL: the reply has a body */
} http_reply;

/* Takes ownership of `text`, which is from malloc. */
void http_reply_text(http_reply *reply, unsigned status, const char *type, char *text);
/* The same for a page: `policy` is its Content-Security-Policy. */
void http_reply_page(http_reply *reply, const char *policy, char *text);
/* Takes ownership of the stream. Refused with 503 if the server's limit of streams is reached. */
void http_reply_stream(http_reply *reply, const char *type, const http_stream *stream);
/* {"error": {"what", "where", "todo"}}: what happened, in which part of the request, what to do. */
void http_reply_error(http_reply *reply, unsigned status, const char *what, const char *where,
                      const char *todo);
/* A refusal by the server itself: its status, the part of the request, and the largest body in bytes. */
void http_reply_refused(http_reply *reply, unsigned status, const char *where, size_t most_body);
#define HTTP_JSON   "application/json"
#define HTTP_EVENTS "text/event-stream; charset=utf-8"         /* server-sent events */
#define HTTP_TEXT   "text/plain; version=0.0.4; charset=utf-8" /* the text format of Prometheus */

/* `path` is the whole path or, if it ends with '*', a prefix. HEAD is handled like GET. */
typedef struct http_route {
  const char *method, *path;
  void (*handle)(void *context, const http_request *request, http_reply *reply);
} http_route;

typedef struct http_options {
  const char *address;    /* HOST:PORT, [HOST]:PORT, or unix:PATH */
  const char *token_file; /* its first line is the token; NULL: no token */
  const char *flag;       /* the option that names the token file, for messages */
  const http_route *routes;
  size_t route_count;
  void *context; /* passed to the handlers */
  /* Called for each response; route NULL: no route was found, or the request was refused before. May be
   * NULL. */
  void (*note)(void *context, const http_route *route, unsigned status, double seconds);
  size_t most_body; /* bytes of a request's body; a larger one is refused with 413 */
  unsigned threads; /* that run handlers */
  /* Limit of connections with an accepted request. There are as many slots, and at least 64, for other
   * connections. One network gets at most half of each; beyond that its oldest idle connection is closed. */
  unsigned connections;
  unsigned streams;     /* limit of long responses; 0: no route has one */
  double idle_limit;    /* seconds without a byte until a connection is closed */
  double head_limit;    /* seconds for the head of a request; 0: 5 */
  double request_limit; /* seconds for one request, from the end of the one before */
} http_options;

typedef struct http_server http_server;

/* Listens, and answers until http_close. Texts and routes are borrowed. Errors: INVALID (address; a public
 * address without a token; a token file that others may read), NOT_FOUND, IO, NOMEM. */
sotto_status http_open(http_server **out, const http_options *options, sotto_error *err);
/* Is the server reachable only from this machine? */
bool http_is_local(const http_server *server);
/* Accepts no new connection, waits up to `seconds` for requests in progress, and ends. NULL is allowed. */
void http_close(http_server *server, double seconds);

#endif
