/* Tests of a release's noise by repeated draws of that release, without its exact table. */
#ifndef SOTTO_SRC_AUDIT_STATISTICS_RESIDUAL_H
#define SOTTO_SRC_AUDIT_STATISTICS_RESIDUAL_H

#include "sotto/dp.h"

/* The stated distribution of every cell. */
typedef enum sotto_i_residual_law {
  SOTTO_I_RESIDUAL_NUMBERS,    /* a number plus noise of `mechanism`, of scale `unit` */
  SOTTO_I_RESIDUAL_ANSWERS,    /* a randomised answer: two draws of a cell agree with probability `agree` */
  SOTTO_I_RESIDUAL_DIRECTIONS, /* normalised Gaussian rows; draws are compared with the first, which has no
                                * noise */
  SOTTO_I_RESIDUAL_PROCESSED,  /* a function of noisy numbers: only its randomness is stated */
} sotto_i_residual_law;

typedef struct sotto_i_residual {
  sotto_i_residual_law law;
  sotto_mechanism_kind mechanism; /* of numbers */
  double unit, step;              /* step: of the grid of numbers, in units; 0: a fine one */
  double agree[3];                /* as stated; with half of the flips; without flips */
  size_t rows, cols;
  uint64_t draws;
  bool exact;   /* `sum` is the exact table and does not change; then draws is 1 */
  double *sum;  /* owned, rows x cols: of all draws so far */
  float *last;  /* owned: the previous draw */
  double *row;  /* owned: log capital of the bet that this row has no noise */
  double *rest; /* owned: the last draw minus the mean, in units */
  double capital[6];
} sotto_i_residual;

/* `like` has law, mechanism, unit, step, agree, rows and cols. Free in any case. Errors: NOMEM. */
sotto_status sotto_i_residual_new(sotto_i_residual *out, const sotto_i_residual *like, sotto_error *err);
void sotto_i_residual_free(sotto_i_residual *residual);
/* Sets the exact table with which draws are compared, and restarts all bets. */
void sotto_i_residual_centre(sotto_i_residual *residual, const float *exact);
/* Bets on a draw, rows x cols, by the previous draws, and stores it. */
void sotto_i_residual_add(sotto_i_residual *residual, const float *draw);
/* Restarts all bets; the draws so far stay. */
void sotto_i_residual_restart(sotto_i_residual *residual);
/* The log of the mean capital. For independent draws of the stated distribution, it ever exceeds log(1 /
 * risk) with a probability of at most `risk` (Ville 1939). */
double sotto_i_residual_evidence(const sotto_i_residual *residual);
/* The same of a single bet: that two releases of one shape had the same noise. */
double sotto_i_residual_repeated(const sotto_i_residual *one, const sotto_i_residual *other);

#endif
