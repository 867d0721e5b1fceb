/* Renyi differential privacy on a fixed set of orders. */
#ifndef SOTTO_SRC_DP_MECHANISMS_RDP_H
#define SOTTO_SRC_DP_MECHANISMS_RDP_H

#include <math.h>

#include "base/error.h"
#include "sotto/base.h"

enum { SOTTO_I_RDP_ORDERS = 156, SOTTO_I_RDP_WIDE = 15, SOTTO_I_RDP_EXACT_ORDER = 256 };

/* All: 1.1 to 10.9 by 0.1, 11 to 63, 128, 256, 512, 1024. A few: some whole ones, for a cheap bound. */
typedef struct sotto_i_rdp {
  size_t count; /* of the orders */
  double order[SOTTO_I_RDP_ORDERS + SOTTO_I_RDP_WIDE];
  double value[SOTTO_I_RDP_ORDERS + SOTTO_I_RDP_WIDE]; /* Renyi divergence, natural logarithm */
} sotto_i_rdp;

/* Set the orders; values become 0. */
void sotto_i_rdp_init(sotto_i_rdp *rdp);
void sotto_i_rdp_init_few(sotto_i_rdp *rdp);
/* All, and 4096, 4 x 4096, ... up to 2^40, for small losses of mechanisms without sampling. */
void sotto_i_rdp_init_wide(sotto_i_rdp *rdp);

/* Canonne, Kamath and Steinke 2020, Prop. 12 (Balle et al. 2020, Thm 21), with Bretagnolle-Huber for small
 * divergences. INFINITY when no order gives a finite value. */
double sotto_i_rdp_epsilon(const sotto_i_rdp *rdp, double delta);
double sotto_i_rdp_delta(const sotto_i_rdp *rdp, double epsilon);

/* Divergence at one order: of a Gaussian release, and of randomised response with odds exp(e), where answers
 * of mass `equal` are equally likely under both inputs. */
double sotto_i_rdp_gaussian(double mu, double order);
double sotto_i_rdp_response(double e, double equal, double order);

/* One run of the Gaussian with noise multiplier `sigma` under Poisson sampling, 0 < rate < 1 (Mironov, Talwar
 * and Zhang 2019), add-or-remove-one. */
double sotto_i_rdp_poisson(double rate, double sigma, double order);

/* Sampling without replacement, replace-one (Wang, Balle and Kasiviswanathan 2019, Thm 27): adds runs times
 * the divergence of one run at every order. Errors: NOMEM. */
sotto_status sotto_i_rdp_without(sotto_i_rdp *rdp, double rate, double sigma, double runs, sotto_error *err);

/* Sums over a secret Poisson sample, replace-one, with Gaussian or discrete Gaussian noise (poisson_sum.c):
 * adds runs times the divergence at every order; INFINITY beyond SOTTO_I_RDP_SUM_ORDERS where rate < 1.
 * `reach` is the norm of one record's vector divided by the noise. With a few orders: INFINITY beyond
 * SOTTO_I_RDP_FEW. */
enum { SOTTO_I_RDP_SUM_ORDERS = 128, SOTTO_I_RDP_FEW = 16 };
void sotto_i_rdp_sums(sotto_i_rdp *rdp, double rate, double reach, double runs);
/* log E_Q[(P/Q)^order] at a whole order from 2 to SOTTO_I_RDP_SUM_ORDERS. */
double sotto_i_rdp_sum_moment(double rate, double reach, uint64_t order);

/* log(exp(a) + exp(b)); either may be -INFINITY. */
static inline double sotto_i_log_add(double a, double b) {
  double high = a > b ? a : b, low = a > b ? b : a;
  return low == -INFINITY ? high : high + log1p(exp(low - high));
}

/* log n!, and log of the binomial coefficient, also of fractions. */
static inline double sotto_i_log_factorial(double n) {
  int sign;
  return lgamma_r(n + 1, &sign);
}
static inline double sotto_i_log_choose(double n, double k) {
  return sotto_i_log_factorial(n) - sotto_i_log_factorial(k) - sotto_i_log_factorial(n - k);
}

/* The divergence when an observer also sees whether the record is in the sample; `divergence` is that of a
 * record in the sample. A secret sample is post-processing of it, so this is an upper bound. */
static inline double sotto_i_rdp_seen_sample(double rate, double divergence, double order) {
  const double x = (order - 1) * divergence;
  const double log_moment = x < 700 ? log1p(rate * expm1(x)) : sotto_i_log_add(log1p(-rate), log(rate) + x);
  return log_moment / (order - 1);
}

/* Wang et al. 2019, Thm 9, for a Gaussian with divergence order * slope, at whole orders >= 2. */
double sotto_i_rdp_without_general(double rate, double slope, uint64_t order);

#endif
