/* Scaling of node features by the options, before training. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method.h"

sotto_status sotto_i_scale_features(sotto_matrix *x, const sotto_options *options, sotto_error *err) {
  if (options->feature_scale == SOTTO_FEATURE_SCALE_L2) sotto_i_rows_to_unit_norm(x);
  if (options->feature_scale == SOTTO_FEATURE_SCALE_STANDARD) return sotto_i_columns_to_standard(x, err);
  return SOTTO_OK;
}

size_t sotto_i_label_columns(double share, size_t columns) {
  return (size_t)floor(share * (double)columns);
}

sotto_status sotto_i_scaled_features(sotto_matrix *out, const sotto_options *options,
                                     const sotto_dataset *data, sotto_error *err) {
  const sotto_matrix *from = &data->features;
  sotto_status status = sotto_matrix_new(out, from->rows, from->cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->data, from->data, from->rows * from->cols * sizeof(float));
  return sotto_i_scale_features(out, options, err);
}
