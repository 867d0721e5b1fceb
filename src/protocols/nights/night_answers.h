/* Predictions of a night (run/train/nights.h): predictions from features alone, and a correction that is
 * fitted to tonight's estimates of the counts. */
#ifndef SOTTO_SRC_PROTOCOLS_NIGHTS_NIGHT_ANSWERS_H
#define SOTTO_SRC_PROTOCOLS_NIGHTS_NIGHT_ANSWERS_H

#include "protocols/answers/predict_counts.h"

/* Makes tonight's release, and fits the correction. `first` must outlive the predictor. */
sotto_status sotto_i_predict_night(sotto_i_predictor *out, const sotto_i_opening *from,
                                   const sotto_i_first_stage *first, sotto_error *err);

#endif
