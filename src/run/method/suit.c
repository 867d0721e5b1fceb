/* The default scaling of a table if the options give none: unit-norm rows or standardised columns. */
#include <math.h>

#include "base/memory.h"
#include "base/progress.h"
#include "graph/blocks/block.h"
#include "method.h"
#include "sotto/schema.h"

/* A numeric column dominates others if it is this many times larger. A table is one of counts if this share
 * of its cells is 0. */
static const double swamps = 10, mostly = 0.75;

/* Adds each feature's sum of squares, followed by its number of zero cells. */
static void add_rows(double *sums, const float *cells, size_t rows, size_t cols) {
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < cols; j++) {
      const double x = (double)cells[i * cols + j];
      sums[j] += x * x;
      sums[cols + j] += x == 0;
    }
}

static bool is_number(sotto_column_kind kind) {
  return kind == SOTTO_COLUMN_NUMBER || kind == SOTTO_COLUMN_DATE;
}

/* Reads rows in windows; with ranks, rank 0 reads them. */
static sotto_status measure_columns(double *sums, const sotto_dataset *data, sotto_error *err) {
  const sotto_i_block *block = sotto_i_block_of(data);
  const size_t rows = data->features.rows, cols = data->features.cols;
  float *window = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&window, cols * SOTTO_I_WINDOW_ROWS, sizeof *window, err));
  for (size_t first = 0; (block == NULL || sotto_i_ranks_first(block->ranks)) && first < rows;
       first += SOTTO_I_WINDOW_ROWS) {
    const size_t count = rows - first < SOTTO_I_WINDOW_ROWS ? rows - first : SOTTO_I_WINDOW_ROWS;
    if (block == NULL)
      sotto_dataset_rows(window, data, first, count);
    else
      SOTTO_TRY(sotto_i_block_features(block, window, first, count, err));
    add_rows(sums, window, count, cols);
  }
  if (block != NULL) status = sotto_i_ranks_give(block->ranks, sums, 2 * cols * sizeof *sums, err);
done:
  sotto_i_free(window);
  return status;
}

/* The column that dominates another one, or NULL; NULL too for a table of counts. */
static const sotto_schema_column *find_large(const double *sums, const sotto_dataset *data) {
  const sotto_schema *schema = data->schema;
  const double rows = (double)data->features.rows;
  const sotto_schema_column *largest = NULL;
  double high = 0, low = INFINITY, zeros = 0, cells = 0;
  for (uint64_t j = 0; j < schema->column_count; j++) {
    const sotto_schema_column *c = &schema->columns[j];
    if (c->feature_count == 0) continue;
    /* a feature made of words or flags is at most 1 */
    const double size = is_number(c->kind) ? sqrt(sums[c->first] / rows) : 1;
    if (size > 0 && size < low) low = size;
    if (!is_number(c->kind)) continue;
    cells += rows;
    zeros += sums[data->features.cols + c->first];
    if (size <= high) continue;
    high = size;
    largest = c;
  }
  return high > swamps * low && zeros <= mostly * cells ? largest : NULL;
}

sotto_status sotto_i_suit_scaling(sotto_options *o, const sotto_dataset *data, const sotto_observer *observer,
                                  sotto_error *err) {
  const sotto_i_method *method = sotto_i_method_of(o);
  const sotto_schema *schema = data->schema;
  const bool open = o->adjacency == SOTTO_ADJACENCY_EDGE || o->adjacency == SOTTO_ADJACENCY_NONE;
  const bool parties = method->topology == SOTTO_HOLDERS_AND_SERVER || sotto_i_has_clients(o);
  double *sums = NULL;
  sotto_status status;
  if (!open || parties || data->graph_count > 0 || schema == NULL || !schema->stated ||
      schema->feature_count != data->features.cols || data->entries.offsets != NULL ||
      data->features.rows == 0)
    return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&sums, 2 * data->features.cols, sizeof *sums, err));
  SOTTO_TRY(measure_columns(sums, data, err));
  const sotto_schema_column *large = find_large(sums, data);
  if (large == NULL) goto done;
  o->feature_scale = SOTTO_FEATURE_SCALE_STANDARD;
  sotto_i_log(observer, SOTTO_LOG_INFO,
              "features are standardised, since '%.60s' is much larger than other columns; feature-scale l2 "
              "scales rows to unit norm instead",
              large->name);
done:
  sotto_i_free(sums);
  return status;
}
