/* The runs that are served, under their names; reloading, counting.
 *
 * Locking: `lock` guards `slots`, `users` of runs, and `asked`. Handlers hold a run while they answer from
 * it; a reload puts the new run in its place, and the old one goes with its last user. Counters are atomic.
 */
#ifndef SOTTO_APP_SERVE_SERVICE_H
#define SOTTO_APP_SERVE_SERVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "http/http.h"
#include "run.h"

enum { SERVE_MOST_RUNS = 8, SERVE_BUCKETS = 12, SERVE_CODES = 600 };

typedef struct serve_slot {
  char name[64];
  const char *path;               /* borrowed */
  serve_run *run;                 /* NULL: not loaded yet */
  uint64_t generation;            /* how often it was loaded */
  char problem[SOTTO_ERROR_TEXT]; /* why the last reload failed; empty: it did not */
  serve_spent spent;
  _Atomic uint64_t predictions; /* nodes that were answered for */
} serve_slot;

typedef struct serve_service {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  serve_slot slots[SERVE_MOST_RUNS];
  size_t count;
  uint64_t seed;
  const serve_joint *joint; /* of one run of two parties; NULL: runs that this process has whole */
  bool board;               /* shows the pages of runs */
  bool asked;               /* for a reload */
  double begun;
  bool certificate;
  double certificate_days;
  _Atomic uint64_t codes[SERVE_CODES];         /* answers by HTTP status */
  _Atomic uint64_t buckets[SERVE_BUCKETS + 1]; /* predictions by seconds, not cumulative */
  _Atomic uint64_t nanoseconds;                /* of all predictions */
} serve_service;

/* Names and paths; "NAME=PATH" gives a name, else it is that of the folder. Errors: INVALID (a name twice, or
 * with other letters than A-Z a-z 0-9 - _ .). */
sotto_status serve_service_begin(serve_service *service, const char *const *words, size_t count,
                                 uint64_t seed, sotto_error *err);
void serve_service_end(serve_service *service);

/* Loads all runs anew, one after the other; each is served as soon as it is there. A run that cannot be
 * loaded stays as it was, and `problem` says why. `only_private`: others are refused. Errors: of the first
 * that failed.
 */
sotto_status serve_service_load(serve_service *service, bool only_private, sotto_error *err);
/* Reads what accounts have spent. */
void serve_service_refresh(serve_service *service);

/* Asks for a reload; waits for that, at most so long: true when it was asked for. From signal handlers only
 * serve_service_wait's time matters. */
void serve_service_ask(serve_service *service);
bool serve_service_wait(serve_service *service, double seconds);

/* The run of a name (NULL: the first), to be released; NULL: no such name, or not loaded, as *slot says
 * (NULL, or the slot). */
serve_run *serve_hold(serve_service *service, serve_slot **slot, const char *name);
void serve_release(serve_service *service, serve_run *run);

/* Are all runs loaded, and the other party there where one is needed? Else `why`, when it is not NULL. */
bool serve_is_ready(serve_service *service, char why[SOTTO_ERROR_TEXT]);

/* Counts an answer; `prediction`: into the histogram. */
void serve_count(serve_service *service, unsigned code, bool prediction, double seconds);

/* text.c: fresh memory, NULL without memory. */
char *serve_metrics(serve_service *service);
char *serve_health(serve_service *service);
extern const double serve_bounds[SERVE_BUCKETS]; /* seconds */

/* predict.c: answers {"nodes": [...], "top": K}. */
void serve_predict(serve_service *service, const char *name, const http_request *request, http_reply *reply);

/* routes.c */
extern const http_route serve_routes[];
extern const size_t serve_route_count;
void serve_note(void *service, const http_route *route, unsigned status, double seconds);
enum { SERVE_MOST_BODY = 256 << 10, SERVE_MOST_NODES = 10000, SERVE_MOST_VALUES = 1000000 };

#endif
