/* A perceptron that corrects log-probabilities that are already there. */
#ifndef SOTTO_SRC_PROTOCOLS_CORRECTION_H
#define SOTTO_SRC_PROTOCOLS_CORRECTION_H

#include "inside/nn.h"
#include "run/method/method.h"

/* Which one of a seed: keeps names, weights and dropout of several apart. */
typedef struct sotto_i_correction {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const uint8_t *levels; /* by node (unsure.h): rows of the deaf are not corrected; NULL: all are */
  uint32_t round;
  bool labels_hidden; /* as in nn/fit.h */
} sotto_i_correction;

/* Fits scores = base + perceptron(inputs) on the training rows, from no correction at all; `base` is nodes x
 * classes, `inputs` has a row a node. `scores` is fresh, parameters are added to `params`, which is empty. */
sotto_status sotto_i_correction_fit(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                    sotto_params *params, const sotto_matrix *base,
                                    const sotto_matrix *inputs, const sotto_i_correction *correction,
                                    sotto_error *err);

/* The same with one weight for the base and one for the counts of each round (weighted.c), which few labels
 * choose well: inputs are those of rounds.h. */
sotto_status sotto_i_weighted_fit(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                  sotto_params *params, const sotto_matrix *base, const sotto_matrix *inputs,
                                  const sotto_i_correction *correction, sotto_error *err);

/* The perceptron that such a fit fits, over inputs of `in` columns, in `params`; and base +
 * perceptron(inputs) (fresh), row i of nodes[i], or of node i when `nodes` is NULL. */
sotto_status sotto_i_correction_new(sotto_mlp *out, sotto_params *params, size_t in, size_t classes,
                                    const sotto_i_correction *correction, sotto_error *err);
sotto_status sotto_i_correction_scores(sotto_matrix *scores, const sotto_mlp *mlp, sotto_params *params,
                                       const sotto_matrix *base, const sotto_matrix *inputs,
                                       const sotto_i_correction *correction, const uint32_t *nodes,
                                       sotto_error *err);

#endif
