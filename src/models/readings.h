/* What the correction of BEST reads. */
#ifndef SOTTO_SRC_MODELS_READINGS_H
#define SOTTO_SRC_MODELS_READINGS_H

#include "sotto/dp.h"
#include "sotto/tensor.h"

/* to[i] = from[i] less the mean of the row; of one shape. */
void sotto_i_rows_less_mean(sotto_matrix *to, const sotto_matrix *from);

/* out (fresh, twice as wide): of a row of counts, centred, asinh of each in units of the noise's deviation,
 * which tells how many neighbours speak for a class over orders of magnitude, and the direction of the row.
 * `noise` NULL: the unit is one neighbour. */
sotto_status sotto_i_readings(sotto_matrix *out, const sotto_matrix *counts, const sotto_laplace_grid *noise,
                              sotto_error *err);

#endif
