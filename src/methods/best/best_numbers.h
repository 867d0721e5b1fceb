/* BEST where numbers are learnt: neighbours are counted by quantiles of their number. */
#ifndef SOTTO_SRC_METHODS_BEST_BEST_NUMBERS_H
#define SOTTO_SRC_METHODS_BEST_BEST_NUMBERS_H

#include "inside/dp.h"
#include "nn/readings.h"
#include "protocols/clusters.h"
#include "protocols/cross_fit.h"
#include "run/train/predict.h"

enum { SOTTO_I_QUANTILES = 6 };

/* How a node's number becomes its cluster, and the first input of the corrections. Both follow from features
 * and numbers alone, which are public at edge level. Saved with the model, as "clusters.bounds" and
 * "clusters.scale". */
typedef struct sotto_i_number_clusters {
  sotto_params *params;
  size_t bounds, scale; /* 1 x (SOTTO_I_QUANTILES - 1), ascending; 1 x 2: mean and deviation */
} sotto_i_number_clusters;

/* Adds the two parameters to a fresh set, all 0; free it in any case. Errors: NOMEM. */
sotto_status sotto_i_number_clusters_new(sotto_i_number_clusters *out, sotto_error *err);
void sotto_i_number_clusters_free(sotto_i_number_clusters *clusters);
/* Bounds such that each cluster has as many of the values (nodes x 1); mean and deviation of `first` (nodes x
 * 1). Errors: NOMEM. */
sotto_status sotto_i_number_clusters_fit(const sotto_i_number_clusters *clusters, const sotto_matrix *values,
                                         const sotto_matrix *first, sotto_error *err);
/* out (fresh): the cluster of each node's value. Errors: NOMEM. */
sotto_status sotto_i_number_clusters_of(sotto_i_clusters *out, const sotto_i_number_clusters *clusters,
                                        const sotto_matrix *values, sotto_error *err);
/* out (fresh, nodes x 1): predictions from features alone, standardised. Errors: NOMEM. */
sotto_status sotto_i_number_clusters_input(sotto_matrix *out, const sotto_i_number_clusters *clusters,
                                           const sotto_matrix *first, sotto_error *err);
/* Appends what is read of a round's counts. `noise` NULL: none. Errors: NOMEM. */
sotto_status sotto_i_number_clusters_read(sotto_matrix *inputs, const sotto_matrix *counts,
                                          const sotto_laplace_grid *noise, sotto_error *err);
/* Columns of the inputs of the correction of a round, from 0. */
size_t sotto_i_number_clusters_width(uint32_t round);

sotto_status sotto_i_best_numbers_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
/* best_numbers_answers.c */
sotto_status sotto_i_best_numbers_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

#endif
