/* Epsilons that a change of the ledger needs, composed while no transaction is open.
 *
 * A composition takes up to seconds, and other processes wait for a transaction. So a budget check begins a
 * transaction and looks up the epsilons here. If one is missing, it ends the transaction without a change,
 * composes the epsilon, and begins again. The key of an epsilon is its exact sums: charges by others in the
 * meantime give new sums. */
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
  bool missing; /* the last one has still to be composed */
} sotto_i_composed;

void sotto_i_composed_free(sotto_i_composed *composed);

/* True: *epsilon is that of the sums at `delta`. False: the sums were recorded as missing; *status is NOMEM
 * if that failed. */
bool sotto_i_composed_find(sotto_i_composed *composed, double *epsilon, const sotto_i_sums *sums,
                           double delta, sotto_status *status, sotto_error *err);

/* Composes the missing epsilon; not inside a transaction. Errors: NOMEM, INTERRUPTED. */
sotto_status sotto_i_composed_complete(sotto_i_composed *composed, sotto_error *err);

#endif
