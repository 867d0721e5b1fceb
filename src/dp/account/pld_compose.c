/* Composition of privacy loss distributions: powers of Fourier transforms, tilted to where the answer lies.
 *
 * Mass at loss x is multiplied by exp(tilt x) before the transform and divided by it after. The part of the
 * sum that determines delta is then the bulk of the transformed values, so the error of the transform is
 * small relative to delta, however small that is. The transform is circular. Chernoff's bound sets its
 * window. Mass above the window is bounded and added to delta, and mass that wraps into it only adds to
 * delta. */
#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "base/memory.h"
#include "base/progress.h"
#include "pld.h"

void sotto_i_pld_work_free(sotto_i_pld_work *work) {
  sotto_i_fft_free(&work->fft);
  sotto_i_free(work->values);
  sotto_i_free(work->re);
  sotto_i_free(work->im);
  sotto_i_free(work->sum_re);
  sotto_i_free(work->sum_im);
  *work = (sotto_i_pld_work){0};
}

static sotto_status reserve(sotto_i_pld_work *work, size_t size, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (work->fft.size == size) return SOTTO_OK;
  sotto_i_pld_work_free(work);
  SOTTO_TRY(sotto_i_new_raw(&work->values, size, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&work->re, size / 2 + 1, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&work->im, size / 2 + 1, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&work->sum_re, size / 2 + 1, sizeof(double), err));
  SOTTO_TRY(sotto_i_new_raw(&work->sum_im, size / 2 + 1, sizeof(double), err));
  SOTTO_TRY(sotto_i_fft_new(&work->fft, size, err));
done:
  if (status != SOTTO_OK) sotto_i_pld_work_free(work);
  return status;
}

/* values[k mod size] = sum of the tilted, normalised masses at grid points equal to k modulo size. */
static void fold_masses(double *values, size_t size, const sotto_i_pld *pld, double tilt) {
  const double shift = sotto_i_pld_shift(pld, tilt), norm = sotto_i_pld_moment(pld, tilt, shift);
  double powers[SOTTO_I_PLD_BLOCK] = {0}, step = tilt * pld->width;
  memset(values, 0, size * sizeof *values);
  size_t stride = sotto_i_pld_stride(step, shift != 0);
  for (size_t i = 0; i < stride; i++) powers[i] = exp(step * (double)i) / norm;
  for (size_t first = 0; first < pld->count; first += stride) {
    double exponent = step * (double)(pld->first + (int64_t)first);
    double scale = exp(shift == 0 ? exponent : fmin(exponent - shift, 700)); /* masses below e^-700 */
    size_t end = pld->count - first < stride ? pld->count - first : stride;
    size_t place = (size_t)(pld->first + (int64_t)first) & (size - 1);
    for (size_t i = 0; i < end; i++, place = (place + 1) & (size - 1))
      values[place] += pld->mass[first + i] * powers[i] * scale;
  }
}

/* (sum_re, sum_im) *= (re, im)^power, by squaring, a cache-sized part at a time. */
static void multiply_power(sotto_i_pld_work *work, size_t bins, uint64_t power) {
  for (size_t first = 0; first < bins; first += SOTTO_I_PLD_BLOCK) {
    if (first % (1 << 14) == 0 && sotto_i_stopped()) return;
    size_t end = bins - first < SOTTO_I_PLD_BLOCK ? bins - first : SOTTO_I_PLD_BLOCK;
    double *restrict br = work->re + first, *restrict bi = work->im + first;
    double *restrict pr = work->sum_re + first, *restrict pi = work->sum_im + first;
    for (uint64_t left = power; left > 0; left >>= 1) {
      if (left & 1) {
        for (size_t k = 0; k < end; k++) {
          double re = pr[k] * br[k] - pi[k] * bi[k];
          pi[k] = pr[k] * bi[k] + pi[k] * br[k];
          pr[k] = re;
        }
      }
      if (left == 1) break;
      for (size_t k = 0; k < end; k++) {
        double re = br[k] * br[k] - bi[k] * bi[k];
        bi[k] = 2 * br[k] * bi[k];
        br[k] = re;
      }
    }
  }
}

/* work->values = the tilted sum, by circular convolution. */
static void convolve(sotto_i_pld_work *work, const sotto_i_pld_sum *s) {
  size_t size = work->fft.size, bins = size / 2 + 1;
  for (size_t k = 0; k < bins; k++) {
    work->sum_re[k] = 1;
    work->sum_im[k] = 0;
  }
  for (size_t i = 0; i < s->count && !sotto_i_stopped(); i++) {
    fold_masses(work->values, size, &s->plds[i], s->tilt);
    sotto_i_fft_forward(&work->fft, work->re, work->im, work->values);
    multiply_power(work, bins, (uint64_t)s->plds[i].runs);
  }
  sotto_i_fft_inverse(&work->fft, work->values, work->sum_re, work->sum_im);
}

/* A bound on the rounding error of each value of convolve, relative to the largest: that of the transform,
 * and that of the powers, which multiply relative errors by the number of runs. */
static double rounding_bound(const sotto_i_pld_sum *s, size_t size) {
  double runs = 0;
  for (size_t i = 0; i < s->count; i++) runs += s->plds[i].runs;
  return 4e-16 * (log2((double)size) + runs);
}

/* The probability of an infinite loss in the whole composition. */
static double infinite_mass(const sotto_i_pld *plds, size_t count) {
  double log_finite = 0;
  for (size_t i = 0; i < count; i++) log_finite += plds[i].runs * log1p(-plds[i].infinity);
  return -expm1(log_finite);
}

/* Mass outside the window on either side changes delta by at most 1e-8 of itself. */
static const double window_cost = 18.5;
/* Least limit of the tilt: small losses need a larger one. */
static const double least_limit = 2;
/* Largest relative error of delta by rounding. */
static const double most_noise = 1e-4;

/* The smallest tilt that suffices. A smaller tilt gives lighter tails and a smaller window. A larger one, up
 * to `best`, reduces the weight of rounding, exp(log E[exp(tilt L)] - tilt reference), relative to delta. */
static double choose_tilt(const sotto_i_pld_sum *s, double best, double reference, double log_delta) {
  double allowed = log(0.1 * most_noise / rounding_bound(s, 65536));
  for (int quarter = 0; quarter < 4; quarter++) {
    double part = quarter / 4.0;
    double weight = sotto_i_pld_log_moment(s->plds, s->count, part * best) - part * best * reference;
    if (weight - log_delta < allowed) return part * best;
  }
  return best;
}

static sotto_status fail_overflow(sotto_error *err) {
  return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                      "a privacy loss distribution has numbers that overflow; use rdp, or more noise");
}

/* One composition under s->tilt, read around the loss `reference`; `lower` moves the window's lower end down.
 * *read is the status of sotto_i_pld_read. */
static sotto_status compose_once(sotto_i_pld_answer *out, double *noise, sotto_status *read,
                                 sotto_i_pld_work *work, const sotto_i_pld_sum *s,
                                 const sotto_i_pld_query *query, double reference, double log_delta,
                                 double lower, sotto_error *err) {
  double width = s->plds[0].width, up_tilt, down_tilt;
  double weight = fmax(s->log_norm - s->tilt * reference - log_delta, 0);
  double high = sotto_i_pld_chernoff(&up_tilt, s, s->tilt, s->log_norm, 1, window_cost + weight);
  double low = sotto_i_pld_chernoff(&down_tilt, s, s->tilt, s->log_norm, -1, window_cost + weight);
  sotto_status status = sotto_i_check_interrupt(err); /* an interrupted moment is not a number */
  if (status != SOTTO_OK) return status;
  if (!(isfinite(low) && isfinite(high) && isfinite(reference))) return fail_overflow(err);
  low = (low < reference ? low : reference) - lower;
  if (high < reference) high = reference;
  double points = (high - low) / width + 4;
  size_t size = 256;
  while (size < SOTTO_I_PLD_POINTS && (double)size < points) size *= 2;
  if (!((double)size >= points))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "the composition needs more than 2^22 points; use rdp");
  status = reserve(work, size, err);
  if (status != SOTTO_OK) return status;
  convolve(work, s);
  status = sotto_i_check_interrupt(err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_window w = {.first = floor(low / width) - floor(((double)size - points) / 2),
                          .size = (double)size,
                          .width = width,
                          .reference = reference,
                          .floor = query->delta > 0 ? 0 : query->epsilon};
  double top = (w.first + w.size) * width, scale = exp(s->log_norm - s->tilt * reference);
  up_tilt += s->tilt;
  double extra = infinite_mass(s->plds, s->count) +
                 exp(sotto_i_pld_log_moment(s->plds, s->count, up_tilt) - up_tilt * top);
  /* `scale`, the common factor of all masses, has the rounding of all runs too. */
  double bound = rounding_bound(s, size);
  w.target = INFINITY;
  *read = SOTTO_OK;
  out->points = (double)size;
  if (query->delta > 0) {
    const double left = query->delta * (1 - bound) - extra;
    w.target = left / scale;
    if (!(left > 0)) return SOTTO_OK; /* more than the target is at infinite losses: epsilon stays INFINITY */
    if (!(fabs(w.first) < 0x1p52)) return fail_overflow(err);
    if (!(w.target > 0 && isfinite(w.target))) *read = SOTTO_RANGE; /* tilted far beyond the answer */
    if (*read != SOTTO_OK) return SOTTO_OK;
  }
  *read = sotto_i_pld_read(out, noise, work->values, s, &w, bound);
  if (*read == SOTTO_NUMERIC) return fail_overflow(err);
  out->delta = out->delta * (1 + bound) + extra;
  return SOTTO_OK;
}

sotto_status sotto_i_pld_compose(sotto_i_pld_answer *out, sotto_i_pld_work *work, const sotto_i_pld *plds,
                                 size_t count, const sotto_i_pld_query *query, sotto_error *err) {
  sotto_i_pld_sum s = {.plds = plds, .count = count};
  double infinity = infinite_mass(plds, count), reference = query->epsilon, noise = 0, lower = 0;
  s.limit = fmax(SOTTO_I_PLD_EXPONENT / sotto_i_pld_reach(plds, count), least_limit);
  *out = (sotto_i_pld_answer){.epsilon = INFINITY, .delta = query->delta};
  if (query->delta > 0) {
    if (!(infinity < query->delta)) return SOTTO_OK;
    reference = sotto_i_pld_chernoff(&s.tilt, &s, 0, 0, 1, -log(query->delta - infinity));
    if (reference < 0) reference = 0;
  } else {
    s.tilt = sotto_i_pld_tilt_for(&s, reference);
  }
  if (s.tilt > 0.8 * s.limit) s.tilt = 0.8 * s.limit; /* leaves room above for the window's bound */
  double log_delta = sotto_i_pld_log_moment(plds, count, s.tilt) - s.tilt * reference;
  s.tilt = choose_tilt(&s, s.tilt, reference, log_delta);
  for (int round = 0; round < 8; round++) {
    sotto_status read = SOTTO_OK;
    s.log_norm = sotto_i_pld_log_moment(plds, count, s.tilt);
    sotto_status status = sotto_i_check_interrupt(err);
    if (status == SOTTO_OK)
      status = compose_once(out, &noise, &read, work, &s, query, reference, log_delta, lower, err);
    if (status != SOTTO_OK) return status;
    if (read == SOTTO_OK && noise < most_noise) break;
    if (read == SOTTO_NOT_FOUND)
      lower = 2 * lower + 0.5 * out->points * plds[0].width;
    else if (read == SOTTO_RANGE)
      s.tilt /= 2;
    else
      s.tilt = fmin(sotto_i_pld_tilt_for(&s, out->epsilon), 0.8 * s.limit);
    if (round == 7 && read != SOTTO_OK)
      return sotto_i_fail(err, SOTTO_UNSUPPORTED, "the composition does not fit in 2^22 points; use rdp");
  }
  if (query->delta > 0) out->delta = query->delta;
  return SOTTO_OK;
}
