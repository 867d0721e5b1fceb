/* Checks and precomputation of a Gromov-Wasserstein problem, its value and its gradient. */
#include "gw/problem.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double least_entry = 1e-15; /* KL loss: below this a distance counts as this */
enum { most_points = 10000 };

sotto_gw_options sotto_gw_defaults(void) {
  return (sotto_gw_options){.loss = SOTTO_GW_SQUARE,
                            .solver = SOTTO_GW_CONDITIONAL,
                            .starts = 8,
                            .iterations = 1000,
                            .tolerance = 1e-9,
                            .entropy = 0.05,
                            .alpha = 0.5};
}

static sotto_status check_weights(const sotto_gw_space *s, const char *name, sotto_error *err) {
  double sum = 0;
  if (s->weight == NULL) return SOTTO_OK;
  for (size_t i = 0; i < s->points; i++) {
    if (!isfinite(s->weight[i]))
      return sotto_i_fail(err, SOTTO_NUMERIC, "space %s: weight %zu is not finite", name, i);
    if (!(s->weight[i] > 0))
      return sotto_i_fail(err, SOTTO_INVALID, "space %s: weight %zu is %g; leave out points of no weight",
                          name, i, s->weight[i]);
    sum += s->weight[i];
  }
  if (!(fabs(sum - 1) <= 1e-9))
    return sotto_i_fail(err, SOTTO_INVALID, "space %s: the weights add up to %.12g, not 1", name, sum);
  return SOTTO_OK;
}

static sotto_status check_space(const sotto_gw_space *s, const char *name, bool negative, sotto_error *err) {
  const size_t n = s->points;
  if (n < 1 || n > most_points)
    return sotto_i_fail(err, SOTTO_RANGE, "space %s has %zu points; 1 to %d are possible", name, n,
                        most_points);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      const double x = s->distance[i * n + j], y = s->distance[j * n + i];
      if (!isfinite(x) || !isfinite(y))
        return sotto_i_fail(err, SOTTO_NUMERIC, "space %s: the distance of points %zu and %zu is not finite",
                            name, i, j);
      if (x != y)
        return sotto_i_fail(err, SOTTO_INVALID, "space %s is not symmetric: points %zu and %zu have %g and %g",
                            name, i, j, x, y);
      if (!negative && x < 0)
        return sotto_i_fail(err, SOTTO_INVALID,
                            "space %s: points %zu and %zu are at %g; the KL loss needs distances from 0", name,
                            i, j, x);
      if (fabs(x) > 1e75)
        return sotto_i_fail(err, SOTTO_RANGE, "space %s: the distance %g of points %zu and %zu is above 1e75",
                            name, x, i, j);
    }
  return check_weights(s, name, err);
}

static sotto_status check_options(const sotto_gw_options *o, size_t cells, sotto_error *err) {
  if (o->loss != SOTTO_GW_SQUARE && o->loss != SOTTO_GW_KL)
    return sotto_i_fail(err, SOTTO_RANGE, "loss %d is neither square nor KL", (int)o->loss);
  if (o->solver != SOTTO_GW_CONDITIONAL && o->solver != SOTTO_GW_PROXIMAL && o->solver != SOTTO_GW_ENTROPIC)
    return sotto_i_fail(err, SOTTO_RANGE, "solver %d is not known", (int)o->solver);
  if (o->starts < 1 || o->starts > 64)
    return sotto_i_fail(err, SOTTO_RANGE, "%u starts are outside 1 to 64", o->starts);
  if (o->iterations < 1) return sotto_i_fail(err, SOTTO_RANGE, "0 iterations: at least 1 is needed");
  if (!(o->tolerance >= 0 && o->tolerance <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "tolerance %g is outside 0 to 1", o->tolerance);
  if (!(o->entropy > 0 && o->entropy <= 1e6))
    return sotto_i_fail(err, SOTTO_RANGE, "entropy %g is outside 0 to 1e6", o->entropy);
  if (!(o->alpha >= 0 && o->alpha <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "alpha %g is outside 0 to 1", o->alpha);
  if (o->feature_cost == NULL) return SOTTO_OK;
  for (size_t k = 0; k < cells; k++)
    if (!(fabs(o->feature_cost[k]) <= 1e150))
      return sotto_i_fail(err, SOTTO_NUMERIC, "feature cost %zu is not finite, or above 1e150", k);
  return SOTTO_OK;
}

static double loss_of(sotto_gw_loss loss, double x, double y) {
  if (loss == SOTTO_GW_SQUARE) return (x - y) * (x - y);
  x = fmax(x, least_entry);
  y = fmax(y, least_entry);
  return fmax(0, x * log(x / y) - x + y);
}

/* out = h(distance), and constant_i = sum_k f(distance_ik) weight_k, for the side of a (first) or of b. */
static void decompose(double *out, double *constant, const sotto_gw_space *s, const double *weight,
                      sotto_gw_loss loss, bool first) {
  const size_t n = s->points;
  for (size_t i = 0; i < n; i++) {
    constant[i] = 0;
    for (size_t k = 0; k < n; k++) {
      const double x = s->distance[i * n + k], bounded = fmax(x, least_entry);
      double f = x * x, h = first ? x : 2 * x;
      if (loss == SOTTO_GW_KL) {
        f = first ? bounded * log(bounded) - bounded : bounded;
        h = first ? bounded : log(bounded);
      }
      out[i * n + k] = h;
      constant[i] += f * weight[k];
    }
  }
}

static sotto_status carve(sotto_i_gw_problem *s, sotto_error *err) {
  const size_t n = s->n, m = s->m, cells = n * m;
  double *at = NULL;
  sotto_status status = sotto_i_new_raw(&at, n + m + n * n + m * m + 8 * cells, sizeof *at, err);
  if (status != SOTTO_OK) return status;
  s->memory = at;
  double **const parts[] = {&s->p,        &s->q,      &s->left,           &s->right, &s->constant, &s->plan, &s->product,
                            &s->gradient, &s->vertex, &s->vertex_product, &s->best,  &s->half};
  const size_t sizes[] = {n, m, n * n, m * m, cells, cells, cells, cells, cells, cells, cells, cells};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    *parts[k] = at;
    at += sizes[k];
  }
  return SOTTO_OK;
}

sotto_status sotto_i_gw_problem_new(sotto_i_gw_problem *out, const sotto_gw_space *a, const sotto_gw_space *b,
                                    const sotto_gw_options *options, sotto_error *err) {
  *out = (sotto_i_gw_problem){.n = a->points, .m = b->points, .a = a, .b = b, .loss = options->loss};
  const size_t n = a->points, m = b->points;
  sotto_status status;
  SOTTO_TRY(check_space(a, "a", options->loss == SOTTO_GW_SQUARE, err));
  SOTTO_TRY(check_space(b, "b", options->loss == SOTTO_GW_SQUARE, err));
  SOTTO_TRY(check_options(options, n * m, err));
  out->feature_cost = options->feature_cost;
  out->alpha = options->feature_cost == NULL ? 1 : options->alpha;
  SOTTO_TRY(carve(out, err));
  SOTTO_TRY(sotto_i_transport_new(&out->transport, n, m, a->weight, b->weight, err));
  for (size_t i = 0; i < n; i++) out->p[i] = (double)out->transport.supply[i] * out->transport.unit;
  for (size_t j = 0; j < m; j++) out->q[j] = (double)out->transport.supply[n + j] * out->transport.unit;
  decompose(out->left, out->gradient, a, out->p, out->loss, true);
  decompose(out->right, out->vertex, b, out->q, out->loss, false);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) out->constant[i * m + j] = out->gradient[i] + out->vertex[j];
done:
  if (status != SOTTO_OK) sotto_i_gw_problem_free(out);
  return status;
}

void sotto_i_gw_problem_free(sotto_i_gw_problem *problem) {
  sotto_i_transport_free(&problem->transport);
  sotto_i_free(problem->memory);
  *problem = (sotto_i_gw_problem){0};
}

void sotto_i_gw_product(sotto_i_gw_problem *problem, double *out, const double *plan) {
  const size_t n = problem->n, m = problem->m;
  double *half = problem->half;
  memset(half, 0, n * m * sizeof *half);
  for (size_t k = 0; k < n; k++)
    for (size_t l = 0; l < m; l++) {
      const double weight = plan[k * m + l];
      if (weight == 0) continue;
      const double *restrict from = problem->left + k * n;
      double *restrict to = half + l * n;
      for (size_t i = 0; i < n; i++) to[i] += weight * from[i];
    }
  memset(out, 0, n * m * sizeof *out);
  for (size_t i = 0; i < n; i++) {
    double *restrict to = out + i * m;
    for (size_t l = 0; l < m; l++) {
      const double weight = half[l * n + i];
      const double *restrict from = problem->right + l * m;
      for (size_t j = 0; j < m; j++) to[j] += weight * from[j];
    }
  }
}

void sotto_i_gw_gradient(const sotto_i_gw_problem *problem, double *out, const double *product) {
  const size_t cells = problem->n * problem->m;
  const double twice = 2 * problem->alpha, rest = 1 - problem->alpha;
  for (size_t k = 0; k < cells; k++) out[k] = twice * (problem->constant[k] - product[k]);
  if (rest > 0)
    for (size_t k = 0; k < cells; k++) out[k] += rest * problem->feature_cost[k];
}

double sotto_i_gw_value(const sotto_i_gw_problem *problem, const double *plan, const double *product) {
  const size_t cells = problem->n * problem->m;
  const double rest = 1 - problem->alpha;
  double structure = 0, features = 0;
  for (size_t k = 0; k < cells; k++) structure += (problem->constant[k] - product[k]) * plan[k];
  if (rest > 0)
    for (size_t k = 0; k < cells; k++) features += problem->feature_cost[k] * plan[k];
  return problem->alpha * structure + rest * features;
}

double sotto_i_gw_value_exact(sotto_i_gw_problem *problem, const double *plan, const double *product) {
  const size_t n = problem->n, m = problem->m;
  const double rest = 1 - problem->alpha;
  size_t count = 0;
  double sum = 0, features = 0;
  for (size_t k = 0; k < n * m; k++) count += plan[k] != 0;
  if (count > 4 * (n + m)) return fmax(0, sotto_i_gw_value(problem, plan, product));
  for (size_t i = 0; i < n * m; i++) {
    if (plan[i] == 0) continue;
    const double *from = problem->a->distance + i / m * n, *to = problem->b->distance + i % m * m;
    double inner = 0;
    for (size_t k = 0; k < n * m; k++)
      if (plan[k] != 0) inner += plan[k] * loss_of(problem->loss, from[k / m], to[k % m]);
    sum += plan[i] * inner;
    if (rest > 0) features += plan[i] * problem->feature_cost[i];
  }
  return problem->alpha * sum + rest * features;
}
