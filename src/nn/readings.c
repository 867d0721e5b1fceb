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

size_t sotto_i_readings_width(size_t clusters, bool whole) {
  return 2 * clusters + (whole ? 1 : 0);
}

/* How often row v counts one neighbour. */
static double times_counted(const sotto_i_counted *of, size_t v) {
  const double times = of->expected != NULL && of->levels != NULL ? of->expected[of->levels[v]] : of->times;
  return times > 0 ? times : 1;
}

/* Two counts minus their mean would be one number, and the number of neighbours would be lost. */
static void fill_features(float *to, const float *counts, size_t cols, const sotto_i_counted *of, size_t v) {
  if (cols > 2 && !of->whole && of->row == 0) {
    centre_row(to, counts, cols);
    return;
  }
  const float times = (float)times_counted(of, v);
  for (size_t j = 0; j < cols; j++) to[j] = counts[j] / times;
}

static void fill_row(float *value, size_t cols, const float *counts, const sotto_i_counted *of, double unit,
                     size_t v) {
  float *direction = value + cols;
  double square = 0, sum = 0;
  fill_features(direction, counts, cols, of, v);
  for (size_t j = 0; j < cols; j++) {
    square += (double)direction[j] * direction[j];
    sum += direction[j];
  }
  if (of->whole) {
    value[2 * cols] = (float)asinh(sum / (unit * sqrt((double)cols)));
    square = sum * sum; /* of whole counts: shares */
  }
  for (size_t j = 0; j < cols; j++) {
    value[j] = (float)asinh(direction[j] / unit);
    direction[j] = square > 0 ? (float)(direction[j] / fmax(sqrt(square), of->whole ? 1 : 0)) : 0;
  }
}

sotto_status sotto_i_readings_append(sotto_matrix *inputs, const sotto_matrix *counts,
                                     const sotto_i_counted *of, sotto_error *err) {
  const double one = of->row > 0 ? of->row : 1;
  const double tables = of->releases > 1 ? (double)of->releases : 1;
  const double unit = of->noise != NULL ? sotto_i_laplace_deviation(of->noise) * sqrt(tables) : one;
  const size_t before = inputs->cols, width = before + sotto_i_readings_width(counts->cols, of->whole);
  sotto_matrix wider;
  const size_t rows = counts->rows;
  const sotto_status status = sotto_matrix_new(&wider, rows, width, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < rows; i++) {
    const size_t v = of->held != NULL ? of->held->nodes[i] : i;
    float *row = wider.data + i * width;
    if (before > 0) memcpy(row, inputs->data + i * before, before * sizeof *row);
    fill_row(row + before, counts->cols, counts->data + i * counts->cols, of, unit, v);
  }
  sotto_matrix_free(inputs);
  *inputs = wider;
  return SOTTO_OK;
}
