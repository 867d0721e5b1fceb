/* Where descents begin (docs/gw.md): the vertex to which conditional gradient goes from the product plan,
 * that is both sides sorted by mean distance; the plan that matches points by their profiles, the
 * distribution of a point's distances; and such plans with the most outlying point of a tied to one of b,
 * which tells points of equal profile apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/problem.h"

enum { quantiles = 16 };

struct sotto_i_gw_starts {
  double *profile;      /* n x m: mean squared distance of the quantiles, which bounds the loss from below */
  double *cost;         /* n x m */
  double *left, *right; /* profiles, n x quantiles and m x quantiles */
  uint32_t *row_order, *col_order; /* ascending by mean distance */
  uint32_t anchor;                 /* the point of a that is tied */
  uint32_t *partners;              /* points of b, the most alike to it first */
  void *memory;
};

typedef struct ranked {
  double value, tag; /* tag: a weight or an index */
} ranked;

static int by_value(const void *x, const void *y) {
  const ranked *a = x, *b = y;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* Ascending, equals by tag or as they are. Graphs are small: qsort pays from a few dozen on. */
static void sort(ranked *items, size_t count) {
  if (count > 48) {
    qsort(items, count, sizeof *items, by_value);
    return;
  }
  for (size_t i = 1; i < count; i++) {
    const ranked item = items[i];
    size_t at = i;
    for (; at > 0 && items[at - 1].value > item.value; at--) items[at] = items[at - 1];
    items[at] = item;
  }
}

/* The quantiles at (k + 1/2) / quantiles of each point's distances under the weights. */
static void make_profiles(double *out, const sotto_gw_space *s, const double *weight, ranked *sorted) {
  const size_t n = s->points;
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++) sorted[k] = (ranked){s->distance[i * n + k], weight[k]};
    sort(sorted, n);
    double below = 0;
    size_t at = 0;
    for (size_t k = 0; k < quantiles; k++) {
      while (at + 1 < n && below + sorted[at].tag < ((double)k + 0.5) / quantiles) below += sorted[at++].tag;
      out[i * quantiles + k] = sorted[at].value;
    }
  }
}

static void order_by_mean(uint32_t *order, const sotto_gw_space *s, const double *weight, ranked *sorted) {
  const size_t n = s->points;
  for (size_t i = 0; i < n; i++) {
    sorted[i] = (ranked){0, (double)i};
    for (size_t k = 0; k < n; k++) sorted[i].value += s->distance[i * n + k] * weight[k];
  }
  sort(sorted, n);
  for (size_t i = 0; i < n; i++) order[i] = (uint32_t)sorted[i].tag;
}

static void compare_profiles(sotto_i_gw_starts *starts, const sotto_i_gw_problem *s) {
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++) {
      const double *x = starts->left + i * quantiles, *y = starts->right + j * quantiles;
      double sum = 0;
      for (size_t k = 0; k < quantiles; k++) sum += (x[k] - y[k]) * (x[k] - y[k]);
      starts->profile[i * s->m + j] = sum / quantiles;
    }
}

sotto_status sotto_i_gw_starts_new(sotto_i_gw_starts **out, const sotto_i_gw_problem *s, sotto_error *err) {
  const size_t n = s->n, m = s->m, longer = n > m ? n : m;
  sotto_i_gw_starts *starts = NULL;
  ranked *sorted = NULL;
  double *numbers = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&starts, 1, sizeof *starts, err));
  SOTTO_TRY(sotto_i_new_raw(&numbers, 2 * n * m + (n + m) * (quantiles + 1) + m, sizeof *numbers, err));
  starts->memory = numbers;
  SOTTO_TRY(sotto_i_new_raw(&sorted, longer, sizeof *sorted, err));
  starts->profile = numbers;
  starts->cost = starts->profile + n * m;
  starts->left = starts->cost + n * m;
  starts->right = starts->left + n * quantiles;
  starts->row_order = (uint32_t *)(void *)(starts->right + m * quantiles);
  starts->col_order = starts->row_order + n;
  starts->partners = starts->col_order + m;
  make_profiles(starts->left, s->a, s->p, sorted);
  make_profiles(starts->right, s->b, s->q, sorted);
  compare_profiles(starts, s);
  order_by_mean(starts->row_order, s->a, s->p, sorted);
  order_by_mean(starts->col_order, s->b, s->q, sorted);
  starts->anchor = starts->row_order[n - 1];
  for (size_t j = 0; j < m; j++) sorted[j] = (ranked){starts->profile[starts->anchor * m + j], (double)j};
  sort(sorted, m);
  for (size_t j = 0; j < m; j++) starts->partners[j] = (uint32_t)sorted[j].tag;
done:
  sotto_i_free(sorted);
  if (status != SOTTO_OK) {
    sotto_i_gw_starts_free(starts);
    starts = NULL;
  }
  *out = starts;
  return status;
}

void sotto_i_gw_starts_free(sotto_i_gw_starts *starts) {
  if (starts == NULL) return;
  sotto_i_free(starts->memory);
  sotto_i_free(starts);
}

/* Profiles, the tie to partner number `which` - 2, and the feature cost. */
static void start_cost(const sotto_i_gw_starts *starts, const sotto_i_gw_problem *s, uint32_t which) {
  const size_t n = s->n, m = s->m;
  const double rest = 1 - s->alpha;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < m; j++) {
      double cost = starts->profile[i * m + j];
      if (which >= 2) {
        const double gap = s->a->distance[i * n + starts->anchor] -
                           s->b->distance[j * m + starts->partners[(which - 2) % m]];
        cost += 0.5 * gap * gap;
      }
      if (rest > 0) cost = s->alpha * cost + rest * s->feature_cost[i * m + j];
      starts->cost[i * m + j] = cost;
    }
}

sotto_status sotto_i_gw_start(sotto_i_gw_starts *starts, sotto_i_gw_problem *s, uint32_t which,
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (which == 0) {
    sotto_i_transport_start(&s->transport, starts->row_order, starts->col_order);
  } else {
    start_cost(starts, s, which);
    sotto_i_transport_greedy(&s->transport, starts->cost);
    SOTTO_TRY(sotto_i_transport_solve(&s->transport, starts->cost, err));
  }
  sotto_i_transport_plan(&s->transport, s->plan);
  sotto_i_gw_product_of_basis(s, s->product);
done:
  return status;
}
