/* Canaries of one training: edges, or nodes with all their edges, each in the graph by a coin of its own. */
#ifndef SOTTO_SRC_ATTACKS_ONE_RUN_H
#define SOTTO_SRC_ATTACKS_ONE_RUN_H

#include "attack.h"

/* ends[i] is the pair that may be an edge; at node level others is NULL, and nodes[i] may have its edges. No
 * node is in two canaries; at node level no two of nodes[] are neighbours. */
typedef struct sotto_i_one_run {
  uint32_t *nodes, *others;
  uint8_t *members;
  size_t count;
  sotto_graph without, with, drawn; /* owned; of no canary, of all, of those that the coins chose */
  double *scores;                   /* of the view in hand; zeroed before each */
  double *likeness; /* of the released rows of both ends, where there are such; a hop without noise is seen
                     * by it */
} sotto_i_one_run;

/* Adds the scores and the likeness from all that a seed's folder keeps of releases: rows, tables, graphs.
 * *any: there was one. */
sotto_status sotto_i_one_run_score_releases(sotto_i_one_run *run, bool *any, const char *folder,
                                            const sotto_options *options, const sotto_dataset *data,
                                            sotto_error *err);
/* Adds the scores from class probabilities of all nodes. */
void sotto_i_one_run_score_answers(sotto_i_one_run *run, const sotto_matrix *posteriors,
                                   const int32_t *labels);

#endif
