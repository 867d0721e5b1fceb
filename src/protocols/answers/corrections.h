/* The corrections of a finished run, and the scores that they give. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_CORRECTIONS_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_CORRECTIONS_H

#include "inside/nn.h"
#include "protocols/correction_scale.h"
#include "run/method/method.h"

typedef struct sotto_i_corrections {
  const sotto_i_job *job;
  sotto_params *params[SOTTO_MOST_COSTS];
  uint32_t kept; /* the last of them speaks; 0: features alone do */
  sotto_mlp mlp[SOTTO_MOST_COSTS];
  sotto_i_correction_scale scale;
} sotto_i_corrections;

/* How many networks "PREFIX0.", "PREFIX1.", ... a model file has. */
sotto_status sotto_i_networks_named(uint32_t *out, const char *file, const char *prefix, uint64_t most,
                                    sotto_error *err);
/* Makes those of a model file, adds them to `sets`, to be loaded, and reads their scale. */
sotto_status sotto_i_corrections_open(sotto_i_corrections *out, sotto_params **sets, size_t *count,
                                      const sotto_i_job *job, const char *file, sotto_error *err);
void sotto_i_corrections_free(sotto_i_corrections *corrections);

/* levels (fresh, a byte a row of `base`): as in training, of a row's node alone; trains[i] is not 0 for a
 * node that trained, NULL: none did. NULL where counts are of all nodes. */
sotto_status sotto_i_corrections_levels(uint8_t **levels, const sotto_i_corrections *c,
                                        const sotto_matrix *base, const uint8_t *trains, sotto_error *err);
/* out (fresh): scores of the rows of `base`, log-probabilities by features alone, after so many rounds (at
 * most `kept`), whose readings side by side are `read`. */
sotto_status sotto_i_corrections_scores(sotto_matrix *out, const sotto_i_corrections *c, uint32_t rounds,
                                        const sotto_matrix *base, const sotto_matrix *read,
                                        const uint8_t *levels, sotto_error *err);

/* Adds what is read of one more round's counts to `read`, which is empty at first. `noise` NULL: none. */
sotto_status sotto_i_corrections_read(sotto_matrix *read, const sotto_matrix *counts,
                                      const sotto_laplace_grid *noise, sotto_error *err);

#endif
