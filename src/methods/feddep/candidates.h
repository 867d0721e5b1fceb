/* Prototypes of other clients that a generated row is drawn to: which of them a node asks. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_CANDIDATES_H
#define SOTTO_SRC_METHODS_FEDDEP_CANDIDATES_H

#include "class_prototypes.h"

/* Groups of rows: group g is members[begin[g]..begin[g + 1]). All owned. */
typedef struct sotto_i_candidates {
  size_t groups, *begin;
  uint32_t *members;
  uint32_t *group_of; /* the one group that each node asks; NULL: every node asks all groups */
} sotto_i_candidates;

void sotto_i_candidates_free(sotto_i_candidates *candidates);
/* A group for each of `groups` clients with `each` rows. Errors: NOMEM. */
sotto_status sotto_i_candidates_by_client(sotto_i_candidates *out, size_t groups, size_t each,
                                          sotto_error *err);
/* Of class prototypes: a node of likely class y asks those of the class that most neighbours of nodes of
 * class y have here, and of them those whose neighbours mostly have class y where there are any. `clients`
 * tables lie one below the other in `others`, each with `buckets` rows a class. A node without a likely class
 * asks nothing. Errors: NOMEM. */
sotto_status sotto_i_candidates_by_class(sotto_i_candidates *out, const sotto_matrix *others, size_t clients,
                                         size_t buckets, const sotto_i_labelled *of, sotto_error *err);

#endif
