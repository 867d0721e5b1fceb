/* Sequential tests of noise alone: they stop when the evidence is sufficient. */
#ifndef SOTTO_SRC_AUDIT_STATISTICS_NOISE_H
#define SOTTO_SRC_AUDIT_STATISTICS_NOISE_H

#include "inside/audit.h"
#include "sotto/audit.h"

enum { SOTTO_I_NOISE_KINDS = 5 };
enum { SOTTO_I_NOISE_CELL_ABSENT, SOTTO_I_NOISE_CELL_HALVED, SOTTO_I_NOISE_CELL_KINDS };
/* The log capital of bets against noise that is as wide as stated and fresh in every cell. Two more kinds
 * bet against one cell each, the same cell in every draw. */
typedef struct sotto_i_noise_bets {
  double log_capital[SOTTO_I_NOISE_KINDS];
  size_t cells; /* largest number of cells in a draw */
  double cell[SOTTO_I_NOISE_CELL_KINDS][SOTTO_NOISE_VALUES];
} sotto_i_noise_bets;

/* Takes two consecutive draws, under different keys. */
void sotto_i_noise_bet(sotto_i_noise_bets *bets, const sotto_noise_draw draws[2]);
/* The log of the mean capital. If the noise is as stated, it ever exceeds log(1 / risk) with a probability
 * of at most `risk` (Ville 1939). */
double sotto_i_noise_evidence(const sotto_i_noise_bets *bets);

#endif
