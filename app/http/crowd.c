/* Connections of a server, and their time limits. */
#include "crowd.h"

#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/progress.h"
#include "common/memory.h"

enum { NETWORK_BYTES = 9 };

struct http_guest {
  http_guest *before, *after;
  int socket;
  uint8_t from[NETWORK_BYTES]; /* the part of its address that a sender cannot choose freely */
  double since;                /* time of the connection, or of the last complete response */
  bool known;                  /* a request of it was accepted */
  bool asked;                  /* the head of its request is complete */
  bool answered;               /* it has had a response before */
  bool cut;                    /* the connection is shut down; its slot is free once the server notices */
};

void http_crowd_begin(http_crowd *crowd) {
  pthread_condattr_t clock;
  *crowd = (http_crowd){.request_limit = 0};
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

/* Network of a sender: an IPv4 address, or the first 64 bits of an IPv6 address, below which one sender
 * owns all addresses. All other kinds of address share one value. */
static void network_of(uint8_t out[NETWORK_BYTES], const struct sockaddr *from) {
  static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
  struct sockaddr_in v4;
  struct sockaddr_in6 v6;
  memset(out, 0, NETWORK_BYTES);
  if (from == NULL) return;
  if (from->sa_family == AF_INET) {
    memcpy(&v4, from, sizeof v4);
    out[0] = 4;
    memcpy(out + 1, &v4.sin_addr, 4);
  } else if (from->sa_family == AF_INET6) {
    memcpy(&v6, from, sizeof v6);
    const uint8_t *bytes = v6.sin6_addr.s6_addr;
    const bool is_v4 = memcmp(bytes, mapped, sizeof mapped) == 0;
    out[0] = is_v4 ? 4 : 6;
    memcpy(out + 1, is_v4 ? bytes + 12 : bytes, is_v4 ? 4 : 8);
  }
}

/* locking: lock held */
static void shut_down(http_guest *guest) {
  (void)shutdown(guest->socket, SHUT_RDWR);
  guest->cut = true; /* shut down only once */
}

/* Frees a slot if there are `most` connections of one kind (strangers or known ones) and one network (NULL:
 * any). Of strangers the oldest is shut down, of known ones the oldest idle one. locking: lock held. */
static void free_slot(const http_crowd *crowd, const uint8_t *place, unsigned most, bool known) {
  http_guest *oldest = NULL;
  unsigned count = 0;
  for (http_guest *guest = crowd->guests; guest != NULL; guest = guest->after) {
    if (guest->known != known || guest->cut ||
        (place != NULL && memcmp(guest->from, place, NETWORK_BYTES) != 0))
      continue;
    count++;
    if (!known || !guest->asked) oldest = guest; /* the list begins with the newest connection */
  }
  if (count >= most && oldest != NULL) shut_down(oldest);
}

http_guest *http_crowd_add(http_crowd *crowd, int socket, const struct sockaddr *from) {
  http_guest *guest;
  if (app_new(&guest, 1, sizeof *guest, NULL) != SOTTO_OK) {
    (void)shutdown(socket, SHUT_RDWR);
    return NULL;
  }
  guest->socket = socket;
  network_of(guest->from, from);
  guest->since = sotto_i_seconds();
  (void)pthread_mutex_lock(&crowd->lock);
  free_slot(crowd, guest->from, crowd->most_of_one, false);
  free_slot(crowd, NULL, crowd->most_strangers, false);
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

void http_crowd_known(http_crowd *crowd, http_guest *guest) {
  if (guest == NULL) return;
  (void)pthread_mutex_lock(&crowd->lock);
  if (!guest->known && crowd->most_known_of_one > 0)
    free_slot(crowd, guest->from, crowd->most_known_of_one, true);
  guest->known = true;
  (void)pthread_mutex_unlock(&crowd->lock);
}

void http_crowd_asked(http_crowd *crowd, http_guest *guest) {
  (void)pthread_mutex_lock(&crowd->lock);
  crowd->answering++;
  if (guest != NULL) guest->asked = true;
  (void)pthread_mutex_unlock(&crowd->lock);
}

void http_crowd_answered(http_crowd *crowd, http_guest *guest) {
  (void)pthread_mutex_lock(&crowd->lock);
  crowd->answering--;
  if (guest != NULL) {
    guest->since = sotto_i_seconds();
    guest->asked = false;
    guest->answered = true;
  }
  if (crowd->answering == 0) (void)pthread_cond_broadcast(&crowd->changed);
  (void)pthread_mutex_unlock(&crowd->lock);
}

void http_crowd_alive(http_crowd *crowd, http_guest *guest) {
  if (guest == NULL) return;
  (void)pthread_mutex_lock(&crowd->lock);
  guest->since = sotto_i_seconds();
  (void)pthread_mutex_unlock(&crowd->lock);
}

/* Waits for a change, at most until `moment` on the monotonic clock. */
static void wait_for_change(http_crowd *crowd, double moment) {
  const struct timespec at = {.tv_sec = (time_t)moment,
                              .tv_nsec = (long)(1e9 * (moment - (double)(time_t)moment))};
  (void)pthread_cond_timedwait(&crowd->changed, &crowd->lock, &at);
}

/* Longest time in seconds that a connection may stay in its present state. locking: lock held. */
static double limit_of(const http_crowd *crowd, const http_guest *guest) {
  if (guest->asked) return crowd->request_limit;
  const double head = guest->answered ? crowd->idle_limit + crowd->head_limit : crowd->head_limit;
  return head < crowd->request_limit ? head : crowd->request_limit;
}

void *http_crowd_watch(void *context) {
  http_crowd *crowd = context;
  (void)pthread_mutex_lock(&crowd->lock);
  while (!crowd->quit) {
    const double now = sotto_i_seconds();
    for (http_guest *guest = crowd->guests; guest != NULL; guest = guest->after)
      if (!guest->cut && now - guest->since > limit_of(crowd, guest)) shut_down(guest);
    wait_for_change(crowd, now + 0.5);
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
  const double end = sotto_i_seconds() + seconds;
  (void)pthread_mutex_lock(&crowd->lock);
  while (crowd->answering > 0 && sotto_i_seconds() < end) wait_for_change(crowd, end);
  (void)pthread_mutex_unlock(&crowd->lock);
}
