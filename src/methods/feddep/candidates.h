/* Prototypes of other clients with which a generated row is compared: those that a node's class selects. */
#ifndef SOTTO_SRC_METHODS_FEDDEP_CANDIDATES_H
#define SOTTO_SRC_METHODS_FEDDEP_CANDIDATES_H

#include "class_prototypes.h"

/* Groups of rows: group g is members[begin[g]..begin[g + 1]). All owned. */
typedef struct sotto_i_candidates {
  size_t groups, *begin;
  uint32_t *members;
  uint32_t *group_of; /* the one group of each node; NULL: every node uses all groups */
} sotto_i_candidates;

void sotto_i_candidates_free(sotto_i_candidates *candidates);
/* A group for each of `groups` clients with `each` rows. Errors: NOMEM. */
sotto_status sotto_i_candidates_by_client(sotto_i_candidates *out, size_t groups, size_t each,
                                          sotto_error *err);
/* Groups of class prototypes. For a node of likely class y, let c be the class of most neighbours of class
 * y here. The node's group has the prototypes of class c whose neighbours mostly have class y, or all of
 * class c if there are none. `clients` tables follow each other in `others`, each with `buckets` rows a
 * class. A node without a likely class has an empty group. Errors: NOMEM. */
sotto_status sotto_i_candidates_by_class(sotto_i_candidates *out, const sotto_matrix *others, size_t clients,
                                         size_t buckets, const sotto_i_labelled *of, sotto_error *err);

#endif
