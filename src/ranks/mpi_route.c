/* Routes over MPI: persistent requests, split into messages below 2^31 bytes. */
#include "mpi.h"

#ifdef SOTTO_MPI
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/progress.h"

static uint64_t most_bytes = 1U << 30; /* per message; MPI counts fewer than 2^31 items */

void sotto_i_ranks_most_bytes(uint64_t bytes) {
  most_bytes = bytes > 0 && bytes < INT_MAX ? bytes : 1U << 30;
}

struct sotto_i_route {
  sotto_ranks *ranks;
  MPI_Request *requests;
  uint32_t *peers; /* of each request */
  bool *taking;
  size_t count;
  uint64_t sent, received; /* bytes of one run */
};

static uint64_t count_messages(uint64_t bytes) {
  return (bytes + most_bytes - 1) / most_bytes;
}

static sotto_status add_parcel(sotto_i_route *route, const sotto_i_parcel *p, sotto_error *err) {
  sotto_ranks *r = route->ranks;
  SOTTO_I_CHECK(p->peer < r->count && p->peer != r->number);
  for (uint64_t at = 0; at < p->bytes; at += most_bytes) {
    const uint64_t left = p->bytes - at;
    const int size = (int)(left < most_bytes ? left : most_bytes);
    MPI_Request *request = &route->requests[route->count];
    char *data = (char *)p->data + at;
    const int code =
        p->take ? MPI_Recv_init(data, size, MPI_BYTE, (int)p->peer, SOTTO_I_PARCEL_TAG, r->parcels, request)
                : MPI_Send_init(data, size, MPI_BYTE, (int)p->peer, SOTTO_I_PARCEL_TAG, r->parcels, request);
    const sotto_status status = sotto_i_mpi_check(code, "a message between ranks", err);
    if (status != SOTTO_OK) return status;
    route->peers[route->count] = p->peer;
    route->taking[route->count++] = p->take;
  }
  if (p->take)
    route->received += p->bytes;
  else
    route->sent += p->bytes;
  return SOTTO_OK;
}

sotto_status sotto_i_route_new(sotto_i_route **out, sotto_ranks *ranks, const sotto_i_parcel *parcels,
                               size_t count, sotto_error *err) {
  sotto_i_route *route = NULL;
  sotto_status status;
  uint64_t messages = 0;
  *out = NULL;
  for (size_t i = 0; i < count; i++) messages += count_messages(parcels[i].bytes);
  if (messages > INT_MAX)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "%llu messages between ranks at once are too many; start more ranks",
                        (unsigned long long)messages);
  SOTTO_TRY(sotto_i_new(&route, 1, sizeof *route, err));
  route->ranks = ranks;
  SOTTO_TRY(sotto_i_new(&route->requests, messages, sizeof *route->requests, err));
  SOTTO_TRY(sotto_i_new(&route->peers, messages, sizeof *route->peers, err));
  SOTTO_TRY(sotto_i_new(&route->taking, messages, sizeof *route->taking, err));
  for (size_t i = 0; i < count; i++) SOTTO_TRY(add_parcel(route, &parcels[i], err));
  *out = route;
  route = NULL;
done:
  sotto_i_route_free(route);
  return status;
}

/* The first request that is not done; `count`: all are. */
static size_t first_open(const sotto_i_route *route) {
  for (size_t i = 0; i < route->count; i++) {
    int done = 0;
    (void)MPI_Request_get_status(route->requests[i], &done, MPI_STATUS_IGNORE);
    if (done == 0) return i;
  }
  return route->count;
}

/* Cancels the receives; sent messages may stay unreceived. */
static void cancel_requests(sotto_i_route *route) {
  for (size_t i = 0; i < route->count; i++) {
    int done = 0;
    (void)MPI_Request_get_status(route->requests[i], &done, MPI_STATUS_IGNORE);
    if (done != 0) continue;
    if (!route->taking[i]) {
      route->ranks->waiting = true;
      continue;
    }
    (void)MPI_Cancel(&route->requests[i]);
    (void)MPI_Wait(&route->requests[i], MPI_STATUS_IGNORE);
  }
}

static sotto_status fail_timeout(const sotto_i_route *route, sotto_error *err) {
  const size_t open = first_open(route);
  if (open == route->count) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_IO,
                      "rank %u: no message from it or to it for %.0f seconds; check whether it is "
                      "alive, and start again with resume (SOTTO_RANK_TIMEOUT sets the seconds)",
                      (unsigned)route->peers[open], route->ranks->limit);
}

static void back_off(unsigned turns) {
  const struct timespec short_time = {.tv_nsec = turns < 2000 ? 20000 : 500000};
  if (turns < 200)
    (void)sched_yield();
  else
    (void)nanosleep(&short_time, NULL);
}

static sotto_status wait_all(sotto_i_route *route, sotto_error *err) {
  const double begin = sotto_i_seconds();
  sotto_status status = SOTTO_OK;
  for (unsigned turns = 0;; turns += turns < 100000 ? 1 : 0) {
    int done = 0;
    SOTTO_TRY(sotto_i_mpi_check(MPI_Testall((int)route->count, route->requests, &done, MPI_STATUSES_IGNORE),
                                "a message between ranks", err));
    if (done != 0) return SOTTO_OK;
    SOTTO_TRY(sotto_i_ranks_check_peers(route->ranks, err));
    if (sotto_i_check_interrupt(NULL) != SOTTO_OK) {
      const size_t open = first_open(route);
      if (open < route->count)
        (void)sotto_i_fail(err, SOTTO_INTERRUPTED, "stopped while this rank waited for rank %u",
                           (unsigned)route->peers[open]);
      status = sotto_i_check_interrupt(err);
      goto done;
    }
    if (sotto_i_seconds() - begin > route->ranks->limit) SOTTO_TRY(fail_timeout(route, err));
    back_off(turns);
  }
done:
  cancel_requests(route);
  return status;
}

sotto_status sotto_i_route_run(sotto_i_route *route, sotto_error *err) {
  if (route == NULL || route->count == 0) return SOTTO_OK;
  if (route->ranks->failed)
    return sotto_i_fail(err, SOTTO_IO, "another rank failed, so nothing more is sent");
  sotto_status status =
      sotto_i_mpi_check(MPI_Startall((int)route->count, route->requests), "a message between ranks", err);
  if (status == SOTTO_OK) status = wait_all(route, err);
  if (status != SOTTO_OK) return status;
  route->ranks->traffic.sent += route->sent;
  route->ranks->traffic.received += route->received;
  return SOTTO_OK;
}

void sotto_i_route_free(sotto_i_route *route) {
  if (route == NULL) return;
  for (size_t i = 0; route->requests != NULL && i < route->count; i++) {
    int done = 0;
    (void)MPI_Request_get_status(route->requests[i], &done, MPI_STATUS_IGNORE);
    if (done != 0) (void)MPI_Request_free(&route->requests[i]);
  }
  sotto_i_free(route->requests);
  sotto_i_free(route->peers);
  sotto_i_free(route->taking);
  sotto_i_free(route);
}

#endif
