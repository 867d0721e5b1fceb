/* The connections of a server: requests in progress, and connections that take too long. */
#ifndef SOTTO_APP_HTTP_CROWD_H
#define SOTTO_APP_HTTP_CROWD_H

#include <pthread.h>
#include <stdbool.h>

typedef struct http_guest http_guest;

/* Locking: `lock` guards all members and every guest. */
typedef struct http_crowd {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  http_guest *guests;
  unsigned answering;
  double request_limit; /* seconds */
  bool quit;
  void (*tick)(void *context); /* about twice a second, on the watcher's thread; may be NULL */
  void *tick_context;
} http_crowd;

void http_crowd_begin(http_crowd *crowd, double request_limit);
void http_crowd_end(http_crowd *crowd);

/* A connection came; NULL without memory, and then it is not watched. It goes before its socket is closed. */
http_guest *http_crowd_enter(http_crowd *crowd, int socket);
void http_crowd_leave(http_crowd *crowd, http_guest *guest);
/* A request's headers are whole; its answer was sent, or it broke. `guest` may be NULL. */
void http_crowd_asked(http_crowd *crowd);
void http_crowd_answered(http_crowd *crowd, http_guest *guest);
/* The peer of a long answer took what it was given, so its time begins anew. */
void http_crowd_alive(http_crowd *crowd, http_guest *guest);
/* Main function of a thread: cuts connections whose request is older than the limit, until http_crowd_quit.
 * A peer that sends a byte now and then keeps no place. */
void *http_crowd_watch(void *crowd);
void http_crowd_quit(http_crowd *crowd);
/* Waits until nothing is being answered, at most so long. */
void http_crowd_wait(http_crowd *crowd, double seconds);

#endif
