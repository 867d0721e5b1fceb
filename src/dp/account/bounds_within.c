/* An answer of an accountant between its bounds, and the upper bound where the accountant has no answer. */
#include <math.h>

#include "base/error.h"
#include "bounds.h"

/* What separates rounding from a fault: a distribution on a grid lies above the truth by some of this, and
 * the bounds below it are off by as little. */
static const double rounding_below = 1e-6, rounding_above = 0.5, small_epsilon = 0.02;
/* Where losses are large a grid is coarse, and where delta is small the bound is near the truth. */
static const double large_epsilon = 100, small_delta = 1e-20;

/* Is it worth to ask every order of a bound that lies above the answer? The first or the last of the few was
 * the best, and the others cost microseconds, or delta is small. */
static bool asks_all(const sotto_mechanism *list, size_t count, const sotto_i_bounds_query *query,
                     double value, bool at_end) {
  const bool of_delta = !(query->delta > 0);
  if (of_delta ? query->epsilon > large_epsilon || value >= 1 : value > large_epsilon) return true;
  return at_end && (!sotto_i_bounds_cost_time(list, count) || (!of_delta && query->delta < small_delta));
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
    const double most = upper * (1 + rounding_above) + (of_delta ? 1 : small_epsilon);
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
