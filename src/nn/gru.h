/* A gated recurrent unit (Cho et al. 2014, in the form of PyTorch's GRUCell): reads a sequence of rows. */
#ifndef SOTTO_SRC_NN_GRU_H
#define SOTTO_SRC_NN_GRU_H

#include "inside/nn.h"
#include "sotto/nn.h"

typedef enum sotto_i_gru_gate { SOTTO_I_GRU_RESET, SOTTO_I_GRU_UPDATE, SOTTO_I_GRU_NEW } sotto_i_gru_gate;

/* Per gate, W x + b of the input and U h + c of the state; numbers in a set of parameters. */
typedef struct sotto_i_gru {
  sotto_linear input[3], state[3]; /* by sotto_i_gru_gate */
} sotto_i_gru;

/* Rows of width `in`, a state of width `width`. */
sotto_status sotto_i_gru_new(sotto_i_gru *out, sotto_params *params, const char *name, size_t in,
                             size_t width, const sotto_key *key, sotto_error *err);

/* One step from state h (n x width) with input x (n x in):
 *   r = sigmoid(W_r x + U_r h), u = sigmoid(W_u x + U_u h), m = tanh(W_m x + r * (U_m h)), h' = m + u (h - m)
 * (biases left out). */
sotto_var sotto_i_gru_step(const sotto_i_gru *gru, sotto_params *params, sotto_tape *tape, sotto_var h,
                           sotto_var x);

#endif
