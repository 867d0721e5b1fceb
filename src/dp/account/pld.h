/* Privacy loss distributions (PLDs): the distribution of L = log P(x)/Q(x), x ~ P, for a pair (P, Q) that
 * dominates a mechanism. delta(epsilon) = E[(1 - exp(epsilon - L))+]; under composition the losses add up.
 *
 * Every step moves mass to larger losses only, or adds unplaced mass to `infinity`, so that the computed
 * delta is an upper bound. See Doroshenko et al. 2022 (connect-the-dots), Koskela et al. 2020. */
#ifndef SOTTO_SRC_DP_ACCOUNT_PLD_H
#define SOTTO_SRC_DP_ACCOUNT_PLD_H

#include "dp/mechanisms/mechanism.h"
#include "fft.h"

/* Tables that a computation reuses between compositions. Zero-initialise. */
typedef struct sotto_i_pld_work {
  sotto_i_fft fft;
  double *values, *re, *im, *sum_re, *sum_im;
} sotto_i_pld_work;
void sotto_i_pld_work_free(sotto_i_pld_work *work);

/* A query: epsilon at `delta`, or, when `delta` is 0, delta at `epsilon`. */
typedef struct sotto_i_pld_query {
  double delta, epsilon;
} sotto_i_pld_query;

typedef struct sotto_i_pld_answer {
  double epsilon, delta; /* both, given or found */
  double slope;          /* -d log delta / d epsilon there */
  double points;         /* of the transform, for information */
} sotto_i_pld_answer;

/* Composes `count` PLDs of one width, each with itself `runs` times. Epsilon is INFINITY when no finite one
 * exists. Errors: NOMEM, UNSUPPORTED (window above 2^22 points). */
sotto_status sotto_i_pld_compose(sotto_i_pld_answer *out, sotto_i_pld_work *work, const sotto_i_pld *plds,
                                 size_t count, const sotto_i_pld_query *query, sotto_error *err);

/* The list being composed, and its tilt. */
typedef struct sotto_i_pld_sum {
  const sotto_i_pld *plds;
  size_t count;
  double limit;          /* of |tilt| */
  double tilt, log_norm; /* log_norm = log E[exp(tilt L)] */
} sotto_i_pld_sum;

/* Powers of exp(step) are taken from a table of one block, with an exact exponential at its start. The stride
 * is how much of the block is usable before the table would overflow. */
enum { SOTTO_I_PLD_BLOCK = 32 };
size_t sotto_i_pld_stride(double step, bool shifted);

/* The grid points [first, first + size) of a composition. */
typedef struct sotto_i_pld_window {
  double first, size, width;
  double reference; /* a loss inside; masses are relative to exp(log_norm - tilt reference) */
  double target;    /* the target delta in these units, or INFINITY; above 0 */
  double floor;     /* the epsilon to stop at: 0, or the given one */
} sotto_i_pld_window;

/* Reads the answer from the tilted sum. `bound` is that of rounding, relative to the largest value; *noise is
 * its share of the answer. NOT_FOUND when the window ends before the answer, NUMERIC when a number is not
 * finite. */
sotto_status sotto_i_pld_read(sotto_i_pld_answer *out, double *noise, const double *values,
                              const sotto_i_pld_sum *s, const sotto_i_pld_window *w, double bound);

/* For one run: E[exp(tilt L - shift); L finite], and the shift at which it neither overflows nor vanishes.
 * For all runs: the logarithm of E[exp(tilt L); L finite]. */
double sotto_i_pld_shift(const sotto_i_pld *pld, double tilt);
double sotto_i_pld_moment(const sotto_i_pld *pld, double tilt, double shift);
double sotto_i_pld_log_moment(const sotto_i_pld *plds, size_t count, double tilt);

/* The largest |loss| of one run, which limits the tilt. */
double sotto_i_pld_reach(const sotto_i_pld *plds, size_t count);

/* Chernoff bound: the least x, over tilts at a distance d from `base` on the side of `sign`, of sign (log
 * E[exp((base + sign d) L)] - log_base + cost) / d. Beyond x lies at most exp(-cost) of the distribution
 * tilted by base. *best_distance gets the optimal d. */
double sotto_i_pld_chernoff(double *best_distance, const sotto_i_pld_sum *s, double base, double log_base,
                            double sign, double cost);

/* The tilt whose distribution has its mean at `epsilon`: it minimises log E[exp(tilt L)] - tilt epsilon. */
double sotto_i_pld_tilt_for(const sotto_i_pld_sum *s, double epsilon);

/* The accountant: chooses the grid and composes both directions. `guess` (in/out) has the answer of a nearby
 * problem, which saves the search for the grid; zero-initialise it. */
sotto_status sotto_i_pld_solve(sotto_i_pld_answer *out, sotto_i_pld_answer *guess,
                               const sotto_mechanism *list, size_t count, const sotto_i_pld_query *query,
                               sotto_error *err);

/* Powers are shifted where the product of a loss and a tilt exceeds this: exp must not overflow. */
#define SOTTO_I_PLD_EXPONENT 600.0

#endif
