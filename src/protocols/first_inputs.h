/* The first inputs of corrections: log-probabilities minus their mean, columns standardised. */
#ifndef SOTTO_SRC_PROTOCOLS_FIRST_INPUTS_H
#define SOTTO_SRC_PROTOCOLS_FIRST_INPUTS_H

#include "sotto/tensor.h"

/* Means and variances of the columns (fresh, 2 x columns) of all rows of `first` less their mean. */
sotto_status sotto_i_first_moments(double **moments, const sotto_matrix *first, sotto_error *err);
/* out (fresh): inputs of nodes[0..count), in this order; nodes NULL: of all. */
sotto_status sotto_i_first_inputs(sotto_matrix *out, const sotto_matrix *first, const double *moments,
                                  const uint32_t *nodes, size_t count, sotto_error *err);

#endif
