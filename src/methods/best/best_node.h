/* The node level: a perceptron by DP-SGD, and a noisy table of which classes have neighbours in which
 * clusters. */
#ifndef SOTTO_SRC_METHODS_BEST_BEST_NODE_H
#define SOTTO_SRC_METHODS_BEST_BEST_NODE_H

#include "run/train/predict.h"

sotto_status sotto_i_best_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* Errors: INVALID, without features or labels; RANGE. */
sotto_status sotto_i_best_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_best_node_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

/* The noise of the table, and what it states by itself. */
sotto_status sotto_i_best_node_noise(sotto_grid *grid, double *mu, const sotto_i_job *job, sotto_error *err);
/* What the table is made of, and what makes it, with noise by the key, into `table` (fresh): for the release
 * and its audit. `context` is a sotto_i_best_table. */
typedef struct sotto_i_best_table {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const sotto_matrix *scores;
  const sotto_grid *grid;
} sotto_i_best_table;
sotto_status sotto_i_best_table_make(void *context, sotto_graph *unused, sotto_matrix *table,
                                     const sotto_key *key, sotto_error *err);
/* Of a node, on the table alone, whose share of the budget is what is stated of it. */
struct sotto_i_canary;
struct sotto_i_run;
sotto_status sotto_i_best_node_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                      unsigned kind, sotto_error *err);

/* Adds to a zeroed table (classes x clusters) how many neighbours in each cluster the training nodes of each
 * class have. `scores` is nodes x clusters: a node lies in the cluster of its largest. */
void sotto_i_class_table_fill(sotto_matrix *table, const sotto_graph *graph, const sotto_matrix *scores,
                              const sotto_i_parted *parted);
/* How far that moves, in the l2 norm, when one node becomes another and no degree is above `most`. */
double sotto_i_class_table_sensitivity(uint64_t most);
/* In place: rows to logarithms of probabilities; no entry counts less than `least`. */
void sotto_i_class_table_logs(sotto_matrix *table, double least);
/* out (fresh): base, which is nodes x classes of logarithms, and what each node's neighbours say of its
 * class: the sum over them of the table's entries for the largest of their rows of base, divided by the root
 * of how many they are. */
sotto_status sotto_i_class_table_read(sotto_matrix *out, const sotto_matrix *base, const sotto_graph *graph,
                                      const sotto_matrix *table, sotto_error *err);

#endif
