/* Artifacts: the only way from private data to noisy data that a method reads or a link sends.
 *
 * An artifact is a file in a seed's folder (in the run's, for an item that is made once). A second file
 * FILE.made is written after it: a nonce drawn with the noise, the digest of the file's bytes, and the
 * options of the draw. The id of its charge follows from nonce and digest, so that one charge stands for one
 * draw: these bytes may be used and sent again, no others. After a file is lost, damaged or changed there is
 * a new draw, with a new nonce and a new charge.
 *
 * The order is: find or make, save, charge, and only then load. The charge is for an item of the run's plan
 * (plan.h). A release beyond the number in the plan is refused, whichever party requests it. */
#ifndef SOTTO_SRC_RELEASE_ARTIFACT_H
#define SOTTO_SRC_RELEASE_ARTIFACT_H

#include "plan.h"
#include "receipt.h"

typedef struct sotto_i_artifact {
  sotto_i_release_owner owner;
  size_t item;  /* of the owner's plan; SOTTO_I_NO_ITEM: without noise, so nothing is charged, and no receipt
                   allows sending it */
  size_t items; /* number of consecutive items, from that one, that this draw covers; 0 means 1 */
  uint64_t number; /* which release of the item, from 0 */
  const char *file;
  const char *made_with;   /* all options that determine it; one line */
  const char *description; /* for the ledger; NULL: the item's own */
  /* One of several disjoint parts of the account's data, numbered from 1 (0: all of it). Draws of all parts
   * under one number cost as much as one of them (parallel composition). The part's own account is charged
   * too, if it has one. */
  uint32_t part;
  const sotto_dataset *part_data;
  uint32_t own_part; /* number among disjoint parts of that part's own account, from 1; 0: all of it */
  bool kept;         /* use a cached file alone: nothing is drawn */
  bool run_key;      /* make gets the run's key instead of the seed's; they differ with an insecure seed */
  void *context;
  /* Writes the whole file, and nothing else. `key` is fresh; under an insecure seed it is always the same. */
  sotto_status (*make)(void *context, const char *path, const sotto_key *key, sotto_error *err);
  /* For audits: the numbers that make would write with this key, into the fresh `graph` or `table`. NULL: the
   * artifact is not a table (a model, a key). */
  sotto_status (*show)(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                       sotto_error *err);
  /* For audits: layer `layer`, from 1, of the rows in the file (`kept`), and `exact`, the rows that the code
   * computes from the same inputs without noise and before any scaling. `kept` stays empty beyond the last
   * layer, and where these two do not determine a noise distribution. *scaled: the file has unit-norm rows.
   * NULL: as if always empty. */
  sotto_status (*compare)(void *context, const char *path, uint32_t layer, sotto_matrix *kept,
                          sotto_matrix *exact, bool *scaled, sotto_error *err);
  bool is_table;  /* the file is a dataset, with the same numbers */
  bool apart;     /* the file has numbers computed from those that show gives */
  bool processed; /* the numbers of the file are post-processed: scaled, or divided */
  /* Loads the file; called after its charge. The receipt proves the charge, and proves nothing without an
   * item. */
  sotto_status (*load)(void *context, const char *path, const sotto_i_receipt *receipt, sotto_error *err);
} sotto_i_artifact;

/* A sum over parties with noise in it, which is made once a round and kept by nobody. */
typedef struct sotto_i_round_sum {
  uint64_t round, rounds; /* from 1; in all */
  size_t count;
  double step, sigma;  /* of the grid; of the noise that is stated */
  const int64_t *part; /* in steps: what one party adds, before any noise; NULL: this is the whole */
  const double *whole; /* what came out of all parts */
} sotto_i_round_sum;

/* Looks at each release of a run that its item describes, once its charge stands: `path` has what is kept;
 * and at each sum, after its parts. Called by the threads of all parties. An error ends the run. */
typedef struct sotto_i_probe {
  void *context;
  sotto_status (*look)(void *context, const sotto_i_artifact *artifact, const char *path, sotto_error *err);
  sotto_status (*sum)(void *context, const sotto_i_round_sum *sum,
                      sotto_error *err); /* NULL: not looked at */
} sotto_i_probe;

/* Errors: PROTOCOL (a number beyond the plan), INVALID (made with other options), NOT_FOUND (with `kept`: the
 * cached file is missing or changed), REFUSED and the ledger's others, and those of make and load. May be
 * called from several threads at once, for different files. */
SOTTO_MUST_USE sotto_status sotto_i_artifact_use(const sotto_i_artifact *artifact, sotto_error *err);

/* Composes the account's charges and reports the sum and the budget to the observer. Does nothing without a
 * ledger or an observer, or when the ledger cannot be read: the next charge reports that error. The caller
 * ensures that no other thread uses the ledger. */
void sotto_i_tell_spent(const sotto_observer *observer, sotto_ledger *ledger, const uint8_t digest[32],
                        const char *name, const char *adjacency);

/* Removes the files of an artifact whose bytes are no longer needed. */
void sotto_i_artifact_forget(const char *folder, const char *file);

/* Artifacts of the usual forms. A graph or a table of numbers is in the native format of datasets. A key
 * determines all noise of many releases, so it is drawn and charged once for all of them, and a release that
 * is made again has the same noise. */

/* What to make. `make` fills one of `graph` (over the rows) and `table` (`rows` rows), both zeroed. The
 * members load, make, show, compare, apart, is_table and context of `artifact` are not read. */
typedef struct sotto_i_table_artifact {
  sotto_i_artifact artifact;
  size_t rows;
  bool by_rows; /* over ranks each reads the rows that it needs: the loaded table is not in memory */
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
