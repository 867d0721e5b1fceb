/* Sketches of a dataset's nodes, in a form that a ledger can store and compare. */
#ifndef SOTTO_SRC_DP_LEDGER_VERSIONS_SKETCH_H
#define SOTTO_SRC_DP_LEDGER_VERSIONS_SKETCH_H

#include "dp/ledger/owner.h"
#include "sotto/graph.h"

/* A sample of a set: the least of the keyed hashes of its items (the bottom-k sketch of Cohen and Kaplan
 * 2007). The key depends on the owner's secret key, so that a reader of an export cannot test ids. */
enum { SOTTO_I_SKETCH = 128, SOTTO_I_SKETCH_TEXT = 16 * SOTTO_I_SKETCH + 1 };

/* Hexadecimal digits; empty where the dataset has no such items. */
typedef struct sotto_i_sketches {
  char ids[SOTTO_I_SKETCH_TEXT];  /* of the nodes' ids */
  char rows[SOTTO_I_SKETCH_TEXT]; /* of the nodes' rows of features, where these identify most nodes */
} sotto_i_sketches;

/* `what` names the protected content: sets of different kinds have nothing in common. Cost: one pass over ids
 * and features. Errors: NOMEM. */
sotto_status sotto_i_sketches_new(sotto_i_sketches *out, const sotto_dataset *data, const char *what,
                                  const sotto_i_owner *owner, sotto_error *err);

/* Does the smaller of two sets have about half of its items, or more, in the other one? At most
 * SOTTO_I_SKETCH items decide. Two of five are enough, since a sample of sets of similar size almost always
 * errs by a tenth at most. */
bool sotto_i_sketches_alike(const char *one, const char *other);

#endif
