/* Sums of clipped per-example gradients in whole numbers: each example's gradient is formed by itself, so
 * that one example moves the sum by exactly its own whole vector. */
#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "dp/noise/summed.h"
#include "dpsgd.h"

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

/* What layer l reads of example i. */
static double input(const sotto_i_clipped *c, size_t l, size_t i, size_t k) {
  if (l == 0) return sotto_i_clipped_features(c, i)[k];
  return c->inputs[l][i * sotto_i_clipped_width(c, l - 1) + k];
}

/* The clipped gradient of example i, by all parameters. */
static void form(double *gradient, const sotto_i_clipped *c, size_t i) {
  const sotto_mlp_options *net = &c->mlp->options;
  for (size_t l = 0; l < net->layers; l++) {
    const size_t in = net->widths[l], out = net->widths[l + 1];
    const double *delta = c->delta[l] + i * sotto_i_clipped_width(c, l);
    double *weight = gradient + place_of(c->params, c->mlp->linear[l].weight);
    double *bias = gradient + place_of(c->params, c->mlp->linear[l].bias);
    for (size_t k = 0; k < in; k++) {
      const double a = input(c, l, i, k);
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
    SOTTO_TRY(sotto_i_whole_steps(whole, &square, gradient, size, step, most, err));
    for (size_t j = 0; j < size; j++) sum[j] += whole[j];
  }
done:
  sotto_i_free(gradient);
  sotto_i_free(whole);
  return status;
}
