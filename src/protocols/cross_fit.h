/* Class probabilities from features alone that are as reliable for training nodes as for others. */
#ifndef SOTTO_SRC_PROTOCOLS_CROSS_FIT_H
#define SOTTO_SRC_PROTOCOLS_CROSS_FIT_H

#include "folds.h"
#include "inside/nn.h"

/* Splits the training nodes into up to three folds, and for each fits a perceptron on all other folds; its
 * parameters are added to `params`. `scores` (fresh, nodes x classes) has log-probabilities, or
 * in regression (nodes x 1) predicted numbers: for a training node those of the perceptron that did not see
 * it, for any other node the mean of all. No edge is used. `validation` and `test` get the quality of the
 * mean. Over ranks the scores may be at rank 0 alone (first_inputs.h). Errors: INVALID with fewer than two
 * training nodes; those of fitting. */
sotto_status sotto_i_cross_fit(sotto_matrix *scores, sotto_quality *validation, sotto_quality *test,
                               sotto_params *params, const sotto_i_job *job, const sotto_i_parted *parted,
                               sotto_error *err);

/* The same perceptrons after the fit: their parameters are added to `params`, to be loaded. */
typedef struct sotto_i_cross_fitted {
  const sotto_i_job *job;
  sotto_params *params;
  sotto_i_folds folds; /* owned */
  sotto_mlp mlp[SOTTO_I_MOST_FOLDS];
} sotto_i_cross_fitted;
/* Takes ownership of `folds`. Free those of *out in any case. */
sotto_status sotto_i_cross_fit_new(sotto_i_cross_fitted *out, sotto_params *params, const sotto_i_job *job,
                                   const sotto_i_folds *folds, sotto_error *err);
/* `scores` (fresh) of nodes[0..), whose features are the rows of x; nodes NULL: of all nodes. */
sotto_status sotto_i_cross_fit_scores(sotto_matrix *scores, const sotto_i_cross_fitted *fitted,
                                      const sotto_matrix *x, const uint32_t *nodes, sotto_error *err);

/* The quality of scores (a row a node) on the validation and test parts. */
sotto_status sotto_i_scores_measure(sotto_quality *validation, sotto_quality *test,
                                    const sotto_matrix *scores, const sotto_i_job *job,
                                    const sotto_i_parted *parted, sotto_error *err);

#endif
