/* Shared code of methods with one owner of features, labels and graph. */
#ifndef SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_CENTRAL_H
#define SOTTO_SRC_METHODS_LAYERS_THEN_CLASSIFY_CENTRAL_H

#include "inside/nn.h"
#include "options.h"
#include "protocols/networks/networks.h"
#include "run/train/predict.h"

/* The release of a variant, for central_node.c. NULL: noisy layers of sums. */
typedef enum sotto_i_central_release_kind {
  SOTTO_I_CENTRAL_LAYERS,
  SOTTO_I_CENTRAL_CONTRACTIVE,
  SOTTO_I_CENTRAL_DECOUPLED /* one sum of class probabilities (DPDGC) */
} sotto_i_central_release_kind;
extern const sotto_i_central_release_kind sotto_i_central_contractive, sotto_i_central_decoupled;

/* Node level: an encoder by DP-SGD, a release, a classifier by DP-SGD. */
sotto_status sotto_i_central_node_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_central_node_price(sotto_cost *out, const sotto_i_job *job, sotto_error *err);
/* Answers about the run's own nodes, from the released rows and a node's own features. */
sotto_status sotto_i_central_node_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);
/* Of `gap` and `caribou`, at every level. */
sotto_status sotto_i_central_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);
/* The release of such a run, and the number of its item in the cost. */
sotto_status sotto_i_central_node_release(sotto_pmp_plan *plan, sotto_contractive_plan *contractive,
                                          bool *is_contractive, size_t *item, const sotto_i_job *job,
                                          sotto_error *err);

/* canary.c */
struct sotto_i_canary;
struct sotto_i_run;
sotto_status sotto_i_central_node_canary(struct sotto_i_canary *canary, const struct sotto_i_run *run,
                                         unsigned kind, sotto_error *err);

/* Edge level, or no privacy: trains encoder and head on own features and labels alone, makes the release of
 * the centred embeddings, and trains the classifier. */
sotto_status sotto_i_central_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);

#endif
