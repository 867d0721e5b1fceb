/* The privacy statement and the result of a finished run, as JSON: releases, privacy cost, adversary, and
 * limits of the guarantee. sotto_train writes both into the run folder. */
#ifndef SOTTO_STATEMENT_H
#define SOTTO_STATEMENT_H

#include "sotto/methods.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The statement as JSON, indented, in fresh memory of the caller, to be freed with sotto_statement_free. Its
 * form is docs/statement.schema.json, for every method. Epsilon is composed from the charges that the run
 * made at any start; the planned one is `epsilon_planned`. `result` is that of sotto_train or
 * sotto_train_party with these options and data. Errors: NOMEM. */
SOTTO_API sotto_status sotto_statement_json(char **out, const sotto_options *options,
                                            const sotto_dataset *data, const sotto_result *result,
                                            sotto_error *err);
/* The result as JSON, one line without a line break, in fresh memory of the caller, to be freed with
 * sotto_statement_free: test and baseline (accuracy, auc, macro_f1: mean, std, runs), the statement under
 * "privacy", bytes by kind under "wire", seconds and memory. Arguments and errors as above. */
SOTTO_API sotto_status sotto_result_json(char **out, const sotto_options *options, const sotto_dataset *data,
                                         const sotto_result *result, sotto_error *err);
SOTTO_API void sotto_statement_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
