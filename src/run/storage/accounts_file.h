/* RUN/owner-only/accounts: the keys of the accounts that pay for a run, from its beginning on.
 *
 * A dataset's own key follows from its edges, or its labels. What a run releases is paid by the accounts that
 * it began with, whatever became of the data since: whether a charge stands already must not follow from
 * that, and epsilon is composed from all charges of the run. */
#ifndef SOTTO_SRC_RUN_SPENDING_ACCOUNTS_FILE_H
#define SOTTO_SRC_RUN_SPENDING_ACCOUNTS_FILE_H

#include "sotto/methods.h"

/* Writes the accounts of the plan, where there is no such file yet. Errors: IO, NOMEM. */
sotto_status sotto_i_accounts_keep(const sotto_cost *cost, const char *run, sotto_error *err);
/* Gives a plan, or a dataset, the accounts of the run in this folder, where they were written. Errors: IO,
 * NOMEM, CORRUPT. */
sotto_status sotto_i_accounts_take(sotto_cost *cost, const char *run, sotto_error *err);
sotto_status sotto_i_accounts_take_data(sotto_dataset *data, const char *run, sotto_error *err);
/* The key of the account that pays for the data of the run in this folder; *found: false where none was
 * written. Errors: the same. */
sotto_status sotto_i_accounts_data_key(uint8_t key[32], bool *found, const char *run, sotto_error *err);

#endif
