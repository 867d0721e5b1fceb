/* The corrections of a finished run, and their scores. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_CORRECTIONS_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_CORRECTIONS_H

#include "inside/dp.h"
#include "inside/nn.h"
#include "protocols/correction_scale.h"
#include "protocols/transfer_cells.h"
#include "run/method/method.h"

typedef struct sotto_i_corrections {
  const sotto_i_job *job;
  sotto_params *params[SOTTO_MOST_COSTS];
  uint32_t kept; /* the last one gives the scores; 0: features alone do */
  sotto_mlp mlp[SOTTO_MOST_COSTS];
  sotto_i_correction_scale scale;
  size_t owners;            /* of edges, where counts are the sum of those that several release; 0: one */
  uint32_t own_rounds;      /* bit k: the correction of round k reads a node's own features */
  sotto_params *centres;    /* of clusters by features (feature_clusters.h); NULL: the file has none */
  sotto_params *directions; /* of sums (feature_sums.h); NULL: the file has none */
  sotto_params *bins;       /* of transfers (transfer_cells.h); NULL: the file has none */
  sotto_params *weights;    /* of their cells (transfer_weights.h); NULL: relations are counted */
} sotto_i_corrections;

/* The most sets of parameters that corrections add: themselves, clusters of features, directions, bins,
 * weights. */
enum { SOTTO_I_MOST_CORRECTION_SETS = SOTTO_MOST_COSTS + 4 };

/* Number of networks "PREFIX0.", "PREFIX1.", ... in a model file. */
sotto_status sotto_i_networks_named(uint32_t *out, const char *file, const char *prefix, uint64_t most,
                                    sotto_error *err);
/* Whether a model file has a parameter of this name. */
sotto_status sotto_i_model_names(bool *out, const char *file, const char *name, sotto_error *err);
/* Makes the corrections of a model file, adds their parameters to `sets`, to be loaded, and reads their
 * input scales. */
sotto_status sotto_i_corrections_open(sotto_i_corrections *out, sotto_params **sets, size_t *count,
                                      const sotto_i_job *job, const char *file, sotto_error *err);
void sotto_i_corrections_free(sotto_i_corrections *corrections);

/* The part of a row's node in the training. */
typedef enum sotto_i_trained { SOTTO_I_NOT_TRAINED, SOTTO_I_TRAINED, SOTTO_I_TRAINED_PILOT } sotto_i_trained;
/* roles (fresh, a byte a node): of the run's own nodes. */
sotto_status sotto_i_corrections_roles(uint8_t **roles, const sotto_i_corrections *c,
                                       const sotto_i_parted *parted, sotto_error *err);
/* levels (fresh, a byte a row of `base`): those of the training (unsure.h), from each row alone; NULL where
 * counts are of all nodes. `roles` has a sotto_i_trained a row. NULL: `base` has all rows of other data; the
 * expected counts of a neighbour then follow from its levels. */
sotto_status sotto_i_corrections_levels(uint8_t **levels, sotto_i_corrections *c, const sotto_matrix *base,
                                        const uint8_t *roles, sotto_error *err);
/* The kind of cells of a round's counts; whether it has sums in place of counts; then the number of columns.
 */
sotto_i_cluster_kind sotto_i_corrections_kind(const sotto_i_corrections *c, uint32_t round);
bool sotto_i_corrections_sums(const sotto_i_corrections *c, uint32_t round);
size_t sotto_i_corrections_clusters(const sotto_i_corrections *c, uint32_t round);
/* The bins of cells by transfers, once loaded, with their weights. Errors: CORRUPT, INVALID (this data has no
 * such transfers). */
sotto_status sotto_i_corrections_bins(sotto_i_transfer_bins *out, const sotto_i_corrections *c,
                                      const sotto_dataset *data, sotto_error *err);
/* out (fresh): scores after `rounds` rounds (at most `kept`) of the rows of `base`, which has
 * log-probabilities from features alone, and then own features if the scale has any. `read` has the features
 * from these rounds' counts, concatenated. */
sotto_status sotto_i_corrections_scores(sotto_matrix *out, const sotto_i_corrections *c, uint32_t rounds,
                                        const sotto_matrix *base, const sotto_matrix *read,
                                        const uint8_t *levels, sotto_error *err);

/* Appends the features from a round's counts to `read`, which is empty at round 0. `levels` has a byte a row;
 * `noise` NULL: none. */
sotto_status sotto_i_corrections_read(sotto_matrix *read, const sotto_i_corrections *c, uint32_t round,
                                      const sotto_matrix *counts, const uint8_t *levels,
                                      const sotto_laplace_grid *noise, sotto_error *err);

#endif
