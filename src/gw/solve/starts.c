/* Where descents begin (docs/gw.md): the vertex to which conditional gradient goes from the product plan,
 * that is both sides sorted by mean distance; the plan that matches points by their profiles, the
 * distribution of a point's distances; and such plans with the most outlying point of a tied to one of b,
 * which tells points of equal profile apart. */
#include "base/memory.h"
#include "gw/solve/problem.h"

struct sotto_i_gw_starts {
  double *profile;    /* n x m: mean squared distance of the quantiles, which bounds the loss from below */
  double *cost;       /* n x m */
  uint32_t anchor;    /* the point of a that is tied */
  uint32_t *partners; /* points of b, the most alike to it first */
  void *memory;
};

/* |x - y|^2 = |x|^2 + |y|^2 - 2 <x, y> of all profiles x of a and y of b. */
static void compare_profiles(sotto_i_gw_starts *starts, const sotto_i_gw_problem *s) {
  enum { quantiles = SOTTO_I_GW_QUANTILES };
  const sotto_i_gw_side *a = s->a, *b = s->b;
  sotto_i_gw_blocks(starts->profile, s->n, s->m, a->profile, a->stride, b->profile, b->stride, quantiles);
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++) {
      double *cell = &starts->profile[i * s->m + j];
      *cell = (a->length[i] + b->length[j] - 2 * *cell) / quantiles;
    }
}

/* Equals stay in the order of their index. */
static void sort_partners(sotto_i_gw_starts *starts, size_t m) {
  const double *profile = starts->profile + starts->anchor * m;
  for (uint32_t j = 0; j < m; j++) {
    uint32_t at = j;
    for (; at > 0 && profile[starts->partners[at - 1]] > profile[j]; at--)
      starts->partners[at] = starts->partners[at - 1];
    starts->partners[at] = j;
  }
}

sotto_status sotto_i_gw_starts_new(sotto_i_gw_starts **out, const sotto_i_gw_problem *s, sotto_error *err) {
  const size_t n = s->n, m = s->m;
  sotto_i_gw_starts *starts = NULL;
  double *numbers = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&starts, 1, sizeof *starts, err));
  if (s->a->profile == NULL || s->b->profile == NULL) goto done;
  SOTTO_TRY(sotto_i_new_raw(&numbers, 2 * n * m + m, sizeof *numbers, err));
  starts->memory = numbers;
  starts->profile = numbers;
  starts->cost = starts->profile + n * m;
  starts->partners = (uint32_t *)(void *)(starts->cost + n * m);
  starts->anchor = s->a->order[n - 1];
  compare_profiles(starts, s);
  sort_partners(starts, m);
done:
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
  const size_t n = s->n, m = s->m, partner = which < 2 ? 0 : starts->partners[(which - 2) % m];
  const double rest = 1 - s->alpha, tie = which < 2 ? 0 : 0.5;
  const double *from = s->a->space.distance + starts->anchor * n, *to = s->b->space.distance + partner * m;
  for (size_t i = 0; i < n; i++) {
    double *cost = starts->cost + i * m;
    const double *profile = starts->profile + i * m;
    for (size_t j = 0; j < m; j++) cost[j] = profile[j] + tie * (from[i] - to[j]) * (from[i] - to[j]);
    if (rest > 0)
      for (size_t j = 0; j < m; j++) cost[j] = s->alpha * cost[j] + rest * s->feature_cost[i * m + j];
  }
}

sotto_status sotto_i_gw_start(sotto_i_gw_starts *starts, sotto_i_gw_problem *s, uint32_t which,
                              sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (which == 0) {
    sotto_i_transport_start(&s->transport, s->a->order, s->b->order);
  } else {
    const sotto_i_transport_costs costs = {.matrix = starts->cost};
    start_cost(starts, s, which);
    sotto_i_transport_greedy(&s->transport, &costs);
    SOTTO_TRY(sotto_i_transport_solve(&s->transport, &costs, err));
  }
  sotto_i_transport_plan(&s->transport, s->plan);
  sotto_i_gw_product_of_basis(s, s->product);
done:
  return status;
}
