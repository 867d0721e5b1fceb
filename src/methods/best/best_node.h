/* The node level: a perceptron by DP-SGD, and a noisy table of the neighbours' clusters by class. */
#ifndef SOTTO_SRC_METHODS_BEST_BEST_NODE_H
#define SOTTO_SRC_METHODS_BEST_BEST_NODE_H

#include "run/train/predict.h"

sotto_status sotto_i_best_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* Errors: INVALID, without features or labels; RANGE. */
sotto_status sotto_i_best_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_best_node_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

/* The noise of the table, and the mu of the table alone. */
sotto_status sotto_i_best_node_noise(sotto_grid *grid, double *mu, const sotto_i_job *job, sotto_error *err);
/* The inputs of the table, and the function that makes it, with noise by the key, into `table` (fresh), for
 * the release and its audit. `context` is a sotto_i_best_table. */
typedef struct sotto_i_best_table {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const sotto_matrix *scores;
  const sotto_grid *grid;
} sotto_i_best_table;
sotto_status sotto_i_best_table_make(void *context, sotto_graph *unused, sotto_matrix *table,
                                     const sotto_key *key, sotto_error *err);
/* The canary of a node, for the table alone against its share of the budget. */
struct sotto_i_canary;
struct sotto_i_run;
sotto_status sotto_i_best_node_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                      unsigned kind, sotto_error *err);

/* Adds to a zeroed table (classes x clusters) the number of neighbours in each cluster of the training
 * nodes of each class. `scores` is nodes x clusters: a node's cluster is its largest score. */
void sotto_i_class_table_fill(sotto_matrix *table, const sotto_graph *graph, const sotto_matrix *scores,
                              const sotto_i_parted *parted);
/* Sensitivity of that in the l2 norm if one node is replaced and no degree is above `most`. */
double sotto_i_class_table_sensitivity(uint64_t most);
/* Replaces rows by log-probabilities in place; entries below `least` count as `least`. */
void sotto_i_class_table_logs(sotto_matrix *table, double least);
/* out (fresh): base (nodes x classes of logarithms) plus the evidence of each node's neighbours: the sum of
 * the table's entries for their clusters, divided by the square root of their number. */
sotto_status sotto_i_class_table_read(sotto_matrix *out, const sotto_matrix *base, const sotto_graph *graph,
                                      const sotto_matrix *table, sotto_error *err);

#endif
