/* Rows and columns of a table: normalise, standardise, take, softmax. */
#include "columns.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "kernels.h"

enum { row_grain = 512, column_block = 64 };

static void unit_norm_rows(void *context, size_t begin, size_t end) {
  const sotto_matrix *x = context;
  for (size_t i = begin; i < end; i++) {
    float *row = x->data + i * x->cols;
    double square = 0;
    for (size_t j = 0; j < x->cols; j++) square += (double)row[j] * row[j];
    if (square <= 0) continue;
    float factor = (float)(1 / sqrt(square));
    for (size_t j = 0; j < x->cols; j++) row[j] *= factor;
  }
}

void sotto_i_rows_to_unit_norm(sotto_matrix *x) {
  sotto_i_parallel(x->rows, row_grain, unit_norm_rows, x);
}

typedef struct clearing {
  sotto_matrix *x;
  _Atomic size_t count;
} clearing;

static void clear_infinite_rows(void *context, size_t begin, size_t end) {
  clearing *c = context;
  for (size_t i = begin; i < end; i++) {
    float *row = c->x->data + i * c->x->cols;
    if (sotto_i_kernels()->finite(row, c->x->cols)) continue;
    memset(row, 0, c->x->cols * sizeof *row);
    c->count++;
  }
}

size_t sotto_i_rows_to_finite(sotto_matrix *x) {
  clearing c = {.x = x};
  sotto_i_parallel(x->rows, row_grain, clear_infinite_rows, &c);
  return c.count;
}

static void softmax_row(float *out, const float *row, size_t count) {
  double top = row[0], sum = 0;
  for (size_t j = 1; j < count; j++) top = fmax(top, row[j]);
  for (size_t j = 0; j < count; j++) sum += exp(row[j] - top);
  for (size_t j = 0; j < count; j++) out[j] = (float)(exp(row[j] - top) / sum);
}

void sotto_i_rows_to_softmax(sotto_matrix *x) {
  for (size_t i = 0; i < x->rows; i++) softmax_row(x->data + i * x->cols, x->data + i * x->cols, x->cols);
}

void sotto_i_column_moments_add(double *moments, const sotto_matrix *x, double rows, bool squares) {
  double *mean = moments, *square = moments + x->cols;
  for (size_t i = 0; !squares && i < x->rows; i++)
    for (size_t j = 0; j < x->cols; j++) mean[j] += x->data[i * x->cols + j] / rows;
  for (size_t i = 0; squares && i < x->rows; i++)
    for (size_t j = 0; j < x->cols; j++) {
      const double gap = x->data[i * x->cols + j] - mean[j];
      square[j] += gap * gap / rows;
    }
}

sotto_status sotto_i_column_moments(double **moments, const sotto_matrix *x, sotto_error *err) {
  sotto_status status = sotto_i_new(moments, 2 * x->cols, sizeof **moments, err);
  if (status != SOTTO_OK) return status;
  for (int squares = 0; squares < 2; squares++)
    sotto_i_column_moments_add(*moments, x, (double)x->rows, squares == 1);
  return SOTTO_OK;
}

typedef struct standardisation {
  sotto_matrix *x;
  const double *moments;
} standardisation;

static void standardise_rows(void *context, size_t begin, size_t end) {
  const standardisation *s = context;
  const size_t cols = s->x->cols;
  const double *mean = s->moments, *square = s->moments + cols;
  double deviation[column_block]; /* 0 for a constant column */
  for (size_t first = 0; first < cols; first += column_block) {
    const size_t last = cols - first < column_block ? cols : first + column_block;
    for (size_t j = first; j < last; j++) deviation[j - first] = square[j] > 1e-24 ? sqrt(square[j]) : 0;
    for (size_t i = begin; i < end; i++)
      for (size_t j = first; j < last; j++) {
        float *value = &s->x->data[i * cols + j];
        const double by = deviation[j - first];
        *value = by > 0 ? (float)((*value - mean[j]) / by) : 0;
      }
  }
}

void sotto_i_columns_by_moments(sotto_matrix *x, const double *moments) {
  standardisation s = {x, moments};
  sotto_i_parallel(x->rows, row_grain, standardise_rows, &s);
}

sotto_status sotto_i_columns_to_standard(sotto_matrix *x, sotto_error *err) {
  double *moments = NULL;
  sotto_status status = sotto_i_column_moments(&moments, x, err);
  if (status == SOTTO_OK) sotto_i_columns_by_moments(x, moments);
  sotto_i_free(moments);
  return status;
}

sotto_status sotto_i_take_columns(sotto_matrix *out, const sotto_matrix *from, size_t begin, size_t end,
                                  sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, from->rows, end - begin, err);
  for (size_t i = 0; status == SOTTO_OK && i < from->rows && end > begin; i++)
    memcpy(out->data + i * out->cols, from->data + i * from->cols + begin, out->cols * sizeof(float));
  return status;
}

sotto_status sotto_i_take_rows(sotto_matrix *out, const sotto_matrix *from, const uint32_t *rows,
                               size_t count, sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, count, from->cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < count; i++)
    memcpy(out->data + i * from->cols, from->data + rows[i] * from->cols, from->cols * sizeof(float));
  return SOTTO_OK;
}
