/* Examples of one hop for DP-SGD: a node's features and the mean of those of a secret sample of its
 * neighbours. Each neighbour joins with the same probability, whatever the node's degree. So a changed node
 * has no effect on an example that it does not join. */
#ifndef SOTTO_SRC_PROTOCOLS_SUBGRAPHS_H
#define SOTTO_SRC_PROTOCOLS_SUBGRAPHS_H

#include "sotto/graph.h"

typedef struct sotto_i_subgraphs {
  const sotto_graph *graph;
  const sotto_matrix *features;
  uint64_t sample, degree; /* the probability is sample / degree */
} sotto_i_subgraphs;

/* `make` of sotto_i_dpsgd_examples; out has twice the columns of the features. Node v draws from the stream
 * (key, neighbour, step, v). */
sotto_status sotto_i_subgraph_rows(void *subgraphs, sotto_matrix *out, const uint32_t *nodes, size_t count,
                                   const sotto_key *key, uint32_t step, sotto_error *err);

#endif
