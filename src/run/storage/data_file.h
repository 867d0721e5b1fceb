/* Which data a run is of, by what is public of it.
 *
 * Whether a release is repeated or made must not follow from private data: who sees which of the two happened
 * would learn whether an edge changed. So the identity of data is a digest of its public part: what the level
 * of protection does not cover. */
#ifndef SOTTO_SRC_RUN_STORAGE_DATA_FILE_H
#define SOTTO_SRC_RUN_STORAGE_DATA_FILE_H

#include "sotto/graph.h"
#include "sotto/options.h"

/* Is it the same data to those who know its public part? At edge level: nodes, features, and labels unless
 * label-epsilon protects them. At node level: the numbers of nodes and columns; at graph and client level:
 * that of columns. A run without noise has nothing to protect, and goes by all of it. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_data_is_alike(bool *alike, const sotto_dataset *a, const sotto_dataset *b,
                                                  const sotto_options *options, sotto_error *err);

/* Writes RUN/owner-only/data.digest: the identity of the data (`labels`: with its labels). Where it is there
 * already, it has to be of the same identity. Errors: INVALID (other data), IO, NOMEM. */
sotto_status sotto_i_data_file_keep(const char *run, const sotto_dataset *data, const sotto_options *options,
                                    bool labels, sotto_error *err);

/* Whether `data` has the identity of what the run was made of. By the owner's file; where that is missing, as
 * in a folder that was handed on, by the digest of nodes and features in statement.json, which has none where
 * features are private: the answer is then no. Errors: IO, NOMEM. */
sotto_status sotto_i_data_file_is_of(bool *same, const char *run, const sotto_dataset *data,
                                     const sotto_options *options, bool labels, sotto_error *err);

/* sotto_run_data_open; `nodes_only`: the path is that of a table of nodes, and there are no edges. */
sotto_status sotto_i_run_data_open(sotto_dataset *out, const sotto_options *options, const char *run,
                                   bool nodes_only, const sotto_observer *observer, sotto_error *err);

#endif
