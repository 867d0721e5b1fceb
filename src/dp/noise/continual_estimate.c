/* Sums of what each night added, estimated from noisy releases; post-processing.
 *
 * With G = C D in units, y = G x + z, and x ~ N(m, P), the posterior of x has precision Q = P^-1 + G^T G /
 * sigma^2 and mean Q^-1 (P^-1 m + G^T y / sigma^2). The sum's mean is a . (P^-1 m + G^T y / sigma^2) with Q a
 * = 1, and its variance the sum of a. For a sum that began in night f, Q is the block of rows and columns
 * from f on, with another first entry: U U^T = Q, U upper triangular, has the factors of all these blocks. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "continual.h"

static double weight(const sotto_i_continual_solver *s, uint32_t t, uint32_t since) {
  return sotto_i_continual_weight(s->continual, t, since) * s->continual->step;
}

static void fill_gram(sotto_i_continual_solver *s) {
  const uint32_t n = s->last + 1;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i; j < n; j++) {
      double sum = 0;
      for (uint32_t t = j; t < n; t++) sum += weight(s, t, i) * weight(s, t, j);
      s->gram[(size_t)i * n + j] = sum / (s->sigma * s->sigma);
    }
}

/* U, upper triangular, with U U^T = gram + 1 / later_variance on the diagonal. */
static void factorise(sotto_i_continual_solver *s) {
  const uint32_t n = s->last + 1;
  double *u = s->factor;
  for (uint32_t j = n; j-- > 0;)
    for (uint32_t i = j + 1; i-- > 0;) {
      double sum = s->gram[(size_t)i * n + j] + (i == j ? 1 / s->later_variance : 0);
      for (uint32_t k = j + 1; k < n; k++) sum -= u[(size_t)i * n + k] * u[(size_t)j * n + k];
      u[(size_t)i * n + j] = i == j ? sqrt(sum) : sum / u[(size_t)j * n + j];
    }
}

/* x becomes the solution of the block from `first` on; entries before it are not read. */
static void solve_block(double *x, const sotto_i_continual_solver *s, uint32_t first) {
  const uint32_t n = s->last + 1;
  const double *u = s->factor;
  for (uint32_t i = n; i-- > first;) {
    for (uint32_t k = i + 1; k < n; k++) x[i] -= u[(size_t)i * n + k] * x[k];
    x[i] /= u[(size_t)i * n + i];
  }
  for (uint32_t i = first; i < n; i++) {
    for (uint32_t k = first; k < i; k++) x[i] -= u[(size_t)k * n + i] * x[k];
    x[i] /= u[(size_t)i * n + i];
  }
}

sotto_status sotto_i_continual_solver_new(sotto_i_continual_solver *out, const sotto_i_continual *continual,
                                          uint32_t last, double sigma, double later_mean,
                                          double later_variance, sotto_error *err) {
  const size_t n = (size_t)last + 1;
  sotto_status status;
  *out = (sotto_i_continual_solver){.continual = continual,
                                    .last = last,
                                    .sigma = sigma,
                                    .later_mean = later_mean,
                                    .later_variance = later_variance};
  SOTTO_I_CHECK(last < continual->nights && sigma > 0 && later_variance > 0);
  SOTTO_TRY(sotto_i_new(&out->gram, n * n, sizeof *out->gram, err));
  SOTTO_TRY(sotto_i_new(&out->factor, n * n, sizeof *out->factor, err));
  SOTTO_TRY(sotto_i_new(&out->room, 2 * n, sizeof *out->room, err));
  fill_gram(out);
  factorise(out);
done:
  if (status != SOTTO_OK) sotto_i_continual_solver_free(out);
  return status;
}

void sotto_i_continual_solver_free(sotto_i_continual_solver *s) {
  sotto_i_free(s->gram);
  sotto_i_free(s->factor);
  sotto_i_free(s->room);
  *s = (sotto_i_continual_solver){0};
}

/* Q = [q r; r' R]: with b = R^-1 1 and g = R^-1 r, a is ((1 - r b) / (q - r g), b - g a). */
void sotto_i_continual_solve(sotto_i_continual_estimate *out, sotto_i_continual_solver *s, uint32_t first,
                             double first_mean, double first_variance) {
  const uint32_t n = s->last + 1;
  const double *r = s->gram + (size_t)first * n;
  double *a = s->room, *g = s->room + n, top = 1, below = r[first] + 1 / first_variance, sum = 0;
  SOTTO_I_CHECK(first < n && first_variance > 0);
  for (uint32_t i = first + 1; i < n; i++) {
    a[i] = 1;
    g[i] = r[i];
  }
  if (first + 1 < n) {
    solve_block(a, s, first + 1);
    solve_block(g, s, first + 1);
  }
  for (uint32_t i = first + 1; i < n; i++) {
    top -= r[i] * a[i];
    below -= r[i] * g[i];
  }
  a[first] = top / below;
  for (uint32_t i = first + 1; i < n; i++) a[i] -= g[i] * a[first];
  out->offset = a[first] * first_mean / first_variance;
  for (uint32_t i = first + 1; i < n; i++) out->offset += a[i] * s->later_mean / s->later_variance;
  for (uint32_t i = first; i < n; i++) sum += a[i];
  out->deviation = sqrt(sum);
  memset(out->weights, 0, n * sizeof *out->weights);
  for (uint32_t t = first; t < n; t++) {
    for (uint32_t i = first; i <= t; i++) out->weights[t] += weight(s, t, i) * a[i];
    out->weights[t] /= s->sigma * s->sigma;
  }
}
