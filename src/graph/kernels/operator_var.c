/* Sparse operators on a tape. */
#include "inside/graph.h"
#include "inside/tensor.h"
#include "operator.h"

static sotto_status forward(const void *context, sotto_matrix *y, const sotto_matrix *x, sotto_error *err) {
  return sotto_operator_apply(context, y, x, err);
}

/* dx += S^T dy, without allocation. */
static sotto_status backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                             const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  (void)x;
  (void)y;
  return sotto_i_operator_add_transposed(context, dx, dy, err);
}

sotto_var sotto_operator_var(const sotto_operator *op, sotto_tape *tape, sotto_var x) {
  static const sotto_tape_op spread = {.name = "sparse operator", .forward = forward, .backward = backward};
  sotto_matrix value = sotto_tape_value(tape, x);
  return sotto_tape_custom(tape, x, value.rows, value.cols, &spread, op);
}
