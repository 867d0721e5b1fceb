/* Canaries of one training: edges, or nodes with all their edges, each in the graph by a coin of its own. */
#ifndef SOTTO_SRC_AUDIT_ONE_RUN_H
#define SOTTO_SRC_AUDIT_ONE_RUN_H

#include "attack.h"

/* nodes[i] and others[i] may be an edge; at node level others is NULL, and nodes[i] may have its edges. No
 * node is in two pairs, and the auditor adds these nodes. At node level no two of nodes[] are neighbours. */
typedef struct sotto_i_one_run {
  uint32_t *nodes, *others;
  uint8_t *members, *nobody; /* in by its coin; none in */
  size_t count;
  sotto_dataset data; /* what is trained on; borrows from the run's data, and from what is owned below */
  sotto_matrix rows;
  int32_t *labels;
  uint8_t *split;
  sotto_graph without, with, drawn; /* owned; of no canary, of all, of those that the coins chose */
  double *scores;                   /* of the view in hand; zeroed before each */
  double *likeness; /* of the released rows of both ends, where there are such; a hop without noise is seen
                     * by it */
} sotto_i_one_run;

/* Edge canaries among added nodes, and the data with these. Errors: NOMEM. */
sotto_status sotto_i_one_run_add_nodes(sotto_i_one_run *run, const sotto_dataset *data, uint64_t pairs,
                                       sotto_error *err);
void sotto_i_one_run_free(sotto_i_one_run *run);
/* Adds the scores and the likeness from all that a seed's folder keeps of releases: rows, tables, graphs.
 * *any: there was one. */
sotto_status sotto_i_one_run_score_releases(sotto_i_one_run *run, bool *any, const char *folder,
                                            const sotto_options *options, sotto_error *err);
/* Adds the scores from class probabilities of all nodes. Errors: NOMEM. */
sotto_status sotto_i_one_run_score_answers(sotto_i_one_run *run, const sotto_matrix *posteriors,
                                           sotto_error *err);

#endif
