/* Connections of a server, and their time. */
#include "crowd.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "common/clock.h"
#include "common/memory.h"

struct http_guest {
  http_guest *before, *after;
  int socket;
  double since; /* it came, or its last answer was sent */
};

void http_crowd_begin(http_crowd *crowd, double request_limit) {
  pthread_condattr_t clock;
  *crowd = (http_crowd){.request_limit = request_limit};
  (void)pthread_mutex_init(&crowd->lock, NULL);
  (void)pthread_condattr_init(&clock);
  (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  (void)pthread_cond_init(&crowd->changed, &clock);
  (void)pthread_condattr_destroy(&clock);
}

void http_crowd_end(http_crowd *crowd) {
  (void)pthread_cond_destroy(&crowd->changed);
  (void)pthread_mutex_destroy(&crowd->lock);
}

http_guest *http_crowd_enter(http_crowd *crowd, int socket) {
  http_guest *guest;
  if (app_new(&guest, 1, sizeof *guest, NULL) != SOTTO_OK) return NULL;
  guest->socket = socket;
  guest->since = app_seconds();
  (void)pthread_mutex_lock(&crowd->lock);
  guest->after = crowd->guests;
  if (guest->after != NULL) guest->after->before = guest;
  crowd->guests = guest;
  (void)pthread_mutex_unlock(&crowd->lock);
  return guest;
}

void http_crowd_leave(http_crowd *crowd, http_guest *guest) {
  if (guest == NULL) return;
  (void)pthread_mutex_lock(&crowd->lock);
  if (guest->before != NULL)
    guest->before->after = guest->after;
  else
    crowd->guests = guest->after;
  if (guest->after != NULL) guest->after->before = guest->before;
  (void)pthread_mutex_unlock(&crowd->lock);
  free(guest);
}

void http_crowd_asked(http_crowd *crowd) {
  (void)pthread_mutex_lock(&crowd->lock);
  crowd->answering++;
  (void)pthread_mutex_unlock(&crowd->lock);
}

void http_crowd_answered(http_crowd *crowd, http_guest *guest) {
  (void)pthread_mutex_lock(&crowd->lock);
  crowd->answering--;
  if (guest != NULL) guest->since = app_seconds();
  if (crowd->answering == 0) (void)pthread_cond_broadcast(&crowd->changed);
  (void)pthread_mutex_unlock(&crowd->lock);
}

void http_crowd_alive(http_crowd *crowd, http_guest *guest) {
  if (guest == NULL) return;
  (void)pthread_mutex_lock(&crowd->lock);
  guest->since = app_seconds();
  (void)pthread_mutex_unlock(&crowd->lock);
}

/* Waits for a change, until a moment of the steady clock. */
static void wait_until(http_crowd *crowd, double moment) {
  const struct timespec at = {.tv_sec = (time_t)moment,
                              .tv_nsec = (long)(1e9 * (moment - (double)(time_t)moment))};
  (void)pthread_cond_timedwait(&crowd->changed, &crowd->lock, &at);
}

void *http_crowd_watch(void *context) {
  http_crowd *crowd = context;
  (void)pthread_mutex_lock(&crowd->lock);
  while (!crowd->quit) {
    const double now = app_seconds();
    for (http_guest *guest = crowd->guests; guest != NULL; guest = guest->after) {
      if (now - guest->since <= crowd->request_limit) continue;
      (void)shutdown(guest->socket, SHUT_RDWR);
      guest->since = now; /* once is enough */
    }
    wait_until(crowd, now + 0.5);
    if (crowd->quit || crowd->tick == NULL) continue;
    (void)pthread_mutex_unlock(&crowd->lock);
    crowd->tick(crowd->tick_context);
    (void)pthread_mutex_lock(&crowd->lock);
  }
  (void)pthread_mutex_unlock(&crowd->lock);
  return NULL;
}

void http_crowd_quit(http_crowd *crowd) {
  (void)pthread_mutex_lock(&crowd->lock);
  crowd->quit = true;
  (void)pthread_cond_broadcast(&crowd->changed);
  (void)pthread_mutex_unlock(&crowd->lock);
}

void http_crowd_wait(http_crowd *crowd, double seconds) {
  const double end = app_seconds() + seconds;
  (void)pthread_mutex_lock(&crowd->lock);
  while (crowd->answering > 0 && app_seconds() < end) wait_until(crowd, end);
  (void)pthread_mutex_unlock(&crowd->lock);
}
