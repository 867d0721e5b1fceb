/* Accounts that are drawn by their activity, for generators of graphs. */
#ifndef SOTTO_SRC_GRAPH_GENERATE_URN_H
#define SOTTO_SRC_GRAPH_GENERATE_URN_H

#include "base/random.h"

/* Members, and the running sums of their activity. */
typedef struct sotto_i_urn {
  uint32_t *ids;
  double *sums;
  uint64_t count;
} sotto_i_urn;

/* Room for `most` members. Errors: NOMEM. */
sotto_status sotto_i_urn_new(sotto_i_urn *urn, uint64_t most, sotto_error *err);
void sotto_i_urn_free(sotto_i_urn *urn);
void sotto_i_urn_add(sotto_i_urn *urn, uint32_t id, double activity);
/* A member with probability proportional to its activity; the urn is not empty. */
uint32_t sotto_i_urn_draw(const sotto_i_urn *urn, sotto_i_random *random);

#endif
