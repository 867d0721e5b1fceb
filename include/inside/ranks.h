/* Traffic of ranks, for other rooms; the public header does not offer it. */
#ifndef SOTTO_INSIDE_RANKS_H
#define SOTTO_INSIDE_RANKS_H

#include "sotto/ranks.h"

/* Bytes that this rank sent to others and received from them so far. `halo_*` count the rows of neighbours
 * at other ranks; `halo_planned` is computed from the number of these rows. */
typedef struct sotto_rank_traffic {
  uint64_t sent, received;
  uint64_t halo_sent, halo_received, halo_planned;
} sotto_rank_traffic;
sotto_rank_traffic sotto_ranks_traffic(const sotto_ranks *ranks);

#endif
