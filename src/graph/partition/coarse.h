/* One level of a multilevel method: a graph whose nodes are communities of the level below. Weights are whole
 * numbers, so that no sum depends on its order. */
#ifndef SOTTO_SRC_GRAPH_PARTITION_COARSE_H
#define SOTTO_SRC_GRAPH_PARTITION_COARSE_H

#include "graph/dataset.h"

/* An edge inside a node stands in `inner`, counted from both of its ends. */
typedef struct sotto_i_coarse {
  uint64_t nodes, *first;
  uint32_t *target;
  uint64_t *weight, *inner;
  uint64_t total; /* of all weights, from both ends */
} sotto_i_coarse;

void sotto_i_coarse_free(sotto_i_coarse *level);
/* The graph itself, every weight 1. Errors: NOMEM. */
sotto_status sotto_i_coarse_of(sotto_i_coarse *out, const sotto_graph *graph, sotto_error *err);
/* Numbers communities from 0 in the order of their first node; returns how many there are. `number` has a
 * place for each node. */
uint32_t sotto_i_coarse_number(uint32_t *community, uint32_t *number, uint64_t nodes);
/* The graph of `count` communities, which are numbers below it. Errors: NOMEM. */
sotto_status sotto_i_coarse_contract(sotto_i_coarse *out, const sotto_i_coarse *level,
                                     const uint32_t *community, uint32_t count, sotto_error *err);

/* What a partition of nodes by edges asks: one graph, 2 to nodes clients, a key. Errors: UNSUPPORTED, RANGE,
 * INVALID. */
sotto_status sotto_i_deal_check_nodes(const sotto_dataset *data, uint32_t clients, const sotto_key *key,
                                      sotto_error *err);

#endif
