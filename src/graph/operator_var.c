/* Sparse operators on a tape. */
#include "base/memory.h"
#include "sotto/graph.h"

static sotto_status forward(const void *context, sotto_matrix *y, const sotto_matrix *x, sotto_error *err) {
  return sotto_operator_apply(context, y, x, err);
}

static sotto_status backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                             const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  (void)x;
  (void)y;
  sotto_matrix part;
  sotto_status status = sotto_matrix_new(&part, dx->rows, dx->cols, err);
  if (status != SOTTO_OK) return status;
  status = sotto_operator_apply_transposed(context, &part, dy, err);
  for (size_t i = 0; status == SOTTO_OK && i < part.rows * part.cols; i++) dx->data[i] += part.data[i];
  sotto_matrix_free(&part);
  return status;
}

sotto_var sotto_operator_var(const sotto_operator *op, sotto_tape *tape, sotto_var x) {
  static const sotto_tape_op spread = {.name = "sparse operator", .forward = forward, .backward = backward};
  sotto_matrix value = sotto_tape_value(tape, x);
  return sotto_tape_custom(tape, x, value.rows, value.cols, &spread, op);
}
