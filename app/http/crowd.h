/* The connections of a server: requests in progress, and connections that take too long. */
#ifndef SOTTO_APP_HTTP_CROWD_H
#define SOTTO_APP_HTTP_CROWD_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>

typedef struct http_guest http_guest;

/* Locking: `lock` guards all members and every guest. */
typedef struct http_crowd {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  http_guest *guests;
  unsigned answering;
  double request_limit; /* seconds, for one request, from the end of the one before */
  double head_limit; /* seconds, for the head of a request, from the time that a connection is open or idle */
  double idle_limit; /* seconds, between requests */
  /* Connections of which no request was let in: at most so many, and so many from one address. The oldest
   * gives its place to one that comes. */
  unsigned most_strangers, most_of_one;
  unsigned
      most_known_of_one; /* of those that were let in: then the oldest that is idle goes; 0: any number */
  bool quit;
  void (*tick)(void *context); /* about twice a second, on the watcher's thread; may be NULL */
  void *tick_context;
} http_crowd;

/* Limits are the caller's to set. */
void http_crowd_begin(http_crowd *crowd);
void http_crowd_end(http_crowd *crowd);

/* A connection came from an address, as a stranger; NULL without memory, and then it is cut. It goes before
 * its socket is closed. */
http_guest *http_crowd_enter(http_crowd *crowd, int socket, const struct sockaddr *from);
/* A request of it was let in: it is no stranger any more. */
void http_crowd_known(http_crowd *crowd, http_guest *guest);
void http_crowd_leave(http_crowd *crowd, http_guest *guest);
/* A request's headers are whole; its answer was sent, or it broke. `guest` may be NULL. */
void http_crowd_asked(http_crowd *crowd, http_guest *guest);
void http_crowd_answered(http_crowd *crowd, http_guest *guest);
/* The peer of a long answer took what it was given, so its time begins anew. */
void http_crowd_alive(http_crowd *crowd, http_guest *guest);
/* Main function of a thread: cuts connections whose head or request is older than its limit, until
 * http_crowd_quit. A peer that sends a byte now and then keeps no place. */
void *http_crowd_watch(void *crowd);
void http_crowd_quit(http_crowd *crowd);
/* Waits until nothing is being answered, at most so long. */
void http_crowd_wait(http_crowd *crowd, double seconds);

#endif
