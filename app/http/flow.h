/* Answers that go on: each is asked for more about twice a second, and sleeps in between, so that one thread
 * has many of them. A reader that takes nothing is not asked for more, and one that is gone gives its place
 * up. */
#ifndef SOTTO_APP_HTTP_FLOW_H
#define SOTTO_APP_HTTP_FLOW_H

#include <microhttpd.h>

#include "crowd.h"
#include "http.h"

typedef struct http_flow http_flow;

/* Locking: `lock` guards all members, and of each flow its place in the list and whether it sleeps. It is
 * taken before locks of libmicrohttpd's daemon, and held in no call of a handler. */
typedef struct http_flows {
  pthread_mutex_t lock;
  http_flow *first;
  unsigned count, most;
  bool closing;
} http_flows;

void http_flows_begin(http_flows *flows, unsigned most);
/* Nobody is left. */
void http_flows_end(http_flows *flows);

/* A response that asks the stream, which it takes over; NULL without memory, or when there are as many as
 * there may be (*full). */
struct MHD_Response *http_flow_response(http_flows *flows, bool *full, const http_stream *stream,
                                        struct MHD_Connection *connection, http_crowd *crowd,
                                        http_guest *guest);
/* Wakes all that sleep; with `closing`, each gives what it has once more, and ends. */
void http_flows_wake(http_flows *flows, bool closing);

#endif
