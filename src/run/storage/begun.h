/* The options with which a run folder was begun. */
#ifndef SOTTO_SRC_RUN_STORAGE_BEGUN_H
#define SOTTO_SRC_RUN_STORAGE_BEGUN_H

#include "sotto/options.h"

/* The options are those of FOLDER/run.yaml, if it is there: a statement is of one set of options, whatever
 * was charged before. Where files lie, threads and limits of time may change. Errors: INVALID, naming the
 * option and both values; those of sotto_options_read. */
sotto_status sotto_i_check_begun(const sotto_options *options, const char *folder, sotto_error *err);

#endif
