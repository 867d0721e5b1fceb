/* Private folders under the system's temporary folder. */
#ifndef SOTTO_SRC_RUN_TRAIN_SCRATCH_H
#define SOTTO_SRC_RUN_TRAIN_SCRATCH_H

#include "sotto/base.h"

/* Creates a folder for this user only; its path is fresh. Errors: IO, NOMEM. */
sotto_status sotto_i_scratch_new(char **out, sotto_error *err);
/* Removes the folder with its contents, and frees the path. NULL is allowed. Links are removed, not
 * followed. */
void sotto_i_scratch_free(char *path);

#endif
