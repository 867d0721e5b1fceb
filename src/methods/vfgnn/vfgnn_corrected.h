/* The corrections of a finished run of vfgnn with counts: one for each round, a perceptron or a few weights,
 * as validation picked (protocols/rounds.h). Counts by class are sums over holders, each with its own noise;
 * by clusters of features those of all holders are side by side. */
#ifndef SOTTO_SRC_METHODS_VFGNN_VFGNN_CORRECTED_H
#define SOTTO_SRC_METHODS_VFGNN_VFGNN_CORRECTED_H

#include "inside/dp.h"
#include "protocols/answers/corrections.h"
#include "vfgnn.h"

typedef struct sotto_i_vfgnn_corrected {
  const sotto_i_vfgnn *shared;     /* borrowed */
  sotto_i_corrections of;          /* its scale, and the perceptrons, by round; `kept` of them are read */
  bool weighted[SOTTO_MOST_COSTS]; /* by round: a few weights, in `of.params`, in place of a perceptron */
  sotto_matrix read;               /* owned: features from the counts of the rounds so far */
} sotto_i_vfgnn_corrected;

/* How many rounds the model in `file` reads, of at most so many, and which of them by a few weights. Errors:
 * those of files. */
sotto_status sotto_i_vfgnn_corrected_kept(uint32_t *kept, bool *weighted, const char *file, uint64_t rounds,
                                          sotto_error *err);
/* Which corrections the model in `file` has; their parameters are added to `sets`, to be loaded. Free *out in
 * any case. Errors: those of files; NOT_FOUND, CORRUPT (correction.json of the seed's folder). */
sotto_status sotto_i_vfgnn_corrected_open(sotto_i_vfgnn_corrected *out, sotto_params **sets, size_t *count,
                                          const sotto_i_vfgnn *shared, const char *file, sotto_error *err);
void sotto_i_vfgnn_corrected_free(sotto_i_vfgnn_corrected *corrected);
/* Reads the counts of all holders (protocols/rounds.h) in the next round, each with this noise. out (fresh):
 * scores after this round. `base`: log-probabilities from features alone; `levels` by node. */
sotto_status sotto_i_vfgnn_corrected_scores(sotto_matrix *out, sotto_i_vfgnn_corrected *corrected,
                                            uint32_t round, const sotto_matrix *all,
                                            const sotto_laplace_grid *noise, const sotto_matrix *base,
                                            const uint8_t *levels, sotto_error *err);

#endif
