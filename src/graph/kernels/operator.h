/* Sparse operators by rows, so that the steps after an aggregation (noise, activation, projection) run
 * while its rows are in cache. */
#ifndef SOTTO_SRC_GRAPH_KERNELS_OPERATOR_H
#define SOTTO_SRC_GRAPH_KERNELS_OPERATOR_H

#include "base/threads.h"
#include "sotto/graph.h"

/* Calls work(context, row_begin, row_end) once for each of some ranges of rows, on all threads. The ranges
 * cover all rows at about equal cost, and depend on the graph only. */
void sotto_i_operator_each(const sotto_operator *op, sotto_i_range_fn work, void *context);

/* y = S x; then work(context, row_begin, row_end) for each range as soon as its rows of y are final and
 * still in cache. `work` may change them, or be NULL. As fast as sotto_operator_apply. Errors: INVALID
 * (shapes, overlap). */
sotto_status sotto_i_operator_apply_each(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                         sotto_i_range_fn work, void *context, sotto_error *err);

/* y += S^T x; shapes and errors as in sotto_operator_apply. */
sotto_status sotto_i_operator_add_transposed(const sotto_operator *op, sotto_matrix *y, const sotto_matrix *x,
                                             sotto_error *err);

#endif
