/* Exact sampling of coins, geometrics, Laplace and Gaussian integers. */
#include "exact.h"

#include "base/error.h"

sotto_status sotto_i_check_secret(const sotto_key *key, uint32_t sub, sotto_error *err) {
  if (key->origin != SOTTO_KEY_SYSTEM && key->origin != SOTTO_KEY_INSECURE)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "noise needs a key from the system (or an insecure seed): a %s key "
                        "cannot hide anything",
                        key->origin == SOTTO_KEY_PUBLIC ? "public" : "zeroed");
  if (sub >= 1U << 24)
    return sotto_i_fail(err, SOTTO_RANGE, "stream %u: noise streams are numbered below 2^24", sub);
  return SOTTO_OK;
}

bool sotto_i_coin(sotto_i_random *random, uint64_t chance) {
  return sotto_i_random_u64(random) < chance;
}

static bool ratio_coin(sotto_i_random *random, uint64_t numerator, uint64_t denominator) {
  return sotto_i_random_below(random, denominator) < numerator;
}

/* The number of successes in a row of coins with probability x / k, k = 1, 2, ..., is even with probability
 * exp(-x). */
bool sotto_i_coin_exp(sotto_i_random *random, uint64_t numerator, uint64_t denominator) {
  uint64_t k = 1;
  while (ratio_coin(random, numerator, denominator * k)) k++;
  return k % 2 == 1;
}

/* True with probability exp(-z^2 / 2) for z = numerator / denominator <= 1. A coin of probability z^2 / (2 k)
 * is three coins, so that all numbers stay small. */
static bool coin_exp_half_square(sotto_i_random *random, uint64_t numerator, uint64_t denominator) {
  uint64_t k = 1;
  while (ratio_coin(random, 1, 2 * k) && ratio_coin(random, numerator, denominator) &&
         ratio_coin(random, numerator, denominator))
    k++;
  return k % 2 == 1;
}

/* With unit u and denominator t: u + t v, with u accepted with probability exp(-u / t), is exponential on the
 * integers with rate 1 / t. Its quotient by s is geometric with rate s / t. */
uint64_t sotto_i_geometric(sotto_i_random *random, uint64_t numerator, uint64_t denominator) {
  SOTTO_I_CHECK(numerator >= 1 && numerator <= (uint64_t)1 << 44);
  SOTTO_I_CHECK(denominator >= 1 && denominator <= (uint64_t)1 << 44);
  uint64_t fraction = sotto_i_random_below(random, denominator);
  while (!sotto_i_coin_exp(random, fraction, denominator))
    fraction = sotto_i_random_below(random, denominator);
  uint64_t whole = 0;
  while (sotto_i_coin_exp(random, 1, 1)) whole++;
  return (fraction + denominator * whole) / numerator;
}

int64_t sotto_i_discrete_laplace(sotto_i_random *random, uint64_t numerator, uint64_t denominator) {
  for (;;) {
    uint64_t magnitude = sotto_i_geometric(random, numerator, denominator);
    bool negative = ratio_coin(random, 1, 2);
    if (negative && magnitude == 0) continue;
    return negative ? -(int64_t)magnitude : (int64_t)magnitude;
  }
}

/* True with probability exp(-(n + f)^2 / 2) = exp(-1/2)^(n^2) exp(-f)^n exp(-f^2 / 2), f = numerator /
 * denominator < 1. */
static bool coin_exp_half_square_sum(sotto_i_random *random, uint64_t n, uint64_t numerator,
                                     uint64_t denominator) {
  for (uint64_t i = 0; i < n * n; i++)
    if (!sotto_i_coin_exp(random, 1, 2)) return false;
  for (uint64_t i = 0; i < n; i++)
    if (!sotto_i_coin_exp(random, numerator, denominator)) return false;
  return coin_exp_half_square(random, numerator, denominator);
}

int64_t sotto_i_discrete_gaussian(sotto_i_random *random, uint32_t mantissa, int shift) {
  SOTTO_I_CHECK(mantissa >= 1U << 15 && mantissa < 1U << 16 && shift >= -8 && shift <= 20);
  uint64_t sigma_up = shift >= 0 ? 1 : (uint64_t)mantissa << -shift;
  uint64_t scale = shift >= 0 ? (mantissa >> shift) + 1 : sigma_up + 1; /* floor(sigma) + 1 */
  /* z = | |y| - sigma^2 / t | / sigma, as | |y| t a^2 - s^2 | / (t a s) with sigma = s / a. */
  uint64_t a = shift >= 0 ? (uint64_t)1 << shift : 1;
  uint64_t s = shift >= 0 ? mantissa : sigma_up;
  for (;;) {
    int64_t y = sotto_i_discrete_laplace(random, 1, scale);
    uint64_t magnitude = (uint64_t)(y < 0 ? -y : y);
    /* Reached with probability exp(-1024), and accepted with one below exp(-2^18). The numbers below stay in
     * range. */
    if (magnitude > 1024 * scale) continue;
    uint64_t left = magnitude * scale * a * a, right = s * s;
    uint64_t distance = left > right ? left - right : right - left, unit = scale * a * s;
    if (coin_exp_half_square_sum(random, distance / unit, distance % unit, unit)) return y;
  }
}
