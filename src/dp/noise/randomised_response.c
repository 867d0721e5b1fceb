/* Randomised response over k choices.
 *
 * With flip probability p, Pr[answer | truth] is 1 - p on the truth and p / (k - 1) elsewhere, so epsilon =
 * log((1 - p)(k - 1) / p). p is rounded up to a multiple of 2^-64, past the error of the arithmetic. */
#include <math.h>
#include <sodium.h>

#include "base/error.h"
#include "exact.h"
#include "inside/dp.h"

static double flip_probability(const sotto_response *response) {
  return ldexp((double)response->flip, -64);
}

sotto_status sotto_response_new(sotto_response *out, uint32_t choices, double epsilon, sotto_error *err) {
  if (choices < 2)
    return sotto_i_fail(err, SOTTO_RANGE, "randomised response over %u choices; it takes 2 or more", choices);
  if (!(epsilon >= 1e-9 && epsilon <= 40))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon of randomised response is %g; it must be in [1e-9, 40]",
                        epsilon);
  double others = (double)choices - 1;
  double flip = others / (exp(epsilon) + others) * (1 + 0x1p-50);
  sotto_response made = {.choices = choices, .flip = (uint64_t)ceil(ldexp(flip, 64))};
  double p = flip_probability(&made), honest = log((1 - p) * others / p);
  if (!(honest > 0))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "epsilon %g over %u choices is too small for probabilities of 64 bits", epsilon,
                        choices);
  made.epsilon = fmin(honest, epsilon);
  *out = made;
  return SOTTO_OK;
}

sotto_status sotto_response_apply(int32_t *values, size_t count, const sotto_response *response,
                                  const sotto_key *key, uint32_t sub, sotto_error *err) {
  sotto_status status = sotto_i_check_secret(key, sub, err);
  if (status != SOTTO_OK) return status;
  if (response->choices < 2 || response->flip == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "a response that was not made by sotto_response_new");
  for (size_t i = 0; i < count; i++)
    if (values[i] >= 0 && (uint32_t)values[i] >= response->choices)
      return sotto_i_fail(err, SOTTO_RANGE, "value %zu is not one of the %u choices", i, response->choices);
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_RESPONSE, sub, 0);
  for (size_t i = 0; i < count; i++) {
    if (values[i] < 0 || !sotto_i_coin(&random, response->flip)) continue;
    int32_t other = (int32_t)sotto_i_random_below(&random, response->choices - 1);
    values[i] = other < values[i] ? other : other + 1;
  }
  sodium_memzero(&random, sizeof random);
  return SOTTO_OK;
}

sotto_mechanism sotto_response_mechanism(const sotto_response *response) {
  sotto_mechanism mechanism = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
  mechanism.choices = response->choices;
  mechanism.noise = nextafter(flip_probability(response), 0);
  return mechanism;
}
