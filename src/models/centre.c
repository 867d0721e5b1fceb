/* Centred rows. Sums over neighbours are sums of what tells nodes apart only when the rest is taken off: a
 * common part grows with the degree and hides the difference. The median rather than the mean: where most
 * nodes have no features, they are at 0 and add nothing to their neighbours. */
#include "centre.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"

enum { row_grain = 512 };

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

static double square_of(const float *row, size_t cols) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += (double)row[j] * row[j];
  return square;
}

static void scale_row(float *row, size_t cols, double least_square) {
  double square = square_of(row, cols), factor = square <= least_square ? 0 : 1 / sqrt(square);
  for (size_t j = 0; j < cols; j++) row[j] = (float)(row[j] * factor);
}

sotto_status sotto_i_column_medians(sotto_matrix *out, const sotto_matrix *from, sotto_error *err) {
  sotto_status status;
  float *column = NULL;
  size_t cols = from->cols;
  *out = (sotto_matrix){0};
  SOTTO_TRY(sotto_i_new_raw(&column, from->rows, sizeof *column, err));
  SOTTO_TRY(sotto_matrix_new(out, 1, cols, err));
  for (size_t j = 0; j < cols; j++) {
    for (size_t i = 0; i < from->rows; i++) column[i] = from->data[i * cols + j];
    qsort(column, from->rows, sizeof *column, by_value);
    out->data[j] = column[from->rows / 2] + 0.0F; /* not -0, which sorts as 0 does */
  }
done:
  sotto_i_free(column);
  return status;
}

static void centre_by(float *out, const sotto_matrix *from, const sotto_matrix *medians) {
  const double rounding = 1e-10; /* of squares: 1e-5 of a row */
  const size_t cols = from->cols;
  for (size_t i = 0; i < from->rows; i++) {
    const float *row = from->data + i * cols;
    const double least = rounding * square_of(row, cols);
    for (size_t j = 0; j < cols; j++) out[i * cols + j] = row[j] - medians->data[j];
    scale_row(out + i * cols, cols, least);
  }
}

sotto_status sotto_i_centred_by(sotto_matrix *out, const sotto_matrix *from, const sotto_matrix *medians,
                                sotto_error *err) {
  const sotto_status status = sotto_matrix_new(out, from->rows, from->cols, err);
  if (status == SOTTO_OK) centre_by(out->data, from, medians);
  return status;
}

sotto_status sotto_i_centre_rows(sotto_matrix *x, sotto_error *err) {
  sotto_matrix medians = {0};
  const sotto_status status = sotto_i_column_medians(&medians, x, err);
  if (status == SOTTO_OK) centre_by(x->data, x, &medians);
  sotto_matrix_free(&medians);
  return status;
}

sotto_status sotto_i_centred_rows(sotto_matrix *out, const sotto_matrix *from, sotto_error *err) {
  sotto_matrix medians = {0};
  *out = (sotto_matrix){0};
  sotto_status status = sotto_i_column_medians(&medians, from, err);
  if (status == SOTTO_OK) status = sotto_i_centred_by(out, from, &medians, err);
  sotto_matrix_free(&medians);
  return status;
}

void sotto_i_centre_rows_by(sotto_matrix *x, const sotto_matrix *medians) {
  centre_by(x->data, x, medians);
}

static void unit_rows(void *context, size_t begin, size_t end) {
  const sotto_matrix *x = context;
  for (size_t i = begin; i < end; i++) scale_row(x->data + i * x->cols, x->cols, 1e-40);
}

void sotto_i_rows_to_unit(sotto_matrix *x) {
  sotto_i_parallel(x->rows, row_grain, unit_rows, x);
}

sotto_status sotto_i_unit_rows(sotto_matrix *out, const sotto_matrix *from, sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, from->rows, from->cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < from->rows * from->cols; i++) out->data[i] = from->data[i];
  sotto_i_rows_to_unit(out);
  return SOTTO_OK;
}
