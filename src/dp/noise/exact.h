/* Random draws whose distribution is exact: integer arithmetic on fair bits alone (Canonne, Kamath and
 * Steinke 2020, "The discrete Gaussian for differential privacy", algorithms 1 to 3). */
#ifndef SOTTO_SRC_DP_NOISE_EXACT_H
#define SOTTO_SRC_DP_NOISE_EXACT_H

#include "base/random.h"

/* Errors: INVALID unless the key is secret (SYSTEM, INSECURE), RANGE unless sub < 2^24. */
sotto_status sotto_i_check_secret(const sotto_key *key, uint32_t sub, sotto_error *err);

/* True with probability `chance` / 2^64. */
bool sotto_i_coin(sotto_i_random *random, uint64_t chance);

/* True with probability exp(-numerator / denominator), numerator <= denominator <= 2^48. */
bool sotto_i_coin_exp(sotto_i_random *random, uint64_t numerator, uint64_t denominator);

/* An m >= 0 with Pr[m] proportional to exp(-m numerator / denominator): failures before a first success of
 * probability 1 - exp(-numerator / denominator). 1 <= numerator, denominator <= 2^44. */
uint64_t sotto_i_geometric(sotto_i_random *random, uint64_t numerator, uint64_t denominator);

/* An integer x with Pr[x] proportional to exp(-|x| numerator / denominator); bounds as above. */
int64_t sotto_i_discrete_laplace(sotto_i_random *random, uint64_t numerator, uint64_t denominator);

/* An integer x with Pr[x] proportional to exp(-x^2 / (2 sigma^2)), sigma = mantissa 2^-shift, with
 * 2^15 <= mantissa < 2^16 and -8 <= shift <= 20. */
int64_t sotto_i_discrete_gaussian(sotto_i_random *random, uint32_t mantissa, int shift);

#endif
