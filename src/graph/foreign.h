/* Edges of a dataset to nodes of other owners (sotto_foreign). */
#ifndef SOTTO_SRC_GRAPH_FOREIGN_H
#define SOTTO_SRC_GRAPH_FOREIGN_H

#include "names.h"

/* The holder owns both, which come from sotto_i_new; nodes NULL: there is no list. */
typedef struct sotto_i_foreign {
  uint32_t *nodes; /* ids.count */
  sotto_names ids;
} sotto_i_foreign;

/* Are they in order, of existing nodes with ids, and have they names? Errors: CORRUPT, RANGE, INVALID (nodes
 * without ids). */
sotto_status sotto_i_foreign_check(const sotto_foreign *foreign, uint64_t nodes, const sotto_names *ids,
                                   sotto_error *err);
/* out (fresh) is a copy. Errors: NOMEM. */
sotto_status sotto_i_foreign_copy(sotto_i_foreign *out, const sotto_foreign *from, sotto_error *err);
void sotto_i_foreign_free(sotto_i_foreign *foreign);

#endif
