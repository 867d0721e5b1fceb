/* State of a party of securegnn: the whole network under shares. */
#ifndef SOTTO_SRC_METHODS_VFGNN_SECUREGNN_H
#define SOTTO_SRC_METHODS_VFGNN_SECUREGNN_H

#include "party/shares/secure.h"
#include "sotto/split.h"
#include "vfgnn.h"

enum { SOTTO_I_SECUREGNN_WEIGHTS = SOTTO_I_VFGNN_HOPS + 3 };

/* Values of one layer for its backward pass. */
typedef struct sotto_i_securegnn_layer {
  sotto_i_factor input; /* the left factor of the weights */
  sotto_i_secret slope; /* of the activation */
} sotto_i_securegnn_layer;

typedef struct sotto_i_securegnn {
  const sotto_i_vfgnn *c;
  sotto_i_vfgnn_holder *h; /* NULL at the dealer */
  sotto_i_secure s;
  sotto_split split;
  uint32_t *rows;  /* training, validation and test nodes, concatenated */
  uint32_t *first; /* 0, 1, 2, ...: positions of training rows in `rows` */
  size_t count, train;
  /* S X, and S for hops after the first. All of S, except in its last use: over `rows` (forward) and
   * training rows (backward). */
  sotto_i_factor x, x_turned, spread, spread_turned, last, last_turned;
  sotto_i_secret weight[SOTTO_I_SECUREGNN_WEIGHTS], velocity[SOTTO_I_SECUREGNN_WEIGHTS], labels;
  sotto_i_securegnn_layer layers[SOTTO_I_SECUREGNN_WEIGHTS];
  sotto_matrix scores; /* only at the label holder */
} sotto_i_securegnn;

static inline size_t sotto_i_securegnn_hops(const sotto_i_securegnn *n) {
  return (size_t)n->c->job->options->layers;
}

#endif
