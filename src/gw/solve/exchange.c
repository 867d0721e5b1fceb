/* Exchanges: move mass from cells (i, j) and (k, l) of the plan to (i, l) and (k, j).
 *
 * With T + t c, c = -(e_i - e_k)(f_j - f_l)', the value changes by t (G_il + G_kj - G_ij - G_kl) - alpha
 * t^2 K, where K = (A_ii + A_kk - 2 A_ik)(B_jj + B_ll - 2 B_jl). For distances K is not negative, so the
 * curvature only helps. Conditional gradient sees the linear part only; where it stops, exchanges often
 * still decrease the value. Evaluating an exchange costs O(1), making it O(n m).
 *
 * Gains are compared in single precision, in units of the problem's scale. Masses are in double precision,
 * and callers recompute the gradient. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/kernels.h"
#include "gw/solve/problem.h"

/* relative to the largest gradient: rounding error of single precision around 0 */
static const double noise = 2e-6;

typedef struct sotto_i_gw_exchanges {
  size_t count, cols;
  uint32_t *row, *col; /* of the cells of the plan */
  uint32_t *slot;      /* of each such cell: its index in the list; other entries are stale */
  double *mass;
  float *mass_of, *own;     /* mass, and gradient at the cell; mass is 0 behind the last cell */
  float *gradient;          /* n x stride */
  float *column;            /* one column of the gradient */
  float *left, *right;      /* factors of the change of the gradient by an exchange */
  float *of_rows, *of_cols; /* scratch of the kernel */
  size_t stride;
  double coupling; /* the curvature is coupling * spread * spread */
  float least, noise;
} cells;

enum { lanes = SOTTO_I_GW_LANES, look = SOTTO_I_GW_LOOK };

sotto_status sotto_i_gw_exchanges_new(cells **out, size_t n, size_t m, sotto_error *err) {
  const size_t every = n * m + lanes, stride = (m + lanes - 1) / lanes * lanes;
  const size_t head = (sizeof(cells) + 63) / 64 * 64;
  uint8_t *memory = NULL;
  sotto_status status = sotto_i_new_raw(
      &memory, head + every * (8 + 5 * 4) + (n * stride + 4 * n + 3 * stride + 6 * look) * sizeof(float), 1,
      err);
  *out = (cells *)(void *)memory;
  if (status != SOTTO_OK) return status;
  cells *list = *out;
  *list = (cells){.cols = m, .stride = stride, .mass = (double *)(void *)(memory + head)};
  list->gradient = (float *)(void *)(list->mass + every);
  list->column = list->gradient + n * stride + look;
  list->left = list->column + n + look;
  list->right = list->left + n + look;
  list->of_rows = list->right + stride + look;
  list->of_cols = list->of_rows + 2 * n + look;
  list->mass_of = list->of_cols + 2 * stride + look;
  list->own = list->mass_of + every;
  list->row = (uint32_t *)(void *)(list->own + every);
  list->col = list->row + every;
  list->slot = list->col + every;
  memset(list->gradient, 0, (size_t)((uint8_t *)(list->slot + every) - (uint8_t *)list->gradient));
  return SOTTO_OK;
}

static void put_cell(cells *list, size_t at, size_t row, size_t col, double mass) {
  list->row[at] = (uint32_t)row;
  list->col[at] = (uint32_t)col;
  list->mass[at] = mass;
  list->mass_of[at] = (float)mass;
  list->own[at] = list->gradient[row * list->stride + col];
  list->slot[row * list->cols + col] = (uint32_t)at;
}

static void list_cells(cells *list, const sotto_i_gw_problem *s) {
  const size_t before = list->count;
  list->count = 0;
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++)
      if (s->plan[i * s->m + j] > 0) put_cell(list, list->count++, i, j, s->plan[i * s->m + j]);
  for (size_t t = list->count; t < before; t++) list->mass_of[t] = 0;
}

/* Sets the mass of cell number `at`; an empty cell is replaced by the last one. */
static void set_mass(cells *list, size_t at, double mass) {
  list->mass[at] = mass;
  list->mass_of[at] = (float)mass;
  if (mass > 0) return;
  const size_t last = --list->count;
  put_cell(list, at, list->row[last], list->col[last], list->mass[last]);
  list->mass_of[last] = 0;
}

static void add_mass(cells *list, size_t row, size_t col, double mass) {
  const size_t at = list->slot[row * list->cols + col];
  if (at < list->count && list->row[at] == row && list->col[at] == col)
    set_mass(list, at, list->mass[at] + mass);
  else
    put_cell(list, list->count++, row, col, mass);
}

/* Moves `mass` between these two cells, first < second. */
static void make_exchange(cells *list, const sotto_i_gw_problem *s, size_t first, size_t second,
                          double mass) {
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  const sotto_i_gw_side *a = s->a, *b = s->b;
  const size_t i = list->row[first], j = list->col[first], k = list->row[second], l = list->col[second];
  kernels->difference(list->left, a->matrix + k * a->stride, a->matrix + i * a->stride,
                      2 * list->coupling * mass / a->largest, s->n);
  kernels->difference(list->right, b->matrix + l * b->stride, b->matrix + j * b->stride, 1 / b->largest,
                      s->m);
  kernels->rank_one(list->gradient, list->left, s->n, list->right, list->stride);
  kernels->rank_one_at(list->own, list->left, list->row, s->n, list->right, list->col, s->m, list->count);
  const double of_first = list->mass[first] - mass, of_second = list->mass[second] - mass;
  set_mass(list, second, of_second); /* second before first, because emptying a cell moves the last one */
  set_mass(list, first, of_first);
  add_mass(list, i, l, mass);
  add_mass(list, k, j, mass);
}

/* The mass in [0, most] that minimises linear * mass + curvature * mass^2. */
static double best_mass(double linear, double curvature, double most) {
  return curvature < 0 ? fmin(most, -linear / (2 * curvature)) : most;
}

/* Makes the best exchange of cell number `at` with another cell; returns its gain, or 0. */
static double exchange_best(cells *list, const sotto_i_gw_problem *s, size_t at) {
  const sotto_i_gw_side *a = s->a, *b = s->b;
  const size_t i = list->row[at], j = list->col[at], stride = list->stride;
  for (size_t r = 0; r < s->n; r++) list->column[r] = list->gradient[r * stride + j];
  sotto_i_gw_scan scan = {.of_row = list->gradient + i * stride,
                          .of_col = list->column,
                          .left = a->spread + i * a->stride,
                          .right = b->spread + j * b->stride,
                          .rows = s->n,
                          .cols = s->m,
                          .row = list->row,
                          .col = list->col,
                          .own = list->own,
                          .mass = list->mass_of,
                          .of_rows = list->of_rows,
                          .of_cols = list->of_cols,
                          .begin = (at + 1) / lanes * lanes,
                          .end = list->count,
                          .here = list->own[at],
                          .held = list->mass_of[at],
                          .coupling = (float)list->coupling,
                          .noise = list->noise,
                          .concave = a->sign * b->sign != -1 && a->sign != 2 && b->sign != 2};
  scan.concave |= a->sign == 0 || b->sign == 0;
  size_t best = 0;
  const float gain = sotto_i_gw_kernels()->exchange(&best, &scan);
  if (!(gain > list->least)) return 0;
  const size_t k = list->row[best], l = list->col[best];
  const double linear = (double)scan.here + list->own[best] - scan.of_row[l] - scan.of_col[k];
  const double curvature = list->coupling * scan.left[k] * scan.right[l];
  const double most = fmin(list->mass[at], list->mass[best]);
  const size_t first = at < best ? at : best, second = at < best ? best : at;
  make_exchange(list, s, first, second, best_mass(linear, curvature, most));
  return gain;
}

double sotto_i_gw_exchange(sotto_i_gw_problem *s, double least_gain) {
  const sotto_i_gw_kernel_table *kernels = sotto_i_gw_kernels();
  cells *list = s->exchanges;
  const double unit = s->scale;
  double gained = 0;
  if (s->alpha == 0 || !(unit > 0)) return 0; /* a linear problem: the vertex is its solution */
  list->coupling = s->alpha * s->factor * s->a->largest * s->b->largest / unit;
  list->noise = (float)(noise * (kernels->largest(s->gradient, s->n * s->m) / unit + list->coupling));
  list->least = (float)(least_gain / unit);
  for (size_t i = 0; i < s->n; i++)
    kernels->narrow(list->gradient + i * list->stride, s->gradient + i * s->m, 1 / unit, s->m);
  list_cells(list, s);
  size_t quiet = 0, most = 100 * (s->n + s->m);
  for (size_t at = 0; quiet < list->count && most > 0;) {
    const double gain = exchange_best(list, s, at);
    gained += gain;
    if (gain > 0) {
      quiet = 0;
      most--;
    } else {
      quiet++;
      at++;
    }
    if (at >= list->count) at = 0;
  }
  if (gained == 0) return 0;
  memset(s->plan, 0, s->n * s->m * sizeof *s->plan);
  for (size_t t = 0; t < list->count; t++) s->plan[list->row[t] * s->m + list->col[t]] = list->mass[t];
  return gained * unit;
}
