/* The files of a finished run that programs read: statement.json and result.json. */
#ifndef SOTTO_SRC_RUN_STATEMENT_RESULT_H
#define SOTTO_SRC_RUN_STATEMENT_RESULT_H

#include "sotto/statement.h"

/* Writes both into the options' run folder. Errors: NOMEM, IO. */
sotto_status sotto_i_result_write(const sotto_options *options, const sotto_dataset *data,
                                  const sotto_result *result, sotto_error *err);
/* statement.json alone, and the key of the account that pays. */
sotto_status sotto_i_statement_write(const sotto_options *options, const sotto_dataset *data,
                                     const sotto_result *result, sotto_error *err);

#endif
