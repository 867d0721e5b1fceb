/* Laplace noise on a grid.
 *
 * Privacy: two neighbouring inputs, rounded, differ by whole steps, at most d steps in all. The noise of each
 * value has Pr[x] proportional to exp(-|x| rate / 2^30), so the ratio of the probabilities of any output is
 * at most exp(d rate / 2^30), which is exp(sensitivity / scale). The clamp is post-processing. */
#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "base/threads.h"
#include "exact.h"
#include "inside/dp.h"
#include "noise.h"

enum { rate_bits = 30, values_per_range = 4096 };

/* The largest rate whose scale is at least the requested one. */
static sotto_laplace_grid grid_of(double scale, double step) {
  uint64_t rate = (uint64_t)ldexp(step / scale, rate_bits);
  /* The quotient may have been rounded up to a whole number. */
  if (ldexp(step, rate_bits) / (double)rate < scale) rate--;
  return (sotto_laplace_grid){.scale = ldexp(step, rate_bits) / (double)rate, .step = step, .rate = rate};
}

sotto_status sotto_laplace_grid_new(sotto_laplace_grid *out, double scale, sotto_error *err) {
  if (!(scale >= 1e-20 && scale <= 1e20))
    return sotto_i_fail(err, SOTTO_RANGE, "Laplace noise of scale %g: it must be between 1e-20 and 1e20",
                        scale);
  int exponent;
  (void)frexp(scale, &exponent);                  /* 2^(exponent - 1) <= scale < 2^exponent */
  *out = grid_of(scale, ldexp(1, exponent - 11)); /* a rate between 2^19 and 2^20 */
  return SOTTO_OK;
}

sotto_status sotto_laplace_grid_whole(sotto_laplace_grid *out, double scale, sotto_error *err) {
  if (!(scale >= 1e-4 && scale <= 1e5))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "Laplace noise of scale %g on whole numbers: it must be between "
                        "1e-4 and 1e5",
                        scale);
  *out = grid_of(scale, 1); /* a rate between 2^13 and 2^44 */
  return SOTTO_OK;
}

double sotto_laplace_grid_sensitivity(const sotto_laplace_grid *grid, double sensitivity, double differing) {
  double sum = sensitivity + grid->step * differing;
  return nextafter(nextafter(sum, INFINITY), INFINITY);
}

typedef struct laplace_job {
  sotto_matrix *x;
  const sotto_laplace_grid *grid;
  const sotto_key *key;
  uint32_t sub;
} laplace_job;

static void noisy_rows(void *context, size_t begin, size_t end) {
  const laplace_job *job = context;
  size_t cols = job->x->cols;
  sotto_i_random random;
  for (size_t i = begin; i < end; i++) {
    float *row = job->x->data + i * cols;
    sotto_i_random_init(&random, job->key, SOTTO_I_PURPOSE_LAPLACE, job->sub, i);
    for (size_t j = 0; j < cols; j++) {
      double steps = nearbyint((double)row[j] / job->grid->step);
      steps += (double)sotto_i_discrete_laplace(&random, job->grid->rate, (uint64_t)1 << rate_bits);
      steps = fmin(fmax(steps, -SOTTO_I_GRID_LIMIT), SOTTO_I_GRID_LIMIT);
      row[j] = (float)(steps * job->grid->step);
    }
  }
  sodium_memzero(&random, sizeof random);
}

sotto_status sotto_laplace_grid_add_noise(sotto_matrix *x, const sotto_laplace_grid *grid,
                                          const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_check_secret(key, sub, err));
  int exponent;
  bool whole = grid->step == 1 && grid->rate >= 1U << 13 && grid->rate <= UINT64_C(1) << 44;
  bool fine = frexp(grid->step, &exponent) == 0.5 && grid->rate >= 1U << 18 && grid->rate <= 1U << 20;
  bool sane = (whole || fine) && grid->scale == ldexp(grid->step, rate_bits) / (double)grid->rate;
  if (!sane)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "the grid of scale %g was not made by sotto_laplace_grid_new or _whole", grid->scale);
  if (x->rows == 0 || x->cols == 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_check_finite(x, err));
  laplace_job job = {.x = x, .grid = grid, .key = key, .sub = sub};
  sotto_i_parallel(x->rows, x->cols < values_per_range ? values_per_range / x->cols : 1, noisy_rows, &job);
done:
  return status;
}

sotto_mechanism sotto_laplace_grid_mechanism(const sotto_laplace_grid *grid, double sensitivity,
                                             double differing) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
  mechanism.noise = grid->scale;
  mechanism.sensitivity = sotto_laplace_grid_sensitivity(grid, sensitivity, differing);
  return mechanism;
}
