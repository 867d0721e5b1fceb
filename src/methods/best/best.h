/* BEST: noisy counts of neighbours by cluster, and a correction learnt from them. */
#ifndef SOTTO_SRC_METHODS_BEST_BEST_H
#define SOTTO_SRC_METHODS_BEST_BEST_H

#include "run/train/predict.h"

sotto_status sotto_i_best_run(sotto_i_outcome *out, const sotto_i_job *job, sotto_error *err);
sotto_status sotto_i_best_open(sotto_i_predictor *out, const sotto_i_opening *from, sotto_error *err);

#endif
