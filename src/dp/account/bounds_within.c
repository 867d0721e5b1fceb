/* An answer of an accountant between its bounds, and the upper bound where the accountant has no answer. */
#include <math.h>

#include "base/error.h"
#include "bounds.h"

/* What separates rounding from a fault: a distribution on a grid lies above the truth by some of this, and
 * the bounds below it are off by as little. */
static const double rounding_below = 1e-6, rounding_above = 0.5, small_epsilon = 0.02;
/* Where losses are large a grid is coarse, and every order is asked. */
static const double large_epsilon = 100;
/* Of sampled mechanisms a grid is no finer than this (pld.c), and adds about runs / 12 width^2 (slope + 1) to
 * epsilon: where that is more than a part of it, every order is asked too. */
static const double finest_sampled = 1e-4, rough_part = 5e-4;

static bool is_rough(const sotto_mechanism *list, size_t count, double epsilon, double delta) {
  double runs = 0;
  for (size_t i = 0; i < count; i++)
    if (sotto_i_mechanism_is_sampled(&list[i])) runs += sotto_i_mechanism_runs(&list[i]);
  const double slope = 2 * -log(delta) / epsilon;
  return runs / 12 * finest_sampled * finest_sampled * (slope + 1) > rough_part * epsilon;
}

/* May every order show less than the few, and than the answer? The others cost microseconds where nothing is
 * sampled. */
static bool asks_all(const sotto_mechanism *list, size_t count, const sotto_i_bounds_query *query,
                     double value, bool at_end) {
  const bool of_delta = !(query->delta > 0);
  if (of_delta ? query->epsilon > large_epsilon || value >= 1 : value > large_epsilon) return true;
  if (!sotto_i_bounds_cost_time(list, count)) return at_end;
  return !of_delta && is_rough(list, count, value, query->delta);
}

sotto_status sotto_i_bounds_within(double *value, const sotto_mechanism *list, size_t count,
                                   const sotto_i_bounds_query *query, sotto_accountant accountant,
                                   sotto_error *err) {
  sotto_status status = SOTTO_OK;
  const bool of_delta = !(query->delta > 0);
  const double slack = of_delta ? 1e-300 : rounding_below;
  const double lower = sotto_i_bounds_lower(list, count, query);
  double upper = INFINITY;
  bool at_end = false;
  SOTTO_TRY(sotto_i_bounds_upper(&upper, &at_end, list, count, query, false, err));
  if (!(*value <= upper) || asks_all(list, count, query, *value, at_end)) {
    SOTTO_TRY(sotto_i_bounds_upper(&upper, NULL, list, count, query, true, err));
    /* The Renyi accountant keeps to its own orders, and may lie far above. */
    const bool pessimistic = accountant == SOTTO_ACCOUNTANT_RDP || of_delta;
    const double most = pessimistic ? INFINITY : upper * (1 + rounding_above) + small_epsilon;
    if (*value <= most || *value == INFINITY) *value = fmin(*value, upper);
  }
  if (*value >= lower * (1 - rounding_below) - slack && *value <= upper) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_NUMERIC,
      "the accountant %s gives %s %g, and the truth lies between %g and %g: this is a fault of "
      "the accountant; take another one, and report these mechanisms",
      sotto_accountant_name(accountant), of_delta ? "delta" : "epsilon", *value, lower, upper);
done:
  return status;
}
