/* Sums of clipped per-example gradients, without forming one of them.
 *
 * An example's gradient by a layer's weights is the outer product a delta^T of the layer's input and delta,
 * by its bias delta; so the square of its norm is the sum over layers of (|a|^2 + 1)|delta|^2 (Goodfellow
 * 2015), and the sum of clipped gradients is A^T diag(c) Delta. Each example's row is computed separately in
 * a fixed order, so that it is the same whoever else is in the batch: then adding an example moves the sum by
 * its own clipped gradient and the rounding of a double-precision sum, nothing else. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "dp/noise/summed.h"
#include "dpsgd.h"
#include "nn/inside/nn.h"

enum {
  block = SOTTO_I_CLIPPED_BLOCK,
  panel_step = block + 8, /* no power of two: a column of a panel would stand in few sets of the cache */
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

/* The features of a sparse example, of the block of columns that begins at `from`. */
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

/* Rows of A^T Delta; row `in` is the bias. A block of examples at a time, so that what is read again stays in
 * cache; each sum adds up in an order that does not depend on threads. */
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

/* Rows side by side, without what was padded. */
static void unpad(double *sums, size_t rows, size_t cols) {
  size_t padded = sotto_i_tile_pad(cols);
  for (size_t k = 1; k < rows && padded != cols; k++)
    memmove(sums + k * cols, sums + k * padded, cols * sizeof *sums);
}

void sotto_i_clipped_sum(sotto_i_clipped *c) {
  const sotto_mlp_options *options = &c->mlp->options;
  sotto_i_parallel(c->count, block, sotto_i_clipped_rows, c);
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

/* In whole numbers each example's gradient is formed by itself, so that one example moves the sum by exactly
 * its own whole vector. */
static size_t size_of(sotto_params *params, size_t number) {
  const sotto_matrix *value = sotto_params_value(params, number);
  return value->rows * value->cols;
}

/* Where a parameter stands when all are one after the other. */
static size_t place_of(sotto_params *params, size_t number) {
  size_t at = 0;
  for (size_t i = 0; i < number; i++) at += size_of(params, i);
  return at;
}

/* The clipped gradient of example i, by all parameters. */
static void form(double *gradient, const sotto_i_clipped *c, size_t i) {
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
  sotto_i_parallel(c->count, SOTTO_I_CLIPPED_BLOCK, sotto_i_clipped_rows, c);
  for (size_t i = 0; i < c->count; i++) {
    form(gradient, c, i);
    sotto_i_whole_steps(whole, &square, gradient, size, step, most);
    for (size_t j = 0; j < size; j++) sum[j] += whole[j];
  }
done:
  sotto_i_free(gradient);
  sotto_i_free(whole);
  return status;
}
