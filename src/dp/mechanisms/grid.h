/* Privacy loss distributions on a grid: the distribution of L = log P(x)/Q(x), x ~ P, for a pair (P, Q) that
 * dominates a mechanism. Every step moves mass to larger losses only, or adds unplaced mass to `infinity`
 * (connect-the-dots, Doroshenko et al. 2022). */
#ifndef SOTTO_SRC_DP_MECHANISMS_GRID_H
#define SOTTO_SRC_DP_MECHANISMS_GRID_H

#include "base/error.h"
#include "sotto/base.h"

#define SOTTO_I_PLD_POINTS ((size_t)1 << 22)

/* The PLD of one run on the grid of multiples of `width`: mass[i] at loss (first + i) * width. */
typedef struct sotto_i_pld {
  double runs;   /* number of compositions with itself, a whole number */
  double width;  /* of the grid */
  int64_t first; /* grid index of mass[0] */
  size_t count;
  double *mass;
  double infinity; /* mass at an infinite loss */
  double spread;   /* increase of the variance by rounding to the grid, in units of width^2; 0: none */
} sotto_i_pld;

void sotto_i_pld_free(sotto_i_pld *pld);

/* Mass below and above one loss, under P and under Q; each accurate even where it is tiny. */
typedef struct sotto_i_pld_edge {
  double p_below, p_above, q_below, q_above;
} sotto_i_pld_edge;
typedef sotto_i_pld_edge (*sotto_i_pld_edge_fn)(const void *parameters, double loss);
/* Makes a grid for losses from low to high, without mass. */
sotto_status sotto_i_pld_grid(sotto_i_pld *out, double low, double high, double width, sotto_error *err);
/* Adds the continuous part of the losses in (low, high] to the grid points; `at` is called for ascending
 * losses. */
void sotto_i_pld_add_continuous(sotto_i_pld *pld, sotto_i_pld_edge_fn at, const void *parameters, double low,
                                double high);
/* Adds all losses, tails included, where the pair (Q, P) is the mirror image of (P, Q): mass p, q in an
 * interval is q, p in its mirror image at 0. The grid extends as far below 0 as above. */
void sotto_i_pld_add_mirrored(sotto_i_pld *pld, sotto_i_pld_edge_fn at, const void *parameters);
/* Adds mass p at one loss, between two points of the grid. */
void sotto_i_pld_add_atom(sotto_i_pld *pld, double loss, double p);
/* The mass of a standard normal on both sides of z. */
void sotto_i_normal_tails(double *below, double *above, double z);

/* A Gaussian release of this mu. Errors: NOMEM, UNSUPPORTED (of the grid). */
sotto_status sotto_i_pld_gaussian(sotto_i_pld *out, double mu, double width, double tail, sotto_error *err);
/* (epsilon, delta)-DP in general, by the pair of Kairouz, Oh and Viswanath 2015. `equal` is the mass of
 * answers that are as likely under both. */
sotto_status sotto_i_pld_response(sotto_i_pld *out, double epsilon, double delta, double equal, double width,
                                  sotto_error *err);
/* A rough upper bound on the variance of the loss of a sampled Gaussian. `mu` is the distance of its means
 * where the record is in the sample. */
double sotto_i_pld_sampled_variance(double rate, double mu);

#endif
