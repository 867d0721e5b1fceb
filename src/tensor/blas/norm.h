/* Upper bound of the operator norm by an exact method; power iteration could underestimate it. */
#ifndef SOTTO_SRC_TENSOR_BLAS_NORM_H
#define SOTTO_SRC_TENSOR_BLAS_NORM_H

#include "sotto/tensor.h"

/* *bound is at least the largest singular value, and at most 2^-40 relative above it. Errors: NUMERIC (not
 * finite, or LAPACK did not converge), NOMEM. O(rows cols min(rows, cols)). */
sotto_status sotto_i_operator_norm(double *bound, const sotto_matrix *matrix, sotto_error *err);

/* Scales the matrix, if needed, so that its operator norm is at most 1 as stored, after rounding to
 * float32. Errors as above. */
sotto_status sotto_i_to_unit_operator(sotto_matrix *matrix, sotto_error *err);

#endif
