/* DP-SGD: a secret batch, a clipped sum, noise on a grid. */
#include "dpsgd.h"

#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/exact.h"
#include "dp/noise.h"

/* Sums are in double precision, so that the limit is that of whole numbers there. */
#define MOST_STEPS 0x1p52

sotto_status sotto_i_dpsgd_grid(sotto_grid *out, double sigma, sotto_error *err) {
  sotto_status status = sotto_grid_new(out, sigma, err);
  if (status == SOTTO_OK) out->step = ldexp(out->step, -15);
  return status;
}

static sotto_status check_grid(const sotto_grid *grid, sotto_error *err) {
  sotto_grid coarse;
  int exponent;
  sotto_status status = sotto_grid_new(&coarse, grid->sigma, err);
  if (status != SOTTO_OK) return status;
  if (frexp(grid->step, &exponent) == 0.5 && grid->step <= coarse.step &&
      grid->step >= ldexp(coarse.step, -15))
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "the grid of sigma %.6g has step %.17g; make it with sotto_grid_new", grid->sigma,
                      grid->step);
}

static sotto_status check(const sotto_mlp *mlp, const sotto_matrix *x, const int32_t *labels,
                          const uint32_t *rows, const sotto_dpsgd *options, const sotto_key *key,
                          uint32_t step, sotto_error *err) {
  sotto_status status;
  const sotto_mlp_options *net = &mlp->options;
  SOTTO_TRY(sotto_i_check_secret(key, step, err));
  SOTTO_TRY(sotto_sampling_check(&options->sampling, err));
  SOTTO_TRY(check_grid(&options->grid, err));
  if (!(options->clip >= 1e-20 && options->clip <= 1e20))
    return sotto_i_fail(err, SOTTO_RANGE, "gradients cut to norm %g: it must be between 1e-20 and 1e20",
                        options->clip);
  if (net->batch_norm || net->dropout > 0 || net->input_dropout > 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "per-example gradients need a network without batch norm and dropout");
  if (x->cols != net->widths[0])
    return sotto_i_fail(err, SOTTO_INVALID, "%zu features for a network of %zu inputs", x->cols,
                        net->widths[0]);
  for (uint64_t i = 0; i < options->sampling.population; i++)
    if (rows[i] >= x->rows || labels[rows[i]] < 0 || (size_t)labels[rows[i]] >= net->widths[net->layers])
      return sotto_i_fail(err, SOTTO_INVALID,
                          "example %llu is row %u: it is not there or has no class below %zu",
                          (unsigned long long)i, rows[i], net->widths[net->layers]);
done:
  return status;
}

/* One row of a parameter's gradient; `row` numbers the rows of all parameters, each with noise of its own. */
static void write_row(float *gradient, const double *sum, int32_t *noise, size_t cols,
                      const sotto_dpsgd *options, const sotto_key *key, uint32_t step, uint64_t row) {
  const sotto_grid *grid = &options->grid;
  double expected = options->sampling.rate > 0 ? options->sampling.rate * (double)options->sampling.population
                                               : (double)options->sampling.batch;
  sotto_i_noise_steps(noise, cols, grid->sigma / grid->step, key, step, row);
  for (size_t j = 0; j < cols; j++) {
    double steps = nearbyint(sum[j] / grid->step) + noise[j];
    steps = fmin(fmax(steps, -MOST_STEPS), MOST_STEPS);
    gradient[j] = (float)(steps * grid->step / expected);
  }
}

static void write_gradients(sotto_i_clipped *c, int32_t *noise, const sotto_dpsgd *options,
                            const sotto_key *key, uint32_t step) {
  uint64_t row = 0;
  for (size_t l = 0; l < c->mlp->options.layers; l++) {
    size_t in = c->mlp->options.widths[l], out = c->mlp->options.widths[l + 1];
    float *weight = sotto_params_gradient(c->params, c->mlp->linear[l].weight)->data;
    float *bias = sotto_params_gradient(c->params, c->mlp->linear[l].bias)->data;
    for (size_t k = 0; k <= in; k++)
      write_row(k < in ? weight + k * out : bias, c->sum[l] + k * out, noise, out, options, key, step, row++);
  }
}

sotto_status sotto_dpsgd_gradient(const sotto_mlp *mlp, sotto_params *params, const sotto_matrix *x,
                                  const int32_t *labels, const uint32_t *rows, const sotto_dpsgd *options,
                                  const sotto_key *key, uint32_t step, sotto_error *err) {
  sotto_status status;
  uint32_t *batch = NULL;
  int32_t *noise = NULL;
  size_t widest = 0;
  sotto_i_clipped c = {.mlp = mlp, .params = params, .x = x, .labels = labels, .rows = rows};
  c.clip = options->clip;
  SOTTO_TRY(check(mlp, x, labels, rows, options, key, step, err));
  for (size_t l = 1; l <= mlp->options.layers; l++)
    if (mlp->options.widths[l] > widest) widest = mlp->options.widths[l];
  SOTTO_TRY(sotto_i_new_raw(&batch, options->sampling.population, sizeof *batch, err));
  SOTTO_TRY(sotto_i_new_raw(&noise, widest, sizeof *noise, err));
  SOTTO_TRY(sotto_sampling_draw(batch, &c.count, &options->sampling, key, step, err));
  c.batch = batch;
  SOTTO_TRY(sotto_i_clipped_new(&c, err));
  SOTTO_TRY(sotto_i_clipped_sum(&c, err));
  write_gradients(&c, noise, options, key, step);
done:
  if (batch != NULL) sodium_memzero(batch, options->sampling.population * sizeof *batch);
  if (noise != NULL) sodium_memzero(noise, widest * sizeof *noise);
  sotto_i_free(batch);
  sotto_i_free(noise);
  sotto_i_clipped_free(&c);
  return status;
}

/* Adding up m gradients in double precision errs by at most m 2^-53 of the sum of their norms, m clip: in the
 * norm of the whole, and for both neighbours, m^2 2^-52 clip; m is at most the population. */
sotto_mechanism sotto_dpsgd_mechanism(const sotto_dpsgd *options, size_t parameters, uint64_t steps) {
  double m = (double)options->sampling.population;
  double moved = options->clip * (1 + m * m * 0x1p-51);
  sotto_mechanism mechanism =
      sotto_sampled_gaussian_mechanism(&options->sampling, &options->grid, moved, parameters);
  mechanism.count = steps;
  return mechanism;
}
