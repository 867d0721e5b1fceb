/* Fixed point over Z_2^64. */
#include <math.h>

#include "base/error.h"
#include "inside/mpc.h"
#include "ring.h"

static const double largest = 4611686018427387904.0; /* 2^62 */

static sotto_status check_bits(unsigned bits, sotto_error *err) {
  if (bits <= SOTTO_FIXED_MOST_BITS) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "%u fraction bits; at most %d are possible", bits,
                      SOTTO_FIXED_MOST_BITS);
}

sotto_status sotto_fixed_encode(sotto_ring *out, const sotto_matrix *x, unsigned bits, double bound,
                                sotto_error *err) {
  sotto_status status = check_bits(bits, err);
  if (status != SOTTO_OK) return status;
  SOTTO_I_CHECK(out->rows == x->rows && out->cols == x->cols);
  if (!(bound > 0 && ldexp(bound, (int)bits) < largest))
    return sotto_i_fail(err, SOTTO_RANGE, "a bound of %g with %u fraction bits is not below 2^62", bound,
                        bits);
  for (size_t i = 0; i < x->rows * x->cols; i++) {
    double value = x->data[i];
    if (!isfinite(value))
      return sotto_i_fail(err, SOTTO_NUMERIC, "row %zu, column %zu is not finite", i / x->cols, i % x->cols);
    if (fabs(value) > bound)
      return sotto_i_fail(err, SOTTO_RANGE, "row %zu, column %zu: %g is beyond the bound %g", i / x->cols,
                          i % x->cols, value, bound);
    out->data[i] = (uint64_t)llrint(ldexp(value, (int)bits));
  }
  return SOTTO_OK;
}

void sotto_fixed_decode(sotto_matrix *out, const sotto_ring *x, unsigned bits) {
  SOTTO_I_CHECK(out->rows == x->rows && out->cols == x->cols);
  for (size_t i = 0; i < x->rows * x->cols; i++)
    out->data[i] = (float)ldexp((double)(int64_t)x->data[i], -(int)bits);
}

sotto_status sotto_fixed_check_product(size_t inner, double bound_a, double bound_b, unsigned bits,
                                       sotto_error *err) {
  sotto_status status = check_bits(bits, err);
  if (status != SOTTO_OK) return status;
  double most = (double)inner * (ldexp(bound_a, (int)bits) + 0.5) * (ldexp(bound_b, (int)bits) + 0.5);
  if (bound_a > 0 && bound_b > 0 && most < largest) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_RANGE,
      "%zu products of values up to %g and %g with %u fraction bits may reach 2^62; take fewer "
      "bits or smaller bounds",
      inner, bound_a, bound_b, bits);
}
