/* DP-SGD: a secret batch, a clipped sum, noise on a grid. */
#include "dpsgd.h"

#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "dp/noise/exact.h"
#include "dp/noise/noise.h"
#include "inside/dp.h"
#include "inside/nn.h"

/* Sums are in double precision, so that the limit is that of whole numbers there. */
#define MOST_STEPS 0x1p51
enum { write_grain = 64 };

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
    return sotto_i_fail(err, SOTTO_RANGE, "gradients clipped to norm %g: it must be between 1e-20 and 1e20",
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

/* Rows of one layer's gradient, the bias last; `first` numbers its rows among those of all parameters, each
 * with noise of its own. */
typedef struct write_job {
  const sotto_i_clipped *c;
  const sotto_dpsgd *options;
  const sotto_key *key;
  uint32_t step;
  size_t layer;
  uint64_t first;
  int32_t *noise; /* a row of scratch for each range */
} write_job;

static double expected_batch(const sotto_sampling *sampling) {
  return sampling->rate > 0 ? sampling->rate * (double)sampling->population : (double)sampling->batch;
}

static void write_values(float *gradient, const double *sum, const int32_t *noise, size_t count, double step,
                         double expected) {
  const double to_steps = 1 / step; /* a power of two: exact */
  for (size_t j = 0; j < count; j++) {
    double value = sum[j] * to_steps;
    value = value > MOST_STEPS ? MOST_STEPS : value;
    value = value < -MOST_STEPS ? -MOST_STEPS : value;
    /* Adding 1.5 2^52 rounds to a whole number, ties to even. */
    double steps = ((value + 0x1.8p52) - 0x1.8p52) + noise[j];
    gradient[j] = (float)(steps * step / expected);
  }
}

static void write_rows(void *context, size_t begin, size_t end) {
  const write_job *job = context;
  const sotto_i_clipped *c = job->c;
  const sotto_grid *grid = &job->options->grid;
  const sotto_linear *linear = &c->mlp->linear[job->layer];
  size_t in = c->mlp->options.widths[job->layer], out = c->mlp->options.widths[job->layer + 1];
  double expected = expected_batch(&job->options->sampling);
  float *weight = sotto_params_gradient(c->params, linear->weight)->data;
  float *bias = sotto_params_gradient(c->params, linear->bias)->data;
  int32_t *noise = job->noise + begin / write_grain * out;
  for (size_t k = begin; k < end; k++) {
    sotto_i_noise_steps(noise, out, grid->sigma / grid->step, job->key, job->step, job->first + k);
    write_values(k < in ? weight + k * out : bias, c->sum[job->layer] + k * out, noise, out, grid->step,
                 expected);
  }
}

static size_t noise_values(const sotto_mlp_options *net, size_t l) {
  return (net->widths[l] / write_grain + 1) * net->widths[l + 1];
}

static void write_gradients(const sotto_i_clipped *c, int32_t *noise, const sotto_dpsgd *options,
                            const sotto_key *key, uint32_t step) {
  uint64_t first = 0;
  for (size_t l = 0; l < c->mlp->options.layers; l++) {
    write_job job = {c, options, key, step, l, first, noise};
    size_t rows = c->mlp->options.widths[l] + 1;
    sotto_i_parallel(rows, write_grain, write_rows, &job);
    first += rows;
  }
}

/* A batch that has rows of its own: x, labels and numbers of them. */
typedef struct made_batch {
  sotto_matrix x;
  int32_t *labels;
  uint32_t *nodes, *order;
} made_batch;

static void made_free(made_batch *made, size_t count) {
  if (made->x.data != NULL) sodium_memzero(made->x.data, made->x.rows * made->x.cols * sizeof(float));
  if (made->labels != NULL) sodium_memzero(made->labels, count * sizeof *made->labels);
  if (made->nodes != NULL) sodium_memzero(made->nodes, count * sizeof *made->nodes);
  sotto_matrix_free(&made->x);
  sotto_i_free(made->labels);
  sotto_i_free(made->nodes);
  sotto_i_free(made->order);
}

static sotto_status make_batch(made_batch *made, sotto_i_clipped *c, const sotto_i_dpsgd_examples *examples,
                               const sotto_key *key, uint32_t step, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (c->count == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_matrix_new(&made->x, c->count, examples->x->cols, err));
  SOTTO_TRY(sotto_i_new_raw(&made->labels, c->count, sizeof *made->labels, err));
  SOTTO_TRY(sotto_i_new_raw(&made->nodes, c->count, sizeof *made->nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&made->order, c->count, sizeof *made->order, err));
  for (size_t i = 0; i < c->count; i++) {
    made->nodes[i] = c->rows[c->batch[i]];
    made->labels[i] = c->labels[made->nodes[i]];
    made->order[i] = (uint32_t)i;
  }
  SOTTO_TRY(examples->make(examples->context, &made->x, made->nodes, c->count, key, step, err));
  c->x = &made->x;
  c->labels = made->labels;
  c->rows = c->batch = made->order;
done:
  return status;
}

sotto_status sotto_i_dpsgd_gradient(const sotto_mlp *mlp, sotto_params *params,
                                    const sotto_i_dpsgd_examples *examples, const sotto_dpsgd *options,
                                    const sotto_key *key, uint32_t step, sotto_error *err) {
  sotto_status status;
  uint32_t *batch = NULL;
  int32_t *noise = NULL;
  size_t widest = 0;
  made_batch made = {.labels = NULL};
  sotto_i_clipped c = {
      .mlp = mlp, .params = params, .x = examples->x, .labels = examples->labels, .rows = examples->rows};
  c.clip = options->clip;
  SOTTO_TRY(check(mlp, examples->x, examples->labels, examples->rows, options, key, step, err));
  for (size_t l = 0; l < mlp->options.layers; l++)
    if (noise_values(&mlp->options, l) > widest) widest = noise_values(&mlp->options, l);
  SOTTO_TRY(sotto_i_new_raw(&batch, options->sampling.population, sizeof *batch, err));
  SOTTO_TRY(sotto_i_new_raw(&noise, widest, sizeof *noise, err));
  SOTTO_TRY(sotto_sampling_draw(batch, &c.count, &options->sampling, key, step, err));
  c.batch = batch;
  if (examples->make != NULL) SOTTO_TRY(make_batch(&made, &c, examples, key, step, err));
  SOTTO_TRY(sotto_i_clipped_new(&c, err));
  sotto_i_clipped_sum(&c);
  write_gradients(&c, noise, options, key, step);
done:
  if (batch != NULL) sodium_memzero(batch, options->sampling.population * sizeof *batch);
  if (noise != NULL) sodium_memzero(noise, widest * sizeof *noise);
  sotto_i_free(batch);
  sotto_i_free(noise);
  made_free(&made, c.count);
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
