/* Long responses. Each is asked for more text about twice a second and is suspended in between, so that one
 * thread serves many. A reader that takes nothing is asked for nothing more; one that is gone frees its
 * slot. */
#ifndef SOTTO_APP_HTTP_FLOW_H
#define SOTTO_APP_HTTP_FLOW_H

#include <microhttpd.h>

#include "crowd.h"
#include "http.h"

typedef struct http_flow http_flow;

/* Locking: `lock` guards all members, and each flow's list links and `asleep`. It is taken before the locks
 * of libmicrohttpd's daemon, and is not held while a handler runs. */
typedef struct http_flows {
  pthread_mutex_t lock;
  http_flow *first;
  unsigned count, most;
  bool closing;
} http_flows;

void http_flows_begin(http_flows *flows, unsigned most);
/* All flows must have ended. */
void http_flows_end(http_flows *flows);

/* A response fed by the stream, which it takes over. NULL: out of memory, or the limit is reached (*full). */
struct MHD_Response *http_flow_response(http_flows *flows, bool *full, const http_stream *stream,
                                        struct MHD_Connection *connection, http_crowd *crowd,
                                        http_guest *guest);
/* Wakes all suspended flows; with `closing`, each sends its last text and ends. */
void http_flows_wake(http_flows *flows, bool closing);

#endif
