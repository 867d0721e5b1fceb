/* Tests of a release's noise by repeated draws of that release, without its exact table. */
#ifndef SOTTO_SRC_AUDIT_STATISTICS_RESIDUAL_H
#define SOTTO_SRC_AUDIT_STATISTICS_RESIDUAL_H

#include "sotto/dp.h"

/* The law that is stated of every cell. */
typedef enum sotto_i_residual_law {
  SOTTO_I_RESIDUAL_NUMBERS,    /* a number plus noise of `mechanism`: `unit` is how wide that is */
  SOTTO_I_RESIDUAL_ANSWERS,    /* a randomised answer: two draws of a cell agree with probability `agree` */
  SOTTO_I_RESIDUAL_DIRECTIONS, /* rows of Gaussian numbers, scaled to norm 1; draws are compared with the
                                * first one, which has no noise and is not scaled */
  SOTTO_I_RESIDUAL_PROCESSED,  /* a function of noisy numbers: nothing is stated but that it is random */
} sotto_i_residual_law;

typedef struct sotto_i_residual {
  sotto_i_residual_law law;
  sotto_mechanism_kind mechanism; /* of numbers */
  double unit, step;              /* step: of the grid of numbers, in units; 0: a fine one */
  double agree[3];                /* as stated; with half of the flips; with none */
  size_t rows, cols;
  uint64_t draws;
  bool exact;   /* `sum` is the table without noise, and stays; then draws is 1 */
  double *sum;  /* owned, rows x cols: of all draws so far */
  float *last;  /* owned: the draw before */
  double *row;  /* owned: log capital of the bet that this row has no noise */
  double *rest; /* owned: what the last draw was away from the mean, in units, with its sign */
  double capital[6];
} sotto_i_residual;

/* `like` has law, mechanism, unit, step, agree, rows and cols. Free in any case. Errors: NOMEM. */
sotto_status sotto_i_residual_new(sotto_i_residual *out, const sotto_i_residual *like, sotto_error *err);
void sotto_i_residual_free(sotto_i_residual *residual);
/* Takes a table without noise as what draws are compared with, and begins all bets anew. */
void sotto_i_residual_centre(sotto_i_residual *residual, const float *exact);
/* Bets on a draw, rows x cols, by the draws before it, and keeps it. */
void sotto_i_residual_add(sotto_i_residual *residual, const float *draw);
/* Begins all bets anew; the draws so far stay. */
void sotto_i_residual_restart(sotto_i_residual *residual);
/* The log of the mean capital. Of independent draws under the stated law it passes log(1 / risk) at any time
 * with a probability of at most `risk` (Ville 1939). */
double sotto_i_residual_evidence(const sotto_i_residual *residual);
/* The same of one bet: that two releases of one shape had the same noise. */
double sotto_i_residual_repeated(const sotto_i_residual *one, const sotto_i_residual *other);

#endif
