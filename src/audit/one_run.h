/* Canaries of one training: edges, or nodes with all their edges; an independent coin decides about each. */
#ifndef SOTTO_SRC_AUDIT_ONE_RUN_H
#define SOTTO_SRC_AUDIT_ONE_RUN_H

#include "attack.h"

/* nodes[i] and others[i] may be an edge. At node level others is NULL, and nodes[i] may have its edges. No
 * node is in two pairs, and the auditor adds these nodes. At node level no two of nodes[] are neighbours. */
typedef struct sotto_i_one_run {
  uint32_t *nodes, *others;
  uint8_t *members, *nobody; /* in by its coin; all zero */
  size_t count;
  sotto_dataset data; /* the training data; borrows from the run's data, and from the owned members below */
  sotto_matrix rows;
  int32_t *labels;
  uint8_t *split;
  sotto_graph without, with, drawn; /* owned; with no canary, with all, with those that the coins chose */
  double *scores;                   /* of the current view; zeroed before each */
  double *likeness; /* similarity of the two ends' released rows; detects a hop without noise */
} sotto_i_one_run;

/* Adds nodes with the edge canaries between them to a copy of the data. Errors: NOMEM. */
sotto_status sotto_i_one_run_add_nodes(sotto_i_one_run *run, const sotto_dataset *data, uint64_t pairs,
                                       sotto_error *err);
void sotto_i_one_run_free(sotto_i_one_run *run);
/* Adds the scores and similarities from all stored releases of a seed: rows, tables, graphs. *any: there
 * was one. */
sotto_status sotto_i_one_run_score_releases(sotto_i_one_run *run, bool *any, const char *folder,
                                            const sotto_options *options, sotto_error *err);
/* Adds the scores from class probabilities of all nodes. Errors: NOMEM. */
sotto_status sotto_i_one_run_score_answers(sotto_i_one_run *run, const sotto_matrix *posteriors,
                                           sotto_error *err);

#endif
