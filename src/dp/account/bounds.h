/* Bounds of privacy that every accountant's answer must lie between. They share no code with the accountants
 * of privacy loss distributions and of Gaussian differential privacy, so that a fault in these is
 * detected. */
#ifndef SOTTO_SRC_DP_ACCOUNT_BOUNDS_H
#define SOTTO_SRC_DP_ACCOUNT_BOUNDS_H

#include "dp/mechanisms/mechanism.h"

/* A query: epsilon at `delta`, or, when `delta` is 0, delta at `epsilon`. */
typedef struct sotto_i_bounds_query {
  double delta, epsilon;
} sotto_i_bounds_query;

/* Lower bound: what a distinguisher achieves with the releases of one mechanism of the list by counting the
 * runs in which an event occurs. Cost: some 20 microseconds a mechanism. */
double sotto_i_bounds_lower(const sotto_mechanism *list, size_t count, const sotto_i_bounds_query *query);

/* Upper bound: the smaller of those by Renyi divergences and by the sum of single releases. INFINITY (for
 * delta: 1) where neither gives one. `all`: at every order of the Renyi accountant; else at a few orders, at
 * a tenth of the cost. *at_end (or NULL): the first or the last order gives the bound, so other orders may
 * give a smaller one. Errors: NOMEM, INTERRUPTED. */
sotto_status sotto_i_bounds_upper(double *out, bool *at_end, const sotto_mechanism *list, size_t count,
                                  const sotto_i_bounds_query *query, bool all, sotto_error *err);

/* Checks an answer, epsilon or delta, against the bounds. Replaces it by the upper bound where that is
 * smaller by what rounding to a grid explains, and where there is no answer (INFINITY, a delta of 1). Errors:
 * NUMERIC, where the answer is outside of the bounds or not a number: a fault of the accountant; NOMEM,
 * INTERRUPTED. */
sotto_status sotto_i_bounds_within(double *value, const sotto_mechanism *list, size_t count,
                                   const sotto_i_bounds_query *query, sotto_accountant accountant,
                                   sotto_error *err);

#endif
