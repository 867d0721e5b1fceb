/* Bounds of privacy that an accountant's answer must lie between. They share no code with the accountants of
 * privacy loss distributions and of Gaussian differential privacy, so that a fault in one of these is seen.
 */
#ifndef SOTTO_SRC_DP_ACCOUNT_BOUNDS_H
#define SOTTO_SRC_DP_ACCOUNT_BOUNDS_H

#include "dp/mechanisms/mechanism.h"

/* What is asked of a list: epsilon at `delta`, or, when `delta` is 0, delta at `epsilon`. */
typedef struct sotto_i_bounds_query {
  double delta, epsilon;
} sotto_i_bounds_query;

/* What a distinguisher achieves with the releases of one mechanism of the list: it counts in how many runs an
 * event occurs. The truth is never below. Cost: some 20 microseconds a mechanism. */
double sotto_i_bounds_lower(const sotto_mechanism *list, size_t count, const sotto_i_bounds_query *query);

/* The least of what Renyi divergences and the sum of single releases show; INFINITY (of delta: 1) where they
 * show nothing. The truth is never above. `all`: at every order of the Renyi accountant, else at a few, which
 * costs a tenth; *at_end (or NULL): the first or the last order shows most, so that others may show more.
 * Errors: NOMEM, INTERRUPTED. */
sotto_status sotto_i_bounds_upper(double *out, bool *at_end, const sotto_mechanism *list, size_t count,
                                  const sotto_i_bounds_query *query, bool all, sotto_error *err);

/* Of sampled mechanisms a Renyi divergence at every order takes up to a millisecond, of others a microsecond.
 */
bool sotto_i_bounds_cost_time(const sotto_mechanism *list, size_t count);

/* Sets an answer, epsilon or delta, to the upper bound where that is the tighter by what rounding to a grid
 * explains, and where there is none (INFINITY, a delta of 1). Errors: NUMERIC, where it lies outside of the
 * bounds or is not a number, which is a fault of the accountant and never an answer; NOMEM, INTERRUPTED. */
sotto_status sotto_i_bounds_within(double *value, const sotto_mechanism *list, size_t count,
                                   const sotto_i_bounds_query *query, sotto_accountant accountant,
                                   sotto_error *err);

#endif
