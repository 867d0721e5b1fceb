/* Predictions of methods in stages: an encoder of single rows, a release, and a classifier or decoder over
 * its layers. Without a release, a head replaces both. */
#ifndef SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_STAGES_H
#define SOTTO_SRC_PROTOCOLS_ANSWERS_PREDICT_STAGES_H

#include "run/train/predict.h"

sotto_status sotto_i_predict_stages(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);
/* The `narrow` of methods with one release of layers, or the last of several (method.h). */
sotto_status sotto_i_narrow_stages(sotto_options *options, const char *file, sotto_error *err);

#endif
