/* Noise that several parties add together, in whole steps of a grid: each its part, a discrete Gaussian, so
 * that a sum that nobody sees in parts has a discrete Gaussian's noise but for a factor that is accounted
 * (Kairouz, Liu and Steinke 2021). */
#ifndef SOTTO_SRC_DP_NOISE_SUMMED_H
#define SOTTO_SRC_DP_NOISE_SUMMED_H

#include "sotto/dp.h"

/* Vectors of norm at most `most` steps are summed over `parties`, of whose noise `counted` parts alone are
 * relied on: others may leave, or tell what theirs was. */
typedef struct sotto_i_summed_noise {
  double step;                  /* a power of two */
  uint64_t most;                /* norm of one record's vector, in steps */
  uint32_t parties, counted;    /* 1 <= counted <= parties */
  sotto_discrete_gaussian each; /* one party's part, in steps */
  double sigma;                 /* of `counted` parts together, in steps, rounded down */
} sotto_i_summed_noise;

/* The grid and the parts for which `counted` parts have at least noise `multiplier` times the norm of one
 * vector, which is at most `clip`. A part's sigma is some 2^20 steps, so that rounding vectors to the grid
 * costs nothing that can be measured. Errors: RANGE (a clip outside 1e-20 to 1e20; a multiplier at which a
 * vector's norm would be below 2^8 steps, or a part's sigma beyond the sampler's; counted outside its range;
 * parts whose sum is further from a discrete Gaussian than the accountant allows, 2^-60 over `values`
 * values). */
SOTTO_MUST_USE sotto_status sotto_i_summed_noise_new(sotto_i_summed_noise *out, double clip,
                                                     double multiplier, uint32_t parties, uint32_t counted,
                                                     size_t values, sotto_error *err);

/* Upper bound of |log(p(x) / g(x))| at every x, p the sum of up to `parties` discrete Gaussians of parameter
 * sigma, g the discrete Gaussian of the same variance parameter: 10 sum_{k<n} exp(-2 pi^2 sigma^2 k/(k+1))
 * (Kairouz, Liu and Steinke 2021, Theorem 1); INFINITY below sigma 1/2, where it is not shown. */
double sotto_i_summed_closeness(double sigma, uint32_t parties);

/* No sum of all parties can pass this, in steps: `records` vectors at each, and draws, which the sampler
 * never makes larger than 1024 (sigma + 1). */
double sotto_i_summed_reach(const sotto_i_summed_noise *noise, double records);

/* One run over a secret Poisson sample of this rate, in units of the data. */
sotto_mechanism sotto_i_summed_mechanism(const sotto_i_summed_noise *noise, double rate);

/* out[count] = x in whole steps, towards zero, of norm at most `most` steps: checked in whole numbers, and
 * made shorter where it is not so; zeros when a value or the norm of x is not finite, since a failure would
 * show that a record has such a vector. *square is the square of the norm. `most` is at most 2^30. A function
 * of x alone. */
void sotto_i_whole_steps(int64_t *out, uint64_t *square, const double *x, size_t count, double step,
                         uint64_t most);

#endif
