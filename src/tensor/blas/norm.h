/* The operator norm of a matrix, bounded from above by an exact method: power iteration can stop short of it.
 */
#ifndef SOTTO_SRC_TENSOR_BLAS_NORM_H
#define SOTTO_SRC_TENSOR_BLAS_NORM_H

#include "sotto/tensor.h"

/* *bound is at least the largest singular value, and above it by 2^-40 relative at most. Errors: NUMERIC (not
 * finite, or LAPACK did not converge), NOMEM. Cost: O(rows cols min(rows, cols)). */
sotto_status sotto_i_operator_norm(double *bound, const sotto_matrix *matrix, sotto_error *err);

/* Scales the matrix, when that is needed, so that its operator norm is at most 1 as it stands in memory,
 * rounding to float32 included. Errors as above. */
sotto_status sotto_i_to_unit_operator(sotto_matrix *matrix, sotto_error *err);

#endif
