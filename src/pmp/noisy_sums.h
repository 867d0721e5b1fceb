/* One noisy sum over neighbours that keeps its length, for methods that read more than a direction. */
#ifndef SOTTO_SRC_PMP_NOISY_SUMS_H
#define SOTTO_SRC_PMP_NOISY_SUMS_H

#include "sotto/pmp.h"

/* out (fresh, n x d): for each node the sum of its neighbours' rows, its own row left out, plus the plan's
 * noise. Rows of norm above 1 are cut to 1, shorter ones stay as they are, so an edge moves two sums by at
 * most 1 each and the sensitivity is that of SUM, which `plan` has: one layer, without self, activation or
 * normalisation after the noise. Sums are whole numbers of 2^-24; row v uses the stream (key, noise, 1, v).
 * A plan without noise gives exact sums. It is not paid for. Errors: NUMERIC (rows not finite), INVALID (key,
 * rows), NOMEM, INTERRUPTED. */
sotto_status sotto_i_noisy_sums(sotto_matrix *out, const sotto_pmp_plan *plan, const sotto_graph *graph,
                                const sotto_matrix *rows, const sotto_key *key, sotto_error *err);

#endif
