/* Releases that are not a sotto_release (a graph, a table), kept in a seed's folder: a resumed run uses what
 * was made, since fresh noise would be a second release. */
#ifndef SOTTO_SRC_RUN_KEPT_H
#define SOTTO_SRC_RUN_KEPT_H

#include "method.h"

/* What to do about one release: `make` fills the one of the two that is wanted, both zeroed, `graph` over the
 * job's nodes, `table` with a row a node. `name` says how it was made, options and epsilon included. */
typedef struct sotto_i_keeping {
  const char *file, *name;
  void *context;
  sotto_status (*make)(void *context, sotto_graph *graph, sotto_matrix *table, sotto_error *err);
} sotto_i_keeping;

/* *out has the release in `graph` or `features`: the one in the folder, or a new one, saved before the call
 * returns. It is not paid for. Free with sotto_dataset_free. Errors: INVALID when the one in the folder was
 * made otherwise. */
sotto_status sotto_i_kept(sotto_dataset *out, const sotto_i_job *job, const sotto_i_keeping *keeping,
                          sotto_error *err);

#endif
