/* A Gromov-Wasserstein problem: checks, precomputation, value and gradient. */
#include "gw/solve/problem.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/kernels.h"

static const double least_entry = 1e-15; /* KL loss: smaller distances count as this */

sotto_gw_options sotto_gw_defaults(void) {
  return (sotto_gw_options){.loss = SOTTO_GW_SQUARE,
                            .solver = SOTTO_GW_CONDITIONAL,
                            .starts = 6,
                            .iterations = 1000,
                            .tolerance = 1e-9,
                            .entropy = 0.05,
                            .alpha = 0.5};
}

static sotto_status check_options(const sotto_gw_options *o, size_t cells, sotto_error *err) {
  if (o->loss != SOTTO_GW_SQUARE && o->loss != SOTTO_GW_KL)
    return sotto_i_fail(err, SOTTO_RANGE, "loss %d is neither square nor KL", (int)o->loss);
  if (o->solver != SOTTO_GW_CONDITIONAL && o->solver != SOTTO_GW_PROXIMAL && o->solver != SOTTO_GW_ENTROPIC)
    return sotto_i_fail(err, SOTTO_RANGE, "solver %d does not exist", (int)o->solver);
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

static double problem_scale(const sotto_i_gw_problem *s) {
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

static sotto_status alloc_arrays(sotto_i_gw_problem *s, sotto_error *err) {
  const size_t n = s->n, m = s->m, cells = n * m;
  s->half_stride = round_up(n, SOTTO_I_GW_COLS);
  double **const parts[] = {&s->half,   &s->p,      &s->q,       &s->constant, &s->plan,  &s->gradient,
                            &s->vertex, &s->change, &s->product, &s->best,     &s->toward};
  double *at = NULL;
  const size_t sizes[] = {m * s->half_stride, n, m, cells};
  sotto_status status = sotto_i_new_raw(&at, sizes[0] + n + m + 8 * cells, sizeof *at, err);
  if (status != SOTTO_OK) return status;
  s->memory = at;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    *parts[k] = at;
    at += sizes[k < 3 ? k : 3];
  }
  return SOTTO_OK;
}

sotto_status sotto_i_gw_problem_new(sotto_i_gw_problem *out, const sotto_i_gw_side *a,
                                    const sotto_i_gw_side *b, const sotto_gw_options *options,
                                    sotto_error *err) {
  const size_t n = a->space.points, m = b->space.points;
  sotto_status status;
  *out = (sotto_i_gw_problem){.n = n, .m = m, .a = a, .b = b};
  SOTTO_TRY(check_options(options, n * m, err));
  out->feature_cost = options->feature_cost;
  out->alpha = options->feature_cost == NULL ? 1 : options->alpha;
  out->factor = options->loss == SOTTO_GW_SQUARE ? 2 : 1;
  SOTTO_TRY(alloc_arrays(out, err));
  SOTTO_TRY(sotto_i_gw_exchanges_new(&out->exchanges, n, m, err));
  SOTTO_TRY(sotto_i_transport_new(&out->transport, n, m, a->space.weight, b->space.weight, err));
  for (size_t i = 0; i < n; i++) out->p[i] = (double)out->transport.supply[i] * out->transport.unit;
  for (size_t j = 0; j < m; j++) out->q[j] = (double)out->transport.supply[n + j] * out->transport.unit;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) out->constant[i * m + j] = a->constant[i] + b->constant[j];
  out->scale = problem_scale(out);
done:
  if (status != SOTTO_OK) sotto_i_gw_problem_free(out);
  return status;
}

void sotto_i_gw_problem_free(sotto_i_gw_problem *problem) {
  sotto_i_transport_free(&problem->transport);
  sotto_i_free(problem->exchanges);
  sotto_i_free(problem->memory);
  *problem = (sotto_i_gw_problem){0};
}

/* Where a side is no multiple of the block, its last block overlaps the one before; a side shorter than a
 * block is truncated. */
void sotto_i_gw_blocks(double *out, size_t n, size_t m, const double *left, size_t left_stride,
                       const double *right, size_t right_stride, size_t count) {
  enum { rows = SOTTO_I_GW_ROWS, cols = SOTTO_I_GW_COLS };
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  double block[rows * cols];
  for (size_t at = 0; at < n; at += rows)
    for (size_t next = 0; next < m; next += cols) {
      const size_t i = n >= rows && at > n - rows ? n - rows : at;
      const size_t j = m >= cols && next > m - cols ? m - cols : next;
      if (n >= rows && m >= cols) {
        kernels->block(out + i * m + j, m, left + i, left_stride, right + j, right_stride, count);
        continue;
      }
      kernels->block(block, cols, left + i, left_stride, right + j, right_stride, count);
      for (size_t r = 0; r < rows && i + r < n; r++)
        memcpy(out + (i + r) * m + j, block + r * cols, (m - j < cols ? m - j : cols) * sizeof *out);
    }
}

static void second_half(const sotto_i_gw_problem *s, double *out) {
  sotto_i_gw_blocks(out, s->n, s->m, s->half, s->half_stride, s->b->matrix, s->b->stride, s->m);
}

void sotto_i_gw_product(sotto_i_gw_problem *s, double *out, const double *plan) {
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  memset(s->half, 0, s->m * s->half_stride * sizeof *s->half);
  for (size_t k = 0; k < s->n; k++)
    for (size_t l = 0; l < s->m; l++)
      if (plan[k * s->m + l] != 0)
        kernels->add(s->half + l * s->half_stride, plan[k * s->m + l], s->a->matrix + k * s->a->stride,
                     s->half_stride);
  second_half(s, out);
}

void sotto_i_gw_product_of_basis(sotto_i_gw_problem *s, double *out) {
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  const sotto_i_transport_tree *t = &s->transport;
  memset(s->half, 0, s->m * s->half_stride * sizeof *s->half);
  for (uint32_t x = 1; x < t->rows + t->cols; x++) {
    const uint32_t v = t->order[x], u = t->parent[v], k = v < t->rows ? v : u,
                   l = (v < t->rows ? u : v) - t->rows;
    kernels->add(s->half + l * s->half_stride, (double)t->flow[v] * t->unit, s->a->matrix + k * s->a->stride,
                 s->half_stride);
  }
  second_half(s, out);
}

void sotto_i_gw_gradient(const sotto_i_gw_problem *problem, double *out, const double *product) {
  const size_t cells = problem->n * problem->m;
  const double twice = 2 * problem->alpha, factor = problem->factor, rest = 1 - problem->alpha;
  for (size_t k = 0; k < cells; k++) out[k] = twice * (problem->constant[k] - factor * product[k]);
  if (rest > 0)
    for (size_t k = 0; k < cells; k++) out[k] += rest * problem->feature_cost[k];
}

double sotto_i_gw_value(const sotto_i_gw_problem *problem, const double *plan, const double *product) {
  const size_t cells = problem->n * problem->m;
  const double rest = 1 - problem->alpha;
  double structure = 0, features = 0;
  for (size_t k = 0; k < cells; k++)
    if (plan[k] != 0) structure += (problem->constant[k] - problem->factor * product[k]) * plan[k];
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
  uint32_t *row = (uint32_t *)(void *)s->vertex, *col = row + cells;
  double *masses = s->change;
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
  for (size_t t = 0; t < count; t++) masses[t] = plan[row[t] * m + col[t]];
  for (size_t t = 0; t < count; t++) {
    const double *from = s->a->space.distance + row[t] * s->n, *to = s->b->space.distance + col[t] * m;
    double inner = masses[t] / 2 * loss_of(s->a->loss, from[row[t]], to[col[t]]);
    for (size_t u = 0; u < t; u++) inner += masses[u] * loss_of(s->a->loss, from[row[u]], to[col[u]]);
    sum += 2 * masses[t] * inner;
    if (rest > 0) features += masses[t] * s->feature_cost[row[t] * m + col[t]];
  }
  return s->alpha * sum + rest * features;
}
