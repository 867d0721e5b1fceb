/* A perceptron that corrects given log-probabilities, or numbers. */
#ifndef SOTTO_SRC_PROTOCOLS_CORRECTION_H
#define SOTTO_SRC_PROTOCOLS_CORRECTION_H

#include "inside/nn.h"
#include "run/method/method.h"

/* One correction of a seed. `round` separates names, weights and dropout of several. */
typedef struct sotto_i_correction {
  const sotto_i_job *job;
  const sotto_i_parted *parted;
  const uint8_t *levels; /* by node (unsure.h): rows at SOTTO_I_DEAF are not corrected; NULL: all are */
  const sotto_i_rank_rows *held; /* the nodes whose rows base and inputs have, without scores; NULL: all */
  uint32_t round;
  bool labels_hidden; /* as in nn/fit.h */
  /* A node's own features, standardised, beside the inputs; then it is the round's second fit, with a stage
   * of its own. NULL: none. */
  const sotto_i_row_source *own;
} sotto_i_correction;

/* Fits scores = base + perceptron(inputs) on the training rows, starting without a correction. `base` is
 * nodes x classes, or in regression nodes x 1; `inputs` has a row a node. `scores` is fresh, or NULL: they
 * are not wanted. Parameters are added to `params`, which is empty. */
sotto_status sotto_i_correction_fit(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                    sotto_params *params, const sotto_matrix *base,
                                    const sotto_matrix *inputs, const sotto_i_correction *correction,
                                    sotto_error *err);

/* The same with one weight for the base and one for the counts of each round (weighted.c). Few labels are
 * enough for these. The inputs are those of rounds.h. */
sotto_status sotto_i_weighted_fit(sotto_quality *validation, sotto_quality *test, sotto_matrix *scores,
                                  sotto_params *params, const sotto_matrix *base, const sotto_matrix *inputs,
                                  const sotto_i_correction *correction, sotto_error *err);

/* A correction that reads a node's own features has one parameter more, "correctionK.own". Whether it reads
 * them follows from validation labels, so it is known from the model alone. */
enum { SOTTO_I_OWN_NAME = 32 };
void sotto_i_correction_own_name(char out[SOTTO_I_OWN_NAME], uint32_t round);
sotto_status sotto_i_correction_mark_own(sotto_params *params, uint32_t round, sotto_error *err);

/* The perceptron of such a fit, over `in` columns, in `params`. Then its scores base + perceptron(inputs)
 * (fresh): row i is of nodes[i], or of node i when `nodes` is NULL. */
sotto_status sotto_i_correction_new(sotto_mlp *out, sotto_params *params, size_t in, size_t classes,
                                    const sotto_i_correction *correction, sotto_error *err);
sotto_status sotto_i_correction_scores(sotto_matrix *scores, const sotto_mlp *mlp, sotto_params *params,
                                       const sotto_matrix *base, const sotto_matrix *inputs,
                                       const sotto_i_correction *correction, const uint32_t *nodes,
                                       sotto_error *err);

#endif
