/* Checks that the files of a finished run, which later commands use, are those of the training.
 * evidence.json has the digests of files for other people. owner-only/digests.json has those of files for the
 * owner alone, since a digest can reveal a file. */
#ifndef SOTTO_SRC_RUN_FILES_KEPT_CHECK_H
#define SOTTO_SRC_RUN_FILES_KEPT_CHECK_H

#include "sotto/base.h"

/* SHA-256 of a file, in hexadecimal. Errors: IO, NOT_FOUND. */
sotto_status sotto_i_file_digest(char out[65], const char *folder, const char *name, sotto_error *err);

/* Writes owner-only/digests.json, where there is a file for it. Errors: IO, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_kept_write(const char *run, sotto_error *err);
/* Fails where the file `name` of the run folder, or of its owner-only/, is another one than at the end of the
 * training. `below`: a folder in it with a slash at its end, or empty. A file that is not there, and one
 * without a digest, pass. Errors: CORRUPT, naming the file; IO, NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_kept_check(const char *run, const char *below, const char *name,
                                               sotto_error *err);
/* The same of run.yaml, facts, schema.yaml, and the model of a seed. */
SOTTO_MUST_USE sotto_status sotto_i_kept_check_model(const char *run, uint64_t seed, sotto_error *err);

#endif
