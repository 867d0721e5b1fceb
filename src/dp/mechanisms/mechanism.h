/* Mechanisms. All properties of a mechanism are in its descriptor.
 *
 * Each file of this folder defines the descriptor of one mechanism. Its line in SOTTO_MECHANISM_LIST
 * (sotto/dp.h) adds it to the table. docs/add-a-mechanism.md shows how. */
#ifndef SOTTO_SRC_DP_MECHANISMS_MECHANISM_H
#define SOTTO_SRC_DP_MECHANISMS_MECHANISM_H

#include "events.h"
#include "grid.h"
#include "inside/dp.h"
#include "rdp.h"

/* Fields of sotto_mechanism that a kind reads, besides `count`. */
enum {
  SOTTO_I_FIELD_NOISE = 1,
  SOTTO_I_FIELD_SENSITIVITY = 2,
  SOTTO_I_FIELD_RATE = 4,
  SOTTO_I_FIELD_POPULATION = 8, /* and batch */
  SOTTO_I_FIELD_LAYERS = 16,
  SOTTO_I_FIELD_LIPSCHITZ = 32,
  SOTTO_I_FIELD_EPSILON = 64,
  SOTTO_I_FIELD_CHOICES = 128,
  SOTTO_I_FIELD_SAMPLED = 256,
  SOTTO_I_FIELD_EPOCHS = 512, /* and slack */
  SOTTO_I_FIELD_SAMPLE = 1024 /* and degree */
};

typedef enum sotto_i_norm { SOTTO_I_NORM_NONE, SOTTO_I_NORM_L1, SOTTO_I_NORM_L2 } sotto_i_norm;

/* All functions take a mechanism that sotto_mechanism_check accepts. */
typedef struct sotto_i_descriptor {
  const char *name;    /* in list files, on the command line, in statements and in ledgers */
  const char *text;    /* the distribution of a release, one line */
  const char *example; /* its fields in a list file; every accountant of this kind can account them */
  unsigned fields;     /* SOTTO_I_FIELD_ bits; the others keep their default */
  unsigned unstated;   /* those of `fields` that a statement leaves out */
  sotto_i_norm norm;   /* of the sensitivity */
  /* Checks beyond the range of each field. NULL: none. */
  sotto_status (*check)(const sotto_mechanism *m, sotto_error *err);
  /* The largest flip probability, for mechanisms whose noise is one. NULL: noise is a width. */
  double (*most_noise)(const sotto_mechanism *m);

  /* One run. Each may be NULL. */
  double (*mu)(const sotto_mechanism *m);   /* it is exactly a Gaussian release of this mu */
  double (*pure)(const sotto_mechanism *m); /* its epsilon at delta 0 */
  double (*runs)(const sotto_mechanism *m); /* number of runs of the accounted unit; NULL: count */
  void (*loss)(double *epsilon, double *delta,
               const sotto_mechanism *m); /* epsilon and delta where nothing else is known */
  /* The published form of one run, as printed or as corrected. */
  void (*published)(double *epsilon, double *delta, const sotto_mechanism *m, bool corrected);

  /* Renyi divergence: of one run at one order, or of all runs, added at every order. Both NULL: that of `mu`;
   * or there is none, `no_renyi` gives the reason, and `above` a mechanism of which this one is
   * post-processing. */
  double (*renyi)(const sotto_mechanism *m, double order);
  sotto_status (*add_renyi)(sotto_i_rdp *rdp, const sotto_mechanism *m, sotto_error *err);
  const char *no_renyi;
  sotto_mechanism (*above)(const sotto_mechanism *m);

  /* Privacy loss distribution of one run, rounded to larger losses (grid.h). NULL: that of `mu`, or the
   * mechanism has Renyi divergences alone. `backward` stays empty where both directions are equal. */
  sotto_status (*pld)(sotto_i_pld *forward, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                      double tail, sotto_error *err);
  bool (*two_ways)(const sotto_mechanism *m); /* `backward` is filled; NULL: never */
  /* The mu of the Gaussian that a run is with these parameters; 0: it is not Gaussian. NULL: that of `mu`. */
  double (*gaussian_mu)(const sotto_mechanism *m);
  double (*unit)(const sotto_mechanism *m); /* all losses are multiples of it, or end there; NULL: 0 */
  double (*variance)(
      const sotto_mechanism *m); /* of the loss, a rough upper bound; NULL: the square of unit, or of mu */
  bool (*may_exceed_grid)(const sotto_mechanism *m); /* may need more points than a grid has; NULL: never */
  bool atoms;                                        /* all losses are multiples of `unit` */
  bool sampled;                                      /* it reads a secret sample of the records */
  bool replaced;                                     /* neighbouring data replace one record by another */

  /* Offers what a distinguisher of all runs achieves: the lower bound. NULL: for Gaussians, all together. */
  void (*distinguish)(sotto_i_events *best, const sotto_mechanism *m);

  /* Largest number of vectors of norm `sensitivity` that depend on one record. NULL: one. */
  double (*examples)(const sotto_mechanism *m);
  bool by_pure; /* releases compose by their pure epsilon alone (reason: sotto_laplace_grid_whole) */

  /* Canary statistics: log of a ratio of probabilities that a number is z away from the exact one, in units
   * of the noise. The numerator is under noise `scale` times as wide, the denominator under the stated noise.
   * `pair`: of the difference of two numbers; `step` of their grid in such units. NULL: cells are not such
   * numbers. */
  double (*log_ratio)(double z, double scale, double step, bool pair);
  bool whole_step; /* counts are released as whole numbers, on a grid of step 1 */
  /* Probability that two answers for one value agree, with `share` of the flips; `epsilon` is of one run.
   * NULL: cells are not answers. The second member: each cell is an answer, or each row is one. */
  double (*agreement)(const sotto_mechanism *m, double epsilon, double share);
  bool each_cell;
} sotto_i_descriptor;

/* The descriptor of a kind, which must exist. */
const sotto_i_descriptor *sotto_i_descriptor_of(sotto_mechanism_kind kind);

/* Checks every mechanism of the list; errors name the place of the failing one. */
sotto_status sotto_i_mechanisms_check(const sotto_mechanism *list, size_t count, sotto_error *err);

/* Checks for descriptors (limits.c): a whole number from `least` to 2^62; noise and sensitivity; 0 < rate <=
 * 1; either noise, a flip probability of at most `most`, or epsilon. */
sotto_status sotto_i_check_whole(const char *what, uint64_t value, uint64_t least, sotto_error *err);
sotto_status sotto_i_check_noise(const sotto_mechanism *m, sotto_error *err);
sotto_status sotto_i_check_rate(const sotto_mechanism *m, sotto_error *err);
sotto_status sotto_i_check_flip(const sotto_mechanism *m, const char *name, double most, sotto_error *err);

/* mu of one run of a Gaussian mechanism; undefined for others. */
double sotto_i_mechanism_mu(const sotto_mechanism *m);
/* The pure epsilon of one run, INFINITY for a kind without one. For multibit: of one bit. */
double sotto_i_mechanism_pure(const sotto_mechanism *m);
/* Number of runs of the unit of sotto_i_mechanism_pure. May exceed 2^62: a double. */
double sotto_i_mechanism_runs(const sotto_mechanism *m);
double sotto_i_mechanism_variance(const sotto_mechanism *m);
/* See the descriptor. */
double sotto_i_mechanism_gaussian_mu(const sotto_mechanism *m);
double sotto_i_mechanism_examples(const sotto_mechanism *m);
bool sotto_i_mechanism_is_gaussian(const sotto_mechanism *m);
/* Does the mechanism have Renyi divergences alone? */
bool sotto_i_mechanism_by_renyi(const sotto_mechanism *m);

/* Adds all runs of the mechanism. Errors: UNSUPPORTED (it has no Renyi divergence), NOMEM, INTERRUPTED. */
sotto_status sotto_i_rdp_add(sotto_i_rdp *rdp, const sotto_mechanism *m, sotto_error *err);

/* The mechanism's PLD for the pair (P, Q) in `forward` and for (Q, P) in `backward`; the latter is empty
 * (count 0) when both are equal. Losses in tails of mass below `tail` go to infinity. sotto_i_pld_gaussian
 * makes Gaussian ones for all their runs at once. Errors: NOMEM, UNSUPPORTED when the grid would need more
 * than 2^22 points. */
sotto_status sotto_i_pld_make(sotto_i_pld *forward, sotto_i_pld *backward, const sotto_mechanism *m,
                              double width, double tail, sotto_error *err);
/* The distance of the atoms of a mechanism's PLD from one another and from 0; 0 without atoms. A grid whose
 * width divides it represents them without error. */
double sotto_i_pld_unit(const sotto_mechanism *m);

/* Rate of Poisson sampling or fraction of sampling without replacement, 1 for none. */
static inline double sotto_i_mechanism_rate(const sotto_mechanism *m) {
  if (m->population > 0) return (double)m->batch / (double)m->population;
  return m->rate > 0 ? m->rate : 1;
}

#endif
