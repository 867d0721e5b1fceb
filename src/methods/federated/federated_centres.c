/* k-means of all clients' features by sums over clients. The server sends centres; each client says of the
 * nodes that are nearest to each how many there are, and the sums of their features and of the squares. The
 * server moves centres to the means, and splits the cluster of the largest spread until there are enough
 * (Linde, Buzo and Gray 1980). */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cells.h"
#include "federated.h"
#include "nn/kmeans.h"
#include "protocols/feature_clusters.h"

enum { clusters = SOTTO_I_FEATURE_CLUSTERS, steps = clusters + 5 };
/* A spread below this is none. */
static const double least_spread = 1e-6;

static const char centres_name[] = "centres", moments_name[] = "moments by centre";
static const char centres_reason[] =
    "clients count neighbours by clusters of features; centres are means over the nodes of all clients";
static const char moments_reason[] =
    "how many of the client's nodes are nearest to each centre, with sums of their features and squares, "
    "unless secure-aggregation hides it";

static size_t columns_of(const sotto_i_federation *f) {
  return f->inputs - sotto_i_fed_counts_width(f, SOTTO_I_BY_CLASS);
}

/* Of a centre: how many rows, their sums, and the sums of their squares. */
static size_t size_of(size_t cols) {
  return 1 + 2 * cols;
}

static sotto_i_fed_pooled pooled_of(size_t cols, uint32_t step) {
  return (sotto_i_fed_pooled){.name = moments_name,
                              .reason = moments_reason,
                              .step = SOTTO_I_FED_POOL_CENTRES + step,
                              .count = clusters * size_of(cols)};
}

static sotto_status centres_new(sotto_params **out, size_t cols, sotto_error *err) {
  const sotto_status status = sotto_params_new(out, err);
  return status == SOTTO_OK ? sotto_i_feature_clusters_new(*out, cols, err) : status;
}

/* Adds up in doubles: there may be many rows. */
static void add_rows(double *sums, const sotto_i_fed_client *c, const sotto_matrix *centres) {
  const size_t cols = centres->cols, size = size_of(cols);
  memset(sums, 0, clusters * size * sizeof *sums);
  for (size_t v = 0; v < c->features.rows; v++) {
    const float *row = c->features.data + v * c->features.cols;
    double distance;
    double *sum = sums + sotto_i_nearest_centre(&distance, centres, clusters, row) * size;
    sum[0]++;
    for (size_t j = 0; j < cols; j++) {
      sum[1 + j] += (double)row[j];
      sum[1 + cols + j] += (double)row[j] * (double)row[j];
    }
  }
}

sotto_status sotto_i_fed_centres_find(sotto_i_fed_client *c, sotto_error *err) {
  const size_t cols = columns_of(c->federation), count = clusters * size_of(cols);
  double *sums = NULL;
  float *values = NULL;
  sotto_status status;
  SOTTO_TRY(centres_new(&c->cells.centres, cols, err));
  SOTTO_TRY(sotto_i_new(&sums, count, sizeof *sums, err));
  SOTTO_TRY(sotto_i_new(&values, count, sizeof *values, err));
  sotto_matrix *centres = sotto_params_value(c->cells.centres, 0);
  for (uint32_t step = 0; step < steps; step++) {
    const sotto_i_fed_pooled of = pooled_of(cols, step);
    SOTTO_TRY(sotto_i_fed_pool_hear(c, centres_name, centres, err));
    add_rows(sums, c, centres);
    for (size_t j = 0; j < count; j++) values[j] = (float)sums[j];
    SOTTO_TRY(sotto_i_fed_pool_send(c, &of, values, err));
  }
  SOTTO_TRY(sotto_i_fed_pool_hear(c, centres_name, centres, err));
done:
  sotto_i_free(sums);
  sotto_i_free(values);
  return status;
}

/* The spread of a column in a cluster: the sum of squared distances from its mean. */
static double spread_of(const double *sum, size_t cols, size_t column) {
  return sum[0] < 2 ? 0 : fmax(0, sum[1 + cols + column] - sum[1 + column] * sum[1 + column] / sum[0]);
}

static void move_centres(sotto_matrix *centres, const double *sums, size_t live) {
  const size_t cols = centres->cols, size = size_of(cols);
  for (size_t k = 0; k < live; k++)
    for (size_t j = 0; j < cols && sums[k * size] >= 1; j++)
      centres->data[k * cols + j] = (float)(sums[k * size + 1 + j] / sums[k * size]);
}

/* Splits the cluster of the largest spread along its widest column. Returns whether there is any. */
static bool split_widest(sotto_matrix *centres, const double *sums, size_t live) {
  const size_t cols = centres->cols, size = size_of(cols);
  size_t widest = 0, along = 0;
  double largest = 0;
  for (size_t k = 0; k < live; k++) {
    double whole = 0;
    for (size_t j = 0; j < cols; j++) whole += spread_of(sums + k * size, cols, j);
    if (whole <= largest) continue;
    largest = whole;
    widest = k;
  }
  if (largest < least_spread) return false;
  const double *sum = sums + widest * size;
  for (size_t j = 1; j < cols; j++)
    if (spread_of(sum, cols, j) > spread_of(sum, cols, along)) along = j;
  const float half = (float)sqrt(spread_of(sum, cols, along) / sum[0]);
  float *from = centres->data + widest * cols, *to = centres->data + live * cols;
  memcpy(to, from, cols * sizeof *to);
  from[along] -= half;
  to[along] += half;
  return true;
}

/* Those beyond `live` are copies of the first, to which no row is nearest. */
static void fill_rest(sotto_matrix *centres, size_t live) {
  for (size_t k = live; k < clusters; k++)
    memcpy(centres->data + k * centres->cols, centres->data, centres->cols * sizeof(float));
}

sotto_status sotto_i_fed_centres_serve(sotto_i_fed_server *s, sotto_error *err) {
  const size_t cols = columns_of(s->federation);
  double *sums = NULL;
  size_t live = 1;
  sotto_status status;
  SOTTO_TRY(centres_new(&s->cells.centres, cols, err));
  SOTTO_TRY(sotto_i_new(&sums, clusters * size_of(cols), sizeof *sums, err));
  sotto_matrix *centres = sotto_params_value(s->cells.centres, 0);
  for (uint32_t step = 0; step < steps; step++) {
    const sotto_i_fed_pooled of = pooled_of(cols, step);
    SOTTO_TRY(sotto_i_fed_pool_tell(s, centres_name, centres_reason, centres, err));
    SOTTO_TRY(sotto_i_fed_pool_gather(sums, s, &of, err));
    move_centres(centres, sums, live);
    if (live < clusters && split_widest(centres, sums, live)) live++;
    fill_rest(centres, live);
  }
  SOTTO_TRY(sotto_i_fed_pool_tell(s, centres_name, centres_reason, centres, err));
done:
  sotto_i_free(sums);
  return status;
}
