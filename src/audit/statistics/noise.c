/* Bets against noise: the ratio of a narrower distribution to the stated one wins nothing on average if the
 * noise is as stated. The ratio falls with the distance from 0. So Gaussian draws off their centre only
 * lose (Anderson 1955): an inexact centre costs power, and raises no false alarm. */
#include "noise.h"

#include <math.h>
#include <string.h>

#include "audit.h"
#include "inside/audit.h"

enum { halved, fifth_less, few_without, many_without, drawn_twice };

/* For a discrete Laplace distribution with a step of `step` scales: the log of the probability of x scales,
 * or of a difference x of two draws. */
static double log_laplace(double x, double step, bool pair) {
  const double even = log(tanh(step / 2)) - x;
  return pair ? even + log(tanh(step / 2) * (x / step + 1 / tanh(step))) : even;
}

/* The log of the probability under s times the stated scale over that under the stated scale. */
static double log_ratio(const sotto_noise_draw *d, double z, double s, bool pair) {
  const double x = fabs(z);
  if (d->laplace) return log_laplace(x / s, d->step / s, pair) - log_laplace(x, d->step, pair);
  return -log(s) - z * z / 2 * (1 / (s * s) - 1);
}

/* Answers of another kind are looked at each by itself: they say nothing of how much noise there is. */
static bool is_other(const sotto_noise_draw *d, size_t cell) {
  return d->others > 0 && cell >= d->others;
}

static double flip_of(const sotto_noise_draw *d, size_t cell) {
  return is_other(d, cell) ? d->flip_there : d->flip;
}

/* The share of flipped answers is only `share` times the stated one. */
static double log_fewer(const sotto_noise_draw *d, size_t cell, double share) {
  const double flip = flip_of(d, cell);
  return d->values[cell] != 0 ? log(share) : log((1 - share * flip) / (1 - flip));
}

/* A share of the cells has practically no noise. */
static double log_some(const sotto_noise_draw *d, double z, double share, bool pair) {
  const double hardly = 1.0 / 512;
  return log1p(share * expm1(log_ratio(d, z, hardly, pair)));
}

/* The share of draws without noise in the bet on one cell. */
static const double one_cell = 31.0 / 32;

static void bet_answers(sotto_i_noise_bets *bets, const sotto_noise_draw *d) {
  static const double shares[] = {0.5, 0.8, 255.0 / 256, 0.75}; /* in the order of the bets */
  for (size_t i = 0; i < d->rows * d->cols; i++) {
    for (int kind = halved; kind <= many_without && !is_other(d, i); kind++)
      bets->log_capital[kind] += log_fewer(d, i, shares[kind]);
    bets->cell[SOTTO_I_NOISE_CELL_ABSENT][i] += log_fewer(d, i, 1 - one_cell);
    bets->cell[SOTTO_I_NOISE_CELL_HALVED][i] += log_fewer(d, i, 0.5);
  }
}

/* Bets that both answers of every second cell are identical. */
static double log_same(const sotto_noise_draw draws[2], size_t cell) {
  const double one = draws[0].values[cell];
  if (one != draws[1].values[cell]) return log(0.5);
  return log(0.5 + 0.5 / (one != 0 ? draws[0].flip : 1 - draws[0].flip));
}

static void bet_cells(sotto_i_noise_bets *bets, const sotto_noise_draw *d) {
  for (size_t i = 0; i < d->rows * d->cols; i++) {
    const double half = log_ratio(d, d->values[i], 0.5, false);
    bets->cell[SOTTO_I_NOISE_CELL_ABSENT][i] += log_some(d, d->values[i], one_cell, false);
    bets->cell[SOTTO_I_NOISE_CELL_HALVED][i] += half;
    bets->log_capital[halved] += half;
    bets->log_capital[fifth_less] += log_ratio(d, d->values[i], 0.8, false);
    bets->log_capital[few_without] += log_some(d, d->values[i], 1.0 / 256, false);
    bets->log_capital[many_without] += log_some(d, d->values[i], 0.25, false);
  }
}

void sotto_i_noise_bet(sotto_i_noise_bets *bets, const sotto_noise_draw draws[2]) {
  const size_t cells = draws[0].rows * draws[0].cols;
  const bool answers = draws[0].flip > 0;
  for (int which = 0; which < 2; which++)
    bets->cells = draws[which].rows * draws[which].cols > bets->cells ? draws[which].rows * draws[which].cols
                                                                      : bets->cells;
  for (int which = 0; which < 2; which++) (answers ? bet_answers : bet_cells)(bets, &draws[which]);
  for (size_t i = 0; i < cells && i < draws[1].rows * draws[1].cols; i++) {
    const double gap = draws[0].values[i] - draws[1].values[i];
    if (answers) {
      if (!is_other(draws, i)) bets->log_capital[drawn_twice] += log_same(draws, i);
      continue;
    }
    bets->log_capital[drawn_twice] +=
        log_some(&draws[0], draws[0].laplace ? gap : gap * 0.70710678118654752440, 0.5, true);
  }
}

/* The log of the mean of exp. */
static double log_mean(const double *logs, size_t count) {
  double most = logs[0], sum = 0;
  for (size_t i = 1; i < count; i++) most = fmax(most, logs[i]);
  for (size_t i = 0; i < count; i++) sum += exp(logs[i] - most);
  return most + log(sum / (double)count);
}

double sotto_i_noise_evidence(const sotto_i_noise_bets *bets) {
  double all[SOTTO_I_NOISE_KINDS + SOTTO_I_NOISE_CELL_KINDS];
  memcpy(all, bets->log_capital, sizeof bets->log_capital);
  for (int k = 0; k < SOTTO_I_NOISE_CELL_KINDS; k++)
    all[SOTTO_I_NOISE_KINDS + k] = bets->cells > 0 ? log_mean(bets->cell[k], bets->cells) : 0;
  return log_mean(all, SOTTO_I_NOISE_KINDS + SOTTO_I_NOISE_CELL_KINDS);
}
