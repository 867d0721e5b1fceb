/* Combiners: how a classifier joins several layers of one width into its input. */
#ifndef SOTTO_SRC_NN_COMBINE_H
#define SOTTO_SRC_NN_COMBINE_H

#include "inside/nn.h"
#include "nn/fit.h"
#include "nn/gru.h"

typedef enum sotto_i_combination {
  SOTTO_I_COMBINE_CAT, /* concatenated */
  SOTTO_I_COMBINE_SUM,
  SOTTO_I_COMBINE_MAX,
  SOTTO_I_COMBINE_MEAN,
  SOTTO_I_COMBINE_ATTENTION,
  SOTTO_I_COMBINE_GRU /* the layers as a sequence (Wu et al. 2023, section 2.5) */
} sotto_i_combination;

/* The combination for an option's value. REGRESSION is not a combiner. */
sotto_i_combination sotto_i_combination_named(sotto_combination option);

/* GRU: the last state of a gated recurrent unit that reads layer 0, 1, ..., from a zero state. SUM, MAX, MEAN
 * and ATTENTION first send layer k through its own linear map and activation: h_k. Then SUM, MAX or MEAN of
 * the h_k element by element, or ATTENTION, sum_k a_k h_k with a = softmax_k(tanh(h_k W + b) q) for each
 * node. */
typedef struct sotto_i_combiner {
  sotto_i_combination kind;
  uint32_t layers;
  size_t width;
  sotto_activation activation;
  sotto_linear each[65];
  sotto_linear score;
  sotto_i_gru gru;
  size_t query;
  sotto_matrix ones; /* 1 x width: spreads a node's weight over its row */
} sotto_i_combiner;

/* `layers` is at most 65. */
sotto_status sotto_i_combiner_new(sotto_i_combiner *out, sotto_params *params, sotto_i_combination kind,
                                  uint32_t layers, size_t width, sotto_activation activation,
                                  const sotto_key *key, sotto_error *err);
void sotto_i_combiner_free(sotto_i_combiner *combiner);
/* Columns of the result: layers * width for CAT, width otherwise. */
size_t sotto_i_combiner_width(const sotto_i_combiner *combiner);
/* joined is n x (layers * width): the layers concatenated. */
sotto_var sotto_i_combiner_apply(const sotto_i_combiner *combiner, sotto_params *params, sotto_tape *tape,
                                 sotto_var joined);

#endif
