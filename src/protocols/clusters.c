/* The cluster of each node. */
#include "clusters.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "unsure.h"

sotto_status sotto_i_clusters_new(sotto_i_clusters *out, size_t nodes, size_t count, sotto_error *err) {
  if (count > (size_t)UINT16_MAX + 1)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "neighbours are counted by at most %d clusters; the data asks for %zu",
                        UINT16_MAX + 1, count);
  *out = (sotto_i_clusters){.nodes = nodes, .count = count};
  return sotto_i_new(&out->of, nodes, sizeof *out->of, err);
}

static size_t largest_column(const float *row, size_t count) {
  size_t best = 0;
  for (size_t j = 1; j < count; j++)
    if (row[j] > row[best]) best = j;
  return best;
}

sotto_status sotto_i_clusters_largest(sotto_i_clusters *out, const sotto_matrix *scores, sotto_error *err) {
  const sotto_status status = sotto_i_clusters_new(out, scores->rows, scores->cols, err);
  for (size_t v = 0; status == SOTTO_OK && v < scores->rows; v++)
    out->of[v] = (uint16_t)largest_column(scores->data + v * scores->cols, scores->cols);
  return status;
}

void sotto_i_clusters_free(sotto_i_clusters *clusters) {
  sotto_i_free(clusters->of);
  *clusters = (sotto_i_clusters){.of = NULL};
}

sotto_status sotto_i_clusters_tell(sotto_matrix *message, const sotto_i_clusters *clusters,
                                   const uint8_t *levels, sotto_error *err) {
  const sotto_status status = sotto_matrix_new(message, clusters->nodes, SOTTO_I_CLUSTER_COLUMNS, err);
  for (size_t v = 0; status == SOTTO_OK && v < clusters->nodes; v++) {
    float *row = message->data + v * SOTTO_I_CLUSTER_COLUMNS;
    row[0] = clusters->of[v];
    row[1] = levels == NULL ? 1 : levels[v];
  }
  return status;
}

static bool is_whole(float value, float below) {
  return value >= 0 && value < below && value == floorf(value);
}

sotto_status sotto_i_clusters_take(sotto_i_clusters *clusters, uint8_t *levels, const sotto_matrix *message,
                                   sotto_error *err) {
  for (size_t v = 0; v < clusters->nodes; v++) {
    const float *row = message->data + v * SOTTO_I_CLUSTER_COLUMNS;
    if (!is_whole(row[0], (float)clusters->count) || !is_whole(row[1], SOTTO_I_MOST_LEVEL + 1))
      return sotto_i_fail(err, SOTTO_PROTOCOL,
                          "clusters: node %zu is in cluster %g at level %g, and there "
                          "are %zu clusters and %d levels",
                          v, row[0], row[1], clusters->count, SOTTO_I_MOST_LEVEL);
    clusters->of[v] = (uint16_t)row[0];
    levels[v] = (uint8_t)row[1];
  }
  return SOTTO_OK;
}
