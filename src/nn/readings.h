/* Features from released counts: inputs of BEST's corrections. */
#ifndef SOTTO_SRC_NN_READINGS_H
#define SOTTO_SRC_NN_READINGS_H

#include "sotto/dp.h"
#include "sotto/tensor.h"

/* to[i] = from[i] minus the mean of the row; both of the same shape. */
void sotto_i_rows_less_mean(sotto_matrix *to, const sotto_matrix *from);

/* The standard deviation of such noise. */
double sotto_i_laplace_deviation(const sotto_laplace_grid *noise);

/* out (fresh, twice as wide as counts): for each row, the asinh of the counts and the direction of the row.
 * Counts are in units of the noise's standard deviation; asinh covers orders of magnitude of neighbours. Rows
 * of more than two counts have their mean subtracted first. The counts are the sum of `releases` tables with
 * independent noise. `noise` NULL: no noise, and the unit is one neighbour. */
sotto_status sotto_i_readings(sotto_matrix *out, const sotto_matrix *counts, const sotto_laplace_grid *noise,
                              size_t releases, sotto_error *err);

#endif
