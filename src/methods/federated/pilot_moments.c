/* What counts of pilots add to class probabilities by features alone, from sums of products. The squared
 * error of a ridge regression on rows that it did not see follows from the products of these rows, so that no
 * row leaves its client. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cells.h"
#include "tensor/cholesky.h"

static const double pull = 0.1; /* of the ridge, as a share of the rows */

/* A row: 1, the probabilities, a number for each cell. */
static size_t width_of(size_t classes, size_t cells) {
  return 1 + classes + cells;
}

/* Of a fold: products of rows, of rows and what is missed, and how many rows there are. */
static size_t fold_size(size_t width, size_t classes) {
  return width * width + width * classes + 1;
}

size_t sotto_i_fed_moments_size(size_t classes, size_t cells) {
  return SOTTO_I_FED_FOLDS * fold_size(width_of(classes, cells), classes);
}

/* row: 1, softmax of the logits, read. */
static void fill_row(double *row, const float *logits, size_t classes, const float *read, size_t cells) {
  double largest = -INFINITY, total = 0;
  for (size_t j = 0; j < classes; j++) largest = fmax(largest, (double)logits[j]);
  for (size_t j = 0; j < classes; j++) total += row[1 + j] = exp((double)logits[j] - largest);
  for (size_t j = 0; j < classes; j++) row[1 + j] /= total;
  for (size_t j = 0; j < cells; j++) row[1 + classes + j] = (double)read[j];
  row[0] = 1;
}

static void add_row(float *fold, const double *row, size_t width, size_t classes, size_t label) {
  float *products = fold, *missed = fold + width * width;
  for (size_t j = 0; j < width; j++) {
    for (size_t k = 0; k < width; k++) products[j * width + k] += (float)(row[j] * row[k]);
    for (size_t c = 0; c < classes; c++)
      missed[j * classes + c] += (float)(row[j] * ((c == label ? 1 : 0) - row[1 + c]));
  }
  missed[width * classes] += 1;
}

void sotto_i_fed_moments_add(float *block, const sotto_matrix *logits, const sotto_matrix *read, size_t cells,
                             const int32_t *labels, const uint32_t *nodes, size_t count) {
  double row[1 + 2 * SOTTO_I_FED_MOST_CLASSES];
  const size_t classes = logits->cols, width = width_of(classes, cells), size = fold_size(width, classes);
  SOTTO_I_CHECK(classes <= SOTTO_I_FED_MOST_CLASSES && cells <= SOTTO_I_FED_MOST_CLASSES);
  for (size_t i = 0; i < count; i++) {
    fill_row(row, logits->data + nodes[i] * classes, classes, read->data + i * read->cols, cells);
    add_row(block + i % SOTTO_I_FED_FOLDS * size, row, width, classes, (size_t)labels[nodes[i]]);
  }
}

/* The regression without one fold, on the first `cols` of `width` columns. */
typedef struct regression {
  size_t width, classes, cols;
  double *factor, *weights; /* cols x cols, classes x cols */
} regression;

static void fit(const regression *r, const double *block, size_t fold) {
  const size_t size = fold_size(r->width, r->classes);
  memset(r->factor, 0, r->cols * r->cols * sizeof *r->factor);
  memset(r->weights, 0, r->classes * r->cols * sizeof *r->weights);
  for (size_t f = 0; f < SOTTO_I_FED_FOLDS; f++) {
    const double *products = block + f * size, *missed = products + r->width * r->width;
    if (f == fold) continue;
    for (size_t j = 0; j < r->cols; j++) {
      for (size_t k = 0; k < r->cols; k++) r->factor[j * r->cols + k] += products[j * r->width + k];
      for (size_t c = 0; c < r->classes; c++) r->weights[c * r->cols + j] += missed[j * r->classes + c];
    }
  }
  const double rows = r->factor[0]; /* the first column is 1 */
  for (size_t j = 0; j < r->cols; j++) r->factor[j * r->cols + j] += pull * rows + 1;
  sotto_i_cholesky(r->factor, r->cols);
  for (size_t c = 0; c < r->classes; c++)
    sotto_i_cholesky_solve(r->weights + c * r->cols, r->factor, r->cols);
}

/* The decrease of the squared error of one fold by its regression. */
static double decrease(const regression *r, const double *block, size_t fold) {
  const double *products = block + fold * fold_size(r->width, r->classes);
  const double *missed = products + r->width * r->width;
  double less = 0;
  for (size_t c = 0; c < r->classes; c++) {
    const double *w = r->weights + c * r->cols;
    for (size_t j = 0; j < r->cols; j++) {
      double sum = 0;
      for (size_t k = 0; k < r->cols; k++) sum += products[j * r->width + k] * w[k];
      less += w[j] * (2 * missed[j * r->classes + c] - sum);
    }
  }
  return less;
}

static double fold_gain(regression *r, const double *block, size_t fold) {
  double less[2];
  for (int with = 0; with < 2; with++) {
    r->cols = with == 1 ? r->width : 1 + r->classes;
    fit(r, block, fold);
    less[with] = decrease(r, block, fold);
  }
  return less[1] - less[0];
}

sotto_status sotto_i_fed_moments_gain(double *mean, double *error, const double *block, size_t classes,
                                      size_t cells, sotto_error *err) {
  const size_t width = width_of(classes, cells), size = fold_size(width, classes);
  double *room = NULL, square = 0;
  size_t folds = 0;
  *mean = *error = 0;
  const sotto_status status = sotto_i_new(&room, width * (width + classes), sizeof *room, err);
  if (status != SOTTO_OK) return status;
  regression r = {.width = width, .classes = classes, .factor = room, .weights = room + width * width};
  for (size_t fold = 0; fold < SOTTO_I_FED_FOLDS; fold++) {
    const double rows = block[(fold + 1) * size - 1];
    if (rows < 1) continue;
    const double gain = fold_gain(&r, block, fold) / rows;
    *mean += gain;
    square += gain * gain;
    folds++;
  }
  sotto_i_free(room);
  if (folds < 2) {
    *mean = 0;
    return SOTTO_OK;
  }
  *mean /= (double)folds;
  *error = sqrt(fmax(0, square / (double)folds - *mean * *mean) / (double)(folds - 1));
  return SOTTO_OK;
}
