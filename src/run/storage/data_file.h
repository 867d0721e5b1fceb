/* Digest of a run's dataset: for the owner in its folder, and for others in the statement. */
#ifndef SOTTO_SRC_RUN_STORAGE_DATA_FILE_H
#define SOTTO_SRC_RUN_STORAGE_DATA_FILE_H

#include "sotto/graph.h"
#include "sotto/options.h"

/* Writes RUN/owner-only/data.digest, the digest of all of the data, edges too: it must not be handed on.
 * Where it is there already, it has to be of the same data. Errors: INVALID (other data), IO, NOMEM. */
sotto_status sotto_i_data_file_keep(const char *run, const sotto_dataset *data, sotto_error *err);

/* Whether `data` is what the run was made of. By the owner's file; where that is missing, as in a folder that
 * was handed on, by the digest of nodes and features in statement.json, which has none where features are
 * private: the answer is then no. Errors: IO, NOMEM. */
sotto_status sotto_i_data_file_is_of(bool *same, const char *run, const sotto_dataset *data,
                                     sotto_error *err);

/* The data that a run with these options was trained on, read again. Errors: those of reading. */
sotto_status sotto_i_data_file_open(sotto_dataset *out, const sotto_options *options, sotto_error *err);

#endif
