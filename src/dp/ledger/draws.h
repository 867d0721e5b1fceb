/* Charges for draws of disjoint parts of a dataset, and what the ledger has of given ids. */
#ifndef SOTTO_SRC_DP_LEDGER_DRAWS_H
#define SOTTO_SRC_DP_LEDGER_DRAWS_H

#include "sotto/dp.h"
#include "state.h"

/* Charges one draw of one of several disjoint parts of a dataset. An edge (or node) is in one part alone, so
 * draws of different parts together cost as much as one of them: parallel composition. Let `among` be the
 * prefix of their ids. A charge is made only when this part has at least as many draws as there are charges
 * with the prefix. All draws of one prefix must have the same privacy cost. The ledger records draws, so that
 * each counts once even when its file is lost. */
SOTTO_MUST_USE sotto_status sotto_i_ledger_draw(sotto_ledger *ledger, const uint8_t digest[32],
                                                const char *name, const sotto_charge *charge,
                                                const char *among, uint32_t part, sotto_error *err);

/* Does the ledger have an entry with this id? */
sotto_status sotto_i_ledger_has(sotto_ledger *ledger, bool *out, const char *id, sotto_error *err);

/* Number of charges of an account whose ids have this prefix. */
sotto_status sotto_i_ledger_count(sotto_ledger *ledger, uint64_t *out, const uint8_t digest[32],
                                  const char *adjacency, const char *beginning, sotto_error *err);

/* The budgets of the account itself, by level; epsilon 0: none. Nothing is composed. */
sotto_status sotto_i_ledger_budgets(sotto_budget out[SOTTO_I_LEDGER_LEVELS], sotto_ledger *ledger,
                                    const uint8_t key[32], sotto_error *err);

#endif
