/* Paths in the run file of a run folder. */
#ifndef SOTTO_SRC_RUN_STORAGE_OWN_PATHS_H
#define SOTTO_SRC_RUN_STORAGE_OWN_PATHS_H

#include "sotto/options.h"

/* Makes relative paths of existing files absolute, because the run may be used later from another folder.
 * Symbolic links are not resolved. */
void sotto_i_own_paths(sotto_options *options);

#endif
