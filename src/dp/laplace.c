/* The discrete Laplace distribution from fair coins. */
#include "laplace.h"

#include "base/error.h"

static bool coin(sotto_i_random *random, uint64_t numerator, uint64_t denominator) {
  return sotto_i_random_below(random, denominator) < numerator;
}

/* True with probability exp(-numerator / denominator), for numerator <= denominator <= 2^32: the number of
 * successes in a row of coins with probability x / k, k = 1, 2, ..., is even with probability exp(-x). */
static bool coin_exp(sotto_i_random *random, uint64_t numerator, uint64_t denominator) {
  uint64_t k = 1;
  while (coin(random, numerator, denominator * k)) k++;
  return k % 2 == 1;
}

int64_t sotto_i_discrete_laplace(sotto_i_random *random, uint64_t rate) {
  const uint64_t unit = (uint64_t)1 << 20;
  SOTTO_I_CHECK(rate >= 1 && rate <= (uint64_t)1 << 30);
  for (;;) {
    uint64_t fraction = sotto_i_random_below(random, unit);
    if (!coin_exp(random, fraction, unit)) continue;
    uint64_t whole = 0;
    while (coin_exp(random, 1, 1)) whole++;
    uint64_t magnitude = (fraction + unit * whole) / rate;
    bool negative = coin(random, 1, 2);
    if (negative && magnitude == 0) continue;
    return negative ? -(int64_t)magnitude : (int64_t)magnitude;
  }
}
