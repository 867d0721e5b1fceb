/* Clipped sums of per-example gradients, shared by DP-SGD and its tests. */
#ifndef SOTTO_SRC_NN_DPSGD_H
#define SOTTO_SRC_NN_DPSGD_H

#include "inside/nn.h"
#include "sotto/nn.h"
#include "tile.h"

/* A batch on its way through a multilayer perceptron: forwards in single precision, back in double. Example i
 * of the batch is x[rows[batch[i]]]. Layer l gives inputs[l + 1] and has delta[l], the gradient of the
 * example's loss by the layer's output before its activation: a row an example, padded as tile.h wants it.
 * The layer's own inputs are inputs[l], those of the first the features. */
typedef struct sotto_i_clipped {
  const sotto_mlp *mlp;
  sotto_params *params;
  const sotto_matrix *x;
  const int32_t *labels;
  const uint32_t *rows, *batch;
  size_t count;
  double clip;
  float *inputs[SOTTO_MLP_LAYERS + 1]; /* the first is not used; the last: the network's output */
  double *delta[SOTTO_MLP_LAYERS];
  float *weight[SOTTO_MLP_LAYERS];  /* a copy, with the bias as its last row; padded */
  double *turned[SOTTO_MLP_LAYERS]; /* weights of the layers but the first, turned over; padded */
  double *square;                   /* of the norm of each example's features */
  bool *sparse;                     /* does an example have few features that are not 0? */
  uint32_t *starts;                 /* of sparse examples: sotto_i_clipped_place */
  uint8_t *places;
  const sotto_i_tile_table *tiles;
  double *sum[SOTTO_MLP_LAYERS]; /* (widths[l] + 1) x widths[l + 1]: of weights, then of the bias */
} sotto_i_clipped;

/* A sparse example has fewer features that are not 0 than one in FEW. */
enum { SOTTO_I_CLIPPED_BLOCK = 64, SOTTO_I_CLIPPED_FEW = 8 };

static inline const float *sotto_i_clipped_features(const sotto_i_clipped *c, size_t i) {
  return c->x->data + (size_t)c->rows[c->batch[i]] * c->x->cols;
}

/* Where the features of a sparse example are not 0: in block b of its columns, BLOCK of them each, at
 * places[starts[b] .. starts[b + 1]) of the block. */
typedef struct sotto_i_clipped_place {
  uint32_t *starts; /* one more than there are blocks */
  uint8_t *places;
  size_t blocks;
} sotto_i_clipped_place;
static inline size_t sotto_i_clipped_room(const sotto_i_clipped *c) {
  return c->mlp->options.widths[0] / SOTTO_I_CLIPPED_FEW + 1;
}
static inline size_t sotto_i_clipped_blocks(const sotto_i_clipped *c) {
  return c->mlp->options.widths[0] / SOTTO_I_CLIPPED_BLOCK + 1;
}
static inline sotto_i_clipped_place sotto_i_clipped_places(const sotto_i_clipped *c, size_t i) {
  const size_t blocks = sotto_i_clipped_blocks(c);
  return (sotto_i_clipped_place){c->starts + i * (blocks + 1), c->places + i * sotto_i_clipped_room(c),
                                 blocks};
}

/* Of layer l: values in a row of its output, padded. */
static inline size_t sotto_i_clipped_width(const sotto_i_clipped *c, size_t l) {
  return sotto_i_tile_pad(c->mlp->options.widths[l + 1]);
}

/* What layer l reads of example i. */
static inline const float *sotto_i_clipped_input(const sotto_i_clipped *c, size_t l, size_t i) {
  return l == 0 ? sotto_i_clipped_features(c, i) : c->inputs[l] + i * sotto_i_clipped_width(c, l - 1);
}

/* The finest grid that the noise is made for, 2^25 to 2^26 steps a sigma: rounding moves the sum over P
 * parameters by step sqrt(P), which of large networks would be much on the grid of sotto_grid_new. */
sotto_status sotto_i_dpsgd_grid(sotto_grid *out, double sigma, sotto_error *err);

/* The examples of a training by DP-SGD: row rows[i] of x with labels[rows[i]] for i below the population.
 * With `make` a batch has rows of its own, which stay as secret as the batch: `make` fills `out`, count x the
 * columns of x, with those of `nodes`, which are rows of x. It may draw from streams (key, its purpose,
 * step). */
typedef struct sotto_i_dpsgd_examples {
  const sotto_matrix *x;
  const int32_t *labels;
  const uint32_t *rows;
  sotto_status (*make)(void *context, sotto_matrix *out, const uint32_t *nodes, size_t count,
                       const sotto_key *key, uint32_t step, sotto_error *err);
  void *context;
} sotto_i_dpsgd_examples;
/* Overwrites the gradients of the network's weights and biases with the noisy sum over the batch of `step`,
 * divided by the expected batch size. The batch comes from the stream (key, sampling, step), the noise from
 * (key, noise, step). `step` is below 2^24 and never used twice. Per-example gradients are never formed:
 * their norms are products of norms of rows (Goodfellow 2015). Each row is computed separately in double
 * precision, so that no example touches another but in the sum; one whose gradient is not finite counts as
 * zero. The network has neither batch norm nor dropout. Errors: INVALID (network, shapes, key, labels),
 * RANGE, NOMEM; on failure no gradient is changed.
 */
SOTTO_MUST_USE sotto_status sotto_i_dpsgd_gradient(const sotto_mlp *mlp, sotto_params *params,
                                                   const sotto_i_dpsgd_examples *examples,
                                                   const sotto_dpsgd *options, const sotto_key *key,
                                                   uint32_t step, sotto_error *err);

/* Allocates for `count` examples. After a failure, too, call _free. */
sotto_status sotto_i_clipped_new(sotto_i_clipped *c, sotto_error *err);
void sotto_i_clipped_free(sotto_i_clipped *c);
/* Fills sum[l] with the sums of the examples' gradients, each clipped to norm `clip` over all layers. A
 * gradient that is not finite counts as zero. */
void sotto_i_clipped_sum(sotto_i_clipped *c);

/* Adds the examples' gradients to sum, each of them in whole steps and of norm at most `most` steps by itself
 * (dp/noise/summed.h): weights and bias of a layer stand at the places of the parameters one after the other.
 * Instead of sotto_i_clipped_sum: one of the two is called, once. Errors: NOMEM. */
sotto_status sotto_i_clipped_steps(int64_t *sum, sotto_i_clipped *c, double step, uint64_t most,
                                   sotto_error *err);

#endif
