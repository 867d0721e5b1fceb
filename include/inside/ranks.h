/* What ranks sent: what other rooms call, and no program outside does. */
#ifndef SOTTO_INSIDE_RANKS_H
#define SOTTO_INSIDE_RANKS_H

#include "sotto/ranks.h"

/* Bytes that this rank has sent to others and received from them so far; `halo_*` are those of rows of
 * neighbours that lie at another rank, and `halo_planned` is what follows from the number of these rows. */
typedef struct sotto_rank_traffic {
  uint64_t sent, received;
  uint64_t halo_sent, halo_received, halo_planned;
} sotto_rank_traffic;
sotto_rank_traffic sotto_ranks_traffic(const sotto_ranks *ranks);

#endif
