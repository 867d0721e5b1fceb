/* Predictions of networks that DP-SGD fitted at node level (private_mlp.h). The network is private; an answer
 * also reads rows of features without noise: the node's own, and for one hop the mean of its neighbours'. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_PRIVATE_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_PRIVATE_H

#include "run/train/predict.h"

/* Does the run have such a network? */
bool sotto_i_answers_privately_fitted(const sotto_options *options);
sotto_status sotto_i_predict_private(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

#endif
