/* The options with which a run folder was begun. */
#ifndef SOTTO_SRC_RUN_STORAGE_BEGUN_H
#define SOTTO_SRC_RUN_STORAGE_BEGUN_H

#include "sotto/options.h"

/* Checks that the options are those of FOLDER/run.yaml, if it exists: a statement describes one set of
 * options. Paths, threads and time limits may change, and `anyway` from ask to
 * gain, which answers a question. Errors: INVALID, naming the option and both values; those of
 * sotto_options_read. */
sotto_status sotto_i_check_begun(const sotto_options *options, const char *folder, sotto_error *err);

/* *out: do these options answer the question at which the run of FOLDER/run.yaml ended? True where they
 * differ in `anyway` alone, as above, and the folder has no draw of a release, so that nothing was charged.
 * Errors: those of reading. */
sotto_status sotto_i_begun_answered(bool *out, const sotto_options *options, const char *folder,
                                    sotto_error *err);
/* Writes the answer to FOLDER/run.yaml, if that has none. */
sotto_status sotto_i_begun_keep_answer(const sotto_options *options, const char *folder, sotto_error *err);

#endif
