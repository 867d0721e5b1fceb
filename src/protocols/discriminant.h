/* Linear discriminants of two or more classes, for estimates: quick, and without a training. */
#ifndef SOTTO_SRC_PROTOCOLS_DISCRIMINANT_H
#define SOTTO_SRC_PROTOCOLS_DISCRIMINANT_H

#include "sotto/tensor.h"

enum { SOTTO_I_DISCRIMINANT_FOLDS = 5 };

/* scores (fresh, rows x classes): how much more likely the row x is in each class, on a logarithmic scale up
 * to a constant of the row, when each class is normal with one covariance for all (Fisher 1936). Row i is in
 * fold i modulo 5 and gets the scores of the other folds' means. Means are pulled towards that of all rows by
 * as much as ten rows there, so that a class of few members says little. `labels`: a class below `classes` a
 * row. The cost grows with the square of the columns. Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_discriminant_scores(sotto_matrix *scores, const sotto_matrix *x,
                                                        const int32_t *labels, size_t classes,
                                                        sotto_error *err);

#endif
