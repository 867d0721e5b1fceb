/* Artifacts of the usual forms. A graph or a table of numbers is in the native format of datasets. A key
 * determines all noise of many releases, so it is drawn and charged once for all of them, and a release that
 * is made again has the same noise. */
#ifndef SOTTO_SRC_RELEASE_FORMS_H
#define SOTTO_SRC_RELEASE_FORMS_H

#include "artifact.h"

/* What to make. `make` fills one of `graph` (over the rows) and `table` (`rows` rows), both zeroed. The
 * members load, make, show, compare, apart, is_table and context of `artifact` are not read. */
typedef struct sotto_i_table_artifact {
  sotto_i_artifact artifact;
  size_t rows;
  void *context;
  sotto_status (*make)(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                       sotto_error *err);
  /* For audits of post-processed rows: the noisy numbers, by the same steps. NULL: those of make. */
  sotto_status (*show)(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                       sotto_error *err);
  /* For audits of unit-norm rows: the same rows before scaling and without noise. NULL: not available. */
  sotto_status (*exact)(void *context, sotto_matrix *table, sotto_error *err);
} sotto_i_table_artifact;

/* *out gets the artifact in `graph` or `features`: the one in the folder, or a new one. `receipt` may be
 * NULL. Free with sotto_dataset_free. Errors: those of sotto_i_artifact_use. */
SOTTO_MUST_USE sotto_status sotto_i_table_use(sotto_dataset *out, sotto_i_receipt *receipt,
                                              const sotto_i_table_artifact *table, sotto_error *err);

typedef struct sotto_i_drawn_key {
  sotto_key key; /* wipe it */
  char name[17]; /* identifies this draw in file names */
  sotto_i_receipt receipt;
} sotto_i_drawn_key;

/* `artifact` without context, make and load. Its file is in owner-only/, which is made if missing: anyone
 * with the key can remove the noise. `number` separates keys of one seed. Errors: those of
 * sotto_i_artifact_use. */
SOTTO_MUST_USE sotto_status sotto_i_artifact_key_use(sotto_i_drawn_key *out, const sotto_i_artifact *artifact,
                                                     uint64_t number, sotto_error *err);

#endif
