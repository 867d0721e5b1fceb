/* k-means of features, for counts of neighbours by cluster. */
#include "feature_clusters.h"

#include <math.h>

#include "base/memory.h"
#include "nn/kmeans.h"

enum { most_sample = 4096, sample_stream = 65 };

bool sotto_i_can_cluster_features(size_t cols) {
  return cols > 0 && cols <= SOTTO_I_MOST_CLUSTER_COLUMNS;
}

sotto_status sotto_i_feature_clusters_new(sotto_params *centres, size_t cols, sotto_error *err) {
  size_t number;
  return sotto_params_add(centres, &number, SOTTO_I_CLUSTERS_PARAMETER, SOTTO_I_FEATURE_CLUSTERS, cols,
                          SOTTO_INIT_ZERO, false, NULL, err);
}

/* rows[0..count): ascending, each number with the same probability (Knuth, algorithm S). */
static void draw_sample(uint32_t *rows, size_t count, size_t of, const sotto_key *key) {
  sotto_i_random random;
  size_t taken = 0;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, sample_stream, 0);
  for (size_t v = 0; v < of && taken < count; v++)
    if (sotto_i_random_below(&random, of - v) < count - taken) rows[taken++] = (uint32_t)v;
}

sotto_status sotto_i_feature_clusters_fit(sotto_params *centres, const sotto_i_row_source *rows,
                                          const sotto_key *key, sotto_error *err) {
  const size_t count = rows->rows < most_sample ? rows->rows : most_sample;
  uint32_t *sample = NULL;
  sotto_matrix x = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_feature_clusters_new(centres, rows->cols, err));
  SOTTO_TRY(sotto_i_new_raw(&sample, count, sizeof *sample, err));
  draw_sample(sample, count, rows->rows, key);
  SOTTO_TRY(sotto_i_row_source_take(&x, rows, sample, count, err));
  SOTTO_TRY(sotto_i_kmeans(sotto_params_value(centres, 0), &x, key, err));
done:
  sotto_matrix_free(&x);
  sotto_i_free(sample);
  return status;
}

sotto_status sotto_i_feature_clusters_of(sotto_i_clusters *clusters, sotto_params *centres,
                                         const sotto_i_row_source *rows, sotto_error *err) {
  const sotto_matrix *from = sotto_params_value(centres, 0);
  float *room = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_clusters_new(clusters, rows->rows, SOTTO_I_FEATURE_CLUSTERS, err));
  SOTTO_TRY(sotto_i_new_raw(&room, SOTTO_I_WINDOW_ROWS * rows->cols, sizeof *room, err));
  for (size_t first = 0; first < rows->rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t left = rows->rows - first, count = left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS;
    sotto_matrix x;
    double distance;
    SOTTO_TRY(sotto_i_row_source_rows(&x, rows, room, first, count, err));
    for (size_t i = 0; i < count; i++)
      clusters->of[first + i] =
          (uint16_t)sotto_i_nearest_centre(&distance, from, from->rows, x.data + i * x.cols);
  }
done:
  sotto_i_free(room);
  return status;
}

/* Adds some rows to the sums of each column: of values, of squares, and of squared distances to the centre.
 */
static void add_spread(double *sums, const sotto_matrix *x, const sotto_matrix *from) {
  double *squares = sums + x->cols, *within = squares + x->cols;
  for (size_t i = 0; i < x->rows; i++) {
    const float *row = x->data + i * x->cols;
    double distance;
    const float *centre = from->data + sotto_i_nearest_centre(&distance, from, from->rows, row) * x->cols;
    for (size_t j = 0; j < x->cols; j++) {
      sums[j] += (double)row[j];
      squares[j] += (double)row[j] * row[j];
      within[j] += pow((double)row[j] - (double)centre[j], 2);
    }
  }
}

/* The mean share of the columns that vary. One that holds less than nothing holds nothing. */
static double mean_share(const double *sums, size_t cols, double rows) {
  const double *squares = sums + cols, *within = squares + cols;
  double total = 0;
  size_t varying = 0;
  for (size_t j = 0; j < cols; j++) {
    const double spread = squares[j] - sums[j] * sums[j] / rows;
    if (!isfinite(spread) || !isfinite(within[j])) return 1;
    if (!(spread > 1e-9 * squares[j])) continue;
    total += fmax(0, 1 - within[j] / spread);
    varying++;
  }
  return varying > 0 ? total / (double)varying : 1;
}

sotto_status sotto_i_feature_clusters_share(double *share, sotto_params *centres,
                                            const sotto_i_row_source *rows, sotto_error *err) {
  const sotto_matrix *from = sotto_params_value(centres, 0);
  float *room = NULL;
  double *sums = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&room, SOTTO_I_WINDOW_ROWS * rows->cols, sizeof *room, err));
  SOTTO_TRY(sotto_i_new(&sums, 3 * rows->cols, sizeof *sums, err));
  for (size_t first = 0; first < rows->rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t left = rows->rows - first, count = left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS;
    sotto_matrix x;
    SOTTO_TRY(sotto_i_row_source_rows(&x, rows, room, first, count, err));
    add_spread(sums, &x, from);
  }
  *share = mean_share(sums, rows->cols, (double)rows->rows);
done:
  sotto_i_free(room);
  sotto_i_free(sums);
  return status;
}
