/* Input features of the corrections of BEST. */
#ifndef SOTTO_SRC_NN_READINGS_H
#define SOTTO_SRC_NN_READINGS_H

#include "sotto/dp.h"
#include "sotto/tensor.h"

/* to[i] = from[i] less the mean of the row; of one shape. */
void sotto_i_rows_less_mean(sotto_matrix *to, const sotto_matrix *from);

/* The standard deviation of such noise. */
double sotto_i_laplace_deviation(const sotto_laplace_grid *noise);

/* out (fresh, twice as wide): of a row of counts, less its mean where there are more than two, asinh of each
 * in units of the noise's deviation, which covers orders of magnitude of neighbours, and the direction of the
 * row. The counts are the sum of so many `releases`, each with noise of its own. `noise` NULL: none has any,
 * and the unit is one neighbour. */
sotto_status sotto_i_readings(sotto_matrix *out, const sotto_matrix *counts, const sotto_laplace_grid *noise,
                              size_t releases, sotto_error *err);

#endif
