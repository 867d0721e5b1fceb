/* Ranks without MPI: every function for one process. */
#include "base/memory.h"
#include "inside/ranks.h"
#include "ranks.h"

#ifndef SOTTO_MPI

bool sotto_ranks_built(void) {
  return false;
}

sotto_status sotto_ranks_begin(sotto_ranks **out, const void *communicator, sotto_error *err) {
  (void)communicator;
  *out = NULL;
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "this program was built without MPI; build it with `make mpi`, or start one process");
}

void sotto_ranks_end(sotto_ranks *ranks, int code) {
  (void)ranks;
  (void)code;
}

sotto_status sotto_i_ranks_need_threads(const sotto_ranks *ranks, sotto_error *err) {
  (void)ranks;
  (void)err;
  return SOTTO_OK;
}

uint32_t sotto_ranks_number(const sotto_ranks *ranks) {
  (void)ranks;
  return 0;
}

uint32_t sotto_ranks_count(const sotto_ranks *ranks) {
  (void)ranks;
  return 1;
}

sotto_rank_traffic sotto_ranks_traffic(const sotto_ranks *ranks) {
  (void)ranks;
  return (sotto_rank_traffic){0};
}

void sotto_ranks_fail(sotto_ranks *ranks, const sotto_error *err) {
  (void)ranks;
  (void)err;
}

sotto_status sotto_i_route_new(sotto_i_route **out, sotto_ranks *ranks, const sotto_i_parcel *parcels,
                               size_t count, sotto_error *err) {
  (void)ranks;
  (void)parcels;
  (void)err;
  SOTTO_I_CHECK(count == 0);
  *out = NULL;
  return SOTTO_OK;
}

sotto_status sotto_i_route_run(sotto_i_route *route, sotto_error *err) {
  (void)route;
  (void)err;
  return SOTTO_OK;
}

void sotto_i_route_free(sotto_i_route *route) {
  (void)route;
}

void sotto_i_ranks_count_halo(sotto_ranks *ranks, uint64_t sent, uint64_t received, uint64_t planned) {
  (void)ranks;
  (void)sent;
  (void)received;
  (void)planned;
}

void sotto_i_ranks_most_bytes(uint64_t bytes) {
  (void)bytes;
}

#endif
