/* The accuracy on test nodes as a noisy count (--publish-accuracy), charged before anyone can read it. */
#ifndef SOTTO_SRC_RUN_TRAIN_PUBLISHED_H
#define SOTTO_SRC_RUN_TRAIN_PUBLISHED_H

#include "run/method/method.h"

/* Adds the count to the plan, where the options ask for it. Errors: RANGE. */
sotto_status sotto_i_published_price(sotto_cost *cost, const sotto_options *options, sotto_error *err);
/* Releases the count of a seed, and writes it to accuracy.json in the seed's folder. `test` has measures of
 * all test nodes. Does nothing where the options do not ask for it. Errors: those of an artifact, RANGE. */
SOTTO_MUST_USE sotto_status sotto_i_published_release(const sotto_i_job *job, const sotto_quality *test,
                                                      sotto_error *err);

#endif
