/* One level of a multilevel method: a graph whose nodes are communities of the level below. Weights are
 * integers, so sums do not depend on their order. */
#ifndef SOTTO_SRC_GRAPH_PARTITION_COARSE_H
#define SOTTO_SRC_GRAPH_PARTITION_COARSE_H

#include "graph/dataset.h"

/* Edges inside a node are counted in `inner`, once from each end. */
typedef struct sotto_i_coarse {
  uint64_t nodes, *first;
  uint32_t *target;
  uint64_t *weight, *inner;
  uint64_t total; /* sum of all weights, from both ends */
} sotto_i_coarse;

void sotto_i_coarse_free(sotto_i_coarse *level);
/* Copies the graph itself, with weights 1. Errors: NOMEM. */
sotto_status sotto_i_coarse_of(sotto_i_coarse *out, const sotto_graph *graph, sotto_error *err);
/* Numbers communities from 0 in the order of their first node; returns their number. `number` has one
 * element per node. */
uint32_t sotto_i_coarse_number(uint32_t *community, uint32_t *number, uint64_t nodes);
/* The graph of `count` communities, numbers below it. Errors: NOMEM. */
sotto_status sotto_i_coarse_contract(sotto_i_coarse *out, const sotto_i_coarse *level,
                                     const uint32_t *community, uint32_t count, sotto_error *err);

/* Checks the inputs of a partition of nodes by edges: one graph, 2 to nodes clients, a key. Errors:
 * UNSUPPORTED, RANGE, INVALID. */
sotto_status sotto_i_deal_check_nodes(const sotto_dataset *data, uint32_t clients, const sotto_key *key,
                                      sotto_error *err);

#endif
