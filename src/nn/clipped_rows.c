/* A block of examples forwards and backwards through a perceptron, and their gradients, clipped.
 *
 * Features are mostly 0 in some data and in others not: a row of few values is added up value by value,
 * others go through the tile kernels in blocks. Which way a row goes depends on that row alone, and either
 * way its values add up in a fixed order, so that it has the same bits whoever else is in the batch. */
#include <math.h>
#include <string.h>

#include "dpsgd.h"

enum { inner_block = 128, few = 8 };

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

/* The square of the norm of the features, and whether few of them are not 0. */
static void look_at_features(const sotto_i_clipped *c, size_t i) {
  size_t in = c->mlp->options.widths[0], filled;
  c->square[i] = c->tiles->square(&filled, sotto_i_clipped_features(c, i), in);
  c->sparse[i] = filled * few < in;
}

/* Features [from, from + inner) of the block's examples that are not sparse, one after the other. */
static size_t pack_features(double *panel, size_t *who, const sotto_i_clipped *c, size_t begin, size_t end,
                            size_t from, size_t inner) {
  size_t count = 0;
  for (size_t i = begin; i < end; i++) {
    if (c->sparse[i]) continue;
    c->tiles->widen(panel + count * inner_block, sotto_i_clipped_features(c, i) + from, inner);
    who[count++] = i;
  }
  return count;
}

static void first_layer_sparse(const sotto_i_clipped *c, size_t i) {
  const float *row = sotto_i_clipped_features(c, i);
  size_t in = c->mlp->options.widths[0], out = sotto_i_clipped_width(c, 0);
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
  double panel[SOTTO_I_CLIPPED_BLOCK * inner_block];
  size_t who[SOTTO_I_CLIPPED_BLOCK], in = c->mlp->options.widths[0], out = sotto_i_clipped_width(c, 0),
                                     count = 0;
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
  double *z = c->inputs[l + 1] + i * sotto_i_clipped_width(c, l);
  for (size_t j = 0; j < options->widths[l + 1]; j++) z[j] = activate(z[j], activation_after(options, l));
}

static void bias_row(const sotto_i_clipped *c, size_t l, size_t i) {
  size_t in = c->mlp->options.widths[l], out = sotto_i_clipped_width(c, l);
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
    const sotto_i_tile tile = {.c = c->inputs[l + 1] + begin * sotto_i_clipped_width(c, l),
                               .a = l == 0 ? NULL : c->inputs[l] + begin * sotto_i_clipped_width(c, l - 1),
                               .b = c->weight[l],
                               .row_step = l == 0 ? 0 : sotto_i_clipped_width(c, l - 1),
                               .inner_step = 1,
                               .rows = end - begin,
                               .inner = options->widths[l],
                               .cols = sotto_i_clipped_width(c, l)};
    if (l > 0) c->tiles->multiply(&tile);
    for (size_t i = begin; i < end; i++) activate_row(c, l, i);
  }
}

/* delta of the last layer: softmax minus the label's indicator, times the slope. */
static void loss_delta(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  size_t last = options->layers - 1, classes = options->widths[options->layers];
  const double *y = c->inputs[options->layers] + i * sotto_i_clipped_width(c, last);
  double *delta = c->delta[last] + i * sotto_i_clipped_width(c, last);
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
    size_t padded = sotto_i_clipped_width(c, l - 1);
    const sotto_i_tile tile = {.c = c->delta[l - 1] + begin * padded, /* zeroed when made */
                               .a = c->delta[l] + begin * sotto_i_clipped_width(c, l),
                               .b = c->turned[l],
                               .row_step = sotto_i_clipped_width(c, l),
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
    double input = l == 0 ? c->square[i]
                          : square_of(c->inputs[l] + i * sotto_i_clipped_width(c, l - 1), options->widths[l]);
    square += (input + 1) * square_of(c->delta[l] + i * sotto_i_clipped_width(c, l), options->widths[l + 1]);
  }
  double factor = fmin(1, c->clip / sqrt(square) * (1 - 0x1p-40)); /* no gradient: infinity, so 1 */
  if (!isfinite(square)) factor = NAN;
  for (size_t l = 0; l < options->layers; l++) {
    double *delta = c->delta[l] + i * sotto_i_clipped_width(c, l);
    for (size_t j = 0; j < options->widths[l + 1]; j++) delta[j] *= factor;
  }
}

void sotto_i_clipped_rows(void *context, size_t begin, size_t end) {
  const sotto_i_clipped *c = context;
  forward(c, begin, end);
  backward(c, begin, end);
  for (size_t i = begin; i < end; i++) clip_example(c, i);
}
