/* Weights of cells of transfers. */
#include "transfer_weights.h"

#include <math.h>

#include "base/error.h"
#include "feature_sums.h"
#include "release/plan.h"

bool sotto_i_is_weighed(sotto_i_cluster_kind kind, size_t classes, const sotto_options *options) {
  return (kind == SOTTO_I_BY_TRANSFERS || kind == SOTTO_I_BY_KINDS) && classes == SOTTO_I_WEIGHED_CLASSES &&
         sotto_i_price_asked(options);
}

sotto_status sotto_i_transfer_weights_new(sotto_params **out, sotto_error *err) {
  size_t number;
  const sotto_status status = sotto_params_new(out, err);
  if (status != SOTTO_OK) return status;
  return sotto_params_add(*out, &number, SOTTO_I_WEIGHTS_PARAMETER, SOTTO_I_WEIGHT_ROWS,
                          SOTTO_I_WEIGHED_CLASSES, SOTTO_INIT_ZERO, 0, false, NULL, err);
}

void sotto_i_transfer_weights_set(sotto_matrix *out, const sotto_matrix *of_cells,
                                  const sotto_matrix *of_classes) {
  const size_t count = of_cells->rows * out->cols;
  sotto_matrix each = {out->data, count, 1};
  double square = 0;
  for (size_t i = 0; i < count; i++) {
    out->data[i] = of_cells->data[i / out->cols] + of_classes->data[i % out->cols];
    square += pow((double)out->data[i], 2) / (double)count;
  }
  const double unit = square > 0 && isfinite(square) ? 1 / sqrt(square) : 0;
  for (size_t i = 0; i < count; i++) out->data[i] = unit > 0 ? (float)((double)out->data[i] * unit) : 0;
  sotto_i_directed_rows(&each);
}

sotto_status sotto_i_transfer_weights_check(const sotto_matrix *weights, sotto_status otherwise,
                                            sotto_error *err) {
  for (size_t i = 0; i < weights->rows * weights->cols; i++) {
    const float x = weights->data[i];
    if (!(fabsf(x) <= SOTTO_I_SUM_UNITS && x == truncf(x)))
      return sotto_i_fail(err, otherwise, "%s: weight %zu is %g; it must be a whole number from -%d to %d",
                          SOTTO_I_WEIGHTS_PARAMETER, i, (double)x, SOTTO_I_SUM_UNITS, SOTTO_I_SUM_UNITS);
  }
  return SOTTO_OK;
}
