/* The options with which a run folder was begun. */
#ifndef SOTTO_SRC_RUN_STORAGE_BEGUN_H
#define SOTTO_SRC_RUN_STORAGE_BEGUN_H

#include "sotto/options.h"

/* Checks that the options are those of FOLDER/run.yaml, if it exists: a statement describes one set of
 * options, whatever was charged before. Paths, threads and time limits may change. Errors: INVALID, naming
 * the option and both values; those of sotto_options_read. */
sotto_status sotto_i_check_begun(const sotto_options *options, const char *folder, sotto_error *err);

#endif
