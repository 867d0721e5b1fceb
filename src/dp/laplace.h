/* Discrete Laplace noise, sampled exactly. */
#ifndef SOTTO_SRC_DP_LAPLACE_H
#define SOTTO_SRC_DP_LAPLACE_H

#include "base/random.h"

/* An integer x with probability proportional to exp(-|x| * rate / 2^20), by Canonne, Kamath and Steinke 2020,
 * algorithm 2: integer arithmetic alone, so the distribution is exact. 1 <= rate <= 2^30. */
int64_t sotto_i_discrete_laplace(sotto_i_random *random, uint64_t rate);

#endif
