/* Reports to the observer of an account's spending. */
#include "told.h"

#include "base/progress.h"

void sotto_i_tell_spent(const sotto_observer *observer, sotto_ledger *ledger, const uint8_t digest[32],
                        const char *name, const char *adjacency) {
  sotto_ledger_account account;
  sotto_spent spent;
  if (observer == NULL || observer->event == NULL || ledger == NULL) return;
  if (sotto_ledger_account_of(ledger, &account, digest, name, NULL) != SOTTO_OK ||
      sotto_ledger_spent(ledger, &spent, account.key, adjacency, NULL) != SOTTO_OK)
    return;
  sotto_i_event(observer, &(sotto_event){.kind = SOTTO_EVENT_SPENT,
                                         .epsilon = spent.epsilon,
                                         .delta = spent.delta,
                                         .budget = spent.budget.epsilon});
}
