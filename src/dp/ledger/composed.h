/* Epsilons that a change of the ledger needs, composed while no transaction is open.
 *
 * A composition takes up to seconds, and others wait for a transaction. So whoever asks the budgets begins,
 * looks up the epsilons here, and where one is missing ends without a trace, composes it, and begins again.
 * What was composed is found by the very sums that it is of: if others charged meanwhile, the sums are new
 * ones. */
#ifndef SOTTO_SRC_DP_LEDGER_COMPOSED_H
#define SOTTO_SRC_DP_LEDGER_COMPOSED_H

#include "state.h"

typedef struct sotto_i_composition {
  sotto_i_sums sums;
  double delta, epsilon;
} sotto_i_composition;

/* Zero-initialise; end with sotto_i_composed_free. */
typedef struct sotto_i_composed {
  sotto_i_composition *known;
  size_t count, room;
  bool missing; /* the last one is still to be composed */
} sotto_i_composed;

void sotto_i_composed_free(sotto_i_composed *composed);

/* True: *epsilon is that of the sums at `delta`. False: they were noted as missing, if there was memory
 * (*status says so). */
bool sotto_i_composed_find(sotto_i_composed *composed, double *epsilon, const sotto_i_sums *sums,
                           double delta, sotto_status *status, sotto_error *err);

/* Outside of a transaction: composes what is missing. Errors: NOMEM, INTERRUPTED. */
sotto_status sotto_i_composed_complete(sotto_i_composed *composed, sotto_error *err);

#endif
