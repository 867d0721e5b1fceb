/* Secret samples of records, and the Gaussian mechanism on them. */
#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "base/memory.h"
#include "exact.h"
#include "inside/dp.h"
#include "noise.h"

sotto_status sotto_sampling_check(const sotto_sampling *sampling, sotto_error *err) {
  if (sampling->population < 1 || sampling->population > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "a population of %llu; it must be between 1 and 2^32 - 1",
                        (unsigned long long)sampling->population);
  if ((sampling->rate != 0) == (sampling->batch != 0))
    return sotto_i_fail(err, SOTTO_INVALID, "sampling takes either a rate or a batch size");
  if (sampling->rate != 0 && !(sampling->rate >= 0x1p-64 && sampling->rate <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "a sampling rate of %g; it must be above 0 and at most 1",
                        sampling->rate);
  if (sampling->batch > sampling->population)
    return sotto_i_fail(err, SOTTO_RANGE, "a batch of %llu from a population of %llu",
                        (unsigned long long)sampling->batch, (unsigned long long)sampling->population);
  return SOTTO_OK;
}

static size_t draw_poisson(uint32_t *rows, const sotto_sampling *sampling, sotto_i_random *random) {
  size_t count = 0;
  uint64_t chance = sampling->rate < 1 ? (uint64_t)ldexp(sampling->rate, 64) : 0;
  for (uint64_t i = 0; i < sampling->population; i++)
    if (sampling->rate == 1 || sotto_i_coin(random, chance)) rows[count++] = (uint32_t)i;
  return count;
}

/* Selection sampling: record i with probability wanted / left, so the batch is ascending. */
static size_t draw_fixed(uint32_t *rows, const sotto_sampling *sampling, sotto_i_random *random) {
  size_t count = 0;
  for (uint64_t i = 0; count < sampling->batch; i++)
    if (sotto_i_random_below(random, sampling->population - i) < sampling->batch - count)
      rows[count++] = (uint32_t)i;
  return count;
}

sotto_status sotto_sampling_draw(uint32_t *rows, size_t *count, const sotto_sampling *sampling,
                                 const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status;
  *count = 0;
  SOTTO_TRY(sotto_i_check_secret(key, sub, err));
  SOTTO_TRY(sotto_sampling_check(sampling, err));
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_SAMPLING, sub, 0);
  *count = sampling->rate > 0 ? draw_poisson(rows, sampling, &random) : draw_fixed(rows, sampling, &random);
  sodium_memzero(&random, sizeof random);
done:
  return status;
}

/* Adds the row, clipped to norm 2^24 in units of clip / 2^24 and truncated towards zero: its norm is never
 * larger. */
static void add_clipped_row(int64_t *sum, const float *row, size_t cols, double clip) {
  double square = 0;
  for (size_t j = 0; j < cols; j++) square += (double)row[j] * row[j];
  double factor = fmin(1, clip / sqrt(square) * (1 - 0x1p-40)); /* a zero row: infinity, so 1 */
  for (size_t j = 0; j < cols; j++) sum[j] += (int64_t)(row[j] * factor * (0x1p24 / clip));
}

static sotto_status check_sum(const sotto_matrix *sum, const sotto_matrix *x, double clip,
                              const sotto_sampling *sampling, const sotto_grid *grid, const sotto_key *key,
                              uint32_t sub, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_check_secret(key, sub, err));
  SOTTO_TRY(sotto_sampling_check(sampling, err));
  SOTTO_TRY(sotto_i_check_grid(grid, err));
  if (!(clip >= 1e-20 && clip <= 1e20))
    return sotto_i_fail(err, SOTTO_RANGE, "rows clipped to norm %g: it must be between 1e-20 and 1e20", clip);
  if (x->rows != sampling->population || sum->rows != 1 || sum->cols != x->cols)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%zu rows of %zu values for a population of %llu and a %zu x %zu sum", x->rows,
                        x->cols, (unsigned long long)sampling->population, sum->rows, sum->cols);
  SOTTO_TRY(sotto_i_check_finite(x, err));
done:
  return status;
}

sotto_status sotto_sampled_gaussian_sum(sotto_matrix *sum, const sotto_matrix *x, double clip,
                                        const sotto_sampling *sampling, const sotto_grid *grid,
                                        const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status;
  uint32_t *rows = NULL;
  int64_t *total = NULL;
  int32_t *noise = NULL;
  size_t count = 0, cols = x->cols;
  SOTTO_TRY(check_sum(sum, x, clip, sampling, grid, key, sub, err));
  SOTTO_TRY(sotto_i_new_raw(&rows, sampling->population, sizeof *rows, err));
  SOTTO_TRY(sotto_i_new(&total, cols, sizeof *total, err));
  SOTTO_TRY(sotto_i_new_raw(&noise, cols, sizeof *noise, err));
  SOTTO_TRY(sotto_sampling_draw(rows, &count, sampling, key, sub, err));
  for (size_t i = 0; i < count; i++) add_clipped_row(total, x->data + rows[i] * cols, cols, clip);
  sotto_i_noise_steps(noise, cols, grid->sigma / grid->step, key, sub, 0);
  for (size_t j = 0; j < cols; j++) {
    double steps = nearbyint((double)total[j] * (clip * 0x1p-24 / grid->step)) + noise[j];
    steps = fmin(fmax(steps, -SOTTO_I_GRID_LIMIT), SOTTO_I_GRID_LIMIT);
    sum->data[j] = (float)(steps * grid->step);
  }
done:
  if (rows != NULL) sodium_memzero(rows, sampling->population * sizeof *rows);
  if (total != NULL) sodium_memzero(total, cols * sizeof *total);
  if (noise != NULL) sodium_memzero(noise, cols * sizeof *noise);
  sotto_i_free(rows);
  sotto_i_free(total);
  sotto_i_free(noise);
  return status;
}

sotto_mechanism sotto_sampled_gaussian_mechanism(const sotto_sampling *sampling, const sotto_grid *grid,
                                                 double clip, size_t cols) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
  mechanism.noise = grid->sigma;
  /* 2^-24 covers the last roundings of a double, which are below 2^-27 of a step where they count. */
  double moved = (sampling->rate > 0 ? clip : 2 * clip) * (1 + 0x1p-24);
  mechanism.sensitivity = sotto_grid_sensitivity(grid, moved, (double)cols * (1 + 0x1p-24));
  mechanism.rate = sampling->rate;
  if (sampling->rate == 0) {
    mechanism.population = sampling->population;
    mechanism.batch = sampling->batch;
  }
  return mechanism;
}

sotto_mechanism sotto_replaced_gaussian_mechanism(const sotto_mechanism *sampled) {
  SOTTO_I_CHECK(sampled->kind == SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN && sampled->rate > 0);
  sotto_mechanism mechanism = *sampled;
  mechanism.kind = SOTTO_MECHANISM_REPLACED_GAUSSIAN;
  return mechanism;
}
