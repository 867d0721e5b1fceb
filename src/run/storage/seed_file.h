/* The result of a finished seed in its folder, for a resumed run: result.json. */
#ifndef SOTTO_SRC_RUN_STORAGE_SEED_FILE_H
#define SOTTO_SRC_RUN_STORAGE_SEED_FILE_H

#include "run/method/method.h"

bool sotto_i_seed_file_exists(const char *folder);
/* INVALID where a run without a statement has none: the training was cut off, or goes on. A finished run that
 * was handed on may lack it. */
sotto_status sotto_i_seed_file_check(const char *run, const char *folder, sotto_error *err);
sotto_status sotto_i_seed_file_read(sotto_i_outcome *out, const char *folder, sotto_error *err);
sotto_status sotto_i_seed_file_write(const sotto_i_outcome *outcome, const char *folder,
                                     const sotto_options *options, sotto_error *err);

#endif
