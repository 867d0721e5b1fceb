/* The last step of a network that predicts numbers: from standardised outputs to the unit of the numbers. */
#ifndef SOTTO_SRC_NN_NUMBER_SCALE_H
#define SOTTO_SRC_NN_NUMBER_SCALE_H

#include "inside/nn.h"
#include "targets.h"

/* The scale is not trained, but saved with the model, so that its predictions are in the unit of the numbers
 * wherever it is loaded. */

/* Adds NAME.mean, 0, and NAME.deviation, 1. Errors: INVALID (the names are taken), NOMEM. */
sotto_status sotto_i_number_scale_new(sotto_i_number_scale *out, sotto_params *params, const char *name,
                                      const sotto_key *key, sotto_error *err);
/* Takes mean and standard deviation (of the population) from the training part, and lets the losses of all
 * four parts count in deviations. Where all numbers are equal the deviation is 1. Both are statistics of
 * labels without noise: a run that protects labels may not call this. Errors: INVALID (classes, or no rows),
 * RANGE (a number that is not finite, or a mean or deviation that no float holds), naming the row. */
sotto_status sotto_i_number_scale_learn(const sotto_i_number_scale *scale, sotto_params *params,
                                        sotto_i_targets targets[4], sotto_error *err);
/* The same of a mean and a deviation, from 0, that are known. Errors: RANGE (a deviation that no float
 * holds). */
sotto_status sotto_i_number_scale_set(const sotto_i_number_scale *scale, sotto_params *params, double mean,
                                      double deviation, sotto_error *err);
/* x deviation + mean, n x 1. */
sotto_var sotto_i_number_scale_apply(const sotto_i_number_scale *scale, sotto_params *params,
                                     sotto_tape *tape, sotto_var x);

#endif
