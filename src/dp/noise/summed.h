/* Noise that several parties add together, in whole steps of a grid. Each party adds a discrete Gaussian. If
 * only the sum is seen, its noise is a discrete Gaussian's up to a factor that is accounted for (Kairouz, Liu
 * and Steinke 2021). */
#ifndef SOTTO_SRC_DP_NOISE_SUMMED_H
#define SOTTO_SRC_DP_NOISE_SUMMED_H

#include "inside/dp.h"

/* Vectors of norm at most `most` steps are summed over `parties`. Privacy relies on the noise of `counted`
 * parties alone: others may leave, or reveal their noise. */
typedef struct sotto_i_summed_noise {
  double step;                  /* a power of two */
  uint64_t most;                /* norm of one record's vector, in steps */
  uint32_t parties, counted;    /* 1 <= counted <= parties */
  sotto_discrete_gaussian each; /* noise of one party, in steps */
  double sigma;                 /* of `counted` parts together, in steps, rounded down */
} sotto_i_summed_noise;

/* The grid and the parts for which `counted` parts have noise of at least `multiplier` times the norm of one
 * vector, which is at most `clip`. A part's sigma is some 2^20 steps, so rounding vectors to the grid has a
 * negligible effect. Errors: RANGE (a clip outside 1e-20 to 1e20; a multiplier at which a vector's norm would
 * be below 2^8 steps, or a part's sigma beyond the sampler's; counted outside its range; parts whose sum is
 * further from a discrete Gaussian than the accountant allows, 2^-60 over `values` values). */
SOTTO_MUST_USE sotto_status sotto_i_summed_noise_new(sotto_i_summed_noise *out, double clip,
                                                     double multiplier, uint32_t parties, uint32_t counted,
                                                     size_t values, sotto_error *err);

/* Upper bound of |log(p(x) / g(x))| at every x, where p is the sum of up to `parties` discrete Gaussians of
 * parameter sigma, and g the discrete Gaussian of the same variance parameter: 10 sum_{k<n} exp(-2 pi^2
 * sigma^2 k/(k+1)) (Kairouz, Liu and Steinke 2021, Theorem 1). INFINITY below sigma 1/2, where it is not
 * proven. */
double sotto_i_summed_closeness(double sigma, uint32_t parties);

/* Upper bound of any sum of all parties, in steps: `records` vectors at each, and draws, which the sampler
 * never makes larger than 1024 (sigma + 1). */
double sotto_i_summed_reach(const sotto_i_summed_noise *noise, double records);

/* The mechanism of one run over a secret Poisson sample of this rate, in units of the data. */
sotto_mechanism sotto_i_summed_mechanism(const sotto_i_summed_noise *noise, double rate);

/* out[count] = x in whole steps, truncated towards zero, of norm at most `most` steps. The norm is checked in
 * integers, and reduced where it is too large. Zeros when a value or the norm of x is not finite, since a
 * failure would reveal that a record has such a vector. *square is the square of the norm. `most` is at most
 * 2^30. Depends on x alone. */
void sotto_i_whole_steps(int64_t *out, uint64_t *square, const double *x, size_t count, double step,
                         uint64_t most);

#endif
