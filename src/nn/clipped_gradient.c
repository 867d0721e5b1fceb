/* Sums of clipped per-example gradients, without forming any of them.
 *
 * An example's gradient for a layer's weights is the outer product a delta^T of the layer's input and delta,
 * and for its bias delta. So the square of its norm is the sum over layers of (|a|^2 + 1)|delta|^2
 * (Goodfellow 2015), and the sum of clipped gradients is A^T diag(c) Delta. Each example's row is computed
 * separately in a fixed order, so that it does not depend on the other examples of the batch. Then adding an
 * example changes the sum only by its own clipped gradient and the rounding of a double-precision sum. */
#include <math.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "dp/noise/summed.h"
#include "dpsgd.h"
#include "inside/nn.h"
#include "tensor/kernels.h"
#include "tile.h"

enum { inner_block = 128, group = 16 };

static const double selu_scale = 1.0507009873554805, selu_alpha = 1.6732632423543772;

static sotto_i_map_fn kernel_of(sotto_activation kind) {
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

/* In place: kernels read one array and write another. */
static void activate(float *z, size_t count, sotto_activation kind) {
  const sotto_i_map_fn map = kernel_of(kind);
  float before[inner_block];
  for (size_t from = 0; map != NULL && from < count; from += inner_block) {
    const size_t some = count - from < inner_block ? count - from : inner_block;
    memcpy(before, z + from, some * sizeof *z);
    map(z + from, before, some);
  }
}

/* The derivative, from the activated value. */
static double derivative(double y, sotto_activation kind) {
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

/* Are all values of a group 0 or -0? */
static bool is_empty(const float *values) {
  uint32_t bits[group], any = 0;
  memcpy(bits, values, sizeof bits);
  for (size_t j = 0; j < group; j++) any |= bits[j] << 1;
  return any == 0;
}

/* Records the positions of a sparse example's nonzero features. The three passes then visit these alone. */
static void record_positions(const sotto_i_clipped *c, size_t i) {
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

/* Computes the squared norm of the features, whether they are sparse, and then their positions. */
static void inspect_features(const sotto_i_clipped *c, size_t i) {
  size_t in = c->mlp->options.widths[0], filled;
  c->square[i] = c->tiles->square(&filled, sotto_i_clipped_features(c, i), in);
  c->sparse[i] = filled * SOTTO_I_CLIPPED_FEW < in;
  if (c->sparse[i]) record_positions(c, i);
}

/* Copies features [from, from + inner) of the block's dense examples, one after the other. */
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

/* z += a w for rows of a at a distance of `step` values. */
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

/* Dense examples are not adjacent in inputs[1], so their rows are added up in adjacent rows, one block of
 * features at a time. */
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
  for (size_t i = count; i-- > 0;) /* back to their places, last first */
    if (who[i] != begin + i) memcpy(c->inputs[1] + who[i] * out, z + i * out, out * sizeof *z);
}

static void bias_row(const sotto_i_clipped *c, size_t l, size_t i) {
  size_t in = c->mlp->options.widths[l], out = sotto_i_clipped_width(c, l);
  memcpy(c->inputs[l + 1] + i * out, c->weight[l] + in * out, out * sizeof(float));
}

static void forward(const sotto_i_clipped *c, size_t begin, size_t end) {
  const sotto_mlp_options *options = &c->mlp->options;
  for (size_t i = begin; i < end; i++) {
    inspect_features(c, i);
    bias_row(c, 0, i);
  }
  first_layer_dense(c, begin, end);
  for (size_t i = begin; i < end; i++) {
    if (!c->sparse[i]) continue;
    bias_row(c, 0, i); /* dense rows may have been here */
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
    delta[j] = (delta[j] / total - (j == (size_t)label)) * derivative(y[j], activation_after(options, last));
}

/* Multiplies by the transposed weights, a block of examples at a time. */
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
        delta[k] *= derivative(y[k], activation_after(options, l - 1));
    }
  }
}

static double square_of(const double *values, size_t count) {
  double sum = 0;
  for (size_t j = 0; j < count; j++) sum += values[j] * values[j];
  return sum;
}

/* Sets an example whose gradient is not finite to zero, its inputs included, since 0 times infinity is not a
 * number. A failure would reveal that the secret batch has such an example. */
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

/* Clips the example's gradient by scaling its deltas; the margin covers the rounding of the norm. */
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
  const double factor =
      fmin(1, c->clip / sqrt(square) * (1 - 0x1p-40)); /* a zero gradient gives infinity, so 1 */
  for (size_t l = 0; l < options->layers; l++) {
    double *delta = c->delta[l] + i * sotto_i_clipped_width(c, l);
    for (size_t j = 0; j < options->widths[l + 1]; j++) delta[j] *= factor;
  }
}

/* Runs examples [begin, end) of the sotto_i_clipped in the context, a block at most, forwards and backwards
 * through the network. Fills their rows of inputs, square, sparse and delta; delta is scaled so that the
 * gradient is clipped. */
static void clipped_rows(void *context, size_t begin, size_t end) {
  const sotto_i_clipped *c = context;
  forward(c, begin, end);
  backward(c, begin, end);
  for (size_t i = begin; i < end; i++) clip_example(c, i);
}

/* The table for this machine. */
static const sotto_i_tile_table *sotto_i_tiles(void) {
  switch (sotto_i_isa()) {
  case SOTTO_I_ISA_AVX512:
    return &sotto_i_tile_avx512;
  case SOTTO_I_ISA_AVX2:
    return &sotto_i_tile_avx2;
  case SOTTO_I_ISA_PLAIN:
    break;
  }
  return &sotto_i_tile_plain;
}

enum {
  block = SOTTO_I_CLIPPED_BLOCK,
  panel_step = block + 8, /* not a power of two: a column of a panel would use few sets of the cache */
};

typedef struct sum_job {
  const sotto_i_clipped *c;
  size_t layer;
} sum_job;

/* Inputs [from, from + rows) of examples [begin, end) as a panel, one row an example; the bias has input 1. A
 * sparse example is all 0 in it, and is added separately. */
static void pack_inputs(double *panel, const sum_job *job, size_t from, size_t rows, size_t begin,
                        size_t end) {
  const sotto_i_clipped *c = job->c;
  size_t in = c->mlp->options.widths[job->layer];
  for (size_t i = begin; i < end; i++) {
    double *to = panel + (i - begin) * panel_step;
    size_t inputs = from + rows > in ? in - from : rows;
    if (job->layer > 0 || !c->sparse[i])
      c->tiles->widen(to, sotto_i_clipped_input(c, job->layer, i) + from, inputs);
    else
      memset(to, 0, inputs * sizeof *to);
    if (inputs < rows) to[inputs] = 1;
  }
}

/* Adds the features of a sparse example in the block of columns that begins at `from`. */
static void add_sparse(double *sums, const sotto_i_clipped *c, size_t i, size_t from) {
  const size_t out = sotto_i_clipped_width(c, 0), b = from / block;
  const float *features = sotto_i_clipped_features(c, i) + from;
  const sotto_i_clipped_place place = sotto_i_clipped_places(c, i);
  const double *delta = c->delta[0] + i * out;
  for (uint32_t p = place.starts[b]; p < place.starts[b + 1]; p++) {
    const double a = features[place.places[p]];
    double *restrict sum = sums + (from + place.places[p]) * out;
    for (size_t j = 0; j < out; j++) sum[j] += a * delta[j];
  }
}

static bool all_sparse(const sotto_i_clipped *c, size_t begin, size_t end) {
  while (begin < end && c->sparse[begin]) begin++;
  return begin == end;
}

/* Rows of A^T Delta; row `in` is the bias. One block of examples at a time, so that values read again stay in
 * cache. The order of each sum does not depend on threads. */
static void sum_range(void *context, size_t from, size_t to) {
  const sum_job *job = context;
  const sotto_i_clipped *c = job->c;
  size_t out = sotto_i_clipped_width(c, job->layer), in = c->mlp->options.widths[job->layer];
  double panel[block * panel_step], *sums = c->sum[job->layer];
  memset(sums + from * out, 0, (to - from) * out * sizeof *sums);
  for (size_t begin = 0; begin < c->count; begin += block) {
    size_t end = c->count - begin < block ? c->count : begin + block;
    if (job->layer > 0 || to > in || !all_sparse(c, begin, end)) {
      pack_inputs(panel, job, from, to - from, begin, end);
      const sotto_i_tile tile = {.c = sums + from * out,
                                 .a = panel,
                                 .b = c->delta[job->layer] + begin * out,
                                 .row_step = 1,
                                 .inner_step = panel_step,
                                 .rows = to - from,
                                 .inner = end - begin,
                                 .cols = out};
      c->tiles->multiply(&tile);
    }
    for (size_t i = begin; i < end && job->layer == 0; i++)
      if (c->sparse[i]) add_sparse(sums, c, i, from);
  }
}

/* Moves rows together, without their padding. */
static void unpad(double *sums, size_t rows, size_t cols) {
  size_t padded = sotto_i_tile_pad(cols);
  for (size_t k = 1; k < rows && padded != cols; k++)
    memmove(sums + k * cols, sums + k * padded, cols * sizeof *sums);
}

void sotto_i_clipped_sum(sotto_i_clipped *c) {
  const sotto_mlp_options *options = &c->mlp->options;
  sotto_i_parallel(c->count, block, clipped_rows, c);
  for (size_t l = 0; l < options->layers; l++) {
    sum_job job = {c, l};
    const size_t rows = options->widths[l] + 1;
    sotto_i_parallel(rows, block, sum_range, &job);
    unpad(c->sum[l], rows, options->widths[l + 1]);
  }
}

/* Weights, and the bias as the last row, padded with 0. */
static void copy_weights(sotto_i_clipped *c, size_t l) {
  size_t in = c->mlp->options.widths[l], out = c->mlp->options.widths[l + 1],
         padded = sotto_i_clipped_width(c, l);
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
  SOTTO_TRY(sotto_i_new_raw(&c->starts, c->count * (sotto_i_clipped_blocks(c) + 1), sizeof *c->starts, err));
  SOTTO_TRY(sotto_i_new_raw(&c->places, c->count * sotto_i_clipped_room(c), sizeof *c->places, err));
  for (size_t l = 0; l < options->layers; l++) {
    size_t padded = sotto_i_clipped_width(c, l), rows = options->widths[l] + 1;
    SOTTO_TRY(sotto_i_new_raw(&c->inputs[l + 1], c->count * padded, sizeof(float), err));
    SOTTO_TRY(sotto_i_new(&c->delta[l], c->count * padded, sizeof(double), err));
    SOTTO_TRY(sotto_i_new_raw(&c->sum[l], rows * padded, sizeof(double), err));
    SOTTO_TRY(sotto_i_new_raw(&c->weight[l], rows * padded, sizeof(float), err));
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
  sotto_i_free(c->starts);
  sotto_i_free(c->places);
  for (size_t l = 0; l < SOTTO_MLP_LAYERS; l++) {
    sotto_i_free(c->inputs[l + 1]);
    sotto_i_free(c->delta[l]);
    sotto_i_free(c->sum[l]);
    sotto_i_free(c->weight[l]);
    sotto_i_free(c->turned[l]);
  }
}

/* Each example's gradient is rounded to whole steps separately, so that one example changes the sum by
 * exactly its own integer vector. */
static size_t size_of(sotto_params *params, size_t number) {
  const sotto_matrix *value = sotto_params_value(params, number);
  return value->rows * value->cols;
}

/* Offset of a parameter when all parameters are concatenated. */
static size_t place_of(sotto_params *params, size_t number) {
  size_t at = 0;
  for (size_t i = 0; i < number; i++) at += size_of(params, i);
  return at;
}

/* The clipped gradient of example i for all parameters. */
static void form_gradient(double *gradient, const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *net = &c->mlp->options;
  for (size_t l = 0; l < net->layers; l++) {
    const size_t in = net->widths[l], out = net->widths[l + 1];
    const double *delta = c->delta[l] + i * sotto_i_clipped_width(c, l);
    double *weight = gradient + place_of(c->params, c->mlp->linear[l].weight);
    double *bias = gradient + place_of(c->params, c->mlp->linear[l].bias);
    const float *input = sotto_i_clipped_input(c, l, i);
    for (size_t k = 0; k < in; k++) {
      const double a = input[k];
      for (size_t j = 0; j < out; j++) weight[k * out + j] = a * delta[j];
    }
    for (size_t j = 0; j < out; j++) bias[j] = delta[j];
  }
}

sotto_status sotto_i_clipped_steps(int64_t *sum, sotto_i_clipped *c, double step, uint64_t most,
                                   sotto_error *err) {
  const size_t size = place_of(c->params, sotto_params_count(c->params));
  double *gradient = NULL;
  int64_t *whole = NULL;
  uint64_t square;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&gradient, size, sizeof *gradient, err));
  SOTTO_TRY(sotto_i_new(&whole, size, sizeof *whole, err));
  sotto_i_parallel(c->count, SOTTO_I_CLIPPED_BLOCK, clipped_rows, c);
  for (size_t i = 0; i < c->count; i++) {
    form_gradient(gradient, c, i);
    sotto_i_whole_steps(whole, &square, gradient, size, step, most);
    for (size_t j = 0; j < size; j++) sum[j] += whole[j];
  }
done:
  sotto_i_free(gradient);
  sotto_i_free(whole);
  return status;
}
