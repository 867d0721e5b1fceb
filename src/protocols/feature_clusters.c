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
                          SOTTO_INIT_ZERO, 0, false, NULL, err);
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

sotto_status sotto_i_feature_clusters_of(uint8_t **clusters, sotto_params *centres,
                                         const sotto_i_row_source *rows, sotto_error *err) {
  const sotto_matrix *from = sotto_params_value(centres, 0);
  float *room = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(clusters, rows->rows, sizeof **clusters, err));
  SOTTO_TRY(sotto_i_new_raw(&room, SOTTO_I_WINDOW_ROWS * rows->cols, sizeof *room, err));
  for (size_t first = 0; first < rows->rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t left = rows->rows - first, count = left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS;
    sotto_matrix x;
    double distance;
    SOTTO_TRY(sotto_i_row_source_rows(&x, rows, room, first, count, err));
    for (size_t i = 0; i < count; i++)
      (*clusters)[first + i] =
          (uint8_t)sotto_i_nearest_centre(&distance, from, from->rows, x.data + i * x.cols);
  }
done:
  sotto_i_free(room);
  return status;
}

sotto_status sotto_i_feature_clusters_share(double *share, sotto_params *centres,
                                            const sotto_i_row_source *rows, sotto_error *err) {
  const sotto_matrix *from = sotto_params_value(centres, 0);
  float *room = NULL;
  double *sums = NULL, squares = 0, within = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&room, SOTTO_I_WINDOW_ROWS * rows->cols, sizeof *room, err));
  SOTTO_TRY(sotto_i_new(&sums, rows->cols, sizeof *sums, err));
  for (size_t first = 0; first < rows->rows; first += SOTTO_I_WINDOW_ROWS) {
    const size_t left = rows->rows - first, count = left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS;
    sotto_matrix x;
    SOTTO_TRY(sotto_i_row_source_rows(&x, rows, room, first, count, err));
    for (size_t i = 0; i < count; i++) {
      double distance;
      (void)sotto_i_nearest_centre(&distance, from, from->rows, x.data + i * x.cols);
      within += distance;
      for (size_t j = 0; j < x.cols; j++) sums[j] += (double)x.data[i * x.cols + j];
      for (size_t j = 0; j < x.cols; j++) squares += pow((double)x.data[i * x.cols + j], 2);
    }
  }
  for (size_t j = 0; j < rows->cols; j++) squares -= sums[j] * sums[j] / (double)rows->rows;
  *share = squares > 0 && isfinite(squares) ? 1 - within / squares : 1;
done:
  sotto_i_free(room);
  sotto_i_free(sums);
  return status;
}

sotto_status sotto_i_feature_clusters_scores(sotto_matrix *scores, const uint8_t *clusters, size_t nodes,
                                             sotto_error *err) {
  const sotto_status status = sotto_matrix_new(scores, nodes, SOTTO_I_FEATURE_CLUSTERS, err);
  for (size_t v = 0; status == SOTTO_OK && v < nodes; v++)
    scores->data[v * SOTTO_I_FEATURE_CLUSTERS + clusters[v]] = 1;
  return status;
}
