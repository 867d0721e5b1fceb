/* Neighbour sums in integers: exact, so they do not depend on the order of the neighbours, and a sensitivity
 * derived for real numbers holds for what is computed. Private releases aggregate with these. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_EXACT_SUM_H
#define SOTTO_SRC_GRAPH_KERNELS_EXACT_SUM_H

#include "sotto/graph.h"

/* out[j] = sum over neighbours u of `node` of x[u * cols + j], for j < cols. |x| <= 2^31, so degrees below
 * 2^32 cannot overflow. Memory traffic: 4 * cols bytes a neighbour. */
void sotto_i_exact_sum(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x, size_t cols);

/* Rows of floats that enter a sum as integers: value (u, j) is the whole part of x[u * cols + j] * factor[u],
 * a product in single precision truncated towards zero, of at most 2^24. So the integers need no memory of
 * their own. */
typedef struct sotto_i_scaled_rows {
  const float *x;
  const float *factor; /* one a node; NULL: `common` for all */
  float common;
  size_t cols;
} sotto_i_scaled_rows;

/* The same for such rows. */
void sotto_i_exact_sum_scaled(int64_t *out, const sotto_graph *graph, uint64_t node,
                              const sotto_i_scaled_rows *rows);

/* The variants behind them, for tests and dispatch; those of a processor run only where the processor has
 * them. */
void sotto_i_exact_sum_avx512(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x,
                              size_t cols);
void sotto_i_exact_sum_avx2(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x,
                            size_t cols);
void sotto_i_exact_sum_plain(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x,
                             size_t cols);
void sotto_i_exact_sum_scaled_avx512(int64_t *out, const sotto_graph *graph, uint64_t node,
                                     const sotto_i_scaled_rows *rows);
void sotto_i_exact_sum_scaled_avx2(int64_t *out, const sotto_graph *graph, uint64_t node,
                                   const sotto_i_scaled_rows *rows);
void sotto_i_exact_sum_scaled_plain(int64_t *out, const sotto_graph *graph, uint64_t node,
                                    const sotto_i_scaled_rows *rows);

#endif
