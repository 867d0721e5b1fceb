/* Exact neighbour sums in integers. They do not depend on the order of the neighbours, and a sensitivity
 * derived for real numbers holds for the computed sums. Private releases aggregate with these. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_EXACT_SUM_H
#define SOTTO_SRC_GRAPH_KERNELS_EXACT_SUM_H

#include "sotto/graph.h"

/* out[j] = sum over neighbours u of `node` of x[u * cols + j], for j < cols. |x| <= 2^31, so degrees below
 * 2^32 cannot overflow. Memory traffic: 4 * cols bytes per neighbour. */
void sotto_i_exact_sum(int64_t *out, const sotto_graph *graph, uint64_t node, const int32_t *x, size_t cols);

/* Rows of floats, summed as integers without storing the integers: value (u, j) is x[u * cols + j] *
 * factor[u], multiplied in single precision and truncated towards zero; at most 2^24. */
typedef struct sotto_i_scaled_rows {
  const float *x;
  const float *factor; /* one per node; NULL: `common` for all */
  float common;
  size_t cols;
} sotto_i_scaled_rows;

/* The same for scaled rows. */
void sotto_i_exact_sum_scaled(int64_t *out, const sotto_graph *graph, uint64_t node,
                              const sotto_i_scaled_rows *rows);

/* The variants, for tests and dispatch; call those of an instruction set only on processors that support
 * it. */
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
