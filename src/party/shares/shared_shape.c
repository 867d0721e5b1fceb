/* Bounds and bytes of a shared linear layer: docs/vfgnn.md derives both. */
#include <math.h>

#include "base/error.h"
#include "inside/mpc.h"
#include "shared_linear.h"

size_t sotto_i_shared_inner(const sotto_i_shared_shape *shape) {
  size_t inner = 0;
  for (size_t i = 0; i < shape->holders; i++) inner += shape->cols[i];
  return inner;
}

double sotto_i_shared_gradient_bound(const sotto_i_shared_shape *shape) {
  const double many = 1024;
  return shape->trained <= many ? 1 : exp2(-ceil(log2((double)shape->trained / many)));
}

/* |V| is at most 1 / (1 - momentum) times the sum of the gradients' products; rate V is truncated last. */
unsigned sotto_i_shared_gradient_bits(const sotto_i_shared_shape *shape) {
  const double parts = shape->one_reads ? 1 : (double)shape->holders;
  const double rows = (double)(shape->one_reads && shape->trained > 0 ? shape->trained : shape->rows);
  double most = rows * shape->feature_bound * parts * sotto_i_shared_gradient_bound(shape) +
                shape->decay * SOTTO_I_WEIGHT_BOUND;
  most *= fmax(1, shape->rate) / (1 - shape->momentum);
  double room = 61 - (double)shape->bits - ceil(log2(fmax(most, 1)));
  if (!(room >= (double)shape->bits)) return 0;
  return (unsigned)fmin(room, SOTTO_FIXED_MOST_BITS);
}

unsigned sotto_i_shared_shift(const sotto_i_shared_shape *shape) {
  const double most = (double)sotto_i_shared_inner(shape) *
                      (ldexp(shape->feature_bound, (int)shape->bits) + 0.5) *
                      (ldexp(SOTTO_I_WEIGHT_BOUND, (int)shape->bits) + 0.5);
  return (unsigned)fmax(0, 62 - ceil(log2(most)));
}

size_t sotto_i_shared_block(const sotto_i_shared_shape *shape) {
  const size_t values = (size_t)1 << 20, inner = sotto_i_shared_inner(shape);
  if (shape->block > 0) return shape->block;
  const size_t rows = values / (inner > shape->width ? inner : shape->width);
  return rows < 64 ? 64 : rows;
}

sotto_status sotto_i_shared_check(const sotto_i_shared_shape *shape, sotto_error *err) {
  sotto_status status = sotto_fixed_check_product(sotto_i_shared_inner(shape), shape->feature_bound,
                                                  SOTTO_I_WEIGHT_BOUND, shape->bits, err);
  if (status != SOTTO_OK) return status;
  if (!(shape->momentum >= 0 && shape->momentum < 1 && shape->rate > 0 && shape->decay >= 0))
    return sotto_i_fail(err, SOTTO_RANGE, "a momentum of %g, a rate of %g or a decay of %g is out of range",
                        shape->momentum, shape->rate, shape->decay);
  if (sotto_i_shared_gradient_bits(shape) > 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE,
                      "gradients over %zu rows of values up to %g may reach 2^62 with %u fraction bits; take "
                      "fewer bits or a smaller bound of features",
                      shape->rows, shape->feature_bound, shape->bits);
}

sotto_status sotto_i_shared_check_features(const sotto_i_shared_shape *shape, size_t holder,
                                           const sotto_matrix *features, sotto_error *err) {
  if (features->rows != shape->rows || features->cols != shape->cols[holder])
    return sotto_i_fail(err, SOTTO_INVALID,
                        "holder %zu: its features are %zu x %zu, where %zu x %zu were agreed on", holder + 1,
                        features->rows, features->cols, shape->rows, shape->cols[holder]);
  for (size_t i = 0; i < features->rows * features->cols; i++) {
    double value = features->data[i];
    size_t row = i / features->cols, col = i % features->cols;
    if (!isfinite(value))
      return sotto_i_fail(err, SOTTO_NUMERIC, "holder %zu: feature %zu of node %zu is not finite", holder + 1,
                          col, row);
    if (fabs(value) > shape->feature_bound)
      return sotto_i_fail(
          err, SOTTO_RANGE,
          "holder %zu: feature %zu of node %zu is beyond the bound %g; scale the features, or "
          "agree on a larger feature-bound",
          holder + 1, col, row, shape->feature_bound);
  }
  return SOTTO_OK;
}
