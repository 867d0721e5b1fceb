/* The first inputs of corrections: log-probabilities minus their mean, columns standardised. */
#ifndef SOTTO_SRC_PROTOCOLS_FIRST_INPUTS_H
#define SOTTO_SRC_PROTOCOLS_FIRST_INPUTS_H

#include "nn/rows/rank_rows.h"
#include "run/method/method.h"

/* Over ranks with one round rank 0 alone has the log-probabilities of all nodes, and gives the other ranks
 * the rows that they need: elsewhere every rank has all. */
bool sotto_i_first_at_one(const sotto_i_job *job);
/* A zeroed table of all nodes; at ranks that do not have it, its shape without data. Errors: NOMEM. */
sotto_status sotto_i_first_new(sotto_matrix *out, size_t cols, const sotto_i_job *job, sotto_error *err);
/* out (fresh): the rows of nodes[0..count), the same at all ranks. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_first_take(sotto_matrix *out, const sotto_matrix *first, const uint32_t *nodes,
                                size_t count, const sotto_i_job *job, sotto_error *err);
/* out (fresh): the rows of the nodes in this rank's batches (nn/rows/batch.h), which are in `held`. Only
 * where rank 0 alone has them all. Errors: NOMEM, those of another rank. */
sotto_status sotto_i_first_share(sotto_matrix *out, const sotto_matrix *first, const sotto_i_rank_rows *held,
                                 const sotto_split *split, const sotto_i_job *job, sotto_error *err);

/* Means and variances of the columns (fresh, 2 x columns) of all rows of `first` less their mean, the same at
 * all ranks. */
sotto_status sotto_i_first_moments(double **moments, const sotto_matrix *first, const sotto_i_job *job,
                                   sotto_error *err);
/* out (fresh): inputs of these rows. */
sotto_status sotto_i_first_inputs(sotto_matrix *out, const sotto_matrix *rows, const double *moments,
                                  sotto_error *err);

#endif
