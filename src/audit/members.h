/* Predictions for members and non-members, as an attack on membership compares them. */
#ifndef SOTTO_SRC_AUDIT_MEMBERS_H
#define SOTTO_SRC_AUDIT_MEMBERS_H

#include "run/method/method.h"

/* Nodes of a graph: training nodes, and nodes outside the training subgraph. Validation and test nodes of
 * the subgraph are neither, and have no row.
 *
 * `same`: all are predicted over the whole graph. So members and others have neighbourhoods of one
 * distribution, and only membership distinguishes them.
 *
 * `usual`: the comparison of an inductive split, in which members have the edges of the training graph and
 * others all of theirs. There edges distinguish them too, so that even nodes that no model has seen are
 * recognised. */
typedef struct sotto_i_members {
  sotto_matrix same, usual; /* class probabilities */
  uint8_t *members;         /* one a row: not 0 for members */
  bool differs;             /* the two tables differ in some row */
} sotto_i_members;

enum { SOTTO_I_OTHER, SOTTO_I_NEITHER, SOTTO_I_MEMBER };

/* Queries the model in a run's folder. `part` is the subgraph of the nodes inside[0 .. part's nodes) of
 * `whole`, ascending. `role` has one of the three values for each node of `whole`. `own`: the run trained
 * on `part`, whose release it has. Free after an error too. Errors: those of sotto_i_model_open and
 * sotto_model_query, NOMEM. */
sotto_status sotto_i_members_ask(sotto_i_members *out, const char *folder, const sotto_options *options,
                                 const sotto_dataset *whole, const sotto_dataset *part,
                                 const uint32_t *inside, const uint8_t *role, bool own, sotto_error *err);
/* The same as bytes, for at most `rows` rows of `classes` classes. Errors: INVALID, CORRUPT, NOMEM. */
size_t sotto_i_members_bytes(size_t rows, size_t classes);
sotto_status sotto_i_members_put(uint8_t *to, const sotto_i_members *members, size_t rows, size_t classes,
                                 sotto_error *err);
sotto_status sotto_i_members_take(sotto_i_members *out, const uint8_t *from, size_t rows, size_t classes,
                                  sotto_error *err);
void sotto_i_members_free(sotto_i_members *members);

#endif
