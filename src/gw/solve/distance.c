/* The Gromov-Wasserstein distance: every start, the solver, the best plan. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "gw/solve/problem.h"

/* The best distinct plans so far, best first. */
enum { most_kept = 4 };
static const double rounding = 1e-12, single_rounding = 1e-6;
static const double small_gain =
    1e-4; /* of the terms of the value: from there on exchanges gain more a second */
static const double nearly_zero = 1e-4; /* of the terms of the value: then it is looked at closely */

typedef struct kept {
  size_t count, cells;
  double value[most_kept];
  uint32_t start[most_kept];
  double *plan[most_kept];
} kept;

/* Plans of equal value are taken for the same one up to a symmetry of the graphs. */
static bool is_known(const double *values, size_t count, double value, double slack) {
  for (size_t i = 0; i < count; i++)
    if (fabs(values[i] - value) <= slack * fabs(value)) return true;
  return false;
}

static void keep(kept *k, const double *plan, double value, uint32_t start) {
  size_t at = k->count;
  if (is_known(k->value, k->count, value, single_rounding)) return;
  while (at > 0 && value < k->value[at - 1]) at--;
  if (at == most_kept) return;
  if (k->count < most_kept) k->count++;
  double *freed = k->plan[k->count - 1];
  for (size_t i = k->count - 1; i > at; i--) {
    k->value[i] = k->value[i - 1];
    k->start[i] = k->start[i - 1];
    k->plan[i] = k->plan[i - 1];
  }
  k->value[at] = value;
  k->start[at] = start;
  k->plan[at] = freed;
  memcpy(freed, plan, k->cells * sizeof *plan);
}

/* More starts than this give nothing new. */
static uint32_t useful_starts(const sotto_i_gw_problem *s, const sotto_gw_options *options) {
  if (s->n == 1 || s->m == 1) return 1;
  const uint64_t most = 2 + (uint64_t)s->m;
  return options->starts < most ? options->starts : (uint32_t)most;
}

/* Every start, brought down by exchanges, which are cheap; the first, where conditional gradient from the
 * product plan goes, by that alone before, as long as its steps gain more than exchanges do. One that begins
 * as another did ends as it did. Stops at the value 0. */
static sotto_status try_starts(kept *k, sotto_i_gw_problem *s, const sotto_gw_options *options,
                               uint32_t *steps, sotto_error *err) {
  sotto_i_gw_starts *starts = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_gw_starts_new(&starts, s, err));
  const uint32_t count = useful_starts(s, options);
  double begun[SOTTO_I_GW_STARTS];
  sotto_gw_options first = *options;
  first.tolerance = fmax(first.tolerance, small_gain);
  for (uint32_t which = 0; which < count; which++) {
    SOTTO_TRY(sotto_i_gw_start(starts, s, which, err));
    if (which == 0) SOTTO_TRY(sotto_i_gw_descend(s, &first, false, steps, err));
    sotto_i_gw_gradient(s, s->gradient, s->product);
    begun[which] = sotto_i_gw_value_by_gradient(s, s->plan, s->gradient);
    if (is_known(begun, which, begun[which], rounding)) continue;
    const double value = begun[which] - sotto_i_gw_exchange(s, options->tolerance * s->scale);
    keep(k, s->plan, value, which);
    if (value < nearly_zero * s->scale && sotto_i_gw_value_exact(s, s->plan) == 0) break;
  }
done:
  sotto_i_gw_starts_free(starts);
  return status;
}

/* Takes the plan that stands in the problem when it is better than the best so far. */
static void keep_best(sotto_i_gw_problem *s, sotto_gw_result *result, uint32_t start) {
  const double value = sotto_i_gw_value_exact(s, s->plan);
  if (!(value < result->value)) return;
  result->value = value;
  result->start = start;
  memcpy(s->best, s->plan, s->n * s->m * sizeof *s->best);
}

/* A single start ends with its exchanges; of several the best go on. */
static sotto_status solve(sotto_gw_result *result, sotto_i_gw_problem *s, kept *k,
                          const sotto_gw_options *options, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(try_starts(k, s, options, &result->iterations, err));
  for (size_t i = 0; i < k->count && result->value > 0; i++) {
    memcpy(s->plan, k->plan[i], k->cells * sizeof *s->plan);
    if (options->starts > 1) {
      sotto_i_gw_product(s, s->product, s->plan);
      sotto_i_gw_gradient(s, s->gradient, s->product);
      sotto_i_transport_greedy(&s->transport, &(sotto_i_transport_costs){.matrix = s->gradient});
      SOTTO_TRY(sotto_i_gw_descend(s, options, true, &result->iterations, err));
    }
    keep_best(s, result, k->start[i]);
  }
done:
  return status;
}

/* The entropic solvers begin at the product plan, and have no ties to break. */
static sotto_status solve_entropic(sotto_gw_result *result, sotto_i_gw_problem *s,
                                   const sotto_gw_options *options, sotto_error *err) {
  for (size_t i = 0; i < s->n; i++)
    for (size_t j = 0; j < s->m; j++) s->plan[i * s->m + j] = s->p[i] * s->q[j];
  sotto_i_gw_product(s, s->product, s->plan);
  sotto_status status = sotto_i_gw_sinkhorn(s, options, &result->iterations, err);
  if (status == SOTTO_OK) keep_best(s, result, 0);
  return status;
}

sotto_status sotto_i_gw_distance(sotto_gw_result *result, double *plan, const sotto_i_gw_side *a,
                                 const sotto_i_gw_side *b, const sotto_gw_options *options,
                                 sotto_error *err) {
  sotto_i_gw_problem s = {0};
  double *plans = NULL;
  sotto_status status;
  *result = (sotto_gw_result){.value = INFINITY};
  SOTTO_TRY(sotto_i_gw_problem_new(&s, a, b, options, err));
  if (options->solver == SOTTO_GW_CONDITIONAL) {
    kept k = {.cells = s.n * s.m};
    SOTTO_TRY(sotto_i_new_raw(&plans, most_kept * k.cells, sizeof *plans, err));
    for (size_t i = 0; i < most_kept; i++) k.plan[i] = plans + i * k.cells;
    SOTTO_TRY(solve(result, &s, &k, options, err));
  } else {
    SOTTO_TRY(solve_entropic(result, &s, options, err));
  }
  if (plan != NULL) memcpy(plan, s.best, s.n * s.m * sizeof *plan);
done:
  sotto_i_free(plans);
  sotto_i_gw_problem_free(&s);
  return status;
}

sotto_status sotto_gw_distance(sotto_gw_result *result, double *plan, const sotto_gw_space *a,
                               const sotto_gw_space *b, const sotto_gw_options *options, sotto_error *err) {
  const sotto_gw_options defaults = sotto_gw_defaults();
  sotto_i_gw_side left = {0}, right = {0};
  sotto_status status;
  *result = (sotto_gw_result){.value = INFINITY};
  if (options == NULL) options = &defaults;
  SOTTO_TRY(sotto_i_gw_side_new(&left, a, "a", options, true, err));
  SOTTO_TRY(sotto_i_gw_side_new(&right, b, "b", options, false, err));
  SOTTO_TRY(sotto_i_gw_distance(result, plan, &left, &right, options, err));
done:
  sotto_i_gw_side_free(&left);
  sotto_i_gw_side_free(&right);
  return status;
}
