/* Features from released counts, for corrections. Post-processing, row by row. */
#include "readings.h"

#include <math.h>
#include <string.h>

static void centre_row(float *to, const float *from, size_t cols) {
  double mean = 0;
  for (size_t j = 0; j < cols; j++) mean += from[j] / (double)cols;
  for (size_t j = 0; j < cols; j++) to[j] = (float)(from[j] - mean);
}

void sotto_i_rows_less_mean(sotto_matrix *to, const sotto_matrix *from) {
  for (size_t v = 0; v < from->rows; v++)
    centre_row(to->data + v * from->cols, from->data + v * from->cols, from->cols);
}

double sotto_i_laplace_deviation(const sotto_laplace_grid *noise) {
  const double p = exp(-1 / noise->scale);
  return sqrt(2 * p) / (1 - p);
}

/* Two counts minus their mean would be one number, and the number of neighbours would be lost. */
static void fill_features(float *to, const float *counts, size_t cols) {
  if (cols > 2)
    centre_row(to, counts, cols);
  else
    memcpy(to, counts, cols * sizeof *to);
}

sotto_status sotto_i_readings(sotto_matrix *out, const sotto_matrix *counts, const sotto_laplace_grid *noise,
                              size_t releases, sotto_error *err) {
  size_t cols = counts->cols;
  double unit = noise != NULL ? sotto_i_laplace_deviation(noise) * sqrt((double)releases) : 1;
  sotto_status status = sotto_matrix_new(out, counts->rows, 2 * cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t v = 0; v < counts->rows; v++) {
    float *value = out->data + 2 * v * cols, *direction = value + cols;
    double square = 0;
    fill_features(direction, counts->data + v * cols, cols);
    for (size_t j = 0; j < cols; j++) square += (double)direction[j] * direction[j];
    for (size_t j = 0; j < cols; j++) {
      value[j] = (float)asinh(direction[j] / unit);
      direction[j] = square > 0 ? (float)(direction[j] / sqrt(square)) : 0;
    }
  }
  return SOTTO_OK;
}
