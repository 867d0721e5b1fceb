/* Artifacts of the usual forms: a graph or a table of numbers, in the native format of datasets; and a key,
 * from which all noise of many releases follows, so that it is drawn and charged once for all of them, and a
 * release that is made again has the same noise. */
#ifndef SOTTO_SRC_RELEASE_FORMS_H
#define SOTTO_SRC_RELEASE_FORMS_H

#include "artifact.h"

/* What to make: `make` fills the one of the two that is wanted, both zeroed; `graph` over the rows, `table`
 * with `rows` rows. The members load, make, show, compare, apart, is_table and context of `artifact` are not
 * read. */
typedef struct sotto_i_table_artifact {
  sotto_i_artifact artifact;
  size_t rows;
  void *context;
  sotto_status (*make)(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                       sotto_error *err);
  /* For audits, where what is made was processed: the noisy numbers, by the same steps. NULL: those of make.
   */
  sotto_status (*show)(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                       sotto_error *err);
  /* For audits, of rows that are kept at norm 1: the same before scaling and without noise; NULL: as others.
   */
  sotto_status (*exact)(void *context, sotto_matrix *table, sotto_error *err);
} sotto_i_table_artifact;

/* *out has it in `graph` or `features`: the one in the folder, or a new one. `receipt` may be NULL. Free with
 * sotto_dataset_free. Errors: those of sotto_i_artifact_use. */
SOTTO_MUST_USE sotto_status sotto_i_table_use(sotto_dataset *out, sotto_i_receipt *receipt,
                                              const sotto_i_table_artifact *table, sotto_error *err);

typedef struct sotto_i_drawn_key {
  sotto_key key; /* wipe it */
  char name[17]; /* of this draw, in file names */
  sotto_i_receipt receipt;
} sotto_i_drawn_key;

/* `artifact` without context, make and load. Its file lies in owner-only/, which is made: who has the key can
 * take the noise out. `number` keeps keys of one seed apart. Errors: those of sotto_i_artifact_use. */
SOTTO_MUST_USE sotto_status sotto_i_artifact_key_use(sotto_i_drawn_key *out, const sotto_i_artifact *artifact,
                                                     uint64_t number, sotto_error *err);

#endif
