/* The accuracy on test nodes as a noisy count (--publish-accuracy), charged before it can be read. */
#ifndef SOTTO_SRC_RUN_TRAIN_PUBLISHED_H
#define SOTTO_SRC_RUN_TRAIN_PUBLISHED_H

#include "run/method/method.h"

/* All of these have no effect if the options ask for no count. They read only the job's options and data. */

/* Adds the count to the plan. Errors: RANGE (noise that hides the accuracy of some seed, with
 * what to do), INVALID (no labels). */
sotto_status sotto_i_published_price(sotto_cost *cost, const sotto_i_job *job, sotto_error *err);
/* Reports the precision of the accuracy to the observer before anything is charged. Errors: those above. */
sotto_status sotto_i_published_tell(const sotto_i_job *job, const sotto_observer *observer, sotto_error *err);
/* Releases the count of a seed into `result`, and writes it to accuracy.json in the seed's folder. With
 * job->kept the stored count is used; else result->test must have the measures of all test nodes. Errors:
 * those of an artifact, RANGE. */
SOTTO_MUST_USE sotto_status sotto_i_published_release(const sotto_i_job *job, sotto_seed_result *result,
                                                      sotto_error *err);

#endif
