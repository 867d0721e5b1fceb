/* Noise that several parties add together: its grid, each party's part, and vectors in whole steps. */
#include "summed.h"

#include <math.h>

#include "base/error.h"

enum { fine = 20, least_norm = 1 << 8 };
static const double allowed = 0x1p-60; /* by the accountant (dp/mechanisms/poisson_sum.c) */

double sotto_i_summed_closeness(double sigma, uint32_t parties) {
  const double pi = 3.14159265358979323846;
  double sum = 0;
  if (!(sigma >= 0.5)) return INFINITY;
  for (uint32_t k = 1; k < parties; k++)
    sum += 10 * exp(-2 * pi * pi * sigma * sigma * ((double)k / ((double)k + 1)));
  return sum;
}

static sotto_status check(double clip, double multiplier, uint32_t parties, uint32_t counted,
                          sotto_error *err) {
  if (!(clip >= 1e-20 && clip <= 1e20))
    return sotto_i_fail(err, SOTTO_RANGE, "vectors clipped to norm %g: it must be between 1e-20 and 1e20",
                        clip);
  if (!(multiplier > 0 && isfinite(multiplier)))
    return sotto_i_fail(err, SOTTO_RANGE, "a noise multiplier of %g; it must be finite and above 0",
                        multiplier);
  if (counted < 1 || counted > parties)
    return sotto_i_fail(err, SOTTO_RANGE, "the noise of %u of %u parties counts; it must be 1 to all",
                        (unsigned)counted, (unsigned)parties);
  return SOTTO_OK;
}

sotto_status sotto_i_summed_noise_new(sotto_i_summed_noise *out, double clip, double multiplier,
                                      uint32_t parties, uint32_t counted, size_t values, sotto_error *err) {
  sotto_status status;
  int exponent;
  *out = (sotto_i_summed_noise){.parties = parties, .counted = counted};
  SOTTO_TRY(check(clip, multiplier, parties, counted, err));
  const double root = sqrt((double)counted);
  (void)frexp(multiplier * clip / root, &exponent);
  out->step = ldexp(1, exponent - fine);
  const double norm = floor(clip / out->step);
  if (!(norm >= least_norm && norm <= 0x1p30))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "noise of %.3g times a vector's norm is too %s for the grid of its sums; take %s "
                        "epsilon or %s rounds",
                        multiplier, norm < least_norm ? "much" : "little",
                        norm < least_norm ? "a larger" : "a smaller", norm < least_norm ? "fewer" : "more");
  out->most = (uint64_t)norm;
  const double each = multiplier * norm / root * (1 + 0x1p-40);
  SOTTO_TRY(sotto_discrete_gaussian_new(&out->each, each, err));
  out->sigma = out->each.sigma * root * (1 - 0x1p-45);
  if (!(sotto_i_summed_closeness(out->each.sigma, parties) * (double)values <= allowed))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "%zu values with noise of %u parties are not close enough to a discrete Gaussian",
                        values, (unsigned)parties);
done:
  return status;
}

double sotto_i_summed_reach(const sotto_i_summed_noise *noise, double records) {
  const double vectors = records * (double)noise->most, draw = 1024 * (noise->each.sigma + 1);
  return (double)noise->parties * (vectors + draw);
}

sotto_mechanism sotto_i_summed_mechanism(const sotto_i_summed_noise *noise, double rate) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_POISSON_SUM);
  mechanism.noise = noise->sigma * noise->step;
  mechanism.sensitivity = (double)noise->most * noise->step;
  mechanism.rate = rate;
  return mechanism;
}

/* out = x times `factor`, truncated towards zero; returns the square of its norm. */
static uint64_t truncate_scaled(int64_t *out, const double *x, size_t count, double factor) {
  uint64_t square = 0;
  for (size_t i = 0; i < count; i++) {
    out[i] = (int64_t)(x[i] * factor);
    square += (uint64_t)(out[i] * out[i]);
  }
  return square;
}

/* The square of the norm fits in 64 bits when `norm` in steps is at most 2^30. */
void sotto_i_whole_steps(int64_t *out, uint64_t *square, const double *x, size_t count, double step,
                         uint64_t most) {
  double norm = 0, factor = 1 / step;
  SOTTO_I_CHECK(most >= 1 && most <= (uint64_t)1 << 30);
  for (size_t i = 0; i < count; i++) norm += x[i] * x[i] * factor * factor;
  norm = sqrt(norm);
  if (!isfinite(norm)) { /* treated as zero: a peer that chose the model must not learn of it */
    for (size_t i = 0; i < count; i++) out[i] = 0;
    *square = 0;
    return;
  }
  if (norm > (double)most) factor *= (double)most / norm;
  *square = truncate_scaled(out, x, count, factor);
  while (*square > most * most) { /* rounding of the norm above: at most once */
    factor *= 1 - 0x1p-30;
    *square = truncate_scaled(out, x, count, factor);
  }
}
