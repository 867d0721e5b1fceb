/* Paths of a run file as its folder keeps them. */
#ifndef SOTTO_SRC_RUN_STORAGE_OWN_PATHS_H
#define SOTTO_SRC_RUN_STORAGE_OWN_PATHS_H

#include "sotto/options.h"

/* Paths of files that are there, relative to where the program was called, become absolute: whoever asks the
 * run later may do so from another folder. Symbolic links stay as they are. */
void sotto_i_own_paths(sotto_options *options);

#endif
