/* The files of a finished run for programs: statement.json, result.json, and evidence.json. */
#ifndef SOTTO_SRC_RUN_STATEMENT_RESULT_H
#define SOTTO_SRC_RUN_STATEMENT_RESULT_H

#include "evidence.h"
#include "sotto/statement.h"

/* Writes all three into the options' run folder. Errors: NOMEM, IO, and those of signing. */
sotto_status sotto_i_result_write(const sotto_options *options, const sotto_dataset *data,
                                  const sotto_result *result, const sotto_i_signer *signer, sotto_error *err);
/* Writes only statement.json, its evidence, and the key of the paying account. */
sotto_status sotto_i_statement_write(const sotto_options *options, const sotto_dataset *data,
                                     const sotto_result *result, const sotto_i_signer *signer,
                                     sotto_error *err);

#endif
