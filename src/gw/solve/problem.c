/* Checks and precomputation of a Gromov-Wasserstein problem, its value and its gradient. */
#include "gw/solve/problem.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/kernels.h"

static const double least_entry = 1e-15; /* KL loss: below this a distance counts as this */
enum { most_points = 10000 };

sotto_gw_options sotto_gw_defaults(void) {
  return (sotto_gw_options){.loss = SOTTO_GW_SQUARE,
                            .solver = SOTTO_GW_CONDITIONAL,
                            .starts = 6,
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
        return sotto_i_fail(err, SOTTO_INVALID,
                            "space %s is not symmetric: points %zu and %zu have %g and %g", name, i, j, x, y);
      if (!negative && x < 0)
        return sotto_i_fail(err, SOTTO_INVALID,
                            "space %s: points %zu and %zu are at %g; the KL loss needs distances from 0",
                            name, i, j, x);
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
  if (o->starts < 1 || o->starts > SOTTO_I_GW_STARTS)
    return sotto_i_fail(err, SOTTO_RANGE, "%u starts are outside 1 to %d", o->starts, SOTTO_I_GW_STARTS);
  if (o->iterations < 1) return sotto_i_fail(err, SOTTO_RANGE, "0 iterations: at least 1 is needed");
  if (!(o->tolerance >= 1e-15 && o->tolerance <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "tolerance %g is outside 1e-15 to 1", o->tolerance);
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
static void decompose(double *out, size_t stride, double *constant, const sotto_gw_space *s,
                      const double *weight, sotto_gw_loss loss, bool first) {
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
      out[i * stride + k] = h;
      constant[i] += f * weight[k];
    }
  }
}

/* Returns the common sign of all values that are not 0: 1, -1, 0 when all are 0, and 2 when there are both.
 */
static int spread(double *out, const double *matrix, size_t n, size_t stride, double factor) {
  bool above = false, below = false;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) {
      const double x =
          factor * (matrix[i * stride + i] + matrix[k * stride + k] - 2 * matrix[i * stride + k]);
      out[i * n + k] = x;
      above |= x > 0;
      below |= x < 0;
    }
  return above && below ? 2 : (int)above - (int)below;
}

static double scale_of(const sotto_i_gw_problem *s) {
  double sum = 0;
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++) {
      const double feature = s->alpha < 1 ? (1 - s->alpha) * fabs(s->feature_cost[i * s->m + j]) : 0;
      sum += s->p[i] * s->q[j] * (s->alpha * fabs(s->constant[i * s->m + j]) + feature);
    }
  return sum;
}

static size_t round_up(size_t count, size_t step) {
  return (count + step - 1) / step * step;
}

/* Rows of `right` and `half` are padded to whole blocks, with zeros where they are read. */
static sotto_status carve(sotto_i_gw_problem *s, sotto_error *err) {
  const size_t n = s->n, m = s->m, cells = n * m;
  s->half_stride = round_up(n, SOTTO_I_GW_ROWS);
  s->right_stride = round_up(m, SOTTO_I_GW_COLS);
  double **const parts[] = {&s->right, &s->p,        &s->q,           &s->left,         &s->constant,
                            &s->plan,  &s->gradient, &s->vertex,      &s->change,       &s->product,
                            &s->best,  &s->half,     &s->left_spread, &s->right_spread, &s->toward};
  const size_t sizes[] = {
      m * s->right_stride, n,     m,     n * n, cells, cells, cells, cells, cells, cells, cells,
      m * s->half_stride,  n * n, m * m, cells};
  size_t total = 0;
  double *at = NULL;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) total += sizes[k];
  sotto_status status = sotto_i_new_raw(&at, total + 3 * cells / 2 + 1, sizeof *at, err);
  if (status != SOTTO_OK) return status;
  s->memory = at;
  memset(at, 0, sizes[0] * sizeof *at);
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    *parts[k] = at;
    at += sizes[k];
  }
  s->cells = (uint32_t *)(void *)at;
  memset(s->cells, 0, 3 * cells * sizeof *s->cells);
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
  decompose(out->left, n, out->gradient, a, out->p, out->loss, true);
  decompose(out->right, out->right_stride, out->vertex, b, out->q, out->loss, false);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) out->constant[i * m + j] = out->gradient[i] + out->vertex[j];
  out->scale = scale_of(out);
  const int left_sign = spread(out->left_spread, out->left, n, n, out->alpha);
  const int right_sign = spread(out->right_spread, out->right, m, out->right_stride, 1);
  out->concave = left_sign == 0 || right_sign == 0 || (left_sign == right_sign && left_sign != 2);
done:
  if (status != SOTTO_OK) sotto_i_gw_problem_free(out);
  return status;
}

void sotto_i_gw_problem_free(sotto_i_gw_problem *problem) {
  sotto_i_transport_free(&problem->transport);
  sotto_i_free(problem->memory);
  *problem = (sotto_i_gw_problem){0};
}

/* out = half' right, by blocks; the last ones of a side lie over the ones before, or, where a side is shorter
 * than a block, are cut. */
static void second_half(const sotto_i_gw_problem *s, double *out) {
  enum { rows = SOTTO_I_GW_ROWS, cols = SOTTO_I_GW_COLS };
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  const size_t n = s->n, m = s->m;
  double block[rows * cols];
  for (size_t at = 0; at < n; at += rows)
    for (size_t next = 0; next < m; next += cols) {
      const size_t i = n >= rows && at > n - rows ? n - rows : at;
      const size_t j = m >= cols && next > m - cols ? m - cols : next;
      const double *half = s->half + i, *right = s->right + j;
      if (n >= rows && m >= cols) {
        kernels->block(out + i * m + j, m, half, s->half_stride, right, s->right_stride, m);
        continue;
      }
      kernels->block(block, cols, half, s->half_stride, right, s->right_stride, m);
      for (size_t r = 0; r < rows && i + r < n; r++)
        memcpy(out + (i + r) * m + j, block + r * cols, (m - j < cols ? m - j : cols) * sizeof *out);
    }
}

void sotto_i_gw_product(sotto_i_gw_problem *s, double *out, const double *plan) {
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  memset(s->half, 0, s->m * s->half_stride * sizeof *s->half);
  for (size_t k = 0; k < s->n; k++)
    for (size_t l = 0; l < s->m; l++)
      if (plan[k * s->m + l] != 0)
        kernels->add(s->half + l * s->half_stride, plan[k * s->m + l], s->left + k * s->n, s->n);
  second_half(s, out);
}

void sotto_i_gw_product_of_basis(sotto_i_gw_problem *s, double *out) {
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  const sotto_i_transport *t = &s->transport;
  memset(s->half, 0, s->m * s->half_stride * sizeof *s->half);
  for (uint32_t x = 1; x < t->rows + t->cols; x++) {
    const uint32_t v = t->order[x], u = t->parent[v], k = v < t->rows ? v : u,
                   l = (v < t->rows ? u : v) - t->rows;
    kernels->add(s->half + l * s->half_stride, (double)t->flow[v] * t->unit, s->left + k * s->n, s->n);
  }
  second_half(s, out);
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
  for (size_t k = 0; k < cells; k++)
    if (plan[k] != 0) structure += (problem->constant[k] - product[k]) * plan[k];
  if (rest > 0)
    for (size_t k = 0; k < cells; k++) features += problem->feature_cost[k] * plan[k];
  return problem->alpha * structure + rest * features;
}

double sotto_i_gw_value_by_gradient(const sotto_i_gw_problem *problem, const double *plan,
                                    const double *gradient) {
  const size_t cells = problem->n * problem->m;
  const double rest = 1 - problem->alpha;
  double sum = sotto_i_gw_kernels()->dot(gradient, plan, cells);
  if (rest > 0)
    for (size_t k = 0; k < cells; k++) sum += rest * problem->feature_cost[k] * plan[k];
  return sum / 2;
}

double sotto_i_gw_value_exact(sotto_i_gw_problem *s, const double *plan) {
  const size_t m = s->m, cells = s->n * m;
  uint32_t *row = s->cells, *col = s->cells + cells;
  const double rest = 1 - s->alpha;
  size_t count = 0;
  double sum = 0, features = 0;
  for (size_t k = 0; k < cells; k++)
    if (plan[k] != 0) {
      row[count] = (uint32_t)(k / m);
      col[count++] = (uint32_t)(k % m);
    }
  if (count > 4 * (s->n + m)) {
    sotto_i_gw_product(s, s->product, plan);
    return fmax(0, sotto_i_gw_value(s, plan, s->product));
  }
  for (size_t t = 0; t < count; t++) {
    const double weight = plan[row[t] * m + col[t]];
    const double *from = s->a->distance + row[t] * s->n, *to = s->b->distance + col[t] * m;
    double inner = 0;
    for (size_t u = 0; u < count; u++)
      inner += plan[row[u] * m + col[u]] * loss_of(s->loss, from[row[u]], to[col[u]]);
    sum += weight * inner;
    if (rest > 0) features += weight * s->feature_cost[row[t] * m + col[t]];
  }
  return s->alpha * sum + rest * features;
}
