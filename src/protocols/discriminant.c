/* Fisher's linear discriminant with a common covariance, fold by fold. */
#include "discriminant.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tensor/cholesky.h"

static const double pull = 10;     /* rows that a class's mean is pulled by */
static const double jitter = 1e-3; /* added to variances, as a share of their mean */

/* The fit of one fold: means (classes x cols), covariance and its Cholesky factor (cols x cols). */
typedef struct fit {
  size_t classes, cols;
  double *means, *covariance, *weights, *counts, *whole;
} fit;

static bool is_of(size_t row, size_t fold) {
  return row % SOTTO_I_DISCRIMINANT_FOLDS == fold;
}

static void find_means(fit *f, const sotto_matrix *x, const int32_t *labels, size_t fold) {
  double rows = 0;
  memset(f->means, 0, f->classes * f->cols * sizeof *f->means);
  memset(f->counts, 0, f->classes * sizeof *f->counts);
  memset(f->whole, 0, f->cols * sizeof *f->whole);
  for (size_t i = 0; i < x->rows; i++) {
    if (is_of(i, fold)) continue;
    double *mean = f->means + (size_t)labels[i] * f->cols;
    f->counts[labels[i]]++;
    rows++;
    for (size_t j = 0; j < f->cols; j++) mean[j] += (double)x->data[i * f->cols + j];
  }
  for (size_t c = 0; c < f->classes; c++)
    for (size_t j = 0; j < f->cols; j++) f->whole[j] += f->means[c * f->cols + j] / fmax(rows, 1);
  for (size_t c = 0; c < f->classes; c++)
    for (size_t j = 0; j < f->cols; j++)
      f->means[c * f->cols + j] = (f->means[c * f->cols + j] + pull * f->whole[j]) / (f->counts[c] + pull);
}

static void find_covariance(fit *f, const sotto_matrix *x, const int32_t *labels, size_t fold) {
  const size_t cols = f->cols;
  double rows = 0, trace = 0;
  memset(f->covariance, 0, cols * cols * sizeof *f->covariance);
  for (size_t i = 0; i < x->rows; i++) {
    if (is_of(i, fold)) continue;
    const float *row = x->data + i * cols;
    const double *mean = f->means + (size_t)labels[i] * cols;
    rows++;
    for (size_t j = 0; j < cols; j++)
      for (size_t k = 0; k <= j; k++)
        f->covariance[j * cols + k] += ((double)row[j] - mean[j]) * ((double)row[k] - mean[k]);
  }
  for (size_t j = 0; j < cols * cols; j++) f->covariance[j] /= fmax(rows, 1);
  for (size_t j = 0; j < cols; j++) trace += f->covariance[j * cols + j];
  for (size_t j = 0; j < cols; j++) f->covariance[j * cols + j] += jitter * trace / (double)cols + 1e-12;
}

static void score_fold(sotto_matrix *scores, const fit *f, const sotto_matrix *x, size_t fold) {
  const size_t cols = f->cols;
  for (size_t c = 0; c < f->classes; c++) {
    const double *mean = f->means + c * cols, *weights = f->weights + c * cols;
    for (size_t i = fold; i < x->rows; i += SOTTO_I_DISCRIMINANT_FOLDS) {
      double sum = 0;
      for (size_t j = 0; j < cols; j++)
        sum += weights[j] * ((double)x->data[i * cols + j] - (mean[j] + f->whole[j]) / 2);
      scores->data[i * f->classes + c] = (float)sum;
    }
  }
}

static void fit_fold(sotto_matrix *scores, fit *f, const sotto_matrix *x, const int32_t *labels,
                     size_t fold) {
  find_means(f, x, labels, fold);
  find_covariance(f, x, labels, fold);
  sotto_i_cholesky(f->covariance, f->cols);
  for (size_t c = 0; c < f->classes; c++) {
    double *weights = f->weights + c * f->cols;
    for (size_t j = 0; j < f->cols; j++) weights[j] = f->means[c * f->cols + j] - f->whole[j];
    sotto_i_cholesky_solve(weights, f->covariance, f->cols);
  }
  score_fold(scores, f, x, fold);
}

sotto_status sotto_i_discriminant_scores(sotto_matrix *scores, const sotto_matrix *x, const int32_t *labels,
                                         size_t classes, sotto_error *err) {
  const size_t cols = x->cols;
  double *room = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(scores, x->rows, classes, err));
  SOTTO_TRY(sotto_i_new(&room, 2 * classes * cols + cols * cols + classes + cols, sizeof *room, err));
  fit f = {.classes = classes, .cols = cols, .means = room};
  f.weights = f.means + classes * cols;
  f.covariance = f.weights + classes * cols;
  f.counts = f.covariance + cols * cols;
  f.whole = f.counts + classes;
  for (size_t fold = 0; fold < SOTTO_I_DISCRIMINANT_FOLDS; fold++) fit_fold(scores, &f, x, labels, fold);
done:
  sotto_i_free(room);
  return status;
}
