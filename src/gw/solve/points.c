/* Gromov-Wasserstein distance of squared Euclidean distances between points, in memory linear in the
 * points.
 *
 * Both sets are centred; u_i = |x_i|^2, v_j = |y_j|^2, M = X' T Y (d x e). C = u 1' + 1 u' - 2 X X' has
 * rank d + 2, so exactly (compare Scetbon, Peyre and Cuturi 2022, section 3) value(T) = self(X) + self(Y)
 * - 4 sum_ij T_ij u_i v_j - 4 mean(u) mean(v) - 8 |M|^2, self(X) = 2 mean(u^2) + 2 mean(u)^2 + 4 |X' X /
 * n|^2. The value is concave in T, so each step of conditional gradient ends at a vertex, which has at
 * most n + m - 1 cells. Up to sums of rows and columns, the costs of a step are -(u_i v_j + 4 x_i' M y_j),
 * of rank 1 + e. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/transport.h"
#include "inside/gw.h"
#include "sotto/gw.h"

typedef struct cloud {
  size_t count, dims;
  double *size; /* u */
  /* dims x count, centred; stored behind `size`, so that both together are the factors of the costs */
  double *coordinate;
  double mean_size, self; /* mean(u), self(X) */
} cloud;

static sotto_status cloud_new(cloud *out, const sotto_matrix *rows, const char *name, sotto_error *err) {
  const size_t n = rows->rows, d = rows->cols;
  *out = (cloud){.count = n, .dims = d};
  if (n == 0 || d == 0)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "%s has %zu points of %zu values; at least one point of one value is needed", name, n,
                        d);
  for (size_t k = 0; k < n * d; k++)
    if (!isfinite(rows->data[k]))
      return sotto_i_fail(err, SOTTO_NUMERIC, "row %zu of %s: value %zu is not finite", k / d, name, k % d);
  const sotto_status status = sotto_i_new(&out->size, n * (d + 1), sizeof *out->size, err);
  if (status != SOTTO_OK) return status;
  out->coordinate = out->size + n;
  for (size_t k = 0; k < d; k++) {
    double *x = out->coordinate + k * n, mean = 0;
    for (size_t i = 0; i < n; i++) mean += rows->data[i * d + k] / (double)n;
    for (size_t i = 0; i < n; i++) x[i] = rows->data[i * d + k] - mean;
    for (size_t i = 0; i < n; i++) out->size[i] += x[i] * x[i];
    for (size_t l = 0; l <= k; l++) {
      const double *y = out->coordinate + l * n;
      double sum = 0;
      for (size_t i = 0; i < n; i++) sum += x[i] * y[i] / (double)n;
      out->self += (l < k ? 8 : 4) * sum * sum;
    }
  }
  for (size_t i = 0; i < n; i++) {
    out->mean_size += out->size[i] / (double)n;
    out->self += 2 * out->size[i] * out->size[i] / (double)n;
  }
  out->self += 2 * out->mean_size * out->mean_size;
  return SOTTO_OK;
}

typedef struct work {
  cloud x, y;
  double *moment;              /* M */
  double *left;                /* 1 + e factors of the costs, on the side of x */
  double *row;                 /* scratch: one row of costs */
  uint32_t *order_x, *order_y; /* ascending by size, that is, by mean distance */
  sotto_i_transport_tree transport;
} work;

typedef struct ranked {
  double value;
  uint32_t index;
} ranked;

static int compare_values(const void *a, const void *b) {
  const ranked *x = a, *y = b;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

static sotto_status order_by_size(uint32_t **order, const cloud *c, sotto_error *err) {
  ranked *items = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&items, c->count, sizeof *items, err));
  SOTTO_TRY(sotto_i_new_raw(order, c->count, sizeof **order, err));
  for (uint32_t i = 0; i < c->count; i++) items[i] = (ranked){c->size[i], i};
  qsort(items, c->count, sizeof *items, compare_values);
  for (size_t i = 0; i < c->count; i++) (*order)[i] = items[i].index;
done:
  sotto_i_free(items);
  return status;
}

/* Row, column and mass of the arc between node v of the basis and its parent; false for the root. */
static bool find_cell(sotto_gw_cell *out, const sotto_i_transport_tree *t, uint32_t v) {
  const uint32_t u = t->parent[v];
  if (u == SOTTO_I_NOBODY) return false;
  *out = (sotto_gw_cell){v < t->rows ? v : u, (v < t->rows ? u : v) - t->rows, (double)t->flow[v] * t->unit};
  return true;
}

/* M of the plan of the basis, and its value. */
static double measure_plan(work *w) {
  const size_t n = w->x.count, m = w->y.count, d = w->x.dims, e = w->y.dims;
  double mixed = 0, squares = 0;
  sotto_gw_cell c;
  memset(w->moment, 0, d * e * sizeof *w->moment);
  for (uint32_t v = 0; v < n + m; v++) {
    if (!find_cell(&c, &w->transport, v) || c.mass == 0) continue;
    mixed += c.mass * w->x.size[c.row] * w->y.size[c.col];
    for (size_t a = 0; a < d; a++)
      for (size_t b = 0; b < e; b++)
        w->moment[a * e + b] += c.mass * w->x.coordinate[a * n + c.row] * w->y.coordinate[b * m + c.col];
  }
  for (size_t k = 0; k < d * e; k++) squares += w->moment[k] * w->moment[k];
  const double cross = 4 * mixed + 4 * w->x.mean_size * w->y.mean_size + 8 * squares;
  return fmax(0, w->x.self + w->y.self - cross);
}

/* Finds the optimal basis for the costs that M defines. */
static sotto_status solve_linear_step(work *w, bool fresh, sotto_error *err) {
  const size_t n = w->x.count, d = w->x.dims, e = w->y.dims;
  const sotto_i_transport_costs costs = {.left = w->left, .right = w->y.size, .rank = 1 + e, .row = w->row};
  memset(w->left, 0, n * (1 + e) * sizeof *w->left);
  for (size_t i = 0; i < n; i++) w->left[i] = -w->x.size[i];
  for (size_t b = 0; b < e; b++)
    for (size_t a = 0; a < d; a++) {
      const double factor = -4 * w->moment[a * e + b];
      for (size_t i = 0; i < n; i++) w->left[(1 + b) * n + i] += factor * w->x.coordinate[a * n + i];
    }
  if (fresh) sotto_i_transport_greedy(&w->transport, &costs);
  return sotto_i_transport_solve(&w->transport, &costs, err);
}

/* Start 0 sorts both sides by mean distance, which is the solution for M = 0. Other starts pair axes of
 * the same number; the bits of the start's number are their signs. */
static sotto_status set_start(work *w, uint32_t which, sotto_error *err) {
  const size_t d = w->x.dims, e = w->y.dims, least = d < e ? d : e;
  if (which == 0) {
    sotto_i_transport_start(&w->transport, w->order_x, w->order_y);
    return SOTTO_OK;
  }
  const double size = sqrt(w->x.mean_size * w->y.mean_size) / (double)least;
  memset(w->moment, 0, d * e * sizeof *w->moment);
  for (size_t a = 0; a < least; a++)
    w->moment[a * e + a] = a < 32 && ((which - 1) >> a & 1U) != 0 ? -size : size;
  return solve_linear_step(w, true, err);
}

static sotto_status run_descent(double *value, work *w, const sotto_gw_options *o, uint32_t *steps,
                                sotto_error *err) {
  const double least_gain = o->tolerance * (w->x.self + w->y.self);
  *value = measure_plan(w);
  for (uint32_t k = 0; k<o->iterations && * value> 0; k++) {
    const double before = *value;
    const sotto_status status = solve_linear_step(w, false, err);
    if (status != SOTTO_OK) return status;
    ++*steps;
    *value = measure_plan(w);
    if (!(*value < before - least_gain)) break;
  }
  return SOTTO_OK;
}

static sotto_status prepare_work(work *w, const sotto_matrix *x, const sotto_matrix *y,
                                 const sotto_gw_options *o, sotto_error *err) {
  sotto_status status;
  if (o->loss != SOTTO_GW_SQUARE || o->solver != SOTTO_GW_CONDITIONAL || o->feature_cost != NULL)
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "points are compared by the square loss and conditional gradient, without a feature cost");
  if (o->starts < 1 || o->starts > 64 || o->iterations < 1 || !(o->tolerance >= 1e-15 && o->tolerance <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "points: %u starts (1 to 64), %u iterations (from 1), tolerance %g",
                        o->starts, o->iterations, o->tolerance);
  SOTTO_TRY(cloud_new(&w->x, x, "x", err));
  SOTTO_TRY(cloud_new(&w->y, y, "y", err));
  SOTTO_TRY(sotto_i_new(&w->moment, w->x.dims * w->y.dims, sizeof *w->moment, err));
  SOTTO_TRY(sotto_i_new(&w->left, w->x.count * (1 + w->y.dims), sizeof *w->left, err));
  SOTTO_TRY(sotto_i_new(&w->row, w->y.count, sizeof *w->row, err));
  SOTTO_TRY(order_by_size(&w->order_x, &w->x, err));
  SOTTO_TRY(order_by_size(&w->order_y, &w->y, err));
  SOTTO_TRY(sotto_i_transport_new(&w->transport, w->x.count, w->y.count, NULL, NULL, err));
done:
  return status;
}

static void free_work(work *w) {
  sotto_i_transport_free(&w->transport);
  void *const held[] = {w->x.size, w->y.size, w->moment, w->left, w->row, w->order_x, w->order_y};
  for (size_t k = 0; k < sizeof held / sizeof *held; k++) sotto_i_free(held[k]);
}

sotto_status sotto_gw_distance_of_points(sotto_gw_result *result, sotto_gw_cell *plan, size_t *cells,
                                         const sotto_matrix *x, const sotto_matrix *y,
                                         const sotto_gw_options *options, sotto_error *err) {
  const sotto_gw_options defaults = sotto_gw_defaults();
  work w = {.x = {.count = 0}};
  sotto_status status;
  *result = (sotto_gw_result){.value = INFINITY};
  if (options == NULL) options = &defaults;
  SOTTO_TRY(prepare_work(&w, x, y, options, err));
  for (uint32_t which = 0; which < options->starts && result->value > 0; which++) {
    double value = 0;
    SOTTO_TRY(set_start(&w, which, err));
    SOTTO_TRY(run_descent(&value, &w, options, &result->iterations, err));
    if (!(value < result->value)) continue;
    result->value = value;
    result->start = which;
    if (plan == NULL) continue;
    *cells = 0;
    for (uint32_t v = 0; v < x->rows + y->rows; v++)
      if (find_cell(&plan[*cells], &w.transport, v) && plan[*cells].mass > 0) ++*cells;
  }
done:
  free_work(&w);
  return status;
}
