/* Neighbour sums in integers: exact, so they do not depend on the order of the neighbours, and a sensitivity
 * derived for real numbers holds for what is computed. Private releases aggregate with these. */
#ifndef SOTTO_SRC_GRAPH_EXACT_SUM_H
#define SOTTO_SRC_GRAPH_EXACT_SUM_H

#include "sotto/graph.h"

/* out[j] = sum over neighbours u of `node` of x[u * cols + j], for j < cols. |x| <= 2^31, so degrees below
 * 2^32 cannot overflow. Memory traffic: 4 * cols bytes a neighbour. */
void sotto_i_exact_sum(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x, size_t cols);

/* The variants behind it, for tests and dispatch; the first two run only where the processor has them. */
void sotto_i_exact_sum_avx512(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x,
                              size_t cols);
void sotto_i_exact_sum_avx2(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x,
                            size_t cols);
void sotto_i_exact_sum_plain(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x,
                             size_t cols);

#endif
