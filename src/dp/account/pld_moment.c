/* Moments of privacy loss distributions, and the bounds and tilts derived from them. */
#include <math.h>

#include "base/cancel.h"
#include "pld.h"

enum { quick = 1 << 14 }; /* so many points take too little time to be worth cancelling */

size_t sotto_i_pld_stride(double step, bool shifted) {
  const double most = shifted ? 64 : SOTTO_I_PLD_EXPONENT;
  return fabs(step) * SOTTO_I_PLD_BLOCK < most ? SOTTO_I_PLD_BLOCK : 1;
}

/* 0 where nothing can overflow or vanish. Otherwise the largest logarithm of a block's heaviest mass times
 * its least power, so that the sum of all, relative to it, lies between 1 and e^64 times their number. */
double sotto_i_pld_shift(const sotto_i_pld *pld, double tilt) {
  const double low = (double)pld->first * pld->width, step = tilt * pld->width,
               high = (double)(pld->first + (int64_t)pld->count - 1) * pld->width;
  if (fmax(fabs(tilt * low), fabs(tilt * high)) < SOTTO_I_PLD_EXPONENT * (1 + 1e-9)) return 0;
  const size_t stride = sotto_i_pld_stride(step, true);
  double most = -INFINITY;
  for (size_t first = 0; first < pld->count; first += stride) {
    const size_t end = pld->count - first < stride ? pld->count - first : stride;
    double heaviest = 0;
    for (size_t i = 0; i < end; i++) heaviest = fmax(heaviest, pld->mass[first + i]);
    const double exponent = step * (double)(pld->first + (int64_t)first);
    if (heaviest > 0) most = fmax(most, log(heaviest) + exponent + (step > 0 ? 0 : step * (double)(end - 1)));
  }
  return most;
}

double sotto_i_pld_moment(const sotto_i_pld *pld, double tilt, double shift) {
  double powers[SOTTO_I_PLD_BLOCK] = {0}, sum = 0, step = tilt * pld->width;
  size_t stride = sotto_i_pld_stride(step, shift != 0);
  for (size_t i = 0; i < stride && i < pld->count; i++) powers[i] = exp(step * (double)i);
  for (size_t first = 0; first < pld->count; first += stride) {
    const double *mass = pld->mass + first;
    double part[4] = {0};
    size_t end = pld->count - first < stride ? pld->count - first : stride, i = 0;
    for (; i + 4 <= end; i += 4)
      for (size_t j = 0; j < 4; j++) part[j] += mass[i + j] * powers[i + j];
    for (; i < end; i++) part[0] += mass[i] * powers[i];
    double total = part[0] + part[1] + part[2] + part[3];
    const double exponent = step * (double)(pld->first + (int64_t)first);
    if (total > 0) sum += shift == 0 ? total * exp(exponent) : exp(log(total) + exponent - shift);
  }
  return sum;
}

double sotto_i_pld_log_moment(const sotto_i_pld *plds, size_t count, double tilt) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    if (plds[i].count > quick && sotto_i_stopped()) return NAN;
    const double shift = sotto_i_pld_shift(&plds[i], tilt);
    sum += plds[i].runs * (log(sotto_i_pld_moment(&plds[i], tilt, shift)) + shift);
  }
  return sum;
}

double sotto_i_pld_reach(const sotto_i_pld *plds, size_t count) {
  double most = 0;
  for (size_t i = 0; i < count; i++) {
    double low = -(double)plds[i].first, high = (double)(plds[i].first + (int64_t)plds[i].count - 1);
    double one = (low > high ? low : high) * plds[i].width;
    if (one > most) most = one;
  }
  return most;
}

/* Golden section over log d, in which the function has one minimum. */
double sotto_i_pld_chernoff(double *best_distance, const sotto_i_pld_sum *s, double base, double log_base,
                            double sign, double cost) {
  const double golden = 0.61803398874989485;
  double most = s->limit - sign * base;
  double low = log(most * 1e-10), high = log(most), at[2], value[2];
  at[0] = high - golden * (high - low);
  at[1] = low + golden * (high - low);
  for (int k = 0; k < 2; k++)
    value[k] =
        (sotto_i_pld_log_moment(s->plds, s->count, base + sign * exp(at[k])) - log_base + cost) / exp(at[k]);
  for (int round = 0; round < 22; round++) {
    int worse = value[0] < value[1]; /* at[worse] becomes the end */
    if (worse) {
      high = at[1];
      at[1] = at[0];
      value[1] = value[0];
      at[0] = high - golden * (high - low);
    } else {
      low = at[0];
      at[0] = at[1];
      value[0] = value[1];
      at[1] = low + golden * (high - low);
    }
    int k = !worse;
    double d = exp(at[k]);
    value[k] = (sotto_i_pld_log_moment(s->plds, s->count, base + sign * d) - log_base + cost) / d;
  }
  int k = value[1] < value[0];
  *best_distance = exp(at[k]);
  return sign * value[k];
}

double sotto_i_pld_tilt_for(const sotto_i_pld_sum *s, double epsilon) {
  double low = 0, high = s->limit;
  for (int round = 0; round < 40; round++) {
    double middle = low == 0 && round < 30 ? high / 4 : (low + high) / 2, d = middle * 1e-4;
    double mean = (sotto_i_pld_log_moment(s->plds, s->count, middle + d) -
                   sotto_i_pld_log_moment(s->plds, s->count, middle - d)) /
                  (2 * d);
    if (mean < epsilon) {
      low = middle;
    } else {
      high = middle;
    }
    if (high - low < 0.02 * high) break;
  }
  return low > 0 ? low : high;
}
