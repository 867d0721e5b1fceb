/* Sparse operators from inside: rows at a time, so that what follows an aggregation (noise, activation,
 * projection) runs while its rows are still in cache. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_OPERATOR_H
#define SOTTO_SRC_GRAPH_KERNELS_OPERATOR_H

#include "base/threads.h"
#include "sotto/graph.h"

/* Ranges of rows that cost about the same: range r is rows [bounds[r], bounds[r + 1]), r < *count. They
 * depend on the graph alone, and together cover its nodes. Borrowed from the operator. */
const uint64_t *sotto_i_operator_ranges(const sotto_operator *op, size_t *count);

/* Calls work(context, row_begin, row_end) once for each of those ranges, on all threads. */
void sotto_i_operator_each(const sotto_operator *op, sotto_i_range_fn work, void *context);

/* y = S x, and then work(context, row_begin, row_end) for each range as soon as its rows of y are final and
 * still in cache; work may change them. This is the fused form to prefer: it runs at the speed of
 * sotto_operator_apply. `work` may be NULL. Errors: INVALID (shapes, overlap). */
sotto_status sotto_i_operator_apply_each(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                         sotto_i_range_fn work, void *context, sotto_error *err);

/* Rows [begin, end) of y = S x, the other rows of y untouched. On input: x and y are nodes x d, they do not
 * overlap, begin <= end <= nodes. May be called from inside sotto_i_parallel, on disjoint rows at once. Each
 * row comes out the same whatever range it was asked in. */
void sotto_i_operator_apply_rows(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                 size_t begin, size_t end);

/* y += S^T x, shapes as in sotto_operator_apply_transposed. */
sotto_status sotto_i_operator_add_transposed(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                             sotto_error *err);

#endif
