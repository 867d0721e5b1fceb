/* Proof that a charge stands in a ledger. Only the calls here make one, so that what takes a receipt takes
 * nobody's word for it: released rows are marked as charged, and sent as releases, only with a receipt. */
#ifndef SOTTO_SRC_RELEASE_RECEIPT_H
#define SOTTO_SRC_RELEASE_RECEIPT_H

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

/* One draw of one of several disjoint parts of a dataset. What one edge (or node) is in is one part, so that
 * draws of different parts together cost what one of them does: parallel composition. The charge is made
 * unless as many charges as this part has draws stand already among those whose ids begin with `among`. All
 * draws among them must cost the same. The ledger keeps a list of draws, so that a draw is counted once,
 * whatever became of its file. */
SOTTO_MUST_USE sotto_status sotto_i_receipt_draw(sotto_i_receipt *out, sotto_ledger *ledger,
                                                 const uint8_t digest[32], const char *name,
                                                 const sotto_charge *charge, const char *among, uint32_t part,
                                                 sotto_error *err);

/* Gives rank 0's receipt to all ranks of a run, which wait for it: none has one before rank 0 has charged.
 * Errors: those of another rank. */
SOTTO_MUST_USE sotto_status sotto_i_receipt_give(sotto_i_receipt *receipt, sotto_ranks *ranks,
                                                 sotto_error *err);

bool sotto_i_receipt_holds(const sotto_i_receipt *receipt);

/* How many charges of an account have ids that begin so. */
sotto_status sotto_i_ledger_count(sotto_ledger *ledger, uint64_t *out, const uint8_t digest[32],
                                  const char *adjacency, const char *beginning, sotto_error *err);

/* The budgets of an account itself, edge and node; epsilon 0: none. Adds nothing up. */
sotto_status sotto_i_ledger_budgets(sotto_budget out[2], sotto_ledger *ledger, const uint8_t key[32],
                                    sotto_error *err);

#endif
