/* Sums of clipped per-example gradients, without forming one of them.
 *
 * An example's gradient by a layer's weights is the outer product a delta^T of the layer's input and delta,
 * by its bias delta; so the square of its norm is the sum over layers of (|a|^2 + 1)|delta|^2 (Goodfellow
 * 2015), and the sum of clipped gradients is A^T diag(c) Delta. Each example's row is computed by itself in a
 * fixed order, so that it is the same whoever else is in the batch: then adding an example moves the sum by
 * its own clipped gradient and the rounding of a double-precision sum, nothing else.
 *
 * Features are mostly 0 in some data and in others not: a row of few values is added up value by value,
 * others go through the tile kernel in blocks. Which way a row goes depends on that row alone. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "dpsgd.h"
#include "tile.h"

enum { block = 64, inner_block = 128, few = 8 };

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

static const float *features_of(const sotto_i_clipped *c, size_t i) {
  return c->x->data + (size_t)c->rows[c->batch[i]] * c->x->cols;
}

/* Of layer l: values in a row of its output, padded for the kernel. */
static size_t width_after(const sotto_i_clipped *c, size_t l) {
  return sotto_i_tile_pad(c->mlp->options.widths[l + 1]);
}

/* The square of the norm of the features, and whether few of them are not 0. */
static void look_at_features(const sotto_i_clipped *c, size_t i) {
  size_t in = c->mlp->options.widths[0], filled;
  c->square[i] = c->tiles->square(&filled, features_of(c, i), in);
  c->sparse[i] = filled * few < in;
}

/* Features [from, from + inner) of the block's examples that are not sparse, one after the other. */
static size_t pack_features(double *panel, size_t *who, const sotto_i_clipped *c, size_t begin, size_t end,
                            size_t from, size_t inner) {
  size_t count = 0;
  for (size_t i = begin; i < end; i++) {
    if (c->sparse[i]) continue;
    c->tiles->widen(panel + count * inner_block, features_of(c, i) + from, inner);
    who[count++] = i;
  }
  return count;
}

static void first_layer_sparse(const sotto_i_clipped *c, size_t i) {
  const float *row = features_of(c, i);
  size_t in = c->mlp->options.widths[0], out = width_after(c, 0);
  double *restrict z = c->inputs[1] + i * out;
  for (size_t k = 0; k < in; k++) {
    if (row[k] == 0) continue;
    const double a = row[k], *w = c->weight[0] + k * out;
    for (size_t j = 0; j < out; j++) z[j] += a * w[j];
  }
}

/* Rows of inputs[1] that are not sparse lie apart, so they are added up one block of features at a time in
 * rows side by side. */
static void first_layer_dense(const sotto_i_clipped *c, size_t begin, size_t end) {
  double panel[block * inner_block];
  size_t who[block], in = c->mlp->options.widths[0], out = width_after(c, 0), count = 0;
  double *z = c->inputs[1] + begin * out;
  for (size_t from = 0; from < in; from += inner_block) {
    size_t inner = in - from < inner_block ? in - from : inner_block;
    count = pack_features(panel, who, c, begin, end, from, inner);
    const sotto_i_tile tile = {.c = z,
                               .a = panel,
                               .b = c->weight[0] + from * out,
                               .row_step = inner_block,
                               .inner_step = 1,
                               .rows = count,
                               .inner = inner,
                               .cols = out};
    c->tiles->multiply(&tile);
  }
  for (size_t i = count; i-- > 0;) /* to their places, last first */
    if (who[i] != begin + i) memcpy(c->inputs[1] + who[i] * out, z + i * out, out * sizeof *z);
}

static void activate_row(const sotto_i_clipped *c, size_t l, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  double *z = c->inputs[l + 1] + i * width_after(c, l);
  for (size_t j = 0; j < options->widths[l + 1]; j++) z[j] = activate(z[j], activation_after(options, l));
}

static void bias_row(const sotto_i_clipped *c, size_t l, size_t i) {
  size_t in = c->mlp->options.widths[l], out = width_after(c, l);
  memcpy(c->inputs[l + 1] + i * out, c->weight[l] + in * out, out * sizeof(double));
}

static void forward(const sotto_i_clipped *c, size_t begin, size_t end) {
  const sotto_mlp_options *options = &c->mlp->options;
  for (size_t i = begin; i < end; i++) {
    look_at_features(c, i);
    bias_row(c, 0, i);
  }
  first_layer_dense(c, begin, end);
  for (size_t i = begin; i < end; i++) {
    if (!c->sparse[i]) continue;
    bias_row(c, 0, i); /* dense rows may have stood here */
    first_layer_sparse(c, i);
  }
  for (size_t l = 0; l < options->layers; l++) {
    for (size_t i = begin; i < end && l > 0; i++) bias_row(c, l, i);
    const sotto_i_tile tile = {.c = c->inputs[l + 1] + begin * width_after(c, l),
                               .a = l == 0 ? NULL : c->inputs[l] + begin * width_after(c, l - 1),
                               .b = c->weight[l],
                               .row_step = l == 0 ? 0 : width_after(c, l - 1),
                               .inner_step = 1,
                               .rows = end - begin,
                               .inner = options->widths[l],
                               .cols = width_after(c, l)};
    if (l > 0) c->tiles->multiply(&tile);
    for (size_t i = begin; i < end; i++) activate_row(c, l, i);
  }
}

/* delta of the last layer: softmax minus the label's indicator, times the slope. */
static void loss_delta(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  size_t last = options->layers - 1, classes = options->widths[options->layers];
  const double *y = c->inputs[options->layers] + i * width_after(c, last);
  double *delta = c->delta[last] + i * width_after(c, last);
  double top = y[0], total = 0;
  for (size_t j = 1; j < classes; j++) top = fmax(top, y[j]);
  for (size_t j = 0; j < classes; j++) total += delta[j] = exp(y[j] - top);
  int32_t label = c->labels[c->rows[c->batch[i]]];
  for (size_t j = 0; j < classes; j++)
    delta[j] = (delta[j] / total - (j == (size_t)label)) * slope(y[j], activation_after(options, last));
}

/* By the weights turned over, a block of examples at a time. */
static void backward(const sotto_i_clipped *c, size_t begin, size_t end) {
  const sotto_mlp_options *options = &c->mlp->options;
  for (size_t i = begin; i < end; i++) loss_delta(c, i);
  for (size_t l = options->layers - 1; l > 0; l--) {
    size_t padded = width_after(c, l - 1);
    const sotto_i_tile tile = {.c = c->delta[l - 1] + begin * padded, /* zeroed when made */
                               .a = c->delta[l] + begin * width_after(c, l),
                               .b = c->turned[l],
                               .row_step = width_after(c, l),
                               .inner_step = 1,
                               .rows = end - begin,
                               .inner = options->widths[l + 1],
                               .cols = padded};
    c->tiles->multiply(&tile);
    for (size_t i = begin; i < end; i++) {
      const double *y = c->inputs[l] + i * padded;
      double *delta = c->delta[l - 1] + i * padded;
      for (size_t k = 0; k < options->widths[l]; k++)
        delta[k] *= slope(y[k], activation_after(options, l - 1));
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
    double input =
        l == 0 ? c->square[i] : square_of(c->inputs[l] + i * width_after(c, l - 1), options->widths[l]);
    square += (input + 1) * square_of(c->delta[l] + i * width_after(c, l), options->widths[l + 1]);
  }
  double factor = fmin(1, c->clip / sqrt(square) * (1 - 0x1p-40)); /* no gradient: infinity, so 1 */
  if (!isfinite(square)) factor = NAN;
  for (size_t l = 0; l < options->layers; l++) {
    double *delta = c->delta[l] + i * width_after(c, l);
    for (size_t j = 0; j < options->widths[l + 1]; j++) delta[j] *= factor;
  }
}

static void example_range(void *context, size_t begin, size_t end) {
  const sotto_i_clipped *c = context;
  forward(c, begin, end);
  backward(c, begin, end);
  for (size_t i = begin; i < end; i++) clip_example(c, i);
}

typedef struct sum_job {
  const sotto_i_clipped *c;
  size_t layer;
} sum_job;

/* Inputs [from, from + rows) of examples [begin, end) as a panel, one row an example; the bias has input 1. A
 * sparse example is all 0 in it, and is added by itself. */
static void pack_inputs(double *panel, const sum_job *job, size_t from, size_t rows, size_t begin,
                        size_t end) {
  const sotto_i_clipped *c = job->c;
  size_t in = c->mlp->options.widths[job->layer];
  for (size_t i = begin; i < end; i++) {
    double *to = panel + (i - begin) * block;
    size_t inputs = from + rows > in ? in - from : rows;
    if (job->layer > 0)
      memcpy(to, c->inputs[job->layer] + i * width_after(c, job->layer - 1) + from, inputs * sizeof *to);
    else if (!c->sparse[i])
      c->tiles->widen(to, features_of(c, i) + from, inputs);
    else
      memset(to, 0, inputs * sizeof *to);
    if (inputs < rows) to[inputs] = 1;
  }
}

/* The features of a sparse example. */
static void add_sparse(double *sums, const sotto_i_clipped *c, size_t i, size_t from, size_t rows) {
  size_t in = c->mlp->options.widths[0], out = width_after(c, 0);
  const float *features = features_of(c, i);
  const double *delta = c->delta[0] + i * out;
  for (size_t k = from; k < from + rows && k < in; k++) {
    const double a = features[k];
    double *restrict sum = sums + k * out;
    if (a == 0) continue; /* a delta that is not finite shows in the bias, whose input is 1 */
    for (size_t j = 0; j < out; j++) sum[j] += a * delta[j];
  }
}

static bool all_sparse(const sotto_i_clipped *c, size_t begin, size_t end) {
  while (begin < end && c->sparse[begin]) begin++;
  return begin == end;
}

/* Rows of A^T Delta; row `in` is the bias. A block of examples at a time, so that what is read again stays in
 * cache; each sum adds up in an order that does not depend on threads. */
static void sum_range(void *context, size_t from, size_t to) {
  const sum_job *job = context;
  const sotto_i_clipped *c = job->c;
  size_t out = width_after(c, job->layer), in = c->mlp->options.widths[job->layer];
  double panel[block * block], *sums = c->sum[job->layer];
  memset(sums + from * out, 0, (to - from) * out * sizeof *sums);
  for (size_t begin = 0; begin < c->count; begin += block) {
    size_t end = c->count - begin < block ? c->count : begin + block;
    if (job->layer > 0 || to > in || !all_sparse(c, begin, end)) {
      pack_inputs(panel, job, from, to - from, begin, end);
      const sotto_i_tile tile = {.c = sums + from * out,
                                 .a = panel,
                                 .b = c->delta[job->layer] + begin * out,
                                 .row_step = 1,
                                 .inner_step = block,
                                 .rows = to - from,
                                 .inner = end - begin,
                                 .cols = out};
      c->tiles->multiply(&tile);
    }
    for (size_t i = begin; i < end && job->layer == 0; i++)
      if (c->sparse[i]) add_sparse(sums, c, i, from, to - from);
  }
}

/* Rows side by side, without what was padded. */
static void unpad(double *sums, size_t rows, size_t cols) {
  size_t padded = sotto_i_tile_pad(cols);
  for (size_t k = 1; k < rows && padded != cols; k++)
    memmove(sums + k * cols, sums + k * padded, cols * sizeof *sums);
}

sotto_status sotto_i_clipped_sum(sotto_i_clipped *c, sotto_error *err) {
  const sotto_mlp_options *options = &c->mlp->options;
  sotto_i_parallel(c->count, block, example_range, c);
  for (size_t l = 0; l < options->layers; l++) {
    sum_job job = {c, l};
    size_t rows = options->widths[l] + 1, values = rows * options->widths[l + 1];
    double poison = 0; /* stays 0 unless something is not finite */
    sotto_i_parallel(rows, block, sum_range, &job);
    unpad(c->sum[l], rows, options->widths[l + 1]);
    for (size_t j = 0; j < values; j++) poison += c->sum[l][j] * 0;
    if (poison != 0) return sotto_i_fail(err, SOTTO_NUMERIC, "the gradient of layer %zu is not finite", l);
  }
  return SOTTO_OK;
}

/* Weights, and the bias as the last row, in double precision and padded with 0. */
static void copy_weights(sotto_i_clipped *c, size_t l) {
  size_t in = c->mlp->options.widths[l], out = c->mlp->options.widths[l + 1], padded = width_after(c, l);
  const float *weight = sotto_params_value(c->params, c->mlp->linear[l].weight)->data;
  const float *bias = sotto_params_value(c->params, c->mlp->linear[l].bias)->data;
  for (size_t k = 0; k <= in; k++) {
    const float *row = k < in ? weight + k * out : bias;
    for (size_t j = 0; j < padded; j++) c->weight[l][k * padded + j] = j < out ? row[j] : 0;
    for (size_t j = 0; j < out && l > 0 && k < in; j++) c->turned[l][j * sotto_i_tile_pad(in) + k] = row[j];
  }
}

sotto_status sotto_i_clipped_new(sotto_i_clipped *c, sotto_error *err) {
  sotto_status status;
  const sotto_mlp_options *options = &c->mlp->options;
  c->tiles = sotto_i_tiles();
  SOTTO_TRY(sotto_i_new_raw(&c->square, c->count, sizeof *c->square, err));
  SOTTO_TRY(sotto_i_new_raw(&c->sparse, c->count, sizeof *c->sparse, err));
  for (size_t l = 0; l < options->layers; l++) {
    size_t padded = width_after(c, l), rows = options->widths[l] + 1;
    SOTTO_TRY(sotto_i_new_raw(&c->inputs[l + 1], c->count * padded, sizeof(double), err));
    SOTTO_TRY(sotto_i_new(&c->delta[l], c->count * padded, sizeof(double), err));
    SOTTO_TRY(sotto_i_new_raw(&c->sum[l], rows * padded, sizeof(double), err));
    SOTTO_TRY(sotto_i_new_raw(&c->weight[l], rows * padded, sizeof(double), err));
    if (l > 0)
      SOTTO_TRY(sotto_i_new(&c->turned[l], options->widths[l + 1] * sotto_i_tile_pad(options->widths[l]),
                            sizeof(double), err));
    copy_weights(c, l);
  }
done:
  return status;
}

void sotto_i_clipped_free(sotto_i_clipped *c) {
  sotto_i_free(c->square);
  sotto_i_free(c->sparse);
  for (size_t l = 0; l < SOTTO_MLP_LAYERS; l++) {
    sotto_i_free(c->inputs[l + 1]);
    sotto_i_free(c->delta[l]);
    sotto_i_free(c->sum[l]);
    sotto_i_free(c->weight[l]);
    sotto_i_free(c->turned[l]);
  }
}
