/* Continual release of growing sums: the binomial square root of counting, with columns of equal norm, in
 * whole steps. docs/nights.md has the derivation. */
#ifndef SOTTO_SRC_DP_NOISE_CONTINUAL_H
#define SOTTO_SRC_DP_NOISE_CONTINUAL_H

#include "sotto/base.h"

enum { SOTTO_I_MOST_NIGHTS = 1000, SOTTO_I_MOST_CHANGES = 2 };

/* Night t releases, in whole steps, the sum over nights s <= t of weight(t, s) times the vector added in
 * night s, plus noise. Nights are counted from 0 here. */
typedef struct sotto_i_continual {
  uint32_t nights;
  double step;      /* of the grid of the noise, a power of two */
  int32_t *weights; /* owned: nights x nights by rows, 0 above the diagonal, in steps */
} sotto_i_continual;

/* weight(t, s) = c(t - s) / |c(0..nights - 1 - s)|, rounded down to whole steps: a column's l2 norm is at
 * most 1. c is the power series of (1 - x)^(-1/2) (Fichtenberger, Henzinger and Upadhyay 2023), but of (1 -
 * x)^(-0.3) in the first column. Errors: RANGE (nights; a step above 2^-6 or below 2^-24), NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_continual_new(sotto_i_continual *out, uint32_t nights, double step,
                                                  sotto_error *err);
void sotto_i_continual_free(sotto_i_continual *continual);

static inline int32_t sotto_i_continual_weight(const sotto_i_continual *c, uint32_t night, uint32_t since) {
  return c->weights[(size_t)night * c->nights + since];
}

/* Upper bound on the l2 distance of all releases together, in the unit of the sums. One record adds a vector
 * of l2 norm at most `once` in one night; with two changes a vector of such a norm is also subtracted in a
 * later night. The bound is once, or once sqrt 2. */
double sotto_i_continual_sensitivity(double once, uint32_t changes);

/* The prior of a sum. Given its rate L, its first night adds a number of mean L first_mean and variance
 * first_variance, each later one of mean L later_mean and variance later_variance. L has mean 1 and variance
 * `spread`. Variances are above 0. */
typedef struct sotto_i_continual_prior {
  double first_mean, first_variance, later_mean, later_variance, spread;
} sotto_i_continual_prior;

/* An estimate of the sum at night `last` from the releases of nights [first, last], by least squares under a
 * prior: offset + sum over nights t of weights[t] release[t]. With infinite variances and no spread it is
 * unbiased for all data. */
typedef struct sotto_i_continual_estimate {
  double offset, deviation; /* deviation: of the error, under the prior */
  double *weights;          /* borrowed: space for one weight a night */
} sotto_i_continual_estimate;

/* Estimators of one night for sums that began in any earlier one. */
typedef struct sotto_i_continual_solver {
  const sotto_i_continual *continual;
  uint32_t last;
  double sigma, later_variance;
  double *gram, *factor, *room; /* owned */
} sotto_i_continual_solver;

/* `sigma` is that of the noise, in the unit of the sums. Cost: O(last^3). Errors: NOMEM. */
SOTTO_MUST_USE sotto_status sotto_i_continual_solver_new(sotto_i_continual_solver *out,
                                                         const sotto_i_continual *continual, uint32_t last,
                                                         double sigma, double later_variance,
                                                         sotto_error *err);
void sotto_i_continual_solver_free(sotto_i_continual_solver *solver);
/* Fills *out, whose weights are borrowed. The prior has the solver's later_variance. Cost: O(last^2). */
void sotto_i_continual_solve(sotto_i_continual_estimate *out, sotto_i_continual_solver *solver,
                             uint32_t first, const sotto_i_continual_prior *prior);

#endif
