/* Sparse operators by rows, so that the steps after an aggregation (noise, activation, projection) run
 * while its rows are in cache. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_OPERATOR_H
#define SOTTO_SRC_GRAPH_KERNELS_OPERATOR_H

#include "base/threads.h"
#include "sotto/graph.h"

/* Ranges of rows of about equal cost: range r is rows [bounds[r], bounds[r + 1]), r < *count. They depend
 * on the graph only, and together cover its nodes. Borrowed from the operator. */
const uint64_t *sotto_i_operator_ranges(const sotto_operator *op, size_t *count);

/* Calls work(context, row_begin, row_end) once for each of these ranges, on all threads. */
void sotto_i_operator_each(const sotto_operator *op, sotto_i_range_fn work, void *context);

/* y = S x; then work(context, row_begin, row_end) for each range as soon as its rows of y are final and
 * still in cache. `work` may change them, or be NULL. As fast as sotto_operator_apply. Errors: INVALID
 * (shapes, overlap). */
sotto_status sotto_i_operator_apply_each(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                         sotto_i_range_fn work, void *context, sotto_error *err);

/* Computes rows [begin, end) of y = S x and leaves the others unchanged. x and y are nodes x d and do not
 * overlap; begin <= end <= nodes. May be called inside sotto_i_parallel on disjoint rows. Each row has the
 * same result in any range. */
void sotto_i_operator_apply_rows(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                 size_t begin, size_t end);

/* y += S^T x, shapes as in sotto_operator_apply_transposed. */
sotto_status sotto_i_operator_add_transposed(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                             sotto_error *err);

#endif
