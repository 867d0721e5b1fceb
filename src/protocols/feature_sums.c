/* Rows of features for sums over neighbours. */
#include "feature_sums.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

static const double most_deviations = 3;

static double clip(double x) {
  return isfinite(x) ? fmax(-most_deviations, fmin(most_deviations, x)) : 0;
}

void sotto_i_feature_sums_rows(sotto_matrix *rows) {
  for (size_t v = 0; v < rows->rows; v++) {
    float *row = rows->data + v * rows->cols;
    double norm = 0;
    for (size_t j = 0; j < rows->cols; j++) norm += fabs(clip((double)row[j]));
    for (size_t j = 0; j < rows->cols; j++)
      row[j] = norm > 0 ? (float)trunc(clip((double)row[j]) / norm * SOTTO_I_SUM_UNITS * (1 - 0x1p-40)) : 0;
  }
}

size_t sotto_i_sum_directions(size_t classes) {
  return classes == 2 ? 1 : classes;
}

sotto_status sotto_i_directions_new(sotto_params *out, size_t columns, size_t classes, sotto_error *err) {
  size_t number;
  return sotto_params_add(out, &number, SOTTO_I_DIRECTIONS_PARAMETER, columns,
                          sotto_i_sum_directions(classes), SOTTO_INIT_ZERO, false, NULL, err);
}

/* out (fresh): all standardised rows. */
static sotto_status read_rows(sotto_matrix *out, const sotto_i_row_source *standard, sotto_error *err) {
  const size_t nodes = standard->rows, cols = standard->cols;
  float *room = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(out, nodes, cols, err));
  SOTTO_TRY(sotto_i_new_raw(&room, SOTTO_I_WINDOW_ROWS * cols, sizeof *room, err));
  for (size_t first = 0; first < nodes; first += SOTTO_I_WINDOW_ROWS) {
    const size_t left = nodes - first, count = left < SOTTO_I_WINDOW_ROWS ? left : SOTTO_I_WINDOW_ROWS;
    sotto_matrix x;
    SOTTO_TRY(sotto_i_row_source_rows(&x, standard, room, first, count, err));
    memcpy(out->data + first * cols, x.data, count * cols * sizeof *room);
  }
done:
  sotto_i_free(room);
  return status;
}

sotto_status sotto_i_along_directions(sotto_matrix *out, const sotto_matrix *standard,
                                      const sotto_matrix *directions, sotto_error *err) {
  const size_t cols = directions->cols;
  const sotto_status status = sotto_matrix_new(out, standard->rows, cols, err);
  for (size_t v = 0; status == SOTTO_OK && v < standard->rows; v++)
    for (size_t j = 0; j < standard->cols; j++)
      for (size_t c = 0; c < cols; c++)
        out->data[v * cols + c] +=
            (float)clip((double)standard->data[v * standard->cols + j]) * directions->data[j * cols + c];
  return status;
}

static double norm_of(const float *row, size_t cols) {
  double norm = 0;
  for (size_t j = 0; j < cols; j++) norm += fabs((double)row[j]);
  return norm;
}

sotto_status sotto_i_directions_scale(sotto_matrix *directions, const sotto_i_row_source *standard,
                                      sotto_error *err) {
  sotto_matrix x = {0}, along = {0};
  double square = 0;
  sotto_status status;
  SOTTO_TRY(read_rows(&x, standard, err));
  SOTTO_TRY(sotto_i_along_directions(&along, &x, directions, err));
  for (size_t v = 0; v < along.rows; v++)
    square += pow(norm_of(along.data + v * along.cols, along.cols), 2) / (double)along.rows;
  const double unit = square > 0 && isfinite(square) ? 1 / (1.5 * sqrt(square)) : 0;
  for (size_t i = 0; i < directions->rows * directions->cols; i++)
    directions->data[i] = unit > 0 ? (float)((double)directions->data[i] * unit) : 0;
done:
  sotto_matrix_free(&x);
  sotto_matrix_free(&along);
  return status;
}

void sotto_i_directed_rows(sotto_matrix *rows) {
  for (size_t v = 0; v < rows->rows; v++) {
    float *row = rows->data + v * rows->cols;
    const double norm = norm_of(row, rows->cols), unit = SOTTO_I_SUM_UNITS * (1 - 0x1p-40) / fmax(1, norm);
    for (size_t j = 0; j < rows->cols; j++) row[j] = isfinite(norm) ? (float)trunc((double)row[j] * unit) : 0;
  }
}

sotto_status sotto_i_feature_sums_of(sotto_matrix *out, const sotto_i_row_source *standard,
                                     const sotto_matrix *directions, sotto_error *err) {
  sotto_matrix x = {0};
  sotto_status status;
  if (directions == NULL) {
    SOTTO_TRY(read_rows(out, standard, err));
    sotto_i_feature_sums_rows(out);
    return SOTTO_OK;
  }
  SOTTO_TRY(read_rows(&x, standard, err));
  SOTTO_TRY(sotto_i_along_directions(out, &x, directions, err));
  sotto_i_directed_rows(out);
done:
  sotto_matrix_free(&x);
  return status;
}

void sotto_i_feature_sums_add(float *to, const float *row, size_t cols, float times) {
  for (size_t j = 0; j < cols; j++)
    to[j] = fmaxf(-SOTTO_I_MOST_SUM, fminf(SOTTO_I_MOST_SUM, to[j] + times * row[j]));
}
