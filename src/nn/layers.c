/* Activations, linear layers and perceptrons on the tape. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "inside/nn.h"
#include "inside/tensor.h"
#include "number_scale.h"
#include "sotto/nn.h"

sotto_var sotto_activate(sotto_tape *tape, sotto_var x, sotto_activation activation) {
  switch (activation) {
  case SOTTO_ACTIVATION_RELU:
    return sotto_tape_relu(tape, x);
  case SOTTO_ACTIVATION_SELU:
    return sotto_tape_selu(tape, x);
  case SOTTO_ACTIVATION_TANH:
    return sotto_tape_tanh(tape, x);
  case SOTTO_ACTIVATION_SIGMOID:
    return sotto_tape_sigmoid(tape, x);
  case SOTTO_ACTIVATION_NONE:
    break;
  }
  return x;
}

sotto_status sotto_linear_new(sotto_linear *out, sotto_params *params, const char *name, size_t in,
                              size_t width, const sotto_key *key, sotto_error *err) {
  char full[160];
  sotto_status status;
  if (strlen(name) > 120) return sotto_i_fail(err, SOTTO_INVALID, "the layer's name '%s' is too long", name);
  (void)snprintf(full, sizeof full, "%s.weight", name);
  SOTTO_TRY(sotto_params_add(params, &out->weight, full, in, width, SOTTO_INIT_GLOROT, true, key, err));
  (void)snprintf(full, sizeof full, "%s.bias", name);
  SOTTO_TRY(sotto_params_add(params, &out->bias, full, 1, width, SOTTO_INIT_ZERO, true, key, err));
done:
  return status;
}

sotto_var sotto_linear_apply(const sotto_linear *layer, sotto_params *params, sotto_tape *tape, sotto_var x) {
  return sotto_tape_linear(tape, x, sotto_params_var(params, layer->weight, tape),
                           sotto_params_var(params, layer->bias, tape));
}

static sotto_status add_batch_norm(sotto_mlp *mlp, sotto_params *params, const char *name, size_t k,
                                   const sotto_key *key, sotto_error *err) {
  static const struct {
    const char *word;
    sotto_init init;
    bool trained;
  } rows[4] = {{"gamma", SOTTO_INIT_ONE, true},
               {"beta", SOTTO_INIT_ZERO, true},
               {"mean", SOTTO_INIT_ZERO, false},
               {"variance", SOTTO_INIT_ONE, false}};
  size_t *const numbers[4] = {&mlp->gamma[k], &mlp->beta[k], &mlp->mean[k], &mlp->variance[k]};
  for (int i = 0; i < 4; i++) {
    char full[160];
    (void)snprintf(full, sizeof full, "%.100s.norm%zu.%s", name, k + 1, rows[i].word);
    sotto_status status = sotto_params_add(params, numbers[i], full, 1, mlp->options.widths[k + 1],
                                           rows[i].init, rows[i].trained, key, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_mlp_new(sotto_mlp *out, sotto_params *params, const char *name,
                           const sotto_mlp_options *options, uint32_t dropout_layer, const sotto_key *key,
                           sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (options->layers < 1 || options->layers > SOTTO_MLP_LAYERS)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: %zu layers; a perceptron has 1 to %d", name, options->layers,
                        SOTTO_MLP_LAYERS);
  *out = (sotto_mlp){.options = *options, .dropout_layer = dropout_layer};
  for (size_t k = 0; k < options->layers; k++) {
    char full[128];
    bool last = k + 1 == options->layers;
    (void)snprintf(full, sizeof full, "%.100s.%zu", name, k + 1);
    SOTTO_TRY(sotto_linear_new(&out->linear[k], params, full, options->widths[k], options->widths[k + 1], key,
                               err));
    if (options->batch_norm && (!last || options->activate_last))
      SOTTO_TRY(add_batch_norm(out, params, name, k, key, err));
  }
  if (options->numbers) SOTTO_TRY(sotto_i_number_scale_new(&out->scale, params, name, key, err));
done:
  return status;
}

static sotto_var apply_dropout(const sotto_mlp *mlp, const sotto_pass *pass, sotto_var x, float rate,
                               size_t k) {
  if (!pass->training || rate <= 0) return x;
  return sotto_tape_dropout(pass->tape, x, rate, pass->key, mlp->dropout_layer + (uint32_t)k, pass->step);
}

sotto_var sotto_mlp_apply(const sotto_mlp *mlp, sotto_params *params, const sotto_pass *pass, sotto_var x) {
  const sotto_mlp_options *o = &mlp->options;
  const float momentum = 0.1F;
  for (size_t k = 0; k < o->layers; k++) {
    x = apply_dropout(mlp, pass, x, k == 0 ? o->input_dropout : o->dropout, k);
    x = sotto_linear_apply(&mlp->linear[k], params, pass->tape, x);
    if (k + 1 == o->layers && !o->activate_last) break;
    if (o->batch_norm)
      x = sotto_tape_batch_norm(pass->tape, x, sotto_params_var(params, mlp->gamma[k], pass->tape),
                                sotto_params_var(params, mlp->beta[k], pass->tape),
                                sotto_params_value(params, mlp->mean[k]),
                                sotto_params_value(params, mlp->variance[k]), momentum, pass->training);
    x = sotto_activate(pass->tape, x, o->activation);
  }
  return o->numbers ? sotto_i_number_scale_apply(&mlp->scale, params, pass->tape, x) : x;
}
