/* Cholesky factors of small symmetric matrices, of doubles. */
#include "cholesky.h"

#include <math.h>

void sotto_i_cholesky(double *a, size_t n) {
  for (size_t j = 0; j < n; j++) {
    for (size_t k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    a[j * n + j] = sqrt(fmax(a[j * n + j], 1e-12));
    for (size_t i = j + 1; i < n; i++) {
      for (size_t k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
}

void sotto_i_cholesky_solve(double *b, const double *factor, size_t n) {
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) b[i] -= factor[i * n + k] * b[k];
    b[i] /= factor[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) b[i] -= factor[k * n + i] * b[k];
    b[i] /= factor[i * n + i];
  }
}
