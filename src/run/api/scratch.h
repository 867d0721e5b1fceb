/* Private folders under the system's temporary folder. */
#ifndef SOTTO_SRC_RUN_API_SCRATCH_H
#define SOTTO_SRC_RUN_API_SCRATCH_H

#include "sotto/base.h"

/* A new folder for this user alone, its path in fresh memory. Errors: IO, NOMEM. */
sotto_status sotto_i_scratch_new(char **out, sotto_error *err);
/* Removes it with all that is in it, and frees the path. NULL is fine. Links are removed, not followed. */
void sotto_i_scratch_free(char *path);

#endif
