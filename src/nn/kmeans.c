/* k-means over rows. */
#include "kmeans.h"

#include <string.h>

#include "base/memory.h"

enum { most_iterations = 30, stream = 64 };

size_t sotto_i_nearest_centre(double *distance, const sotto_matrix *centres, size_t count, const float *row) {
  size_t best = 0;
  *distance = 0;
  for (size_t c = 0; c < count; c++) {
    const float *centre = centres->data + c * centres->cols;
    double here = 0;
    for (size_t j = 0; j < centres->cols; j++) here += (double)(row[j] - centre[j]) * (row[j] - centre[j]);
    if (c > 0 && here >= *distance) continue;
    *distance = here;
    best = c;
  }
  return best;
}

static void copy_row(sotto_matrix *out, size_t c, const sotto_matrix *x, size_t v) {
  memcpy(out->data + c * out->cols, x->data + v * x->cols, x->cols * sizeof(float));
}

/* Each further centre is a row drawn in proportion to its squared distance to the nearest so far. */
static void seed_centres(sotto_matrix *out, double *gap, const sotto_matrix *x, sotto_i_random *random) {
  copy_row(out, 0, x, (size_t)sotto_i_random_below(random, x->rows));
  for (size_t c = 1; c < out->rows; c++) {
    const sotto_matrix last = {out->data + (c - 1) * out->cols, 1, out->cols};
    double total = 0, reached = 0;
    size_t v = 0;
    for (size_t i = 0; i < x->rows; i++) {
      double here;
      (void)sotto_i_nearest_centre(&here, &last, 1, x->data + i * x->cols);
      if (c == 1 || here < gap[i]) gap[i] = here;
      total += gap[i];
    }
    double goal = sotto_i_random_double(random) * total;
    for (; v + 1 < x->rows && (reached += gap[v]) <= goal; v++) continue;
    copy_row(out, c, x, v);
  }
}

/* One step of Lloyd's; a centre without rows stays. True when a row went elsewhere. */
static bool improve(sotto_matrix *out, uint32_t *home, double *sums, uint64_t *counts,
                    const sotto_matrix *x) {
  bool moved = false;
  size_t cols = x->cols;
  memset(sums, 0, out->rows * cols * sizeof *sums);
  memset(counts, 0, out->rows * sizeof *counts);
  for (size_t i = 0; i < x->rows; i++) {
    double distance;
    uint32_t c = (uint32_t)sotto_i_nearest_centre(&distance, out, out->rows, x->data + i * cols);
    moved |= home[i] != c;
    home[i] = c;
    counts[c]++;
    for (size_t j = 0; j < cols; j++) sums[c * cols + j] += x->data[i * cols + j];
  }
  for (size_t c = 0; c < out->rows; c++)
    for (size_t j = 0; counts[c] > 0 && j < cols; j++)
      out->data[c * cols + j] = (float)(sums[c * cols + j] / (double)counts[c]);
  return moved;
}

sotto_status sotto_i_kmeans(sotto_matrix *out, const sotto_matrix *x, const sotto_key *key,
                            sotto_error *err) {
  uint32_t *home = NULL;
  uint64_t *counts = NULL;
  double *gap = NULL, *sums = NULL;
  sotto_i_random random;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&home, x->rows, sizeof *home, err));
  SOTTO_TRY(sotto_i_new(&gap, x->rows, sizeof *gap, err));
  SOTTO_TRY(sotto_i_new(&counts, out->rows, sizeof *counts, err));
  SOTTO_TRY(sotto_i_new(&sums, out->rows * x->cols, sizeof *sums, err));
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, stream, 0);
  seed_centres(out, gap, x, &random);
  for (size_t i = 0; i < x->rows; i++) home[i] = UINT32_MAX;
  for (int i = 0; i < most_iterations && improve(out, home, sums, counts, x); i++) continue;
done:
  sotto_i_free(home);
  sotto_i_free(gap);
  sotto_i_free(counts);
  sotto_i_free(sums);
  return status;
}
