/* Scaling of node features by the options, before training. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "graph/blocks/block.h"
#include "method.h"
#include "sotto/schema.h"

sotto_status sotto_i_scale_features(sotto_matrix *x, sotto_feature_scale scale, sotto_error *err) {
  if (scale == SOTTO_FEATURE_SCALE_L2) sotto_i_rows_to_unit_norm(x);
  if (scale == SOTTO_FEATURE_SCALE_STANDARD) return sotto_i_columns_to_standard(x, err);
  return SOTTO_OK;
}

size_t sotto_i_label_columns(double share, size_t columns) {
  return (size_t)floor(share * (double)columns);
}

/* Moments that a model keeps from its training (sotto/schema.h); NULL: those of the data are used. */
static const double *kept_moments(const sotto_dataset *data) {
  const sotto_schema *s = data->schema;
  return s != NULL && s->feature_count == data->features.cols ? s->moments : NULL;
}

sotto_feature_scale sotto_i_scale_of(const sotto_options *options, const sotto_dataset *data) {
  if (options->feature_scale != SOTTO_FEATURE_SCALE_SUITED) return options->feature_scale;
  return kept_moments(data) == NULL ? SOTTO_FEATURE_SCALE_L2 : SOTTO_FEATURE_SCALE_STANDARD;
}

static sotto_status copy_moments(double **out, const double *from, size_t cols, sotto_error *err) {
  const sotto_status status = sotto_i_new_raw(out, 2 * cols, sizeof **out, err);
  if (status == SOTTO_OK) memcpy(*out, from, 2 * cols * sizeof **out);
  return status;
}

static sotto_status read_scaled(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  const sotto_i_feature_rows *f = context;
  sotto_matrix rows = {out, count, f->from->features.cols};
  (void)err;
  sotto_dataset_rows(out, f->from, first, count);
  if (f->unit) sotto_i_rows_to_unit_norm(&rows);
  if (f->moments != NULL) sotto_i_columns_by_moments(&rows, f->moments);
  return SOTTO_OK;
}

/* Norms of sparse rows, summed in the same order as for a dense row. */
static sotto_status row_factors(float **out, const sotto_dataset *data, sotto_error *err) {
  const sotto_entries *e = &data->entries;
  const sotto_status status = sotto_i_new_raw(out, data->graph.nodes, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    double square = 0;
    for (uint64_t i = e->offsets[v]; i < e->offsets[v + 1]; i++)
      square += (double)e->values[i] * e->values[i];
    (*out)[v] = square > 0 ? (float)(1 / sqrt(square)) : 1;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_dataset_window(float *out, const sotto_dataset *data, size_t first, size_t count,
                                    sotto_error *err) {
  const sotto_i_block *block = sotto_i_block_of(data);
  if (block != NULL) return sotto_i_block_features(block, out, first, count, err);
  sotto_dataset_rows(out, data, first, count);
  return SOTTO_OK;
}

sotto_status sotto_i_dataset_moments(double **out, const sotto_dataset *data, sotto_error *err) {
  const size_t rows = data->features.rows, cols = data->features.cols;
  sotto_status status;
  float *window = NULL;
  SOTTO_TRY(sotto_i_new(out, 2 * cols, sizeof **out, err));
  SOTTO_TRY(sotto_i_new_raw(&window, cols * SOTTO_I_WINDOW_ROWS, sizeof *window, err));
  for (int squares = 0; squares < 2; squares++)
    for (size_t first = 0; first < rows; first += SOTTO_I_WINDOW_ROWS) {
      const size_t count = rows - first < SOTTO_I_WINDOW_ROWS ? rows - first : SOTTO_I_WINDOW_ROWS;
      SOTTO_TRY(sotto_i_dataset_window(window, data, first, count, err));
      sotto_i_column_moments_add(*out, &(sotto_matrix){window, count, cols}, (double)rows, squares == 1);
    }
done:
  sotto_i_free(window);
  return status;
}

static sotto_status read_block(void *context, float *out, size_t first, size_t count, sotto_error *err) {
  const sotto_i_feature_rows *f = context;
  sotto_matrix rows = {out, count, f->from->features.cols};
  const sotto_status status = sotto_i_block_features(f->block, out, first, count, err);
  if (status != SOTTO_OK) return status;
  if (f->unit) sotto_i_rows_to_unit_norm(&rows);
  if (f->moments != NULL) sotto_i_columns_by_moments(&rows, f->moments);
  return SOTTO_OK;
}

/* Moments of all rows; rank 0 reads them. */
static sotto_status moments_of_block(sotto_i_feature_rows *f, sotto_error *err) {
  const size_t cols = f->from->features.cols;
  sotto_status status;
  if (sotto_i_ranks_first(f->block->ranks))
    SOTTO_TRY(sotto_i_dataset_moments(&f->moments, f->from, err));
  else
    SOTTO_TRY(sotto_i_new(&f->moments, 2 * cols, sizeof *f->moments, err));
  SOTTO_TRY(sotto_i_ranks_give(f->block->ranks, f->moments, 2 * cols * sizeof *f->moments, err));
done:
  return status;
}

/* Norms of sparse rows; rank 0 computes them. */
static sotto_status factors_of_block(sotto_i_feature_rows *f, sotto_error *err) {
  const size_t nodes = f->from->features.rows;
  sotto_status status;
  if (sotto_i_ranks_first(f->block->ranks))
    SOTTO_TRY(row_factors(&f->factor, f->from, err));
  else
    SOTTO_TRY(sotto_i_new_raw(&f->factor, nodes, sizeof *f->factor, err));
  SOTTO_TRY(sotto_i_ranks_give(f->block->ranks, f->factor, nodes * sizeof *f->factor, err));
  f->source.factor = f->factor;
done:
  return status;
}

static sotto_status feature_rows_of_block(sotto_i_feature_rows *out, const sotto_options *options,
                                          const sotto_dataset *data, const sotto_i_block *block,
                                          sotto_error *err) {
  *out = (sotto_i_feature_rows){
      .from = data,
      .block = block,
      .unit = sotto_i_scale_of(options, data) == SOTTO_FEATURE_SCALE_L2,
      .source = {
          .rows = data->features.rows, .cols = data->features.cols, .read = read_block, .context = out}};
  const bool standard = sotto_i_scale_of(options, data) == SOTTO_FEATURE_SCALE_STANDARD;
  if (standard && kept_moments(data) != NULL)
    return copy_moments(&out->moments, kept_moments(data), data->features.cols, err);
  if (standard) return moments_of_block(out, err);
  if (data->entries.offsets == NULL) return SOTTO_OK;
  out->source.entries = &data->entries;
  return out->unit ? factors_of_block(out, err) : SOTTO_OK;
}

static sotto_status feature_rows_new(sotto_i_feature_rows *out, const sotto_options *options,
                                     const sotto_dataset *data, sotto_error *err) {
  const bool sparse = data->entries.offsets != NULL;
  const sotto_feature_scale scale = sotto_i_scale_of(options, data);
  *out = (sotto_i_feature_rows){.from = data,
                                .source = sotto_i_row_source_of(&data->features),
                                .unit = scale == SOTTO_FEATURE_SCALE_L2};
  if (scale == SOTTO_FEATURE_SCALE_NONE && !sparse) return SOTTO_OK;
  out->source.matrix = NULL;
  out->source.read = read_scaled;
  out->source.context = out;
  const double *kept = kept_moments(data);
  if (scale == SOTTO_FEATURE_SCALE_STANDARD && kept != NULL)
    return copy_moments(&out->moments, kept, data->features.cols, err);
  if (scale == SOTTO_FEATURE_SCALE_STANDARD) /* a mean that is not 0 leaves no entry 0 */
    return sotto_i_dataset_moments(&out->moments, data, err);
  if (!sparse) return SOTTO_OK;
  out->source.entries = &data->entries;
  if (!out->unit) return SOTTO_OK;
  const sotto_status status = row_factors(&out->factor, data, err);
  out->source.factor = out->factor;
  return status;
}

void sotto_i_feature_rows_free(sotto_i_feature_rows *rows) {
  sotto_i_free(rows->moments);
  sotto_i_free(rows->factor);
  *rows = (sotto_i_feature_rows){.from = NULL};
}

sotto_status sotto_i_scaled_entries(sotto_i_sparse *out, const sotto_options *options,
                                    const sotto_dataset *data, sotto_error *err) {
  sotto_i_feature_rows rows = {0};
  sotto_status status = SOTTO_OK;
  if (data->entries.offsets == NULL || sotto_i_scale_of(options, data) == SOTTO_FEATURE_SCALE_STANDARD)
    return SOTTO_OK;
  SOTTO_TRY(feature_rows_new(&rows, options, data, err));
  SOTTO_TRY(sotto_i_row_source_entries(out, &rows.source, NULL, data->features.rows, err));
done:
  sotto_i_feature_rows_free(&rows);
  return status;
}

sotto_status sotto_i_scaled_features(sotto_matrix *out, const sotto_options *options,
                                     const sotto_dataset *data, sotto_error *err) {
  const sotto_status status = sotto_matrix_new(out, data->features.rows, data->features.cols, err);
  if (status != SOTTO_OK) return status;
  sotto_dataset_rows(out->data, data, 0, out->rows);
  const double *kept = kept_moments(data);
  const sotto_feature_scale scale = sotto_i_scale_of(options, data);
  if (scale != SOTTO_FEATURE_SCALE_STANDARD || kept == NULL) return sotto_i_scale_features(out, scale, err);
  sotto_i_columns_by_moments(out, kept);
  return SOTTO_OK;
}

sotto_status sotto_i_features_take(sotto_i_feature_rows *rows, sotto_matrix *all, bool by_rows,
                                   const sotto_options *options, const sotto_dataset *data,
                                   sotto_error *err) {
  const sotto_i_block *block = sotto_i_block_of(data);
  *all = (sotto_matrix){NULL, data->features.rows, data->features.cols};
  if (block != NULL) return feature_rows_of_block(rows, options, data, block, err);
  const sotto_status status = feature_rows_new(rows, options, data, err);
  if (status != SOTTO_OK || by_rows) return status;
  return sotto_i_scaled_features(all, options, data, err);
}
