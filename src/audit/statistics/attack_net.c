/* The perceptron of the attacks. */
#include "attack_net.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/progress.h"
#include "inside/nn.h"
#include "inside/tensor.h"

enum { epochs = 200, wide = 64, narrow = 32 };

static sotto_status find_moments(double **out, const sotto_matrix *x, sotto_error *err) {
  const double rows = (double)x->rows;
  sotto_status status = sotto_i_new(out, 2 * x->cols, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  double *mean = *out, *square = *out + x->cols;
  for (size_t i = 0; i < x->rows * x->cols; i++) mean[i % x->cols] += x->data[i] / rows;
  for (size_t i = 0; i < x->rows * x->cols; i++)
    square[i % x->cols] += pow(x->data[i] - mean[i % x->cols], 2) / rows;
  return SOTTO_OK;
}

static sotto_status standardise(sotto_matrix *out, const sotto_matrix *x, const double *by,
                                sotto_error *err) {
  sotto_status status = sotto_matrix_new(out, x->rows, x->cols, err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < x->rows * x->cols; i++) {
    size_t j = i % x->cols;
    out->data[i] = by[x->cols + j] > 1e-24 ? (float)((x->data[i] - by[j]) / sqrt(by[x->cols + j])) : 0;
  }
  return SOTTO_OK;
}

static sotto_status fit_net(const sotto_mlp *mlp, sotto_params *params, const sotto_matrix *x,
                            const int32_t *labels, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  sotto_adam adam = sotto_adam_defaults();
  adam.learning_rate = 5e-3F;
  adam.weight_decay = 1e-4F;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  for (uint64_t epoch = 0; epoch < epochs; epoch++) {
    sotto_tape_reset(tape);
    sotto_params_zero_gradients(params);
    const sotto_pass pass = {.tape = tape, .key = key, .step = epoch, .training = true};
    sotto_var scores = sotto_mlp_apply(mlp, params, &pass, sotto_tape_constant(tape, x));
    sotto_var loss = sotto_tape_cross_entropy(tape, scores, labels, NULL, x->rows);
    SOTTO_TRY(sotto_tape_backward(tape, loss, err));
    SOTTO_TRY(sotto_adam_step(params, &adam, err));
    SOTTO_TRY(sotto_i_check_interrupt(err));
  }
done:
  sotto_tape_free(tape);
  return status;
}

static sotto_status compute_scores(double *scores, const sotto_mlp *mlp, sotto_params *params,
                                   const sotto_matrix *x, const sotto_key *key, sotto_error *err) {
  sotto_status status;
  sotto_tape *tape = NULL;
  SOTTO_TRY(sotto_tape_new(&tape, err));
  const sotto_pass pass = {.tape = tape, .key = key};
  sotto_var logits = sotto_mlp_apply(mlp, params, &pass, sotto_tape_constant(tape, x));
  SOTTO_TRY(sotto_tape_check(tape, err));
  const sotto_matrix value = sotto_tape_value(tape, logits);
  for (size_t i = 0; i < value.rows; i++)
    scores[i] = (double)value.data[2 * i + 1] - (double)value.data[2 * i];
done:
  sotto_tape_free(tape);
  return status;
}

sotto_status sotto_i_attack_net(double *scores, const sotto_matrix *known, const uint8_t *members,
                                const sotto_matrix *asked, uint64_t seed, sotto_error *err) {
  const sotto_mlp_options options = {
      .widths = {known->cols, wide, narrow, 2}, .layers = 3, .activation = SOTTO_ACTIVATION_RELU};
  sotto_status status;
  sotto_matrix x = {0}, y = {0};
  sotto_params *params = NULL;
  int32_t *labels = NULL;
  double *by = NULL;
  sotto_mlp mlp;
  sotto_key key;
  sotto_key_public(&key, seed);
  SOTTO_TRY(find_moments(&by, known, err));
  SOTTO_TRY(standardise(&x, known, by, err));
  SOTTO_TRY(standardise(&y, asked, by, err));
  SOTTO_TRY(sotto_i_new_raw(&labels, known->rows, sizeof *labels, err));
  for (size_t i = 0; i < known->rows; i++) labels[i] = members[i] != 0 ? 1 : 0;
  SOTTO_TRY(sotto_params_new(&params, err));
  SOTTO_TRY(sotto_mlp_new(&mlp, params, "attack", &options, 0, &key, err));
  SOTTO_TRY(fit_net(&mlp, params, &x, labels, &key, err));
  SOTTO_TRY(compute_scores(scores, &mlp, params, &y, &key, err));
done:
  sotto_matrix_free(&x);
  sotto_matrix_free(&y);
  sotto_params_free(params);
  sotto_i_free(labels);
  sotto_i_free(by);
  return status;
}
