/* The identity of a run's data, by its public part.
 *
 * The decision to repeat or make a release must not follow from private data: an observer of the decision
 * would learn whether an edge changed. The identity is therefore a digest of the public part: the data that
 * the level of protection does not cover. */
#ifndef SOTTO_SRC_RUN_STORAGE_DATA_FILE_H
#define SOTTO_SRC_RUN_STORAGE_DATA_FILE_H

#include "sotto/graph.h"
#include "sotto/options.h"

/* Do both have the same public part? At edge level: nodes, features, and labels unless label-epsilon
 * protects them. At node level: the numbers of nodes and columns; at graph and client level: the number of
 * columns. A run without noise protects nothing, and compares all data. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_data_is_alike(bool *alike, const sotto_dataset *a, const sotto_dataset *b,
                                                  const sotto_options *options, sotto_error *err);

/* Writes RUN/owner-only/data.digest: the identity of the data (`labels`: including its labels). An existing
 * file must have the same identity. Errors: INVALID (other data), IO, NOMEM. */
sotto_status sotto_i_data_file_keep(const char *run, const sotto_dataset *data, const sotto_options *options,
                                    bool labels, sotto_error *err);

/* Does `data` have the identity of the run's data? Decided by the owner's file. If that is missing, as in a
 * folder that was handed on, by the digest of nodes and features in statement.json; false without that
 * digest, as with private features. Errors: IO, NOMEM. */
sotto_status sotto_i_data_file_is_of(bool *same, const char *run, const sotto_dataset *data,
                                     const sotto_options *options, bool labels, sotto_error *err);

/* As sotto_run_data_open; `nodes_only`: the path is a node table, and there are no edges. */
sotto_status sotto_i_run_data_open(sotto_dataset *out, const sotto_options *options, const char *run,
                                   bool nodes_only, const sotto_observer *observer, sotto_error *err);

#endif
