/* Centred rows: each row minus the median of every column.
 *
 * Sums over neighbours distinguish nodes only after the common part is subtracted: it grows with the degree
 * and hides the difference. The median is better than the mean: where most nodes have no features, these stay
 * at 0 and add nothing to their neighbours. */
#include "centre.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

enum { row_grain = 512, column_grain = 16, window_rows = 8192 };
enum { digit_bits = 8, digits = 32 / digit_bits, bins = 1 << digit_bits };

static double square_of(const float *row, size_t cols) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += (double)row[j] * row[j];
  return square;
}

static void scale_row(float *row, size_t cols, double least_square) {
  double square = square_of(row, cols), factor = square <= least_square ? 0 : 1 / sqrt(square);
  for (size_t j = 0; j < cols; j++) row[j] = (float)(row[j] * factor);
}

/* Maps floats to integers in the same order. */
static uint32_t order_bits(float value) {
  uint32_t bits;
  const float x = value + 0.0F; /* -0 is 0 */
  memcpy(&bits, &x, sizeof bits);
  return (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
}

static float value_of(uint32_t number) {
  const uint32_t bits = (number >> 31) != 0 ? number & 0x7FFFFFFFU : ~number;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Medians of columns, digit by digit. `found` has the digits so far, `below` the number of smaller values
 * that begin with other digits. Rows pass in windows; each thread has columns of its own. */
typedef struct counting {
  const sotto_matrix *x;
  size_t first, end; /* rows of the window */
  unsigned shift;
  uint32_t *found;
  uint64_t *below, *counts;
} counting;

static void count_digits(void *context, size_t begin, size_t end) {
  const counting *m = context;
  const size_t cols = m->x->cols;
  for (size_t i = m->first; i < m->end; i++)
    for (size_t j = begin; j < end; j++) {
      const uint64_t number = order_bits(m->x->data[i * cols + j]);
      if (number >> (m->shift + digit_bits) == (uint64_t)m->found[j] >> (m->shift + digit_bits))
        m->counts[j * bins + (number >> m->shift & (bins - 1))]++;
    }
}

static sotto_status next_digit(counting *m, sotto_ranks *ranks, sotto_error *err) {
  const size_t rows = m->x->rows, cols = m->x->cols;
  sotto_status status = SOTTO_OK;
  memset(m->counts, 0, cols * bins * sizeof *m->counts);
  for (m->first = 0; m->first < rows; m->first = m->end) {
    m->end = rows - m->first < window_rows ? rows : m->first + window_rows;
    sotto_i_parallel(cols, column_grain, count_digits, m);
  }
  if (ranks != NULL) status = sotto_i_ranks_sum(ranks, m->counts, cols * bins, err);
  for (size_t j = 0; status == SOTTO_OK && j < cols; j++) {
    const uint64_t *counts = m->counts + j * bins;
    uint32_t digit = 0;
    while (digit < bins - 1 && m->below[j] >= counts[digit]) m->below[j] -= counts[digit++];
    m->found[j] |= digit << m->shift;
  }
  return status;
}

sotto_status sotto_i_column_medians_ranks(sotto_matrix *out, const sotto_matrix *own, uint64_t rows,
                                          sotto_ranks *ranks, sotto_error *err) {
  const size_t cols = own->cols;
  counting m = {.x = own};
  sotto_status status;
  *out = (sotto_matrix){0};
  SOTTO_TRY(sotto_i_new(&m.found, cols, sizeof *m.found, err));
  SOTTO_TRY(sotto_i_new(&m.below, cols, sizeof *m.below, err));
  SOTTO_TRY(sotto_i_new(&m.counts, cols * bins, sizeof *m.counts, err));
  for (size_t j = 0; j < cols; j++) m.below[j] = rows / 2;
  for (unsigned d = digits; d-- > 0;) {
    m.shift = d * digit_bits;
    SOTTO_TRY(next_digit(&m, ranks, err));
  }
  SOTTO_TRY(sotto_matrix_new(out, 1, cols, err));
  for (size_t j = 0; j < cols; j++) out->data[j] = value_of(m.found[j]);
done:
  sotto_i_free(m.found);
  sotto_i_free(m.below);
  sotto_i_free(m.counts);
  return status;
}

sotto_status sotto_i_column_medians(sotto_matrix *out, const sotto_matrix *from, sotto_error *err) {
  return sotto_i_column_medians_ranks(out, from, from->rows, NULL, err);
}

static void centre_by(float *out, const sotto_matrix *from, const sotto_matrix *medians) {
  const double rounding = 1e-10; /* in squared norm: 1e-5 of a row */
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
