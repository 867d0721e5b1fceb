/* The connections of a server: requests in progress, and time limits of connections. */
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
  double request_limit; /* seconds for one request, from the end of the one before */
  double head_limit;    /* seconds for the head of a request, from when the connection is open or idle */
  double idle_limit;    /* seconds between requests */
  /* Limits for connections without an accepted request: in all, and for one network. A new connection
   * beyond a limit replaces the oldest. */
  unsigned most_strangers, most_of_one;
  unsigned most_known_of_one; /* limit for accepted connections of one network; 0: none */
  bool quit;
  void (*tick)(void *context); /* called about twice a second on the watcher's thread; may be NULL */
  void *tick_context;
} http_crowd;

/* The caller sets the limits. */
void http_crowd_begin(http_crowd *crowd);
void http_crowd_end(http_crowd *crowd);

/* Registers a new connection as a stranger. NULL: out of memory, and the connection is shut down. Call
 * http_crowd_leave before its socket is closed. */
http_guest *http_crowd_add(http_crowd *crowd, int socket, const struct sockaddr *from);
/* A request of this connection was accepted: it is no longer a stranger. */
void http_crowd_known(http_crowd *crowd, http_guest *guest);
void http_crowd_leave(http_crowd *crowd, http_guest *guest);
/* asked: the headers of a request are complete. answered: its response was sent, or failed. `guest` may be
 * NULL. */
void http_crowd_asked(http_crowd *crowd, http_guest *guest);
void http_crowd_answered(http_crowd *crowd, http_guest *guest);
/* The reader of a long response received data, so its time limit starts again. */
void http_crowd_alive(http_crowd *crowd, http_guest *guest);
/* Main function of a thread that shuts down connections whose head or request takes longer than its limit,
 * until http_crowd_quit. Sending a byte now and then does not extend a limit. */
void *http_crowd_watch(void *crowd);
void http_crowd_quit(http_crowd *crowd);
/* Waits until no response is in progress, for at most `seconds`. */
void http_crowd_wait(http_crowd *crowd, double seconds);

#endif
