/* Charges of releases, and reports to the observer of what an account has spent. */
#ifndef SOTTO_SRC_RELEASE_CHARGE_H
#define SOTTO_SRC_RELEASE_CHARGE_H

#include "artifact.h"
#include "draw.h"

/* Adds the account's charges up and tells the observer the sum and the budget. Does nothing without a ledger
 * or an observer, and where the ledger cannot be read: whoever charges hears of that. The caller sees to it
 * that no other thread uses the ledger. */
void sotto_i_tell_spent(const sotto_observer *observer, sotto_ledger *ledger, const uint8_t digest[32],
                        const char *name, const char *adjacency);

/* Charges all items of an artifact for this draw, in one transaction where it is no part. Errors: REFUSED and
 * the ledger's others. */
SOTTO_MUST_USE sotto_status sotto_i_artifact_charge(sotto_i_receipt *out, const sotto_i_artifact *artifact,
                                                    const sotto_i_draw *draw, sotto_error *err);

#endif
