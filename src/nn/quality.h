/* One of the measures of quality, as training loops select epochs by it. */
#ifndef SOTTO_SRC_NN_QUALITY_H
#define SOTTO_SRC_NN_QUALITY_H

#include "sotto/nn.h"

/* Nothing was measured: all are NAN. */
sotto_quality sotto_i_quality_none(void);
/* The measures of a task: begin to end - 1. */
static inline int sotto_i_measures_begin(sotto_task task) {
  return task == SOTTO_TASK_REGRESSION ? SOTTO_CLASS_MEASURES : 0;
}
static inline int sotto_i_measures_end(sotto_task task) {
  return task == SOTTO_TASK_REGRESSION ? SOTTO_MEASURES : SOTTO_CLASS_MEASURES;
}
/* Was anything measured: an accuracy, or an error of numbers? */
bool sotto_i_measured(const sotto_quality *quality);
double sotto_i_quality_value(const sotto_quality *quality, sotto_measure measure);
/* One measure alone, of all rows of scores. Training loops need one in each epoch, and an area under a curve
 * sorts once for each class (quality.c). Errors: those of sotto_quality_measure; INVALID (a measure of
 * numbers). */
sotto_status sotto_i_quality_one(double *out, sotto_measure measure, const sotto_matrix *scores,
                                 const int32_t *labels, size_t count, sotto_error *err);
/* R2, RMSE and MAE of `count` predicted numbers, from the sums of squared and of absolute errors, and of
 * squared differences of the true numbers from their mean. None where count is not above 0, or a sum not
 * finite. */
sotto_quality sotto_i_number_measures(double count, double square, double absolute, double spread);

#endif
