/* The Gromov-Wasserstein distance: every start, the solver, the best plan. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "gw/problem.h"

/* Takes the plan that stands in the problem when it is better than the best so far. */
static void keep_best(sotto_i_gw_problem *s, sotto_gw_result *result, uint32_t start) {
  const double value = sotto_i_gw_value_exact(s, s->plan, s->product);
  if (start > 0 && !(value < result->value)) return;
  result->value = value;
  result->start = start;
  memcpy(s->best, s->plan, s->n * s->m * sizeof *s->best);
}

/* More starts than this give nothing new. */
static uint32_t useful_starts(const sotto_i_gw_problem *s, const sotto_gw_options *options) {
  if (s->n == 1 || s->m == 1) return 1;
  const uint64_t most = 2 + (uint64_t)s->m;
  return options->starts < most ? options->starts : (uint32_t)most;
}

sotto_status sotto_gw_distance(sotto_gw_result *result, double *plan, const sotto_gw_space *a,
                               const sotto_gw_space *b, const sotto_gw_options *options, sotto_error *err) {
  const sotto_gw_options defaults = sotto_gw_defaults();
  sotto_i_gw_problem s = {0};
  sotto_i_gw_starts *starts = NULL;
  sotto_status status;
  *result = (sotto_gw_result){0};
  if (options == NULL) options = &defaults;
  SOTTO_TRY(sotto_i_gw_problem_new(&s, a, b, options, err));
  SOTTO_TRY(sotto_i_gw_starts_new(&starts, &s, err));
  const uint32_t count = useful_starts(&s, options);
  for (uint32_t which = 0; which < count; which++) {
    SOTTO_TRY(sotto_i_gw_start(starts, &s, which, err));
    if (options->solver == SOTTO_GW_CONDITIONAL)
      SOTTO_TRY(sotto_i_gw_descend(&s, options, &result->iterations, err));
    else
      SOTTO_TRY(sotto_i_gw_sinkhorn(&s, options, &result->iterations, err));
    keep_best(&s, result, which);
    if (result->value == 0) break;
  }
  if (plan != NULL) memcpy(plan, s.best, s.n * s.m * sizeof *plan);
done:
  sotto_i_gw_starts_free(starts);
  sotto_i_gw_problem_free(&s);
  return status;
}
