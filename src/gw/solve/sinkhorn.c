/* Entropic and proximal Gromov-Wasserstein: each step solves a transport problem smoothed by an entropy, with
 * Sinkhorn's iteration on logarithms, so that no kernel underflows.
 *
 *   entropic:  T <- argmin <G(T_old), T> + e KL(T | p q')         (Peyre, Cuturi and Solomon 2016)
 *   proximal:  T <- argmin <G(T_old), T> + e KL(T | T_old)         (Xu et al. 2019, alg. 1)
 *
 * The last plan is moved onto the marginals (Altschuler, Weed and Rigollet 2017, alg. 2). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/problem.h"

enum { most_inner = 500 };
static const double marginal_slack = 1e-9;

typedef struct smoothed {
  double *kernel;   /* n x m, logarithms */
  double *f, *g;    /* log scalings of rows and columns */
  double *log_plan; /* n x m */
} smoothed;

/* log sum exp of kernel + other along a row (stride 1) or a column. */
static double log_sum(const double *kernel, size_t stride, const double *other, size_t count) {
  double largest = -INFINITY, sum = 0;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, kernel[k * stride] + other[k]);
  if (largest == -INFINITY) return largest;
  for (size_t k = 0; k < count; k++) sum += exp(kernel[k * stride] + other[k] - largest);
  return largest + log(sum);
}

/* Scales until the rows add up; the columns do after each round. */
static void balance(smoothed *w, const sotto_i_gw_problem *s) {
  const size_t n = s->n, m = s->m;
  memset(w->g, 0, m * sizeof *w->g);
  for (int round = 0; round < most_inner; round++) {
    double off = 0;
    for (size_t i = 0; i < n; i++) {
      const double sum = log_sum(w->kernel + i * m, 1, w->g, m);
      if (round > 0) off += fabs(exp(w->f[i] + sum) - s->p[i]);
      w->f[i] = log(s->p[i]) - sum;
    }
    for (size_t j = 0; j < m; j++) w->g[j] = log(s->q[j]) - log_sum(w->kernel + j, m, w->f, n);
    if (round > 0 && off < marginal_slack) return;
  }
}

/* Moves a plan onto its marginals: rows and columns that hold too much are scaled down, the rest is filled.
 */
static void round_plan(sotto_i_gw_problem *s, double *missing_p, double *missing_q) {
  const size_t n = s->n, m = s->m;
  double total = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < m; j++) sum += s->plan[i * m + j];
    if (sum > s->p[i])
      for (size_t j = 0; j < m; j++) s->plan[i * m + j] *= s->p[i] / sum;
  }
  for (size_t j = 0; j < m; j++) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += s->plan[i * m + j];
    const double factor = sum > s->q[j] ? s->q[j] / sum : 1;
    for (size_t i = 0; i < n; i++) s->plan[i * m + j] *= factor;
    missing_q[j] = fmax(0, s->q[j] - sum * factor);
  }
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < m; j++) sum += s->plan[i * m + j];
    missing_p[i] = fmax(0, s->p[i] - sum);
    total += missing_p[i];
  }
  if (total <= 0) return;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) s->plan[i * m + j] += missing_p[i] * missing_q[j] / total;
}

/* The next plan from the gradient at the last one; returns how far it is from it, as a sum. */
static double smooth_step(smoothed *w, sotto_i_gw_problem *s, double entropy, bool proximal) {
  const size_t m = s->m, cells = s->n * m;
  double moved = 0;
  for (size_t k = 0; k < cells; k++) {
    const double prior = proximal ? w->log_plan[k] : log(s->p[k / m]) + log(s->q[k % m]);
    w->kernel[k] = prior - s->gradient[k] / entropy;
  }
  balance(w, s);
  for (size_t k = 0; k < cells; k++) {
    w->log_plan[k] = w->kernel[k] + w->f[k / m] + w->g[k % m];
    const double mass = exp(w->log_plan[k]);
    moved += fabs(mass - s->plan[k]);
    s->plan[k] = mass;
  }
  return moved;
}

sotto_status sotto_i_gw_sinkhorn(sotto_i_gw_problem *s, const sotto_gw_options *options, uint32_t *steps,
                                 sotto_error *err) {
  const size_t cells = s->n * s->m;
  const double entropy = options->entropy * fmax(s->scale, 1e-300);
  double *memory = NULL;
  sotto_status status = sotto_i_new(&memory, 2 * cells + s->n + s->m, sizeof *memory, err);
  if (status != SOTTO_OK) return status;
  smoothed w = {memory, memory + 2 * cells, memory + 2 * cells + s->n, memory + cells};
  for (size_t k = 0; k < cells; k++) w.log_plan[k] = log(s->plan[k]);
  for (uint32_t step = 0; step < options->iterations; step++) {
    sotto_i_gw_gradient(s, s->gradient, s->product);
    const double moved = smooth_step(&w, s, entropy, options->solver == SOTTO_GW_PROXIMAL);
    ++*steps;
    if (!isfinite(moved)) {
      status = sotto_i_fail(err, SOTTO_NUMERIC,
                            "the entropic plan of %zu by %zu points is not finite at "
                            "entropy %g; try a larger one",
                            s->n, s->m, options->entropy);
      goto done;
    }
    sotto_i_gw_product(s, s->product, s->plan);
    if (moved < 1e-7) break;
  }
  round_plan(s, w.f, w.g);
done:
  sotto_i_free(memory);
  return status;
}
