/* What passes between the ranks of a run. Without MPI, and with one rank, nothing does. */
#ifndef SOTTO_SRC_RANKS_RANKS_H
#define SOTTO_SRC_RANKS_RANKS_H

#include "sotto/ranks.h"

/* Bytes for one other rank, or from it. Parcels between two ranks arrive in the order in which they were
 * listed. */
typedef struct sotto_i_parcel {
  uint32_t peer;
  bool take; /* received from the peer; else sent to it */
  void *data;
  uint64_t bytes; /* any number, 0 included; both ends know it */
} sotto_i_parcel;

/* Parcels that pass again and again between the same places. */
typedef struct sotto_i_route sotto_i_route;
sotto_status sotto_i_route_new(sotto_i_route **out, sotto_ranks *ranks, const sotto_i_parcel *parcels,
                               size_t count, sotto_error *err);
/* All parcels, once. Errors: those of another rank, which are named; INTERRUPTED; IO (nothing came in time,
 * MPI says so). */
sotto_status sotto_i_route_run(sotto_i_route *route, sotto_error *err);
void sotto_i_route_free(sotto_i_route *route);
/* Once, and never again. */
sotto_status sotto_i_ranks_pass(sotto_ranks *ranks, const sotto_i_parcel *parcels, size_t count,
                                sotto_error *err);

/* NULL stands for one rank alone in what follows. */
static inline bool sotto_i_ranks_first(const sotto_ranks *ranks) {
  return ranks == NULL || sotto_ranks_number(ranks) == 0;
}
/* Bytes of rank 0 to all. */
sotto_status sotto_i_ranks_give(sotto_ranks *ranks, void *data, uint64_t bytes, sotto_error *err);
/* values[i] becomes the sum over all ranks, modulo 2^64. */
sotto_status sotto_i_ranks_sum(sotto_ranks *ranks, uint64_t *values, size_t count, sotto_error *err);
/* Returns once all ranks have come so far. */
sotto_status sotto_i_ranks_meet(sotto_ranks *ranks, sotto_error *err);
/* Every rank has one number for each rank, and gets those that the others have for it. */
sotto_status sotto_i_ranks_swap(sotto_ranks *ranks, uint64_t *out, const uint64_t *numbers, sotto_error *err);

/* Counts what sotto_ranks_traffic says of halos. */
void sotto_i_ranks_count_halo(sotto_ranks *ranks, uint64_t sent, uint64_t received, uint64_t planned);
/* For tests: no message has more bytes; 0: as usual. */
void sotto_i_ranks_most_bytes(uint64_t bytes);

#endif
