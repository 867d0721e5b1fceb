/* Small random graphs and matrices for tests. */
#ifndef SOTTO_TESTS_SUPPORT_SMALL_GRAPH_H
#define SOTTO_TESTS_SUPPORT_SMALL_GRAPH_H

#include "base/random.h"
#include "sotto/graph.h"

/* A graph with about `edges` random edges; free with sotto_graph_free. */
sotto_graph check_random_graph(sotto_i_random *random, uint32_t nodes, uint32_t edges);
/* The same with hubs: low ids have many neighbours. */
sotto_graph check_hub_graph(sotto_i_random *random, uint32_t nodes, uint32_t edges);
/* Standard normal entries; free with sotto_matrix_free. */
sotto_matrix check_random_matrix(sotto_i_random *random, size_t rows, size_t cols);
/* 120 nodes with labels of 3 classes that features and edges tell of; free with sotto_dataset_free. */
sotto_dataset check_labelled_graph(void);
/* A stochastic block model without features, by the public key `seed`; free with sotto_dataset_free. */
sotto_dataset check_plain_blocks(uint64_t nodes, uint32_t classes, double inside, double outside,
                                 uint64_t seed);
/* The same data with one edge less: the first whose ends keep another one. Free with sotto_dataset_free. */
sotto_dataset check_without_edge(const sotto_dataset *data);
/* The same nodes with one edge, and, with `feature`, another number in one feature. Free with
 * sotto_dataset_free. */
sotto_dataset check_with_one_edge(const sotto_dataset *data, bool feature);
bool check_has_edge(const sotto_graph *graph, uint32_t u, uint32_t v);

#endif
