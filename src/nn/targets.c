/* Losses of what a fit learns. Forward correction: the model's probabilities pass through the known flip
 * probabilities before they are compared with the reported labels. Weights of classes: rows of a rare class
 * count more, and the scores that enter the loss are shifted so that the model's own stay probabilities. */
#include "targets.h"

#include <math.h>

#include "base/error.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "quality.h"

/* Softmax of a row: its value at j is exp(row[j] - *largest) / *sum. */
static void softmax_scale(const float *row, size_t cols, double *largest, double *sum) {
  *largest = (double)row[0];
  *sum = 0;
  for (size_t j = 1; j < cols; j++) *largest = fmax(*largest, (double)row[j]);
  for (size_t j = 0; j < cols; j++) *sum += exp((double)row[j] - *largest);
}

static double flip_to_one_class(const sotto_i_targets *reported, size_t classes) {
  return reported->flip / (double)(classes - 1);
}

static sotto_status loss_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                 sotto_error *err) {
  const sotto_i_targets *reported = context;
  double total = 0;
  if (x->rows != reported->count || reported->count == 0 || x->cols < 2)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu reported labels for %zu rows of %zu classes",
                        reported->count, x->rows, x->cols);
  for (size_t i = 0; i < x->rows; i++) {
    const float *row = x->data + i * x->cols;
    double largest, sum, other = flip_to_one_class(reported, x->cols);
    int32_t label = reported->classes[i];
    if (label < 0 || (size_t)label >= x->cols)
      return sotto_i_fail(err, SOTTO_RANGE, "the label %d of row %zu is not below %zu", (int)label, i,
                          x->cols);
    softmax_scale(row, x->cols, &largest, &sum);
    double p = exp((double)row[label] - largest) / sum;
    total -= log(fmax(other + (1 - reported->flip - other) * p, 1e-300));
  }
  y->data[0] = (float)(total / (double)reported->count);
  return SOTTO_OK;
}

/* With q = b + a p_y: d(-log q)/dx_j = -(a p_y / q)([j = y] - p_j). */
static sotto_status loss_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                  const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_targets *reported = context;
  double factor = (double)dy->data[0] / (double)reported->count, other = flip_to_one_class(reported, x->cols);
  (void)y, (void)err;
  for (size_t i = 0; i < x->rows; i++) {
    const float *row = x->data + i * x->cols;
    float *slope = dx->data + i * x->cols;
    size_t label = (size_t)reported->classes[i];
    double largest, sum, a = 1 - reported->flip - other;
    softmax_scale(row, x->cols, &largest, &sum);
    double p = exp((double)row[label] - largest) / sum;
    double weight = factor * a * p / fmax(other + a * p, 1e-300);
    for (size_t j = 0; j < x->cols; j++)
      slope[j] += (float)(weight * (exp((double)row[j] - largest) / sum - (j == label ? 1 : 0)));
  }
  return SOTTO_OK;
}

/* Score of class j as the weighted loss reads it. */
static double shifted(const sotto_i_targets *targets, const float *row, size_t j) {
  return (double)row[j] + log(targets->weights[j]);
}

/* Log-sum-exp of the shifted scores. */
static double shifted_sum(const sotto_i_targets *targets, const float *row, size_t cols) {
  double largest = shifted(targets, row, 0), sum = 0;
  for (size_t j = 1; j < cols; j++) largest = fmax(largest, shifted(targets, row, j));
  for (size_t j = 0; j < cols; j++) sum += exp(shifted(targets, row, j) - largest);
  return largest + log(sum);
}

static sotto_status weighted_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                     sotto_error *err) {
  const sotto_i_targets *targets = context;
  double total = 0;
  if (x->rows != targets->count || targets->count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu labels for %zu rows", targets->count, x->rows);
  for (size_t i = 0; i < x->rows; i++) {
    const float *row = x->data + i * x->cols;
    const int32_t label = targets->classes[i];
    if (label < 0 || (size_t)label >= x->cols)
      return sotto_i_fail(err, SOTTO_RANGE, "the label %d of row %zu is not below %zu", (int)label, i,
                          x->cols);
    const double loss = shifted_sum(targets, row, x->cols) - shifted(targets, row, (size_t)label);
    total += targets->weights[label] * loss;
  }
  y->data[0] = (float)(total / (double)targets->count);
  return SOTTO_OK;
}

/* d loss / d x_ij = w[c] (softmax(x_i + log w)_j - [j = c]) / count, with c the class of row i. */
static sotto_status weighted_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                      const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_targets *targets = context;
  const double factor = (double)dy->data[0] / (double)targets->count;
  (void)y, (void)err;
  for (size_t i = 0; i < x->rows; i++) {
    const float *row = x->data + i * x->cols;
    float *slope = dx->data + i * x->cols;
    const size_t label = (size_t)targets->classes[i];
    const double sum = shifted_sum(targets, row, x->cols), weight = factor * targets->weights[label];
    for (size_t j = 0; j < x->cols; j++)
      slope[j] += (float)(weight * (exp(shifted(targets, row, j) - sum) - (j == label ? 1 : 0)));
  }
  return SOTTO_OK;
}

/* The difference of output i from its number, in deviations. */
static double difference(const sotto_i_targets *targets, const sotto_matrix *outputs, size_t i) {
  const double error = (double)outputs->data[i * outputs->cols] - (double)targets->numbers[i];
  return targets->deviation > 0 ? error / targets->deviation : error;
}

static sotto_status square_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                   sotto_error *err) {
  const sotto_i_targets *targets = context;
  double total = 0;
  if (x->rows != targets->count || targets->count == 0 || x->cols != 1)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu numbers for %zu rows of %zu outputs", targets->count,
                        x->rows, x->cols);
  for (size_t i = 0; i < x->rows; i++) {
    const double error = difference(targets, x, i);
    if (!isfinite(targets->numbers[i]))
      return sotto_i_fail(err, SOTTO_RANGE, "the number of row %zu is not finite", i);
    total += error * error;
  }
  y->data[0] = (float)(total / (double)targets->count);
  return SOTTO_OK;
}

/* d mean ((x - y) / s)^2 / d x_i = 2 (x_i - y_i) / (s^2 count). */
static sotto_status square_backward(const void *context, sotto_matrix *dx, const sotto_matrix *dy,
                                    const sotto_matrix *x, const sotto_matrix *y, sotto_error *err) {
  const sotto_i_targets *targets = context;
  const double unit = targets->deviation > 0 ? targets->deviation : 1;
  const double factor = 2 * (double)dy->data[0] / (unit * (double)targets->count);
  (void)y, (void)err;
  for (size_t i = 0; i < x->rows; i++) dx->data[i] += (float)(factor * difference(targets, x, i));
  return SOTTO_OK;
}

sotto_i_targets sotto_i_targets_rows(const sotto_i_targets *targets, size_t begin, size_t count) {
  sotto_i_targets rows = *targets;
  if (rows.classes != NULL) rows.classes += begin;
  if (rows.numbers != NULL) rows.numbers += begin;
  rows.count = count;
  return rows;
}

sotto_var sotto_i_targets_loss(sotto_tape *tape, sotto_var outputs, const sotto_i_targets *targets) {
  static const sotto_tape_op corrected = {"cross entropy of reported labels", loss_forward, loss_backward};
  static const sotto_tape_op weighted = {"weighted cross entropy", weighted_forward, weighted_backward};
  static const sotto_tape_op squared = {"mean squared error", square_forward, square_backward};
  if (targets->numbers != NULL) return sotto_tape_custom(tape, outputs, 1, 1, &squared, targets);
  if (targets->weights != NULL) return sotto_tape_custom(tape, outputs, 1, 1, &weighted, targets);
  if (targets->flip == 0)
    return sotto_tape_cross_entropy(tape, outputs, targets->classes, NULL, targets->count);
  return sotto_tape_custom(tape, outputs, 1, 1, &corrected, targets);
}

double sotto_i_targets_mean_loss(const sotto_matrix *outputs, const sotto_i_targets *targets) {
  double total = 0;
  for (size_t i = 0; i < outputs->rows; i++) {
    const float *row = outputs->data + i * outputs->cols;
    if (targets->numbers != NULL) {
      total += difference(targets, outputs, i) * difference(targets, outputs, i);
      continue;
    }
    double largest, sum;
    softmax_scale(row, outputs->cols, &largest, &sum);
    total += log(sum) + largest - row[targets->classes[i]];
  }
  return total / (double)outputs->rows;
}

sotto_status sotto_i_targets_value(double *out, sotto_measure measure, const sotto_matrix *outputs,
                                   const sotto_i_targets *targets, sotto_error *err) {
  sotto_quality quality;
  if (targets->numbers == NULL)
    return sotto_i_quality_one(out, measure, outputs, targets->classes, targets->count, err);
  if (measure != SOTTO_MEASURE_R2)
    return sotto_i_fail(err, SOTTO_INVALID, "%s selects no epoch of a fit to numbers; r2 does",
                        sotto_measure_name(measure));
  const sotto_status status = sotto_i_targets_quality(&quality, outputs, targets, err);
  if (status == SOTTO_OK) *out = quality.of[measure];
  return status;
}

sotto_status sotto_i_targets_quality(sotto_quality *out, const sotto_matrix *outputs,
                                     const sotto_i_targets *targets, sotto_error *err) {
  if (targets->numbers != NULL)
    return sotto_number_quality(out, outputs, targets->numbers, targets->count, err);
  return sotto_quality_measure(out, outputs, targets->classes, NULL, targets->count, err);
}
