/* Artifacts: the only way from private data to a noisy thing that a recipe reads or a link sends.
 *
 * An artifact is a file in a seed's folder (in the run's, for an item that is made once) and a second file
 * beside it, FILE.made, written after it: a nonce drawn with the noise, the digest of the file's bytes, and
 * the options that it was made with. Its charge has an id that follows from nonce and digest, so that one
 * charge stands for one draw: these bytes may be used and sent again, no others. A file that is lost, damaged
 * or changed is a new draw under a new nonce, with a new charge.
 *
 * The order is: find or make, save, charge, and only then load. What is charged is an item of the run's plan
 * (plan.h); a release beyond the number that the plan has is refused, whoever asks for it. */
#ifndef SOTTO_SRC_RELEASE_ARTIFACT_H
#define SOTTO_SRC_RELEASE_ARTIFACT_H

#include "plan.h"
#include "receipt.h"

typedef struct sotto_i_artifact {
  sotto_i_release_owner owner;
  size_t item;  /* of the owner's plan; SOTTO_I_NO_ITEM: without noise, so nothing is charged, and there is no
                 * receipt to send it with */
  size_t items; /* how many items from that one on it is a draw of; 0 stands for 1 */
  uint64_t number; /* which release of the item, from 0 */
  const char *file;
  const char *made_with;   /* all options that fix it; one line */
  const char *description; /* for the ledger; NULL: what the item says */
  /* One of several disjoint parts of the account's data, numbered from 1 (0: all of it): draws of all parts
   * under one number cost what one of them costs. The part's own account pays as well, if it has one. */
  uint32_t part;
  const sotto_dataset *part_data;
  uint32_t own_part; /* which of disjoint parts of that part's own account, from 1; 0: all of it */
  bool kept;         /* only the one that is there already: nothing is drawn */
  bool run_key; /* the key that make gets is the run's, not the seed's; they differ with an insecure seed */
  void *context;
  /* Writes the file, whole, and nothing else. `key` has not been used; under an insecure seed it is always
   * the same. */
  sotto_status (*make)(void *context, const char *path, const sotto_key *key, sotto_error *err);
  /* For audits: the numbers that make would write with this key, into the fresh `graph` or `table`. NULL:
   * what is made is no table (a model, a key). */
  sotto_status (*show)(void *context, sotto_graph *graph, sotto_matrix *table, const sotto_key *key,
                       sotto_error *err);
  /* For audits: layer `layer`, from 1, of the rows in the file, and what the code makes of the same inputs
   * without noise and before any scaling. `kept` stays empty beyond the last layer, and where the rows that
   * are kept have no law that can be told from these. *scaled: rows are kept at norm 1. NULL: as for an
   * empty one. */
  sotto_status (*compare)(void *context, const char *path, uint32_t layer, sotto_matrix *kept,
                          sotto_matrix *exact, bool *scaled, sotto_error *err);
  bool is_table;  /* the file is a dataset, with the same numbers */
  bool apart;     /* the file has other numbers than show gives: what was computed from them */
  bool processed; /* these numbers are not the noisy ones, but follow from them: they were scaled, or divided
                   */
  /* Reads it; called once the charge stands. The receipt proves that, and proves nothing without an item. */
  sotto_status (*load)(void *context, const char *path, const sotto_i_receipt *receipt, sotto_error *err);
} sotto_i_artifact;

/* Looks at each release of a run that its item describes, once its charge stands: `path` has what is kept.
 * Called by the threads of all parties. An error ends the run. */
typedef struct sotto_i_probe {
  void *context;
  sotto_status (*look)(void *context, const sotto_i_artifact *artifact, const char *path, sotto_error *err);
} sotto_i_probe;

/* Errors: PROTOCOL (a number beyond the plan), INVALID (made with other options), NOT_FOUND (of `kept`: it is
 * gone, or is not what was drawn), REFUSED and the ledger's
 * others, and those of make and load. May be called from several threads at once, for different files. */
SOTTO_MUST_USE sotto_status sotto_i_artifact_use(const sotto_i_artifact *artifact, sotto_error *err);

/* Adds the account's charges up and tells the observer the sum and the budget. Does nothing without a ledger
 * or an observer, and where the ledger cannot be read: whoever charges hears of that. The caller sees to it
 * that no other thread uses the ledger. */
void sotto_i_tell_spent(const sotto_observer *observer, sotto_ledger *ledger, const uint8_t digest[32],
                        const char *name, const char *adjacency);

/* Removes the files of an artifact of which nobody asks for the bytes any more. */
void sotto_i_artifact_forget(const char *folder, const char *file);

#endif
