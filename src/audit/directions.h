/* The law of a Gaussian row's direction. */
#ifndef SOTTO_SRC_AUDIT_DIRECTIONS_H
#define SOTTO_SRC_AUDIT_DIRECTIONS_H

#include "sotto/base.h"

/* out[i]: log of the density of the direction of `row` (n numbers) where noise around `exact` has scales[i]
 * times sigma, over that where it has sigma. False: a row of zeros, or of one number, tells nothing. */
bool sotto_i_direction_ratios(double *out, const double *scales, size_t count, const float *row,
                              const double *exact, size_t n, double sigma);

#endif
