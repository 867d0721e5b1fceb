/* Forward correction: the model's probabilities pass through the known flip probabilities before they are
 * compared with the reported labels. */
#include "corrected_loss.h"

#include <math.h>

#include "base/error.h"
#include "inside/tensor.h"

/* Softmax of a row: its value at j is exp(row[j] - *largest) / *sum. */
static void softmax_scale(const float *row, size_t cols, double *largest, double *sum) {
  *largest = (double)row[0];
  *sum = 0;
  for (size_t j = 1; j < cols; j++) *largest = fmax(*largest, (double)row[j]);
  for (size_t j = 0; j < cols; j++) *sum += exp((double)row[j] - *largest);
}

static double flip_to_one_class(const sotto_i_reported *reported, size_t classes) {
  return reported->flip / (double)(classes - 1);
}

static sotto_status loss_forward(const void *context, sotto_matrix *y, const sotto_matrix *x,
                                 sotto_error *err) {
  const sotto_i_reported *reported = context;
  double total = 0;
  if (x->rows != reported->count || reported->count == 0 || x->cols < 2)
    return sotto_i_fail(err, SOTTO_INVALID, "%zu reported labels for %zu rows of %zu classes",
                        reported->count, x->rows, x->cols);
  for (size_t i = 0; i < x->rows; i++) {
    const float *row = x->data + i * x->cols;
    double largest, sum, other = flip_to_one_class(reported, x->cols);
    int32_t label = reported->labels[i];
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
  const sotto_i_reported *reported = context;
  double factor = (double)dy->data[0] / (double)reported->count, other = flip_to_one_class(reported, x->cols);
  (void)y, (void)err;
  for (size_t i = 0; i < x->rows; i++) {
    const float *row = x->data + i * x->cols;
    float *slope = dx->data + i * x->cols;
    size_t label = (size_t)reported->labels[i];
    double largest, sum, a = 1 - reported->flip - other;
    softmax_scale(row, x->cols, &largest, &sum);
    double p = exp((double)row[label] - largest) / sum;
    double weight = factor * a * p / fmax(other + a * p, 1e-300);
    for (size_t j = 0; j < x->cols; j++)
      slope[j] += (float)(weight * (exp((double)row[j] - largest) / sum - (j == label ? 1 : 0)));
  }
  return SOTTO_OK;
}

sotto_var sotto_i_reported_cross_entropy(sotto_tape *tape, sotto_var logits,
                                         const sotto_i_reported *reported) {
  static const sotto_tape_op op = {"cross entropy of reported labels", loss_forward, loss_backward};
  if (reported->flip == 0)
    return sotto_tape_cross_entropy(tape, logits, reported->labels, NULL, reported->count);
  return sotto_tape_custom(tape, logits, 1, 1, &op, reported);
}
