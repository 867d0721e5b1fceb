/* Scaling of node features before training. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "run/method.h"

static void rows_to_unit_norm(sotto_matrix *x) {
  for (size_t i = 0; i < x->rows; i++) {
    float *row = x->data + i * x->cols;
    double square = 0;
    for (size_t j = 0; j < x->cols; j++) square += (double)row[j] * row[j];
    if (square <= 0) continue;
    float factor = (float)(1 / sqrt(square));
    for (size_t j = 0; j < x->cols; j++) row[j] *= factor;
  }
}

sotto_status sotto_i_column_moments(double **moments, const sotto_matrix *x, sotto_error *err) {
  sotto_status status = sotto_i_new(moments, 2 * x->cols, sizeof **moments, err);
  if (status != SOTTO_OK) return status;
  double *mean = *moments, *square = *moments + x->cols, rows = (double)x->rows;
  for (size_t i = 0; i < x->rows; i++)
    for (size_t j = 0; j < x->cols; j++) mean[j] += x->data[i * x->cols + j] / rows;
  for (size_t i = 0; i < x->rows; i++)
    for (size_t j = 0; j < x->cols; j++) square[j] += pow(x->data[i * x->cols + j] - mean[j], 2) / rows;
  return SOTTO_OK;
}

void sotto_i_columns_by_moments(sotto_matrix *x, const double *moments) {
  const double *mean = moments, *square = moments + x->cols;
  for (size_t i = 0; i < x->rows; i++)
    for (size_t j = 0; j < x->cols; j++) {
      float *value = &x->data[i * x->cols + j];
      *value = square[j] > 1e-24 ? (float)((*value - mean[j]) / sqrt(square[j])) : 0;
    }
}

sotto_status sotto_i_columns_to_standard(sotto_matrix *x, sotto_error *err) {
  double *moments = NULL;
  sotto_status status = sotto_i_column_moments(&moments, x, err);
  if (status == SOTTO_OK) sotto_i_columns_by_moments(x, moments);
  sotto_i_free(moments);
  return status;
}

sotto_status sotto_i_scale_features(sotto_matrix *x, const sotto_options *options, sotto_error *err) {
  if (strcmp(options->feature_scale, "l2") == 0) rows_to_unit_norm(x);
  if (strcmp(options->feature_scale, "standard") == 0) return sotto_i_columns_to_standard(x, err);
  return SOTTO_OK;
}

size_t sotto_i_label_columns(double share, size_t columns) {
  return (size_t)floor(share * (double)columns);
}

sotto_status sotto_i_take_columns(sotto_matrix *out, const sotto_matrix *from, size_t begin, size_t end,
                                  sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, from->rows, end - begin, err);
  for (size_t i = 0; status == SOTTO_OK && i < from->rows && end > begin; i++)
    memcpy(out->data + i * out->cols, from->data + i * from->cols + begin, out->cols * sizeof(float));
  return status;
}

sotto_status sotto_i_scaled_features(sotto_matrix *out, const sotto_options *options,
                                     const sotto_dataset *data, sotto_error *err) {
  const sotto_matrix *from = &data->features;
  sotto_status status = sotto_matrix_new(out, from->rows, from->cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->data, from->data, from->rows * from->cols * sizeof(float));
  return sotto_i_scale_features(out, options, err);
}
