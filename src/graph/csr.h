/* Making CSR arrays from pairs, for readers and generators that hand them on to a dataset. */
#ifndef SOTTO_SRC_GRAPH_CSR_H
#define SOTTO_SRC_GRAPH_CSR_H

#include "sotto/graph.h"

/* The work of sotto_graph_from_pairs, giving the arrays themselves: *offsets (nodes + 1) and *targets
 * (offsets[nodes]) come from sotto_i_new and belong to the caller; both are NULL after a failure. Peak memory
 * in addition to the pairs: 8 (nodes + 1) + 16 count bytes, or 24 count for more than 4 million nodes, and 4
 * bytes an entry more when much was dropped. */
sotto_status sotto_i_csr_from_pairs(uint64_t **offsets, uint32_t **targets, uint64_t nodes,
                                    const uint32_t *sources, const uint32_t *pair_targets, uint64_t count,
                                    sotto_error *err);
/* The same of pairs whose sources are at *pairs and their targets `room` ids behind, of which count are set.
 * Their memory becomes that of *targets, and *pairs NULL, as soon as they are not needed: so the peak is 8
 * (16) count bytes, 8 (nodes + 1) and the pairs. After a failure the caller frees *pairs, if it is not NULL.
 */
sotto_status sotto_i_csr_take_pairs(uint64_t **offsets, uint32_t **targets, uint64_t nodes, uint32_t **pairs,
                                    size_t room, uint64_t count, sotto_error *err);

/* Sorts a row and drops repeats; gives how many are left. */
size_t sotto_i_row_tidy(uint32_t *row, size_t count);

/* Of entry v of row u: the edge {u, v} counts once for u < v and once, with the other sign, for u > v. Where
 * each edge stands in both rows the sum over all is 0, else it is 0 by a chance of 2^-64. */
uint64_t sotto_i_edge_sign(uint64_t u, uint64_t v, uint64_t key);

/* The first place from `low` to `high` - 1 of an ascending list whose value is not below `value`; else high.
 */
uint64_t sotto_i_first_from(const uint32_t *ascending, uint64_t low, uint64_t high, uint64_t value);
/* Whether node u has node v in its row; O(log degree). Both below graph->nodes. */
bool sotto_i_graph_has(const sotto_graph *graph, uint64_t u, uint32_t v);

/* *least = min(*least, value), from any thread: how parallel passes agree on the first fault. */
void sotto_i_atomic_min(_Atomic uint64_t *least, uint64_t value);

#endif
