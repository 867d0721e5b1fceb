/* Gromov-Wasserstein functions that other rooms call and the public header does not offer. */
#ifndef SOTTO_INSIDE_GW_H
#define SOTTO_INSIDE_GW_H

#include "sotto/gw.h"

/* Distances between all rows of x (n x d) and y (m x d): n x m. Exactly symmetric with a zero diagonal
 * when x and y are the same memory. Errors: INVALID (widths), NUMERIC (not finite, naming the row), NOMEM. */
sotto_status sotto_gw_costs(double *cost, const sotto_matrix *x, const sotto_matrix *y,
                            sotto_gw_metric metric, sotto_error *err);

#endif
