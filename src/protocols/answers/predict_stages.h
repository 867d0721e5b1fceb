/* Predictions of methods in stages: an encoder for each row by itself, a release, and a classifier or decoder
 * over its layers; without a release, a head in the place of both. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_STAGES_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_STAGES_H

#include "run/train/predict.h"

sotto_status sotto_i_predict_stages(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);
/* Of methods with one release of layers, the last of several where there are more (method.h, narrow). */
sotto_status sotto_i_narrow_stages(sotto_options *options, const char *file, sotto_error *err);

#endif
