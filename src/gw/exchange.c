/* Exchanges: mass moved from cells (i, j) and (k, l) of the plan to (i, l) and (k, j).
 *
 * With T + t c, c = -(e_i - e_k)(f_j - f_l)', the value changes by t (G_il + G_kj - G_ij - G_kl) - alpha t^2
 * K, K = (A_ii + A_kk - 2 A_ik)(B_jj + B_ll - 2 B_jl). Between distances K is not negative: the curvature
 * only helps, and a plan where conditional gradient stands still, which looks at the linear part alone, often
 * has exchanges that go down. They cost O(1) each to look at, O(n m) to make. */
#include <math.h>
#include <string.h>

#include "gw/kernels.h"
#include "gw/problem.h"

typedef struct cells {
  size_t count;
  uint32_t *row, *col;
  double *mass;
} cells;

static void list_cells(cells *list, const sotto_i_gw_problem *s) {
  list->count = 0;
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++)
      if (s->plan[i * s->m + j] > 0) {
        list->row[list->count] = (uint32_t)i;
        list->col[list->count] = (uint32_t)j;
        list->mass[list->count++] = s->plan[i * s->m + j];
      }
}

/* Sets the mass of cell number `at`; an empty one gives its place to the last. */
static void set_mass(cells *list, size_t at, double mass) {
  list->mass[at] = mass;
  if (mass > 0) return;
  list->count--;
  list->row[at] = list->row[list->count];
  list->col[at] = list->col[list->count];
  list->mass[at] = list->mass[list->count];
}

static void add_mass(cells *list, size_t row, size_t col, double mass) {
  for (size_t t = 0; t < list->count; t++)
    if (list->row[t] == row && list->col[t] == col) {
      list->mass[t] += mass;
      return;
    }
  list->row[list->count] = (uint32_t)row;
  list->col[list->count] = (uint32_t)col;
  list->mass[list->count++] = mass;
}

typedef struct exchange {
  size_t first, second; /* places in the list: cells (i, j) and (k, l) */
  double mass, gain;
} exchange;

/* The mass that gains most, linear * mass + curvature * mass^2, within [0, most] when curvature < 0;
 * otherwise it is `most` or nothing. */
static double best_mass(double linear, double curvature, double most) {
  return linear > 0 ? fmin(most, -linear / (2 * curvature)) : 0;
}

/* The best exchange of cell number `first` with a later one. */
static exchange best_partner(const sotto_i_gw_problem *s, const cells *list, size_t first) {
  const size_t m = s->m, i = list->row[first], j = list->col[first];
  const double *gradient_i = s->gradient + i * m, *gradient_j = s->gradient + j;
  const double *left = s->left_spread + i * s->n, *right = s->right_spread + j * m;
  const double held = list->mass[first], here = gradient_i[j];
  exchange best = {.gain = 0};
  for (size_t t = first + 1; t < list->count; t++) {
    const size_t k = list->row[t], l = list->col[t];
    const double linear = here + s->gradient[k * m + l] - gradient_i[l] - gradient_j[k * m];
    const double curvature = left[k] * right[l];
    const double other = list->mass[t], most = other < held ? other : held;
    double mass = most, gain = most * (linear + curvature * most);
    if (curvature < 0) {
      mass = best_mass(linear, curvature, most);
      gain = mass * (linear + curvature * mass);
    }
    if (gain > best.gain) best = (exchange){first, t, mass, gain};
  }
  return best;
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
  cells list = {.row = s->cells, .col = s->cells + every, .mass = s->change};
  bool any = false;
  if (s->alpha == 0) return false; /* a linear problem: its vertex is the solution */
  list_cells(&list, s);
  size_t quiet = 0, most = 100 * (s->n + s->m);
  for (size_t at = 0; quiet < list.count && most > 0; at = at + 1 < list.count ? at + 1 : 0) {
    const exchange found = best_partner(s, &list, at);
    quiet++;
    if (!(found.gain > least_gain)) continue;
    make(s, &list, &found);
    any = true;
    quiet = 0;
    most--;
  }
  if (!any) return false;
  memset(s->plan, 0, every * sizeof *s->plan);
  for (size_t t = 0; t < list.count; t++) s->plan[list.row[t] * s->m + list.col[t]] = list.mass[t];
  return true;
}
