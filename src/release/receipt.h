/* Receipts: proof that a charge is in a ledger. Only these functions make one. Released rows are marked as
 * charged, and sent as releases, only with a receipt. */
#ifndef SOTTO_SRC_RELEASE_RECEIPT_H
#define SOTTO_SRC_RELEASE_RECEIPT_H

#include "dp/ledger/state.h"
#include "ranks/ranks.h"
#include "sotto/dp.h"

/* A plain value; zeroed, it proves nothing. */
typedef struct sotto_i_receipt {
  uint8_t seal[32];
} sotto_i_receipt;

/* Charges as sotto_ledger_charge does. Errors: those of that call; the receipt then proves nothing. */
SOTTO_MUST_USE sotto_status sotto_i_receipt_charge(sotto_i_receipt *out, sotto_ledger *ledger,
                                                   const uint8_t digest[32], const char *name,
                                                   const sotto_charge *charges, size_t count,
                                                   sotto_error *err);

/* Charges one draw of one of several disjoint parts of a dataset. An edge (or node) is in one part alone, so
 * draws of different parts together cost as much as one of them: parallel composition. Let `among` be the
 * prefix of their ids. A charge is made only when this part has at least as many draws as there are charges
 * with the prefix. All draws of one prefix must have the same privacy cost. The ledger records draws, so that
 * each counts once even when its file is lost. */
SOTTO_MUST_USE sotto_status sotto_i_receipt_draw(sotto_i_receipt *out, sotto_ledger *ledger,
                                                 const uint8_t digest[32], const char *name,
                                                 const sotto_charge *charge, const char *among, uint32_t part,
                                                 sotto_error *err);

/* Gives rank 0's receipt to all ranks of a run, which wait for it: none has one before rank 0 has charged.
 * Errors: those of another rank. */
SOTTO_MUST_USE sotto_status sotto_i_receipt_give(sotto_i_receipt *receipt, sotto_ranks *ranks,
                                                 sotto_error *err);

bool sotto_i_receipt_holds(const sotto_i_receipt *receipt);

/* Number of charges of an account whose ids have this prefix. */
sotto_status sotto_i_ledger_count(sotto_ledger *ledger, uint64_t *out, const uint8_t digest[32],
                                  const char *adjacency, const char *beginning, sotto_error *err);

/* The budgets of the account itself, by level; epsilon 0: none. Nothing is composed. */
sotto_status sotto_i_ledger_budgets(sotto_budget out[SOTTO_I_LEDGER_LEVELS], sotto_ledger *ledger,
                                    const uint8_t key[32], sotto_error *err);

#endif
