/* The files of a finished run that programs read: statement.json, result.json, and evidence.json. */
#ifndef SOTTO_SRC_RUN_STATEMENT_RESULT_H
#define SOTTO_SRC_RUN_STATEMENT_RESULT_H

#include "evidence.h"
#include "sotto/statement.h"

/* Writes both, and the evidence, into the options' run folder. Errors: NOMEM, IO, and those of signing. */
sotto_status sotto_i_result_write(const sotto_options *options, const sotto_dataset *data,
                                  const sotto_result *result, const sotto_i_signer *signer, sotto_error *err);
/* statement.json with its evidence alone, and the key of the account that pays. */
sotto_status sotto_i_statement_write(const sotto_options *options, const sotto_dataset *data,
                                     const sotto_result *result, const sotto_i_signer *signer,
                                     sotto_error *err);

#endif
