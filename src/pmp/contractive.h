/* Contractive releases: functions shared by the plan and the computation. */
#ifndef SOTTO_SRC_PMP_CONTRACTIVE_H
#define SOTTO_SRC_PMP_CONTRACTIVE_H

#include "release.h"

/* Rows that enter an aggregate are multiples of 2^-30: sums of 2^32 of them fit 64 bits. */
#define SOTTO_I_CONTRACTIVE_STEP 0x1p-30

/* As sotto_i_pmp_plan_for. */
sotto_status sotto_i_contractive_plan_for(sotto_contractive_plan *out,
                                          const sotto_contractive_options *options, uint64_t nodes,
                                          size_t cols, double mu, sotto_error *err);

/* The plan of the single Gaussian release that is equivalent to a contractive one: with the same mu. */
sotto_pmp_plan sotto_i_contractive_shown(const sotto_contractive_plan *plan);

/* The steps of every row, in one process and over ranks. Reads a row; false: a value is not finite. */
bool sotto_i_contractive_read(double *values, const float *row, size_t cols);
/* Projects a row into the ball of radius 1 - 2^-40, so that values truncated towards zero stay in the unit
 * ball. `shown` gets the row as it is released, `to` (unless NULL) the row times `scale` in steps for the
 * next aggregate; the steps are added to `total`. */
void sotto_i_contractive_project(float *shown, int32_t *to, int64_t *total, const double *row, size_t cols,
                                 double scale);
/* y = C_L (a1 S X + a2 Mean X) + beta X_0. S X is `graph_scale` times the sum of `sum` and `own`. */
void sotto_i_contractive_mix(double *y, const sotto_contractive_plan *plan, const int64_t *sum,
                             const int32_t *own, const double *mean, const float *start, double graph_scale,
                             size_t cols);
/* Rounds the whole row of a node to the grid, with its noise; `noise` is scratch. */
void sotto_i_contractive_add_noise(double *y, int32_t *noise, const sotto_contractive_plan *plan,
                                   const sotto_key *key, uint32_t layer, uint64_t node, size_t cols);

/* Computes the release. X_0 and the last layer go to the two layers of the sink, or to its `take`; in the
 * second case a file without a name in `folder` has X_0 meanwhile. `over` has space for rows of an aggregate,
 * and may be the memory of the inputs, which are then overwritten. NULL: memory is allocated. */
sotto_status sotto_i_contractive_layers(const sotto_contractive_plan *plan, const sotto_graph *graph,
                                        const sotto_matrix *inputs, int32_t *over, const sotto_key *key,
                                        const sotto_i_release_sink *sink, const char *folder,
                                        const sotto_observer *observer, sotto_error *err);

/* Makes the same release as sotto_contractive_release, to the same bytes, and writes it to `path` meanwhile,
 * as sotto_release_write does. The inputs are overwritten. `folder` as above. */
sotto_status sotto_i_contractive_write(sotto_release **out, const char *path,
                                       const sotto_contractive_plan *plan, const sotto_graph *graph,
                                       sotto_matrix *inputs, const char *folder, const sotto_key *key,
                                       const char *id, const char *run, const char *description,
                                       const sotto_observer *observer, sotto_error *err);

#endif
