/* Exchanges: mass moved from cells (i, j) and (k, l) of the plan to (i, l) and (k, j).
 *
 * With T + t c, c = -(e_i - e_k)(f_j - f_l)', the value changes by t (G_il + G_kj - G_ij - G_kl) - alpha t^2
 * K, K = (A_ii + A_kk - 2 A_ik)(B_jj + B_ll - 2 B_jl). Between distances K is not negative: the curvature
 * only helps, and a plan where conditional gradient stands still, which looks at the linear part alone, often
 * has exchanges that go down. They cost O(1) each to look at, O(n m) to make. */
#include <math.h>
#include <string.h>

#include "gw/solve/kernels.h"
#include "gw/solve/problem.h"

typedef struct cells {
  size_t count, cols;
  uint32_t *row, *col;
  uint32_t *slot; /* of each cell of the plan that is in the list: its place there; other entries are stale */
  double *mass;
} cells;

static void put(cells *list, size_t at, size_t row, size_t col, double mass) {
  list->row[at] = (uint32_t)row;
  list->col[at] = (uint32_t)col;
  list->mass[at] = mass;
  list->slot[row * list->cols + col] = (uint32_t)at;
}

static void list_cells(cells *list, const sotto_i_gw_problem *s) {
  list->count = 0;
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++)
      if (s->plan[i * s->m + j] > 0) put(list, list->count++, i, j, s->plan[i * s->m + j]);
}

/* Sets the mass of cell number `at`; an empty one gives its place to the last. */
static void set_mass(cells *list, size_t at, double mass) {
  list->mass[at] = mass;
  if (mass > 0) return;
  const size_t last = --list->count;
  put(list, at, list->row[last], list->col[last], list->mass[last]);
}

static void add_mass(cells *list, size_t row, size_t col, double mass) {
  const size_t at = list->slot[row * list->cols + col];
  if (at < list->count && list->row[at] == row && list->col[at] == col)
    list->mass[at] += mass;
  else
    put(list, list->count++, row, col, mass);
}

typedef struct exchange {
  size_t first, second; /* places in the list: cells (i, j) and (k, l) */
  double mass, gain;    /* gain 0: there is none */
} exchange;

/* The mass that gains most, linear * mass + curvature * mass^2, within [0, most] when curvature < 0;
 * otherwise it is `most` or nothing. */
static double best_mass(double linear, double curvature, double most) {
  return linear > 0 ? fmin(most, -linear / (2 * curvature)) : 0;
}

/* What the exchange of cell number `first` with each later one gains; returns the most, or 0. It is known to
 * the compiler whether all are concave; then the loop is short, and has no jump. */
static inline double gains_of(double *restrict gains, const sotto_i_gw_problem *s, const cells *list,
                              size_t first, bool concave) {
  const size_t m = s->m, i = list->row[first], j = list->col[first], count = list->count;
  const uint32_t *restrict row = list->row, *restrict col = list->col;
  const double *restrict masses = list->mass, *restrict gradient = s->gradient;
  const double *gradient_i = gradient + i * m, *gradient_j = gradient + j;
  const double *left = s->left_spread + i * s->n, *right = s->right_spread + j * m;
  const double held = masses[first], here = gradient_i[j];
  double greatest = 0;
  for (size_t t = first + 1; t < count; t++) {
    const size_t k = row[t], l = col[t];
    const double linear = here + gradient[k * m + l] - gradient_i[l] - gradient_j[k * m];
    const double curvature = left[k] * right[l];
    double mass = masses[t] < held ? masses[t] : held;
    if (!concave && curvature < 0) mass = best_mass(linear, curvature, mass);
    const double gain = mass * (linear + curvature * mass);
    gains[t] = gain;
    greatest = gain > greatest ? gain : greatest;
  }
  return greatest;
}

/* The best exchange of cell number `first` with a later one, if one gains more than `least_gain`. */
static exchange best_partner(sotto_i_gw_problem *s, const cells *list, size_t first, double least_gain) {
  const size_t m = s->m, i = list->row[first], j = list->col[first];
  double *gains = s->vertex;
  const double most =
      s->concave ? gains_of(gains, s, list, first, true) : gains_of(gains, s, list, first, false);
  if (!(most > least_gain)) return (exchange){.gain = 0};
  size_t best = first + 1;
  while (gains[best] != most) best++;
  const size_t k = list->row[best], l = list->col[best];
  const double *gradient = s->gradient;
  const double linear = gradient[i * m + j] + gradient[k * m + l] - gradient[i * m + l] - gradient[k * m + j];
  const double curvature = s->left_spread[i * s->n + k] * s->right_spread[j * m + l];
  const double mass = fmin(list->mass[best], list->mass[first]);
  return (exchange){first, best, curvature < 0 ? best_mass(linear, curvature, mass) : mass, most};
}

static void make(sotto_i_gw_problem *s, cells *list, const exchange *e) {
  const size_t i = list->row[e->first], j = list->col[e->first];
  const size_t k = list->row[e->second], l = list->col[e->second];
  const double *left_i = s->left + i * s->n, *left_k = s->left + k * s->n;
  const double *right_j = s->right + j * s->right_stride, *right_l = s->right + l * s->right_stride;
  double *weight = s->half, *step = s->half + s->n;
  for (size_t r = 0; r < s->n; r++) weight[r] = 2 * s->alpha * e->mass * (left_k[r] - left_i[r]);
  for (size_t c = 0; c < s->m; c++) step[c] = right_l[c] - right_j[c];
  sotto_i_gw_kernels()->rank_one(s->gradient, weight, s->n, step, s->m);
  const double first = list->mass[e->first] - e->mass, second = list->mass[e->second] - e->mass;
  set_mass(list, e->second, second); /* the later of the two: the place of the first stays */
  set_mass(list, e->first, first);
  add_mass(list, i, l, e->mass);
  add_mass(list, k, j, e->mass);
}

bool sotto_i_gw_exchange(sotto_i_gw_problem *s, double least_gain) {
  const size_t every = s->n * s->m;
  cells list = {.cols = s->m,
                .row = s->cells,
                .col = s->cells + every,
                .slot = s->cells + 2 * every,
                .mass = s->change};
  bool any = false;
  if (s->alpha == 0) return false; /* a linear problem: its vertex is the solution */
  list_cells(&list, s);
  size_t quiet = 0, most = 100 * (s->n + s->m);
  for (size_t at = 0; quiet < list.count && most > 0;) {
    const exchange found = best_partner(s, &list, at, least_gain);
    if (found.gain > 0) {
      make(s, &list, &found);
      any = true;
      quiet = 0;
      most--;
    } else {
      quiet++;
      at++;
    }
    if (at >= list.count) at = 0;
  }
  if (!any) return false;
  memset(s->plan, 0, every * sizeof *s->plan);
  for (size_t t = 0; t < list.count; t++) s->plan[list.row[t] * s->m + list.col[t]] = list.mass[t];
  return true;
}
