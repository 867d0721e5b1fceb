/* A perceptron that corrects log-probabilities that are already there. */
#ifndef SOTTO_SRC_METHODS_CORRECTION_H
#define SOTTO_SRC_METHODS_CORRECTION_H

#include "method.h"

/* Fits logits = base + perceptron(inputs) on the training rows; `base` is nodes x classes, `inputs` has a row
 * a node. It starts at no correction, and goes back there when no epoch's validation is above `least`, which
 * is that of base itself. Parameters are added to `params`. */
sotto_status sotto_i_correction_fit(sotto_quality *validation, sotto_quality *test, sotto_params *params,
                                    const sotto_matrix *base, const sotto_matrix *inputs, double least,
                                    const sotto_i_job *job, const sotto_i_parted *parted, sotto_error *err);

#endif
