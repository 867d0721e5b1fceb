/* Weights of cells of transfers. */
#include "transfer_weights.h"

#include <math.h>

#include "base/error.h"
#include "feature_sums.h"
#include "release/plan.h"

bool sotto_i_is_weighed(sotto_i_cluster_kind kind, size_t classes, const sotto_options *options) {
  return (kind == SOTTO_I_BY_TRANSFERS || kind == SOTTO_I_BY_KINDS) && classes == SOTTO_I_WEIGHED_CLASSES &&
         sotto_i_price_asked(options);
}

bool sotto_i_is_fine(size_t classes, const sotto_options *options) {
  return options->adjacency == SOTTO_ADJACENCY_TRANSFER &&
         sotto_i_is_weighed(SOTTO_I_BY_TRANSFERS, classes, options);
}

sotto_status sotto_i_transfer_weights_new(sotto_params **out, sotto_error *err) {
  size_t number;
  const sotto_status status = sotto_params_new(out, err);
  if (status != SOTTO_OK) return status;
  return sotto_params_add(*out, &number, SOTTO_I_WEIGHTS_PARAMETER, SOTTO_I_WEIGHT_ROWS,
                          SOTTO_I_WEIGHED_CLASSES, SOTTO_INIT_ZERO, false, NULL, err);
}

/* Pilots are few. Cells that differ in direction alone say similar things, so each borrows from the other. */
static double shrunk(const sotto_matrix *of_cells, size_t cell) {
  const double borrowed = 1.0 / 3;
  const size_t half = of_cells->rows / 2, other = cell < half ? cell + half : cell - half;
  return (1 - borrowed) * (double)of_cells->data[cell] + borrowed * (double)of_cells->data[other];
}

/* At transfer level a node has more rows in more cells, and few of these say much: docs/methods.md. */
double sotto_i_transfer_weights_most(const sotto_options *options) {
  return options->adjacency == SOTTO_ADJACENCY_TRANSFER ? 1.5 : 1;
}

void sotto_i_transfer_weights_set(sotto_matrix *out, const sotto_matrix *of_cells,
                                  const sotto_matrix *of_classes, double most) {
  const size_t count = of_cells->rows * out->cols;
  sotto_matrix each = {out->data, count, 1};
  double square = 0;
  for (size_t i = 0; i < count; i++) {
    out->data[i] = (float)(shrunk(of_cells, i / out->cols) + (double)of_classes->data[i % out->cols]);
    square += pow((double)out->data[i], 2) / (double)count;
  }
  const double unit = square > 0 && isfinite(square) ? 1 / (most * sqrt(square)) : 0;
  for (size_t i = 0; i < count; i++) out->data[i] = unit > 0 ? (float)((double)out->data[i] * unit) : 0;
  sotto_i_directed_rows(&each);
}

sotto_status sotto_i_transfer_weights_check(const sotto_matrix *weights, sotto_status otherwise,
                                            sotto_error *err) {
  for (size_t i = 0; i < weights->rows * weights->cols; i++) {
    const float x = weights->data[i];
    if (!(fabsf(x) <= SOTTO_I_SUM_UNITS && x == truncf(x)))
      return sotto_i_fail(err, otherwise, "%s: weight %zu is %g; it must be a whole number from -%d to %d",
                          SOTTO_I_WEIGHTS_PARAMETER, i, (double)x, SOTTO_I_SUM_UNITS, SOTTO_I_SUM_UNITS);
  }
  return SOTTO_OK;
}
