/* Cholesky factors of small symmetric matrices, of doubles. */
#ifndef SOTTO_SRC_TENSOR_CHOLESKY_H
#define SOTTO_SRC_TENSOR_CHOLESKY_H

#include <stddef.h>

/* a (n x n, of which the lower half is read): becomes its lower factor. A pivot below 1e-12 counts as that.
 */
void sotto_i_cholesky(double *a, size_t n);
/* Solves L L' w = b in place. */
void sotto_i_cholesky_solve(double *b, const double *factor, size_t n);

#endif
