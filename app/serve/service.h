/* The served runs by name; reloading, counting.
 *
 * Locking: `lock` guards `slots`, `users` of runs, and `asked`. A handler holds a run while it uses it. A
 * reload replaces the run, and its last user frees the old one. Counters are atomic. */
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
  uint64_t generation;            /* number of loads */
  char problem[SOTTO_ERROR_TEXT]; /* failure of the last reload; empty: none */
  serve_spent spent;
  _Atomic uint64_t predictions; /* number of nodes predicted */
} serve_slot;

typedef struct serve_service {
  pthread_mutex_t lock;
  pthread_cond_t wake;
  serve_slot slots[SERVE_MOST_RUNS];
  size_t count;
  uint64_t seed;
  const serve_joint *joint; /* of one run of two parties; NULL: this process has whole runs */
  bool board;               /* serve the pages of runs */
  bool asked;               /* a reload is requested */
  double begun;
  bool certificate;
  double certificate_days;
  _Atomic uint64_t codes[SERVE_CODES];         /* responses by HTTP status */
  _Atomic uint64_t buckets[SERVE_BUCKETS + 1]; /* predictions by duration, not cumulative */
  _Atomic uint64_t nanoseconds;                /* total of all predictions */
} serve_service;

/* Sets names and paths; "NAME=PATH" gives a name, else it is that of the folder. Errors: INVALID (a
 * duplicate name, or characters other than A-Z a-z 0-9 - _ .). */
sotto_status serve_service_begin(serve_service *service, const char *const *words, size_t count,
                                 uint64_t seed, sotto_error *err);
void serve_service_end(serve_service *service);

/* Loads all runs again, one after the other; each is served as soon as it is loaded. A run that cannot be
 * loaded stays as it was, and `problem` gives the reason. `only_private`: others are refused. Errors: those
 * of the first failure. */
sotto_status serve_service_load(serve_service *service, bool only_private, sotto_error *err);
/* Reads the spending of all accounts from their ledgers. */
void serve_service_refresh(serve_service *service);

/* Requests a reload. Waits for a request, at most `seconds`: true if there is one. A signal handler cannot
 * call these; the waiting loop polls its flag. */
void serve_service_ask(serve_service *service);
bool serve_service_wait(serve_service *service, double seconds);

/* The run of a name (NULL: the first one), to be released; NULL: no such name (*slot is NULL), or not
 * loaded (*slot is its slot). */
serve_run *serve_hold(serve_service *service, serve_slot **slot, const char *name);
void serve_release(serve_service *service, serve_run *run);

/* Are all runs loaded, and the other party connected if one is needed? If not, `why` (may be NULL) gives
 * the reason. */
bool serve_is_ready(serve_service *service, char why[SOTTO_ERROR_TEXT]);

/* Counts a response; `prediction`: also into the histogram. */
void serve_count(serve_service *service, unsigned code, bool prediction, double seconds);

/* text.c: fresh; NULL: out of memory. */
char *serve_metrics(serve_service *service);
char *serve_health(serve_service *service);
extern const double serve_bounds[SERVE_BUCKETS]; /* seconds */

/* predict.c: handles {"nodes": [...], "top": K}, or ids or rows in place of nodes. */
void serve_predict(serve_service *service, const char *name, const http_request *request, http_reply *reply);

/* routes.c */
extern const http_route serve_routes[];
extern const size_t serve_route_count;
void serve_note(void *service, const http_route *route, unsigned status, double seconds);
enum {
  SERVE_MOST_BODY = 256 << 10,
  SERVE_MOST_NODES = 10000,
  SERVE_MOST_ROWS = 1000,
  SERVE_MOST_VALUES = 1000000
};

#endif
