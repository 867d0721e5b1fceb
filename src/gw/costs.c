/* Distances between rows of features or embeddings. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "inside/gw.h"
#include "sotto/gw.h"

static double dot(const double *x, const double *y, size_t d) {
  double sum = 0;
  for (size_t k = 0; k < d; k++) sum += x[k] * y[k];
  return sum;
}

/* Rows in double precision: unchanged (Euclidean), or scaled to unit norm (cosine), after subtracting the
 * mean of each row (correlation). Rows of norm 0 become zero. */
static sotto_status prepare_rows(double *out, const sotto_matrix *x, sotto_gw_metric metric, const char *name,
                                 sotto_error *err) {
  const size_t d = x->cols;
  for (size_t i = 0; i < x->rows; i++) {
    double *row = out + i * d, mean = 0, largest = 0;
    for (size_t k = 0; k < d; k++) {
      row[k] = x->data[i * d + k];
      if (!isfinite(row[k]))
        return sotto_i_fail(err, SOTTO_NUMERIC, "row %zu of %s: value %zu is not finite", i, name, k);
      mean += row[k] / (double)d;
      largest = fmax(largest, fabs(row[k]));
    }
    if (metric == SOTTO_GW_EUCLIDEAN) continue;
    if (metric == SOTTO_GW_CORRELATION)
      for (size_t k = 0; k < d; k++) row[k] -= mean;
    const double length = sqrt(dot(row, row, d));
    const bool none = !(length > 1e-12 * largest);
    for (size_t k = 0; k < d; k++) row[k] = none ? 0 : row[k] / length;
  }
  return SOTTO_OK;
}

static double row_distance(const double *x, const double *y, size_t d, sotto_gw_metric metric) {
  double sum = 0;
  bool same = true;
  for (size_t k = 0; k < d; k++) {
    sum += (x[k] - y[k]) * (x[k] - y[k]);
    same = same && x[k] == y[k];
  }
  if (same) return 0;
  if (metric == SOTTO_GW_EUCLIDEAN) return sqrt(sum);
  return fmin(2, fmax(0, 1 - dot(x, y, d)));
}

sotto_status sotto_gw_costs(double *cost, const sotto_matrix *x, const sotto_matrix *y,
                            sotto_gw_metric metric, sotto_error *err) {
  const bool same = x->data == y->data && x->rows == y->rows;
  double *left = NULL, *right = NULL;
  sotto_status status = SOTTO_OK;
  if (x->cols != y->cols)
    return sotto_i_fail(err, SOTTO_INVALID, "rows of %zu and of %zu values cannot be compared", x->cols,
                        y->cols);
  SOTTO_TRY(sotto_i_new_raw(&left, x->rows * x->cols, sizeof *left, err));
  SOTTO_TRY(prepare_rows(left, x, metric, "x", err));
  if (!same) {
    SOTTO_TRY(sotto_i_new_raw(&right, y->rows * y->cols, sizeof *right, err));
    SOTTO_TRY(prepare_rows(right, y, metric, "y", err));
  }
  for (size_t i = 0; i < x->rows; i++)
    for (size_t j = 0; j < y->rows; j++)
      cost[i * y->rows + j] =
          row_distance(left + i * x->cols, (same ? left : right) + j * x->cols, x->cols, metric);
done:
  sotto_i_free(left);
  sotto_i_free(right);
  return status;
}
