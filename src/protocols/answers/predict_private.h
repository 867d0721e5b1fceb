/* Predictions of networks that DP-SGD fitted at node level. The network is private; an answer also reads rows
 * of features without noise: the node's own, and for one hop the mean of its neighbours'. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_PRIVATE_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_PRIVATE_H

#include "run/train/predict.h"

/* Is the run one training of such a network, and no more (private_mlp.h)? */
bool sotto_i_answers_privately_fitted(const sotto_options *options);
sotto_status sotto_i_predict_private(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

/* Of a network that reads [features | rows that the training released]: an answer follows from the model, the
 * released rows and the node's own features. `released` (nodes x columns, taken over, also after an error)
 * are these rows as the training read them. `name`: of the network in the model's file, which may have
 * others. */
sotto_status sotto_i_predict_beside_release(sotto_i_predictor *out, const sotto_i_opening *from,
                                            const char *name, sotto_matrix *released, sotto_error *err);
/* Why such a network answers about no other data (own_alone of a variant). */
extern const char sotto_i_no_node_release[];
/* Errors: UNSUPPORTED, with that reason, unless the data is the run's own. */
sotto_status sotto_i_check_released_nodes(const sotto_i_opening *from, sotto_error *err);

#endif
