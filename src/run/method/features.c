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

static sotto_status read_scaled(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  const sotto_i_feature_rows *f = context;
  sotto_matrix rows = {out, count, f->from->cols};
  (void)err;
  memcpy(out, f->from->data + first * rows.cols, count * rows.cols * sizeof *out);
  if (f->unit) sotto_i_rows_to_unit_norm(&rows);
  if (f->moments != NULL) sotto_i_columns_by_moments(&rows, f->moments);
  return SOTTO_OK;
}

sotto_status sotto_i_feature_rows_new(sotto_i_feature_rows *out, const sotto_options *options,
                                      const sotto_matrix *features, sotto_error *err) {
  *out = (sotto_i_feature_rows){.from = features,
                                .source = sotto_i_row_source_of(features),
                                .unit = options->feature_scale == SOTTO_FEATURE_SCALE_L2};
  if (options->feature_scale == SOTTO_FEATURE_SCALE_NONE) return SOTTO_OK;
  out->source.matrix = NULL;
  out->source.read = read_scaled;
  out->source.context = out;
  if (out->unit) return SOTTO_OK;
  return sotto_i_column_moments(&out->moments, features, err);
}

void sotto_i_feature_rows_free(sotto_i_feature_rows *rows) {
  sotto_i_free(rows->moments);
  *rows = (sotto_i_feature_rows){.from = NULL};
}

sotto_status sotto_i_scaled_features(sotto_matrix *out, const sotto_options *options,
                                     const sotto_dataset *data, sotto_error *err) {
  const sotto_matrix *from = &data->features;
  sotto_status status = sotto_matrix_new(out, from->rows, from->cols, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->data, from->data, from->rows * from->cols * sizeof(float));
  return sotto_i_scale_features(out, options, err);
}

sotto_status sotto_i_features_take(sotto_i_feature_rows *rows, sotto_matrix *all, bool by_rows,
                                   const sotto_options *options, const sotto_dataset *data,
                                   sotto_error *err) {
  const sotto_matrix *from = &data->features;
  sotto_status status = sotto_i_feature_rows_new(rows, options, from, err);
  if (status != SOTTO_OK) return status;
  if (!by_rows) return sotto_i_scaled_features(all, options, data, err);
  *all = (sotto_matrix){NULL, from->rows, from->cols};
  return SOTTO_OK;
}
