/* The accuracy on test nodes as a noisy count (--publish-accuracy), charged before anyone can read it. */
#ifndef SOTTO_SRC_RUN_TRAIN_PUBLISHED_H
#define SOTTO_SRC_RUN_TRAIN_PUBLISHED_H

#include "run/method/method.h"

/* All of these do nothing where the options ask for no count. Members of a job that are read here: options
 * and data. */

/* Adds the count to the plan. Errors: RANGE (noise that leaves next to nothing of the accuracy, in any seed,
 * with the ways out), INVALID (no labels). */
sotto_status sotto_i_published_price(sotto_cost *cost, const sotto_i_job *job, sotto_error *err);
/* Tells the observer how exact the accuracy will be, before anything is charged. Errors: those above. */
sotto_status sotto_i_published_tell(const sotto_i_job *job, const sotto_observer *observer, sotto_error *err);
/* Releases the count of a seed into `result`, and writes it to accuracy.json in the seed's folder. With
 * job->kept the count is the one of the folder; else result->test has measures of all test nodes. Errors:
 * those of an artifact, RANGE. */
SOTTO_MUST_USE sotto_status sotto_i_published_release(const sotto_i_job *job, sotto_seed_result *result,
                                                      sotto_error *err);

#endif
