/* Receipts: proof that a charge is in a ledger. Only these functions make one. Released rows are marked as
 * charged, and sent as releases, only with a receipt. */
#ifndef SOTTO_SRC_RELEASE_RECEIPT_H
#define SOTTO_SRC_RELEASE_RECEIPT_H

#include "ranks/ranks.h"
#include "sotto/dp.h"

/* A plain value; zeroed, it proves nothing. */
typedef struct sotto_i_receipt {
  uint8_t seal[32];
} sotto_i_receipt;

/* A receipt of charges that the ledger has, by their ids. Errors: CORRUPT (it lacks one), IO, NOMEM; the
 * receipt then proves nothing. */
SOTTO_MUST_USE sotto_status sotto_i_receipt_of(sotto_i_receipt *out, sotto_ledger *ledger,
                                               const sotto_charge *charges, size_t count, sotto_error *err);

/* Gives rank 0's receipt to all ranks of a run, which wait for it: none has one before rank 0 has charged.
 * Errors: those of another rank. */
SOTTO_MUST_USE sotto_status sotto_i_receipt_give(sotto_i_receipt *receipt, sotto_ranks *ranks,
                                                 sotto_error *err);

bool sotto_i_receipt_holds(const sotto_i_receipt *receipt);

#endif
