/* Bets on repeated draws of a release. A draw is compared with the mean of the previous draws, which
 * estimates the exact table. The ratio of a narrower distribution to the stated one falls with the distance
 * from 0. So an inexact mean only loses capital (Anderson 1955): it costs power and raises no false alarm.
 * A mean of Laplace draws is rounded to their grid, on which this holds for lattice distributions too. */
#include "residual.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "dp/mechanisms/mechanism.h"
#include "sotto/base.h"

/* Simpson's rule. The integrand is smooth, and below e^-40 of its peak outside the interval. */
enum { points = 400 };
static const double half_width = 40;

/* log of s^(n-1) exp(-s^2/2 + a s) at s. */
static double log_at(double s, double a, size_t n) {
  return s > 0 ? (double)(n - 1) * log(s) - s * s / 2 + a * s : -INFINITY;
}

/* log of the integral over s > 0, for n >= 2. */
static double log_moment(double a, size_t n) {
  const double k = (double)(n - 1), root = sqrt(a * a + 4 * k);
  const double peak = a > 0 ? (a + root) / 2 : 2 * k / (root - a);
  const double width = 1 / sqrt(1 + k / (peak * peak));
  const double from = fmax(0, peak - half_width * width), step = (peak + half_width * width - from) / points;
  const double most = log_at(peak, a, n);
  double sum = 0;
  for (int i = 0; i <= points; i++) {
    const double weight = i == 0 || i == points ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * exp(log_at(from + i * step, a, n) - most);
  }
  return most + log(sum * step / 3);
}

static double log_density(double square, double dot, size_t n, double sigma) {
  return log_moment(dot / sigma, n) - square / (2 * sigma * sigma);
}

/* out[i]: the log of the density ratio of the direction of `row` (n numbers), for noise around `exact` of
 * scales[i] times sigma over sigma. False: a row of zeros, or of one number, has no direction. */
static bool direction_ratios(double *out, const double *scales, size_t count, const float *row,
                             const double *exact, size_t n, double sigma) {
  double length = 0, square = 0, dot = 0;
  for (size_t j = 0; j < n; j++) {
    length += (double)row[j] * row[j];
    square += exact[j] * exact[j];
    dot += row[j] * exact[j];
  }
  if (n < 2 || !(length > 0)) return false;
  dot /= sqrt(length);
  const double stated = log_density(square, dot, n, sigma);
  for (size_t i = 0; i < count; i++) out[i] = log_density(square, dot, n, scales[i] * sigma) - stated;
  return true;
}

enum { halved, fifth_less, few_without, many_without, one_row, rows_alike, kinds };
static const double hardly = 1.0 / 512; /* the relative width of noise that is practically absent */
/* Upper bound on the probability that two draws of a scaled row coincide: three numbers of 24 bits, of
 * which noise of 1/512 of their size changes some. */
static const double same_by_chance = 1e-4;

sotto_status sotto_i_residual_new(sotto_i_residual *out, const sotto_i_residual *like, sotto_error *err) {
  const size_t cells = like->rows * like->cols + 1;
  sotto_status status;
  *out = *like;
  out->draws = 0;
  out->sum = out->row = out->rest = NULL;
  out->last = NULL;
  memset(out->capital, 0, sizeof out->capital);
  SOTTO_TRY(sotto_i_new(&out->sum, cells, sizeof *out->sum, err));
  SOTTO_TRY(sotto_i_new(&out->last, cells, sizeof *out->last, err));
  SOTTO_TRY(sotto_i_new(&out->rest, cells, sizeof *out->rest, err));
  SOTTO_TRY(sotto_i_new(&out->row, like->rows + 1, sizeof *out->row, err));
done:
  return status;
}

void sotto_i_residual_free(sotto_i_residual *r) {
  sotto_i_free(r->sum);
  sotto_i_free(r->last);
  sotto_i_free(r->rest);
  sotto_i_free(r->row);
  *r = (sotto_i_residual){0};
}

void sotto_i_residual_restart(sotto_i_residual *r) {
  memset(r->capital, 0, sizeof r->capital);
  memset(r->row, 0, r->rows * sizeof *r->row);
}

/* The log of the probability under s times the stated scale over that under the stated scale. */
static double log_ratio(const sotto_i_residual *r, double z, double s, bool pair) {
  return sotto_i_descriptor_of(r->mechanism)->log_ratio(z, s, r->step, pair);
}

/* A share of the cells has practically no noise. */
static double log_some(const sotto_i_residual *r, double z, double share, bool pair) {
  return log1p(share * expm1(log_ratio(r, z, hardly, pair)));
}

/* log of 1 - share + share e^ratio, also where that overflows a double. */
static double log_mixed(double share, double ratio) {
  return ratio > 500 ? ratio + log(share) : log1p(share * expm1(ratio));
}

static double mean_of(const sotto_i_residual *r, size_t cell) {
  const double mean = r->sum[cell] / (double)r->draws, step = r->step * r->unit;
  return step > 0 ? step * nearbyint(mean / step) : mean;
}

/* The share of cells without noise in the bet on one row. */
static const double whole_row = 31.0 / 32;

static void bet_numbers(sotto_i_residual *r, const float *draw) {
  for (size_t i = 0; i < r->rows; i++)
    for (size_t j = 0; j < r->cols; j++) {
      const size_t cell = i * r->cols + j;
      const double z = ((double)draw[cell] - mean_of(r, cell)) / r->unit;
      r->rest[cell] = z;
      r->capital[halved] += log_ratio(r, z, 0.5, false);
      r->capital[fifth_less] += log_ratio(r, z, 0.8, false);
      r->capital[few_without] += log_some(r, z, 1.0 / 256, false);
      r->capital[many_without] += log_some(r, z, 0.25, false);
      r->row[i] += log_some(r, z, whole_row, false);
      if (i % 2 == 1) r->capital[rows_alike] += log_some(r, z - r->rest[cell - r->cols], 0.5, true);
    }
}

/* Compares every second draw with the one before. A cell that one of them left out is 0. */
static void bet_answers(sotto_i_residual *r, const float *draw) {
  if (r->draws % 2 == 0) return;
  for (size_t i = 0; i < r->rows; i++)
    for (size_t j = 0; j < r->cols; j++) {
      const size_t cell = i * r->cols + j;
      if (r->cols > 1 && (draw[cell] == 0 || r->last[cell] == 0)) continue;
      const bool agrees = draw[cell] == r->last[cell];
      const double half = agrees ? r->agree[1] / r->agree[0] : (1 - r->agree[1]) / (1 - r->agree[0]);
      const double none = agrees ? r->agree[2] / r->agree[0] : (1 - r->agree[2]) / (1 - r->agree[0]);
      r->capital[halved] += log(half);
      r->capital[fifth_less] += log(0.5 + 0.5 * half);
      r->capital[few_without] += log(255.0 / 256 + none / 256);
      r->capital[many_without] += log(0.75 + 0.25 * none);
      r->row[i] += log((1 - whole_row) + whole_row * none);
    }
}

static bool is_same_row(const float *a, const float *b, size_t cols) {
  size_t both = 0;
  for (size_t j = 0; j < cols; j++) {
    if (a[j] != b[j]) return false;
    both += a[j] != 0;
  }
  return both >= 3;
}

static double log_share(double share, bool same) {
  return log(same ? 1 - share + share / same_by_chance : 1 - share);
}

static void bet_processed(sotto_i_residual *r, const float *draw) {
  for (size_t i = 0; i < r->rows; i++) {
    const bool same = is_same_row(draw + i * r->cols, r->last + i * r->cols, r->cols);
    r->capital[few_without] += log_share(1.0 / 256, same);
    r->capital[many_without] += log_share(0.25, same);
    r->row[i] += log_share(whole_row, same);
  }
}

static void bet_directions(sotto_i_residual *r, const float *draw) {
  static const double scales[] = {0.5, 0.8, 1.0 / 512};
  double ratio[3];
  for (size_t i = 0; i < r->rows; i++) {
    if (!direction_ratios(ratio, scales, 3, draw + i * r->cols, r->sum + i * r->cols, r->cols, r->unit))
      continue;
    r->capital[halved] += ratio[0];
    r->capital[fifth_less] += ratio[1];
    r->capital[few_without] += log_mixed(1.0 / 256, ratio[2]);
    r->capital[many_without] += log_mixed(0.25, ratio[2]);
    r->row[i] += log_mixed(whole_row, ratio[2]);
  }
}

void sotto_i_residual_centre(sotto_i_residual *r, const float *exact) {
  for (size_t i = 0; i < r->rows * r->cols; i++) {
    r->sum[i] = exact[i];
    r->last[i] = exact[i];
  }
  r->exact = true;
  r->draws = 1;
  sotto_i_residual_restart(r);
}

void sotto_i_residual_add(sotto_i_residual *r, const float *draw) {
  if (r->draws > 0) {
    if (r->law == SOTTO_I_RESIDUAL_ANSWERS)
      bet_answers(r, draw);
    else if (r->law == SOTTO_I_RESIDUAL_DIRECTIONS)
      bet_directions(r, draw);
    else
      (r->law == SOTTO_I_RESIDUAL_PROCESSED ? bet_processed : bet_numbers)(r, draw);
  }
  memcpy(r->last, draw, r->rows * r->cols * sizeof *draw);
  if (r->exact) return;
  for (size_t i = 0; i < r->rows * r->cols; i++) r->sum[i] += draw[i];
  r->draws++;
}

/* The log of the mean of exp. */
static double log_mean(const double *logs, size_t count) {
  double most = -INFINITY, sum = 0;
  for (size_t i = 0; i < count; i++) most = fmax(most, logs[i]);
  if (!isfinite(most)) return most;
  for (size_t i = 0; i < count; i++) sum += exp(logs[i] - most);
  return most + log(sum / (double)count);
}

double sotto_i_residual_evidence(const sotto_i_residual *r) {
  double all[kinds];
  memcpy(all, r->capital, sizeof all);
  all[one_row] = r->rows > 0 ? log_mean(r->row, r->rows) : 0;
  return log_mean(all, kinds);
}

/* Two draws with the same noise differ by two means of at least 16 draws: the scale of this, in units of
 * the difference of two independent draws. */
static const double means_apart = 0.4;

double sotto_i_residual_repeated(const sotto_i_residual *one, const sotto_i_residual *other) {
  double capital = 0;
  const bool alike = one->law == SOTTO_I_RESIDUAL_NUMBERS && other->law == one->law;
  if (!alike || one->mechanism != other->mechanism || one->rows != other->rows || one->cols != other->cols)
    return 0;
  for (size_t i = 0; i < one->rows * one->cols; i++)
    capital += log_ratio(one, one->rest[i] - other->rest[i], means_apart, true);
  return capital;
}
