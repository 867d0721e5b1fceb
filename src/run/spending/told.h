/* Reports to the observer of an account's spending. */
#ifndef SOTTO_SRC_RUN_SPENDING_TOLD_H
#define SOTTO_SRC_RUN_SPENDING_TOLD_H

#include "sotto/ledger.h"

/* Adds the account's charges up and tells the observer the sum and the budget. Does nothing without a ledger
 * or an observer, and where the ledger cannot be read: whoever charges hears of that. The caller sees to it
 * that no other thread uses the ledger. */
void sotto_i_tell_spent(const sotto_observer *observer, sotto_ledger *ledger, const uint8_t digest[32],
                        const char *name, const char *adjacency);

#endif
