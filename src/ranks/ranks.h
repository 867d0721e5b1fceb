/* Messages between the ranks of a run. Without MPI, or with one rank, there are none. */
#ifndef SOTTO_SRC_RANKS_RANKS_H
#define SOTTO_SRC_RANKS_RANKS_H

#include "sotto/ranks.h"

/* Bytes for one other rank, or from it. Parcels between two ranks arrive in the order in which they are
 * listed. */
typedef struct sotto_i_parcel {
  uint32_t peer;
  bool take; /* true: received from the peer; false: sent to it */
  void *data;
  uint64_t bytes; /* any number, including 0; both ranks must know it */
} sotto_i_parcel;

/* A set of parcels that is exchanged repeatedly. */
typedef struct sotto_i_route sotto_i_route;
sotto_status sotto_i_route_new(sotto_i_route **out, sotto_ranks *ranks, const sotto_i_parcel *parcels,
                               size_t count, sotto_error *err);
/* Exchanges all parcels once. Errors: those of another rank, with its number; INTERRUPTED; IO (timeout,
 * MPI). */
sotto_status sotto_i_route_run(sotto_i_route *route, sotto_error *err);
void sotto_i_route_free(sotto_i_route *route);
/* Exchanges parcels a single time. */
sotto_status sotto_i_ranks_pass(sotto_ranks *ranks, const sotto_i_parcel *parcels, size_t count,
                                sotto_error *err);

/* In the following functions, NULL means a single rank. */
/* Whether several threads of a rank may send messages, one at a time. Errors: UNSUPPORTED (the program that
 * initialised MPI allowed one thread), IO. */
sotto_status sotto_i_ranks_need_threads(const sotto_ranks *ranks, sotto_error *err);
static inline bool sotto_i_ranks_first(const sotto_ranks *ranks) {
  return ranks == NULL || sotto_ranks_number(ranks) == 0;
}
/* Broadcast: sends bytes of rank 0 to all. */
sotto_status sotto_i_ranks_give(sotto_ranks *ranks, void *data, uint64_t bytes, sotto_error *err);
/* Sum over all ranks: values[i] becomes the sum, modulo 2^64. */
sotto_status sotto_i_ranks_sum(sotto_ranks *ranks, uint64_t *values, size_t count, sotto_error *err);
/* Barrier: returns once all ranks have reached it. */
sotto_status sotto_i_ranks_meet(sotto_ranks *ranks, sotto_error *err);
/* All-to-all exchange of one integer: rank i receives element i of every rank. */
sotto_status sotto_i_ranks_all_to_all(sotto_ranks *ranks, uint64_t *out, const uint64_t *numbers,
                                      sotto_error *err);

/* Adds to the halo counters of sotto_ranks_traffic. */
void sotto_i_ranks_count_halo(sotto_ranks *ranks, uint64_t sent, uint64_t received, uint64_t planned);
/* For tests: maximum bytes per message; 0 restores the default. */
void sotto_i_ranks_most_bytes(uint64_t bytes);

#endif
