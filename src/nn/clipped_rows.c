/* A block of examples forwards and backwards through a perceptron, and their gradients, clipped.
 *
 * Features are mostly 0 in some data and in others not: a row of few values is added up value by value,
 * others go through the kernels in blocks. Which way a row goes depends on that row alone, and either way its
 * values add up in a fixed order, so that it has the same bits whoever else is in the batch.
 *
 * The sensitivity needs that, and a clipped norm that is exact to the margin: whatever inputs and deltas are
 * found, the norm of their own product is what is cut. So the way forwards is in single precision, while the
 * deltas, their norms and the factors that cut them are in double. */
#include <math.h>
#include <string.h>

#include "dpsgd.h"
#include "nn/inside/nn.h"
#include "tensor/kernels.h"

enum { inner_block = 128, group = 16 };

static const double selu_scale = 1.0507009873554805, selu_alpha = 1.6732632423543772;

static sotto_i_map_fn map_of(sotto_activation kind) {
  const sotto_i_kernel_table *kernels = sotto_i_kernels();
  switch (kind) {
  case SOTTO_ACTIVATION_RELU:
    return kernels->relu;
  case SOTTO_ACTIVATION_SELU:
    return kernels->selu;
  case SOTTO_ACTIVATION_TANH:
    return kernels->tanh;
  case SOTTO_ACTIVATION_SIGMOID:
    return kernels->sigmoid;
  default:
    return NULL;
  }
}

/* Kernels read one array and write another. */
static void activate(float *z, size_t count, sotto_activation kind) {
  const sotto_i_map_fn map = map_of(kind);
  float before[inner_block];
  for (size_t from = 0; map != NULL && from < count; from += inner_block) {
    const size_t some = count - from < inner_block ? count - from : inner_block;
    memcpy(before, z + from, some * sizeof *z);
    map(z + from, before, some);
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

/* No value of a group is other than 0 or -0. */
static bool is_empty(const float *values) {
  uint32_t bits[group], any = 0;
  memcpy(bits, values, sizeof bits);
  for (size_t j = 0; j < group; j++) any |= bits[j] << 1;
  return any == 0;
}

/* The three passes over a sparse example go from one feature to the next that is not 0. */
static void find_places(const sotto_i_clipped *c, size_t i) {
  const float *row = sotto_i_clipped_features(c, i);
  const sotto_i_clipped_place place = sotto_i_clipped_places(c, i);
  const size_t in = c->mlp->options.widths[0];
  uint32_t found = 0;
  for (size_t b = 0; b < place.blocks; b++) {
    const size_t begin = b * SOTTO_I_CLIPPED_BLOCK,
                 end = in - begin < SOTTO_I_CLIPPED_BLOCK ? in : begin + SOTTO_I_CLIPPED_BLOCK;
    place.starts[b] = found;
    for (size_t k = begin; k < end; k++) {
      if (k % group == 0 && k + group <= end && is_empty(row + k)) {
        k += group - 1;
        continue;
      }
      place.places[found] = (uint8_t)(k - begin);
      found += row[k] != 0;
    }
  }
  place.starts[place.blocks] = found;
}

/* The square of the norm of the features, whether few of them are not 0, and where these are. */
static void look_at_features(const sotto_i_clipped *c, size_t i) {
  size_t in = c->mlp->options.widths[0], filled;
  c->square[i] = c->tiles->square(&filled, sotto_i_clipped_features(c, i), in);
  c->sparse[i] = filled * SOTTO_I_CLIPPED_FEW < in;
  if (c->sparse[i]) find_places(c, i);
}

/* Features [from, from + inner) of the block's examples that are not sparse, one after the other. */
static size_t pack_features(float *panel, size_t *who, const sotto_i_clipped *c, size_t begin, size_t end,
                            size_t from, size_t inner) {
  size_t count = 0;
  for (size_t i = begin; i < end; i++) {
    if (c->sparse[i]) continue;
    memcpy(panel + count * inner_block, sotto_i_clipped_features(c, i) + from, inner * sizeof *panel);
    who[count++] = i;
  }
  return count;
}

static void first_layer_sparse(const sotto_i_clipped *c, size_t i) {
  const float *row = sotto_i_clipped_features(c, i);
  const sotto_i_clipped_place place = sotto_i_clipped_places(c, i);
  size_t out = sotto_i_clipped_width(c, 0);
  float *restrict z = c->inputs[1] + i * out;
  for (size_t b = 0; b < place.blocks; b++)
    for (uint32_t p = place.starts[b]; p < place.starts[b + 1]; p++) {
      const size_t k = b * SOTTO_I_CLIPPED_BLOCK + place.places[p];
      const float a = row[k], *w = c->weight[0] + k * out;
      for (size_t j = 0; j < out; j++) z[j] += a * w[j];
    }
}

/* z += a w for rows of a that begin `step` values apart. */
static void add_product(float *z, const float *a, const float *w, size_t step, size_t rows, size_t inner,
                        size_t cols) {
  const sotto_i_narrow product = {.c = z,
                                  .start = z,
                                  .a = a,
                                  .b = w,
                                  .start_step = cols,
                                  .row_step = step,
                                  .inner_step = 1,
                                  .rows = rows,
                                  .inner = inner,
                                  .cols = cols};
  sotto_i_kernels()->narrow(&product);
}

/* Rows of inputs[1] that are not sparse lie apart, so they are added up one block of features at a time in
 * rows side by side. */
static void first_layer_dense(const sotto_i_clipped *c, size_t begin, size_t end) {
  float panel[SOTTO_I_CLIPPED_BLOCK * inner_block];
  size_t who[SOTTO_I_CLIPPED_BLOCK], in = c->mlp->options.widths[0], out = sotto_i_clipped_width(c, 0),
                                     count = 0;
  float *z = c->inputs[1] + begin * out;
  for (size_t from = 0; from < in; from += inner_block) {
    size_t inner = in - from < inner_block ? in - from : inner_block;
    count = pack_features(panel, who, c, begin, end, from, inner);
    add_product(z, panel, c->weight[0] + from * out, inner_block, count, inner, out);
  }
  for (size_t i = count; i-- > 0;) /* to their places, last first */
    if (who[i] != begin + i) memcpy(c->inputs[1] + who[i] * out, z + i * out, out * sizeof *z);
}

static void bias_row(const sotto_i_clipped *c, size_t l, size_t i) {
  size_t in = c->mlp->options.widths[l], out = sotto_i_clipped_width(c, l);
  memcpy(c->inputs[l + 1] + i * out, c->weight[l] + in * out, out * sizeof(float));
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
    const size_t in = options->widths[l], out = sotto_i_clipped_width(c, l);
    for (size_t i = begin; i < end && l > 0; i++) bias_row(c, l, i);
    if (l > 0)
      add_product(c->inputs[l + 1] + begin * out, sotto_i_clipped_input(c, l, begin), c->weight[l],
                  sotto_i_clipped_width(c, l - 1), end - begin, in, out);
    for (size_t i = begin; i < end; i++)
      activate(c->inputs[l + 1] + i * out, options->widths[l + 1], activation_after(options, l));
  }
}

/* delta of the last layer: softmax minus the label's indicator, times the slope. */
static void loss_delta(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  size_t last = options->layers - 1, classes = options->widths[options->layers];
  const float *y = sotto_i_clipped_input(c, options->layers, i);
  double *delta = c->delta[last] + i * sotto_i_clipped_width(c, last);
  double top = y[0], total = 0;
  for (size_t j = 1; j < classes; j++) top = fmax(top, y[j]);
  for (size_t j = 0; j < classes; j++) total += delta[j] = exp((double)y[j] - top);
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
      const float *y = sotto_i_clipped_input(c, l, i);
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

/* An example whose gradient is not finite counts as zero: its inputs too, since 0 times infinity is none. A
 * failure would show that the secret batch has such an example. */
static void drop_example(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  const sotto_i_clipped_place place = sotto_i_clipped_places(c, i);
  c->sparse[i] = true;
  memset(place.starts, 0, (place.blocks + 1) * sizeof *place.starts);
  for (size_t l = 0; l < options->layers; l++) {
    const size_t out = sotto_i_clipped_width(c, l);
    memset(c->inputs[l + 1] + i * out, 0, out * sizeof(float));
    memset(c->delta[l] + i * out, 0, out * sizeof(double));
  }
}

/* Cuts the example's gradient by scaling its deltas; the margin covers the rounding of the norm. */
static void clip_example(const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *options = &c->mlp->options;
  double square = 0;
  for (size_t l = 0; l < options->layers; l++) {
    size_t filled;
    double input =
        l == 0 ? c->square[i] : c->tiles->square(&filled, sotto_i_clipped_input(c, l, i), options->widths[l]);
    square += (input + 1) * square_of(c->delta[l] + i * sotto_i_clipped_width(c, l), options->widths[l + 1]);
  }
  if (!isfinite(square)) {
    drop_example(c, i);
    return;
  }
  const double factor = fmin(1, c->clip / sqrt(square) * (1 - 0x1p-40)); /* no gradient: infinity, so 1 */
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
