/* Tests of noise alone that stop as soon as they have seen enough. */
#ifndef SOTTO_SRC_AUDIT_STATISTICS_NOISE_H
#define SOTTO_SRC_AUDIT_STATISTICS_NOISE_H

#include "inside/audit.h"
#include "sotto/audit.h"

enum { SOTTO_I_NOISE_KINDS = 5 };
enum { SOTTO_I_NOISE_CELL_ABSENT, SOTTO_I_NOISE_CELL_HALVED, SOTTO_I_NOISE_CELL_KINDS };
/* Each kind bets against noise that is as wide as stated, fresh in every cell: its log capital. Two more bet
 * against one cell each, the same cell in every draw. */
typedef struct sotto_i_noise_bets {
  double log_capital[SOTTO_I_NOISE_KINDS];
  size_t cells; /* of a draw, at most */
  double cell[SOTTO_I_NOISE_CELL_KINDS][SOTTO_NOISE_VALUES];
} sotto_i_noise_bets;

/* Takes a draw, and the draw after it under another key. */
void sotto_i_noise_bet(sotto_i_noise_bets *bets, const sotto_noise_draw draws[2]);
/* The log of the mean capital. Of noise as stated it passes log(1 / risk) at any time with a probability of
 * at most `risk` (Ville 1939). */
double sotto_i_noise_evidence(const sotto_i_noise_bets *bets);

#endif
