/* The noise of a release alone, in units of the stated noise. */
#include <math.h>

#include "base/error.h"
#include "canary.h"
#include "inside/audit.h"
#include "inside/pmp.h"
#include "pmp/release.h"

void sotto_i_canary_noise(sotto_noise_draw *out, const sotto_matrix *shown, const sotto_matrix *clean,
                          double unit) {
  const size_t most = SOTTO_NOISE_VALUES / shown->cols;
  out->rows = shown->rows < most ? shown->rows : most;
  out->cols = shown->cols;
  out->laplace = false;
  out->flip = 0;
  for (size_t i = 0; i < out->rows * out->cols; i++)
    out->values[i] = ((double)shown->data[i] - (double)clean->data[i]) / unit;
}

/* Appends rows of pure noise in the second half of the space. */
static void add_rows(sotto_noise_draw *out, const sotto_matrix *noise, double unit) {
  const size_t room = SOTTO_NOISE_VALUES / out->cols, half = room / 2;
  if (out->rows > half) out->rows = half;
  for (size_t i = 0; i < noise->rows && out->rows < room; i++, out->rows++)
    for (size_t j = 0; j < out->cols; j++)
      out->values[out->rows * out->cols + j] = (double)noise->data[i * out->cols + j] / unit;
}

/* Iterates are normalised after their noise, and only the result is shown. Zero rows in one layer, with
 * noise reduced by a power of two, keep a norm below 1, so that the normalisation does not change them. */
static double shrink_noise(sotto_i_world *w) {
  int exponent;
  (void)frexp(w->contractive.grid.sigma, &exponent);
  const double factor = ldexp(1, -exponent - 7);
  w->contractive.options.layers = 1;
  w->contractive.grid.sigma *= factor;
  w->contractive.grid.step *= factor;
  return w->contractive.grid.sigma;
}

/* Noise of the world with the edge, so that a hop over the graph after the noise is detected. It is that of
 * the first layer, whose inputs have no noise, or of the last where only that is shown; the last has at
 * least its own noise. Rows by the code of ranks are appended to those of one process. */
sotto_status sotto_i_canary_noise_of_layers(void *context, sotto_noise_draw *out, const sotto_key *key,
                                            sotto_error *err) {
  sotto_i_canary *c = context;
  sotto_i_world *w = &c->world[1];
  const sotto_i_world run = *w;
  sotto_status status;
  sotto_release *noisy = NULL, *exact = NULL;
  sotto_matrix zeros = {0}, ranks = {0};
  w->plan.options.raw = true; /* directly after the noise */
  SOTTO_TRY(sotto_matrix_new(&zeros, run.inputs.rows, run.inputs.cols, err));
  if (c->is_contractive) w->inputs = zeros;
  const double sigma = c->is_contractive ? shrink_noise(w) : w->plan.grid.sigma;
  SOTTO_TRY(sotto_i_canary_release(&noisy, c, 1, key, err));
  SOTTO_TRY(sotto_i_canary_layer_of_ranks(&ranks, c, key, err));
  w->plan.grid.sigma = w->contractive.grid.sigma = 0;
  SOTTO_TRY(sotto_i_canary_release(&exact, c, 1, key, err));
  const uint32_t layer = c->one_shot ? sotto_release_plan(noisy)->options.layers : 1;
  sotto_i_canary_noise(out, sotto_release_layer(noisy, layer), sotto_release_layer(exact, layer), sigma);
  if (ranks.data != NULL) add_rows(out, &ranks, sigma);
done:
  *w = run;
  sotto_matrix_free(&zeros);
  sotto_matrix_free(&ranks);
  sotto_release_free(noisy);
  sotto_release_free(exact);
  return status;
}
