/* Measures of predicted numbers: R2, and root mean square and mean absolute errors. */
#include <math.h>

#include "base/error.h"
#include "quality.h"

sotto_quality sotto_i_number_measures(double count, double square, double absolute, double spread) {
  sotto_quality out = sotto_i_quality_none();
  if (!(count > 0) || !isfinite(square)) return out;
  out.of[SOTTO_MEASURE_RMSE] = sqrt(square / count);
  out.of[SOTTO_MEASURE_MAE] = absolute / count;
  out.of[SOTTO_MEASURE_R2] = spread > 0 ? 1 - square / spread : square > 0 ? 0 : 1;
  return out;
}

sotto_status sotto_number_quality(sotto_quality *out, const sotto_matrix *predicted, const float *numbers,
                                  size_t count, sotto_error *err) {
  double mean = 0, square = 0, absolute = 0, spread = 0;
  if (predicted->cols != 1 || predicted->rows != count)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu rows of %zu predictions for %zu numbers", predicted->rows,
                        predicted->cols, count);
  *out = sotto_i_quality_none();
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(numbers[i]))
      return sotto_i_fail(err, SOTTO_RANGE, "the number of row %zu is not finite", i);
    mean += (double)numbers[i] / (double)count;
  }
  for (size_t i = 0; i < count; i++) {
    const double error = (double)numbers[i] - (double)predicted->data[i],
                 from_mean = (double)numbers[i] - mean;
    square += error * error;
    absolute += fabs(error);
    spread += from_mean * from_mean;
  }
  *out = sotto_i_number_measures((double)count, square, absolute, spread);
  return SOTTO_OK;
}
