/* What a run expects its edges to add, before it charges for them. */
#ifndef SOTTO_SRC_PROTOCOLS_EXPECT_H
#define SOTTO_SRC_PROTOCOLS_EXPECT_H

#include "made_counts.h"

/* The rounds have begun. Nothing is said without noise, with fewer than 1,000 training nodes, which are too
 * few for an estimate, and with more than 64 classes. Errors: NOMEM, RANGE. */
SOTTO_MUST_USE sotto_status sotto_i_expected_of(sotto_expected *out, const sotto_i_rounds *rounds,
                                                sotto_error *err);
/* Is anything to be gained? */
bool sotto_i_expected_gains(const sotto_expected *expected);
/* Tells it to the observer, in the first training of a run. `sums`: pilots also try these (feature_sums.h).
 */
void sotto_i_expected_tell(const sotto_expected *expected, const sotto_i_job *job, bool sums);
/* Asks the owner of the edges, before the first charge: in the first training of a run, without
 * `anyway: gain`. Errors: REFUSED. */
SOTTO_MUST_USE sotto_status sotto_i_expected_ask(const sotto_expected *expected, const sotto_i_job *job,
                                                 bool sums, sotto_error *err);

/* The message from the party with labels to the one with edges. Errors: PROTOCOL. */
enum { SOTTO_I_EXPECTED_NUMBERS = 7 };
#define SOTTO_I_EXPECTED_NAME "edges.expected"
void sotto_i_expected_write(float out[SOTTO_I_EXPECTED_NUMBERS], const sotto_expected *expected);
SOTTO_MUST_USE sotto_status sotto_i_expected_read(sotto_expected *out,
                                                  const float from[SOTTO_I_EXPECTED_NUMBERS], size_t classes,
                                                  sotto_error *err);

#endif
