/* A small HTTP/1.1 server of the program: one address, a table of routes, bounds on everything.
 *
 * The server has threads of its own; handlers run on them, several at once. A loopback address and a Unix
 * socket may do without a token; then Host has to name this machine, so that no page in a browser gets in
 * under a name of its own. Every other address needs a token, which each request shows (Authorization:
 * Bearer). Requests of pages that other servers gave are refused, by Origin and Sec-Fetch-Site, and a POST
 * has to be application/json. */
#ifndef SOTTO_APP_HTTP_HTTP_H
#define SOTTO_APP_HTTP_HTTP_H

#include <stddef.h>

#include "sotto/base.h"

/* Borrowed for the call. The path is decoded and without its query; the body ends with a zero that `size`
 * does not count. */
typedef struct http_request {
  const char *method, *path, *body;
  size_t size;
} http_request;

/* An answer that goes on. Calls come from a thread of the server, one at a time for one stream. */
typedef struct http_stream {
  void *context; /* owned: `end` frees it */
  /* What is new since the last call, from malloc; NULL: nothing. *last is set where nothing comes after it.
   * It is called about twice a second, but not while the reader has not taken what it was given. */
  char *(*more)(void *context, bool *last);
  void (*end)(void *context);
} http_stream;

/* Filled by a handler with http_reply_text, http_reply_stream or http_reply_error, once. */
typedef struct http_reply {
  unsigned status;
  const char *type;   /* static */
  const char *policy; /* static: what a page may load; NULL: nothing, as an answer is no page */
  char *body;         /* owned; NULL: without memory */
  size_t size;
  http_stream stream; /* `more` NULL: it has a body */
} http_reply;

/* Takes `text`, which is from malloc, over. */
void http_reply_text(http_reply *reply, unsigned status, const char *type, char *text);
/* The same for a page: `policy` is a Content-Security-Policy. */
void http_reply_page(http_reply *reply, const char *policy, char *text);
/* Takes the stream over. Refused with 503 when as many go on as the server may have. */
void http_reply_stream(http_reply *reply, const char *type, const http_stream *stream);
/* {"error": {"what", "where", "todo"}}: what happened, in which part of the request, what to do. */
void http_reply_error(http_reply *reply, unsigned status, const char *what, const char *where,
                      const char *todo);
/* What the server itself refuses, by its status: where in the request, and the most bytes of a body. */
void http_reply_refused(http_reply *reply, unsigned status, const char *where, size_t most_body);
#define HTTP_JSON   "application/json"
#define HTTP_EVENTS "text/event-stream; charset=utf-8"         /* server-sent events */
#define HTTP_TEXT   "text/plain; version=0.0.4; charset=utf-8" /* as Prometheus reads it */

/* `path` is the whole path, or, when it ends with '*', what paths begin with. HEAD goes where GET goes. */
typedef struct http_route {
  const char *method, *path;
  void (*handle)(void *context, const http_request *request, http_reply *reply);
} http_route;

typedef struct http_options {
  const char *address;    /* HOST:PORT, [HOST]:PORT, or unix:PATH */
  const char *token_file; /* its first line is the token; NULL: none */
  const char *flag;       /* the flag that gives the token file, for errors */
  const http_route *routes;
  size_t route_count;
  void *context; /* of the handlers */
  /* Hears of each answer; route NULL: none was found, or it was refused before. May be NULL. */
  void (*note)(void *context, const http_route *route, unsigned status, double seconds);
  size_t most_body; /* bytes of a request's body; a longer one is refused with 413 */
  unsigned threads; /* that answer */
  /* At a time, of which a request was let in. There are as many places, and at least 64, for others; one
   * address has half of each at most, and the oldest of them that is idle gives its place to the next. */
  unsigned connections;
  unsigned streams;     /* of these that go on; 0: no route has one */
  double idle_limit;    /* seconds without a byte after which a connection is closed */
  double head_limit;    /* seconds for a request's head; 0: 5 */
  double request_limit; /* seconds for one request, from the end of the one before */
} http_options;

typedef struct http_server http_server;

/* Listens, and answers from now on. Texts and routes are borrowed. Errors: INVALID (address; an address of
 * others without a token; a token file that others may read), NOT_FOUND, IO, NOMEM. */
sotto_status http_open(http_server **out, const http_options *options, sotto_error *err);
/* Can it be reached from this machine alone? */
bool http_is_local(const http_server *server);
/* Takes no new connection, waits up to `seconds` for requests that are being answered, and ends. NULL is
 * taken. */
void http_close(http_server *server, double seconds);

#endif
