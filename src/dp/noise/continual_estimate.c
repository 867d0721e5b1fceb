/* Estimates of growing sums from noisy releases; post-processing.
 *
 * With G = C D in units, y = G x + z, and x ~ N(m, P), the posterior of x has precision P^-1 + G^T G /
 * sigma^2. P = V + spread m m^T with V diagonal. So with u = V^-1 m and c = spread / (1 + spread u.m) the
 * precision is Q - c u u^T, where Q = V^-1 + G^T G / sigma^2. The sum's mean is a . (P^-1 m + G^T y /
 * sigma^2) with (Q - c u u^T) a = 1, and its variance is the sum of a; P^-1 m = u / (1 + spread u.m). With b
 * = Q^-1 1 and h = Q^-1 u, a = b + h c (u.b) / (1 - c u.h) (Sherman and Morrison).
 *
 * For a sum that began in night f, Q is the block of rows and columns from f on, with another first entry. U
 * U^T = Q with U upper triangular has the factors of all these blocks. */
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

/* Solves the block from `first` on, in place; entries of x before it are not read. */
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
                                          uint32_t last, double sigma, double later_variance,
                                          sotto_error *err) {
  const size_t n = (size_t)last + 1;
  sotto_status status;
  *out = (sotto_i_continual_solver){
      .continual = continual, .last = last, .sigma = sigma, .later_variance = later_variance};
  SOTTO_I_CHECK(last < continual->nights && sigma > 0 && later_variance > 0);
  SOTTO_TRY(sotto_i_new(&out->gram, n * n, sizeof *out->gram, err));
  SOTTO_TRY(sotto_i_new(&out->factor, n * n, sizeof *out->factor, err));
  SOTTO_TRY(sotto_i_new(&out->room, 3 * n, sizeof *out->room, err));
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

/* x = Q^-1 x, where x is `top` on the first night and `later` on all others. Q = [q r; r' R], and g is R^-1
 * r. */
static void solve(double *x, double top, double later, const double *g, double q,
                  const sotto_i_continual_solver *s, uint32_t first) {
  const uint32_t n = s->last + 1;
  const double *r = s->gram + (size_t)first * n;
  double below = q;
  for (uint32_t i = first + 1; i < n; i++) x[i] = later;
  solve_block(x, s, first + 1);
  for (uint32_t i = first + 1; i < n; i++) {
    top -= r[i] * x[i];
    below -= r[i] * g[i];
  }
  x[first] = top / below;
  for (uint32_t i = first + 1; i < n; i++) x[i] -= g[i] * x[first];
}

static double sum_from(const double *x, uint32_t first, uint32_t n) {
  double sum = 0;
  for (uint32_t i = first + 1; i < n; i++) sum += x[i];
  return sum;
}

void sotto_i_continual_solve(sotto_i_continual_estimate *out, sotto_i_continual_solver *s, uint32_t first,
                             const sotto_i_continual_prior *p) {
  const uint32_t n = s->last + 1;
  const double *r = s->gram + (size_t)first * n, q = r[first] + 1 / p->first_variance;
  double *a = s->room, *h = a + n, *g = h + n;
  SOTTO_I_CHECK(first < n && p->first_variance > 0 && p->later_variance == s->later_variance);
  for (uint32_t i = first + 1; i < n; i++) g[i] = r[i];
  solve_block(g, s, first + 1);
  const double u = p->first_mean / p->first_variance, later = p->later_mean / p->later_variance;
  solve(a, 1, 1, g, q, s, first);
  solve(h, u, later, g, q, s, first);
  const double um = u * p->first_mean + later * p->later_mean * (n - 1 - first);
  const double c = p->spread / (1 + p->spread * um);
  const double ua = u * a[first] + later * sum_from(a, first, n),
               uh = u * h[first] + later * sum_from(h, first, n);
  for (uint32_t i = first; i < n; i++) a[i] += h[i] * c * ua / (1 - c * uh);
  out->offset = (u * a[first] + later * sum_from(a, first, n)) / (1 + p->spread * um);
  out->deviation = sqrt(a[first] + sum_from(a, first, n));
  memset(out->weights, 0, n * sizeof *out->weights);
  for (uint32_t t = first; t < n; t++) {
    for (uint32_t i = first; i <= t; i++) out->weights[t] += weight(s, t, i) * a[i];
    out->weights[t] /= s->sigma * s->sigma;
  }
}
