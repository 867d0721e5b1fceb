/* CSR arrays from pairs, for readers and generators that pass them on to a dataset. */
#ifndef SOTTO_SRC_GRAPH_CSR_H
#define SOTTO_SRC_GRAPH_CSR_H

#include "sotto/graph.h"

/* Does the work of sotto_graph_from_pairs and returns the arrays: *offsets (nodes + 1) and *targets
 * (offsets[nodes]) come from sotto_i_new and belong to the caller; both are NULL after a failure. Peak
 * memory besides the pairs: 8 (nodes + 1) + 16 count bytes, or 24 count for more than 4 million nodes, and
 * 4 bytes per entry more when many repeats were removed. */
sotto_status sotto_i_csr_from_pairs(uint64_t **offsets, uint32_t **targets, uint64_t nodes,
                                    const uint32_t *sources, const uint32_t *pair_targets, uint64_t count,
                                    sotto_error *err);
/* The same for pairs whose sources are at *pairs and whose targets follow `room` ids behind; `count` are
 * set. Their memory is reused for *targets, and *pairs becomes NULL, as soon as they are not needed. So
 * the peak is 8 (16) count bytes, 8 (nodes + 1) and the pairs. After a failure the caller frees *pairs if
 * it is not NULL. */
sotto_status sotto_i_csr_take_pairs(uint64_t **offsets, uint32_t **targets, uint64_t nodes, uint32_t **pairs,
                                    size_t room, uint64_t count, sotto_error *err);

/* Sorts a row and removes repeats; returns the number left. */
size_t sotto_i_row_sort_unique(uint32_t *row, size_t count);

/* Signed hash of entry v of row u: positive for u < v, negative for u > v. The sum over all entries is 0
 * if each edge is in both rows, else with probability 2^-64. */
uint64_t sotto_i_edge_sign(uint64_t u, uint64_t v, uint64_t key);

/* The first index from `low` to `high` - 1 of an ascending list whose value is at least `value`; else
 * `high`. */
uint64_t sotto_i_first_at_least(const uint32_t *ascending, uint64_t low, uint64_t high, uint64_t value);
/* Whether v is in the row of u; O(log degree). Both are below graph->nodes. */
bool sotto_i_graph_has(const sotto_graph *graph, uint64_t u, uint32_t v);

/* *least = min(*least, value), from any thread. Parallel passes use it to agree on the first invalid item. */
void sotto_i_atomic_min(_Atomic uint64_t *least, uint64_t value);

#endif
