/* The corrections of a finished run, and their scores. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_CORRECTIONS_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_CORRECTIONS_H

#include "inside/nn.h"
#include "protocols/correction_scale.h"
#include "run/method/method.h"

typedef struct sotto_i_corrections {
  const sotto_i_job *job;
  sotto_params *params[SOTTO_MOST_COSTS];
  uint32_t kept; /* the last one gives the scores; 0: features alone do */
  sotto_mlp mlp[SOTTO_MOST_COSTS];
  sotto_i_correction_scale scale;
} sotto_i_corrections;

/* Number of networks "PREFIX0.", "PREFIX1.", ... in a model file. */
sotto_status sotto_i_networks_named(uint32_t *out, const char *file, const char *prefix, uint64_t most,
                                    sotto_error *err);
/* Makes the corrections of a model file, adds their parameters to `sets`, to be loaded, and reads their
 * input scales. */
sotto_status sotto_i_corrections_open(sotto_i_corrections *out, sotto_params **sets, size_t *count,
                                      const sotto_i_job *job, const char *file, sotto_error *err);
void sotto_i_corrections_free(sotto_i_corrections *corrections);

/* levels (fresh, a byte a row of `base`): those of the training (unsure.h), from each row alone; NULL where
 * counts are of all nodes. trains[i] is not 0 for a training node; trains NULL: there is none. */
sotto_status sotto_i_corrections_levels(uint8_t **levels, const sotto_i_corrections *c,
                                        const sotto_matrix *base, const uint8_t *trains, sotto_error *err);
/* out (fresh): scores after `rounds` rounds (at most `kept`) of the rows of `base`, which has
 * log-probabilities from features alone. `read` has the features from these rounds' counts, concatenated. */
sotto_status sotto_i_corrections_scores(sotto_matrix *out, const sotto_i_corrections *c, uint32_t rounds,
                                        const sotto_matrix *base, const sotto_matrix *read,
                                        const uint8_t *levels, sotto_error *err);

/* Appends the features from one more round's counts to `read`, which is empty at first. `noise` NULL: none.
 */
sotto_status sotto_i_corrections_read(sotto_matrix *read, const sotto_matrix *counts,
                                      const sotto_laplace_grid *noise, sotto_error *err);

#endif
