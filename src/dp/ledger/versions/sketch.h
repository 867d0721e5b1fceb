/* Which nodes a dataset has, in a form that a ledger can keep and compare. */
#ifndef SOTTO_SRC_DP_LEDGER_VERSIONS_SKETCH_H
#define SOTTO_SRC_DP_LEDGER_VERSIONS_SKETCH_H

#include "dp/ledger/owner.h"
#include "sotto/graph.h"

/* A sample of a set: the least of the keyed hashes of its items (the bottom-k sketch of Cohen and Kaplan
 * 2007). The key follows from the owner's secret key, so that whoever reads an export cannot try ids. */
enum { SOTTO_I_SKETCH = 128, SOTTO_I_SKETCH_TEXT = 16 * SOTTO_I_SKETCH + 1 };

/* Hexadecimal digits; empty where the dataset has no such items. */
typedef struct sotto_i_sketches {
  char ids[SOTTO_I_SKETCH_TEXT];  /* of the nodes' ids */
  char rows[SOTTO_I_SKETCH_TEXT]; /* of the nodes' rows of features, where they tell most nodes apart */
} sotto_i_sketches;

/* `what` is protected of the data: sets of two kinds have nothing in common. Errors: NOMEM. Time: one pass
 * over ids and features. */
sotto_status sotto_i_sketches_new(sotto_i_sketches *out, const sotto_dataset *data, const char *what,
                                  const sotto_i_owner *owner, sotto_error *err);

/* Does the smaller of two sets have about half of its items, or more, in the other one? Decided by at most
 * SOTTO_I_SKETCH of them; two of five are enough, since the sample of sets of like size errs by a tenth at
 * most nearly always. */
bool sotto_i_sketches_alike(const char *one, const char *other);

#endif
