/* The result of a finished seed in its folder, for a resumed run: result.json. */
#ifndef SOTTO_SRC_RUN_STORAGE_SEED_FILE_H
#define SOTTO_SRC_RUN_STORAGE_SEED_FILE_H

#include "run/method/method.h"

bool sotto_i_seed_file_exists(const char *folder);
/* RUN/seed-N, fresh. Errors: NOMEM. */
sotto_status sotto_i_seed_path(char **out, const char *run, uint64_t seed, sotto_error *err);
/* INVALID where there is none: the training was cut off, or goes on. `run`: a folder with a statement may
 * lack it, since it was handed on without what is its owner's; NULL: none may. */
sotto_status sotto_i_seed_file_check(const char *run, const char *folder, sotto_error *err);
sotto_status sotto_i_seed_file_read(sotto_i_outcome *out, const char *folder, sotto_error *err);
sotto_status sotto_i_seed_file_write(const sotto_i_outcome *outcome, const char *folder,
                                     const sotto_options *options, sotto_error *err);

#endif
