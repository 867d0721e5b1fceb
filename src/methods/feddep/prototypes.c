/* k-means over rows. */
#include "prototypes.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { most_iterations = 30, stream = 64 };
static const double least_deviation = 1e-6; /* relative to the mean: less is rounding */

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

bool sotto_i_is_empty_row(const sotto_matrix *x, size_t row) {
  for (size_t j = 0; j < x->cols; j++)
    if (x->data[row * x->cols + j] != 0) return false;
  return true;
}

static void copy_row(sotto_matrix *out, size_t c, const sotto_matrix *x, size_t v) {
  memcpy(out->data + c * out->cols, x->data + v * x->cols, x->cols * sizeof(float));
}

/* Each further centre is a row drawn with probability proportional to its squared distance to the nearest
 * centre. */
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

/* One step of Lloyd's algorithm; a centre without rows stays. True if a row changed its cluster. */
static bool lloyd_step(sotto_matrix *out, uint32_t *home, double *sums, uint64_t *counts,
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

sotto_status sotto_i_prototypes(sotto_matrix *out, const sotto_matrix *x, const sotto_key *key,
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
  for (int i = 0; i < most_iterations && lloyd_step(out, home, sums, counts, x); i++) continue;
done:
  sotto_i_free(home);
  sotto_i_free(gap);
  sotto_i_free(counts);
  sotto_i_free(sums);
  return status;
}

void sotto_i_scale_free(sotto_i_scale *scale) {
  sotto_i_free(scale->mean);
  sotto_i_free(scale->deviation);
  *scale = (sotto_i_scale){.mean = NULL};
}

sotto_status sotto_i_scale_new(sotto_i_scale *out, const sotto_matrix *prototypes, sotto_error *err) {
  const sotto_matrix *p = prototypes;
  sotto_status status;
  *out = (sotto_i_scale){.cols = p->cols};
  SOTTO_TRY(sotto_i_new(&out->mean, p->cols, sizeof *out->mean, err));
  SOTTO_TRY(sotto_i_new(&out->deviation, p->cols, sizeof *out->deviation, err));
  for (size_t i = 0; i < p->rows * p->cols; i++) out->mean[i % p->cols] += p->data[i] / (double)p->rows;
  for (size_t i = 0; i < p->rows * p->cols; i++)
    out->deviation[i % p->cols] += pow(p->data[i] - out->mean[i % p->cols], 2) / (double)p->rows;
  for (size_t j = 0; j < p->cols; j++) {
    out->deviation[j] = sqrt(out->deviation[j]);
    if (out->deviation[j] < least_deviation * fabs(out->mean[j])) out->deviation[j] = 0;
  }
done:
  if (status != SOTTO_OK) sotto_i_scale_free(out);
  return status;
}

void sotto_i_scale_rows(sotto_matrix *x, const sotto_i_scale *scale) {
  for (size_t v = 0; v < x->rows; v++) {
    float *row = x->data + v * x->cols;
    double square = 0;
    for (size_t j = 0; j < x->cols; j++) {
      double d = scale->deviation[j];
      row[j] = d > 0 ? (float)((row[j] - scale->mean[j]) / d) : 0;
      square += (double)row[j] * row[j];
    }
    for (size_t j = 0; square > 0 && j < x->cols; j++) row[j] = (float)(row[j] / sqrt(square));
  }
}
