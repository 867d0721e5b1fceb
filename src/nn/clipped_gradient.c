/* Sums of clipped per-example gradients, without forming one of them.
 *
 * An example's gradient by a layer's weights is the outer product a delta^T of the layer's input and delta,
 * by its bias delta; so the square of its norm is the sum over layers of (|a|^2 + 1)|delta|^2 (Goodfellow
 * 2015), and the sum of clipped gradients is A^T diag(c) Delta. Each example's row is computed by itself in a
 * fixed order, so that it is the same whoever else is in the batch: then adding an example moves the sum by
 * its own clipped gradient and the rounding of a double-precision sum, nothing else. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "dpsgd.h"

enum { rows_per_range = 8 };

static const double selu_scale = 1.0507009873554805, selu_alpha = 1.6732632423543772;

static double activate(double z, sotto_activation kind) {
  switch (kind) {
  case SOTTO_ACTIVATION_RELU:
    return z > 0 ? z : 0;
  case SOTTO_ACTIVATION_SELU:
    return selu_scale * (z > 0 ? z : selu_alpha * expm1(z));
  case SOTTO_ACTIVATION_TANH:
    return tanh(z);
  case SOTTO_ACTIVATION_SIGMOID:
    return 1 / (1 + exp(-z));
  default:
    return z;
  }
}

/* The slope, from the activated value. */
static double slope(double y, sotto_activation kind) {
  switch (kind) {
  case SOTTO_ACTIVATION_RELU:
    return y > 0 ? 1 : 0;
  case SOTTO_ACTIVATION_SELU:
    return y > 0 ? selu_scale : y + selu_scale * selu_alpha;
  case SOTTO_ACTIVATION_TANH:
    return 1 - y * y;
  case SOTTO_ACTIVATION_SIGMOID:
    return y * (1 - y);
  default:
    return 1;
  }
}

static sotto_activation activation_after(const sotto_mlp_options *options, size_t layer) {
  bool active = layer + 1 < options->layers || options->activate_last;
  return active ? options->activation : SOTTO_ACTIVATION_NONE;
}

static void forward(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  const float *row = c->x->data + (size_t)c->rows[c->batch[i]] * c->x->cols;
  for (size_t k = 0; k < options->widths[0]; k++) c->inputs[0][i * options->widths[0] + k] = row[k];
  for (size_t l = 0; l < options->layers; l++) {
    size_t in = options->widths[l], out = options->widths[l + 1];
    const float *weight = sotto_params_value(c->params, c->mlp->linear[l].weight)->data;
    const float *bias = sotto_params_value(c->params, c->mlp->linear[l].bias)->data;
    const double *a = c->inputs[l] + i * in;
    double *restrict z = c->inputs[l + 1] + i * out;
    for (size_t j = 0; j < out; j++) z[j] = bias[j];
    for (size_t k = 0; k < in; k++) {
      if (a[k] == 0) continue; /* features are mostly 0 */
      for (size_t j = 0; j < out; j++) z[j] += a[k] * (double)weight[k * out + j];
    }
    for (size_t j = 0; j < out; j++) z[j] = activate(z[j], activation_after(options, l));
  }
}

/* delta of the last layer: softmax minus the label's indicator, times the slope. */
static void loss_delta(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  size_t last = options->layers - 1, classes = options->widths[options->layers];
  const double *y = c->inputs[options->layers] + i * classes;
  double *delta = c->delta[last] + i * classes;
  double top = y[0], total = 0;
  for (size_t j = 1; j < classes; j++) top = fmax(top, y[j]);
  for (size_t j = 0; j < classes; j++) total += delta[j] = exp(y[j] - top);
  int32_t label = c->labels[c->rows[c->batch[i]]];
  for (size_t j = 0; j < classes; j++)
    delta[j] = (delta[j] / total - (j == (size_t)label)) * slope(y[j], activation_after(options, last));
}

static void backward(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  loss_delta(c, i);
  for (size_t l = options->layers - 1; l > 0; l--) {
    size_t in = options->widths[l], out = options->widths[l + 1];
    const float *weight = sotto_params_value(c->params, c->mlp->linear[l].weight)->data;
    const double *above = c->delta[l] + i * out, *y = c->inputs[l] + i * in;
    double *delta = c->delta[l - 1] + i * in;
    for (size_t k = 0; k < in; k++) {
      double sum = 0;
      for (size_t j = 0; j < out; j++) sum += above[j] * (double)weight[k * out + j];
      delta[k] = sum * slope(y[k], activation_after(options, l - 1));
    }
  }
}

static double square_of(const double *values, size_t count) {
  double sum = 0;
  for (size_t j = 0; j < count; j++) sum += values[j] * values[j];
  return sum;
}

/* Cuts the example's gradient by scaling its deltas; the margin covers the rounding of the norm. */
static void clip_example(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  double square = 0;
  for (size_t l = 0; l < options->layers; l++) {
    size_t in = options->widths[l], out = options->widths[l + 1];
    square += (square_of(c->inputs[l] + i * in, in) + 1) * square_of(c->delta[l] + i * out, out);
  }
  double factor = fmin(1, c->clip / sqrt(square) * (1 - 0x1p-40)); /* no gradient: infinity, so 1 */
  if (!isfinite(square)) factor = NAN;
  for (size_t l = 0; l < options->layers; l++) {
    size_t out = options->widths[l + 1];
    for (size_t j = 0; j < out; j++) c->delta[l][i * out + j] *= factor;
  }
}

static void example_range(void *context, size_t begin, size_t end) {
  const sotto_i_clipped *c = context;
  for (size_t i = begin; i < end; i++) {
    forward(c, i);
    backward(c, i);
    clip_example(c, i);
  }
}

typedef struct sum_job {
  const sotto_i_clipped *c;
  size_t layer;
} sum_job;

/* Rows of A^T Delta; row `in` is the bias, whose input is 1. Examples go outside, so that the range's sums
 * and the example's delta stay in cache; each sum still adds up in the order of the examples. */
static void sum_range(void *context, size_t begin, size_t end) {
  const sum_job *job = context;
  const sotto_i_clipped *c = job->c;
  size_t in = c->mlp->options.widths[job->layer], out = c->mlp->options.widths[job->layer + 1];
  double *sums = c->sum[job->layer];
  for (size_t j = begin * out; j < end * out; j++) sums[j] = 0;
  for (size_t i = 0; i < c->count; i++) {
    const double *delta = c->delta[job->layer] + i * out, *inputs = c->inputs[job->layer] + i * in;
    for (size_t k = begin; k < end; k++) {
      double a = k < in ? inputs[k] : 1, *restrict sum = sums + k * out;
      if (a == 0) continue; /* a delta that is not finite shows in the bias, whose input is 1 */
      for (size_t j = 0; j < out; j++) sum[j] += a * delta[j];
    }
  }
}

sotto_status sotto_i_clipped_sum(sotto_i_clipped *c, sotto_error *err) {
  const sotto_mlp_options *options = &c->mlp->options;
  sotto_i_parallel(c->count, rows_per_range, example_range, c);
  for (size_t l = 0; l < options->layers; l++) {
    sum_job job = {c, l};
    size_t values = (options->widths[l] + 1) * options->widths[l + 1];
    sotto_i_parallel(options->widths[l] + 1, rows_per_range, sum_range, &job);
    for (size_t j = 0; j < values; j++)
      if (!isfinite(c->sum[l][j]))
        return sotto_i_fail(err, SOTTO_NUMERIC, "the gradient of layer %zu is not finite", l);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_clipped_new(sotto_i_clipped *c, sotto_error *err) {
  sotto_status status;
  const sotto_mlp_options *options = &c->mlp->options;
  for (size_t l = 0; l <= options->layers; l++)
    SOTTO_TRY(sotto_i_new_raw(&c->inputs[l], c->count * options->widths[l], sizeof(double), err));
  for (size_t l = 0; l < options->layers; l++) {
    SOTTO_TRY(sotto_i_new_raw(&c->delta[l], c->count * options->widths[l + 1], sizeof(double), err));
    SOTTO_TRY(
        sotto_i_new_raw(&c->sum[l], (options->widths[l] + 1) * options->widths[l + 1], sizeof(double), err));
  }
done:
  return status;
}

void sotto_i_clipped_free(sotto_i_clipped *c) {
  for (size_t l = 0; l <= SOTTO_MLP_LAYERS; l++) sotto_i_free(c->inputs[l]);
  for (size_t l = 0; l < SOTTO_MLP_LAYERS; l++) {
    sotto_i_free(c->delta[l]);
    sotto_i_free(c->sum[l]);
  }
}
