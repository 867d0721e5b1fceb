/* Networks: parameters, layers, optimisers, DP-SGD. Internal: other folders call these, programs outside do
 * not. */
#ifndef SOTTO_INSIDE_NN_H
#define SOTTO_INSIDE_NN_H

#include "sotto/nn.h"

/* Parameters of a model: named matrices, each with its gradient and optimiser state. Buffers (running
 * statistics of batch normalisation) are parameters without gradient. Pointers to a parameter's matrices are
 * valid until the set is freed. */
typedef struct sotto_params sotto_params;

typedef enum sotto_init {
  SOTTO_INIT_ZERO,
  SOTTO_INIT_ONE,
  SOTTO_INIT_GLOROT /* uniform on +-sqrt(6 / (rows + cols)) */
} sotto_init;

sotto_status sotto_params_new(sotto_params **out, sotto_error *err);
void sotto_params_free(sotto_params *params);
/* Adds a parameter and gives its number. `name` is copied and must be new (INVALID). Initial values come from
 * the stream (key, init, number). */
sotto_status sotto_params_add(sotto_params *params, size_t *number, const char *name, size_t rows,
                              size_t cols, sotto_init init, bool trained, const sotto_key *key,
                              sotto_error *err);
size_t sotto_params_count(const sotto_params *params);
const char *sotto_params_name(const sotto_params *params, size_t number);
sotto_matrix *sotto_params_value(sotto_params *params, size_t number);
sotto_matrix *sotto_params_gradient(sotto_params *params, size_t number);
/* The parameter as a variable of the tape (a constant when it is a buffer). */
sotto_var sotto_params_var(sotto_params *params, size_t number, sotto_tape *tape);
void sotto_params_zero_gradients(sotto_params *params);
/* Copies all values (not optimiser state) between two sets of the same shapes; INVALID when they differ. */
sotto_status sotto_params_copy(sotto_params *to, const sotto_params *from, sotto_error *err);
/* A copy with the same names, shapes and values; gradients and optimiser state zero. */
sotto_status sotto_params_clone(sotto_params **out, const sotto_params *params, sotto_error *err);

/* One step of an optimiser over every trained parameter; gradients are left as they are. Weight decay is the
 * L2 penalty added to the gradient (as PyTorch's Adam does). Defaults: sotto_adam_defaults. Errors: NUMERIC
 * when a gradient is not finite, naming the parameter (nothing is changed then). */
typedef struct sotto_adam {
  float learning_rate, beta1, beta2, epsilon, weight_decay;
} sotto_adam;
typedef struct sotto_sgd {
  float learning_rate, momentum, weight_decay;
} sotto_sgd;
sotto_adam sotto_adam_defaults(void); /* 1e-3, 0.9, 0.999, 1e-8, 0 */
sotto_status sotto_adam_step(sotto_params *params, const sotto_adam *options, sotto_error *err);
sotto_status sotto_sgd_step(sotto_params *params, const sotto_sgd *options, sotto_error *err);

/* safetensors files: one float32 tensor per parameter, `metadata` as name, value pairs (may be NULL, 0).
 * Written whole or not at all. INVALID: a name twice, or text that is not UTF-8. Loading fills the parameters
 * of the set; a missing or extra parameter, or another shape, is an error that names it. */
sotto_status sotto_params_save(const sotto_params *const *sets, size_t set_count, const char *path,
                               const char *const *metadata, size_t pairs, sotto_error *err);
sotto_status sotto_params_load(sotto_params *const *sets, size_t set_count, const char *path,
                               sotto_error *err);
/* The same of a file that has parameters of other sets, too. */
sotto_status sotto_i_params_load_some(sotto_params *const *sets, size_t set_count, const char *path,
                                      sotto_error *err);

/* Layers, as numbers of parameters in a set. */
sotto_var sotto_activate(sotto_tape *tape, sotto_var x, sotto_activation activation);

typedef struct sotto_linear {
  size_t weight, bias; /* weight is in x out */
} sotto_linear;
sotto_status sotto_linear_new(sotto_linear *out, sotto_params *params, const char *name, size_t in,
                              size_t width, const sotto_key *key, sotto_error *err);
sotto_var sotto_linear_apply(const sotto_linear *layer, sotto_params *params, sotto_tape *tape, sotto_var x);

/* Settings of a forward pass; `training` enables dropout and batch statistics. */
typedef struct sotto_pass {
  sotto_tape *tape;
  const sotto_key *key; /* for dropout */
  uint64_t step;
  bool training;
} sotto_pass;

enum { SOTTO_MLP_LAYERS = 8 };

/* Numbers of the parameters, 1 x 1 each, by which outputs become numbers in a unit of their own
 * (nn/number_scale.h). */
typedef struct sotto_i_number_scale {
  size_t mean, deviation;
} sotto_i_number_scale;

/* Multilayer perceptron. Between layers: [batch norm], activation, dropout; after the last layer [batch norm]
 * and activation when `activate_last`. widths[0] is the input's. */
typedef struct sotto_mlp_options {
  size_t widths[SOTTO_MLP_LAYERS + 1];
  size_t layers; /* 1 to SOTTO_MLP_LAYERS */
  sotto_activation activation;
  float dropout;       /* before each layer but the first */
  float input_dropout; /* before the first */
  bool batch_norm;
  bool activate_last;
  bool numbers; /* its one output is a number, x deviation + mean, with NAME.mean and NAME.deviation */
} sotto_mlp_options;
typedef struct sotto_mlp {
  sotto_mlp_options options;
  sotto_linear linear[SOTTO_MLP_LAYERS];
  size_t gamma[SOTTO_MLP_LAYERS], beta[SOTTO_MLP_LAYERS], mean[SOTTO_MLP_LAYERS], variance[SOTTO_MLP_LAYERS];
  uint32_t dropout_layer;     /* first of its dropout streams */
  sotto_i_number_scale scale; /* of numbers */
} sotto_mlp;
/* `dropout_layer` separates the dropout streams of several networks; each uses SOTTO_MLP_LAYERS + 1 of
 * them. */
sotto_status sotto_mlp_new(sotto_mlp *out, sotto_params *params, const char *name,
                           const sotto_mlp_options *options, uint32_t dropout_layer, const sotto_key *key,
                           sotto_error *err);
sotto_var sotto_mlp_apply(const sotto_mlp *mlp, sotto_params *params, const sotto_pass *pass, sotto_var x);

sotto_status sotto_quality_measure(sotto_quality *out, const sotto_matrix *scores, const int32_t *labels,
                                   const uint32_t *rows, size_t count, sotto_error *err);

/* DP-SGD (Abadi et al. 2016) for a multilayer perceptron under cross entropy: each example's gradient is
 * clipped to norm at most `clip`, a secret batch of them is summed, and Gaussian noise on a grid is added. */
typedef struct sotto_dpsgd {
  double clip;     /* > 0 */
  sotto_grid grid; /* of the noise on the sum: sotto_grid_new(noise multiplier * clip), or up to 2^15 finer */
  sotto_sampling sampling; /* of the examples; its batches must stay secret */
} sotto_dpsgd;
/* The mechanism of `steps` steps of a network with `parameters` weights and biases together, with the slack
 * of all roundings. */
sotto_mechanism sotto_dpsgd_mechanism(const sotto_dpsgd *options, size_t parameters, uint64_t steps);

#endif
