/* Discrete Gaussian noise on counts. */
#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "exact.h"
#include "inside/dp.h"
#include "noise.h"

sotto_status sotto_discrete_gaussian_new(sotto_discrete_gaussian *out, double sigma, sotto_error *err) {
  if (!(sigma >= 0x1p-4 && sigma <= 0x1p23))
    return sotto_i_fail(err, SOTTO_RANGE, "sigma of a discrete Gaussian is %g; it must be in [2^-4, 2^23]",
                        sigma);
  int exponent;
  double mantissa = ceil(ldexp(frexp(sigma, &exponent), 16)); /* sigma = m 2^exponent, 1/2 <= m < 1 */
  if (mantissa == 0x1p16) {
    mantissa = 0x1p15;
    exponent++;
  }
  *out = (sotto_discrete_gaussian){
      .sigma = ldexp(mantissa, exponent - 16), .mantissa = (uint32_t)mantissa, .shift = 16 - exponent};
  return SOTTO_OK;
}

static int64_t add_capped(int64_t value, int64_t noise) {
  const int64_t limit = (int64_t)1 << 62;
  if (value > limit) value = limit;
  if (value < -limit) value = -limit;
  int64_t sum = value + noise; /* |noise| < 2^40 */
  return sum > limit ? limit : sum < -limit ? -limit : sum;
}

sotto_status sotto_discrete_gaussian_add(int64_t *values, size_t count, const sotto_discrete_gaussian *noise,
                                         const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status = sotto_i_check_secret(key, sub, err);
  if (status != SOTTO_OK) return status;
  bool sane = noise->mantissa >= 1U << 15 && noise->mantissa < 1U << 16 && noise->shift >= -8 &&
              noise->shift <= 20 && noise->sigma == ldexp(noise->mantissa, -noise->shift);
  if (!sane)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "the discrete Gaussian of sigma %g was not made by "
                        "sotto_discrete_gaussian_new",
                        noise->sigma);
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_DISCRETE_GAUSSIAN, sub, 0);
  for (size_t i = 0; i < count; i++)
    values[i] = add_capped(values[i], sotto_i_discrete_gaussian(&random, noise->mantissa, noise->shift));
  sodium_memzero(&random, sizeof random);
  return SOTTO_OK;
}

sotto_mechanism sotto_discrete_gaussian_mechanism(const sotto_discrete_gaussian *noise, double sensitivity) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_DISCRETE_GAUSSIAN);
  mechanism.noise = noise->sigma;
  mechanism.sensitivity = sensitivity;
  return mechanism;
}
