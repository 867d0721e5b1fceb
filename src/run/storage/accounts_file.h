/* RUN/owner-only/accounts: the keys of the accounts that pay for a run, written when it begins.
 *
 * A dataset's own key follows from its edges or its labels. The accounts at the beginning pay for all
 * releases of the run, however the data changes later. Otherwise the existence of a charge would depend on
 * private changes, and epsilon could not be composed from all charges of the run. */
#ifndef SOTTO_SRC_RUN_SPENDING_ACCOUNTS_FILE_H
#define SOTTO_SRC_RUN_SPENDING_ACCOUNTS_FILE_H

#include "sotto/methods.h"

/* Writes the accounts of the plan, unless the file exists. Errors: IO, NOMEM. */
sotto_status sotto_i_accounts_keep(const sotto_cost *cost, const char *run, sotto_error *err);
/* Sets the accounts of a plan, or of a dataset, to those of the run in this folder, if it has them. Errors:
 * IO, NOMEM, CORRUPT. */
sotto_status sotto_i_accounts_take(sotto_cost *cost, const char *run, sotto_error *err);
sotto_status sotto_i_accounts_take_data(sotto_dataset *data, const char *run, sotto_error *err);
/* Key of the account that pays for the data of the run in this folder; *found is false if there is none.
 * Errors: the same. */
sotto_status sotto_i_accounts_data_key(uint8_t key[32], bool *found, const char *run, sotto_error *err);

#endif
