/* Lower bounds of epsilon and delta: what one distinguisher achieves.
 *
 * For every event E, delta >= P(E) - e^epsilon Q(E), so epsilon >= log((P(E) - delta) / Q(E)) (Kairouz, Oh
 * and Viswanath 2015). Here E is "the output passes a threshold in at least m of k runs", whose probabilities
 * are tails of binomial laws. P(E) is rounded down and Q(E) up. */
#include <math.h>

#include "base/cancel.h"
#include "bounds.h"

static const double most_runs =
    0x1p24; /* so many are looked at; a logarithm of a factorial keeps its digits */
enum { most_terms = 4096 };
static const double margin = 1e-6; /* more than the error of any logarithm here */

typedef struct best {
  const sotto_i_bounds_query *query;
  double value;
} best;

static void offer(best *b, double log_p, double log_q) {
  double value;
  if (b->query->delta > 0)
    value = log_p + log1p(-b->query->delta * (1 + margin) * exp(-log_p)) - log_q;
  else
    value = exp(log_p) * -expm1(b->query->epsilon + log_q - log_p + margin);
  if (value > b->value) b->value = value; /* a value that is not a number shows nothing */
}

/* log of the mass of a standard normal above z, rounded down or up where a series is used. */
static double log_above(double z, bool up) {
  if (z < 20) return log(0.5 * erfc(z * 0.70710678118654752440));
  const double square = 1 / (z * z);
  return -z * z / 2 - log(z * 2.50662827463100050242) + log1p(-square + (up ? 3 * square * square : 0));
}

static double log_mix(double rate, double log_without, double log_with) {
  const double a = log1p(-rate) + log_without, b = log(rate) + log_with;
  const double high = fmax(a, b), low = fmin(a, b);
  return high == -INFINITY ? high : high + log1p(exp(low - high));
}

/* log of the chance of at least m of k runs, each with probability exp(log_p): up: not less, else not more.
 */
static double log_at_least(double k, double m, double log_p, double log_choose, bool up) {
  const double log_not = log(-expm1(log_p)), odds = exp(log_p - log_not);
  double sum = 1, term = 1, ratio = 0;
  if (log_p >= 0) return 0;
  for (int n = 0; n < most_terms; n++) {
    const double i = m + n;
    ratio = (k - i) / (i + 1) * odds;
    if (i >= k || (ratio < 1 && term < 1e-8 * sum)) break;
    term *= ratio;
    sum += term;
    if (!(sum < 1e200)) break;
  }
  if (up && !(ratio < 1)) return 0;
  if (up) sum += term * ratio / (1 - ratio);
  return fmin(0, log_choose + m * log_p + (k - m > 0 ? (k - m) * log_not : 0) + log(sum));
}

/* An event of one run, in k runs. The thresholds m lie around what is expected under P. */
static void count_events(best *b, double log_p, double log_q, double runs) {
  static const double deviations[] = {-1, 0.5, 2.5, 4.5};
  const double k = fmin(floor(runs), most_runs), p = exp(log_p), spread = sqrt(k * p * (1 - p));
  if (!(log_p > log_q)) return;
  offer(b, log_p, log_q);
  if (!(k > 1)) return;
  offer(b, k * log_p, k * log_q);
  double before = 0;
  int sign;
  const double all = lgamma_r(k + 1, &sign);
  for (size_t i = 0; i < sizeof deviations / sizeof *deviations; i++) {
    const double m = fmax(1, ceil(k * p + deviations[i] * spread));
    if (m == before) continue;
    if (!(m < k)) break;
    before = m;
    const double log_choose = all - lgamma_r(m + 1, &sign) - lgamma_r(k - m + 1, &sign);
    const double log_under_p = log_at_least(k, m, log_p, log_choose, false);
    if (b->query->delta > 0 && !(exp(log_under_p) > b->query->delta)) break;
    offer(b, log_under_p, log_at_least(k, m, log_q, log_choose, true));
  }
}

/* All Gaussian releases together: one of N(mu, 1) against N(0, 1). */
static void try_gaussian(best *b, double mu) {
  if (!(mu > 0 && isfinite(mu * mu))) return;
  double nearest = -6, before = b->value;
  for (double z = nearest; z < 38; z++) {
    const double log_p = log_above(z, false);
    if (b->query->delta > 0 && !(exp(log_p) > b->query->delta)) break;
    offer(b, log_p, log_above(z + mu, true));
    if (b->value > before) nearest = z;
    before = b->value;
  }
  for (double z = nearest - 0.75; z < nearest + 1;
       z += 0.25) /* at `nearest` once more, which changes nothing */
    offer(b, log_above(z, false), log_above(z + mu, true));
}

/* (1 - rate) N(0, 1) + rate N(shift, 1), against the same with -shift (`replaced`) or against N(0, 1), in
 * both directions. */
static void try_sampled(best *b, double rate, double shift, bool replaced, double runs) {
  static const double beyond[] = {-1, 0, 1, 2.5, 4};
  for (size_t i = 0; i <= sizeof beyond / sizeof *beyond; i++) {
    const double c = i == 0 ? shift / 2 : shift + beyond[i - 1];
    const double none = log_above(c, false), none_up = log_above(c, true);
    const double log_p = log_mix(rate, none, log_above(c - shift, false));
    if (replaced) {
      count_events(b, log_p, log_mix(rate, none_up, log_above(c + shift, true)), runs);
      continue;
    }
    count_events(b, log_p, none_up, runs);
    const double below = log_above(-c, false);
    count_events(b, below, log_mix(rate, log_above(-c, true), log_above(shift - c, true)), runs);
  }
}

/* exp(-x (2 c + x) / (2 sigma^2)) over whole x >= 0, each term from the one before: the rest, and what
 * rounding adds up to, are far below the margin. */
static double discrete_sum(double sigma, double c) {
  const double shrink = exp(-1 / (sigma * sigma));
  double sum = 1, term = 1, ratio = exp(-(2 * c + 1) / (2 * sigma * sigma));
  while (term > 1e-9 * sum) {
    term *= ratio;
    ratio *= shrink;
    sum += term;
  }
  return sum;
}

/* Whole numbers x >= c >= 0 of the discrete Gaussian around 0: between integrals where it is wide, whose
 * normalisation lies between sigma sqrt(2 pi) and that plus 1. `total` is that of a narrow one. */
static double log_discrete(double sigma, double total, double c, bool up) {
  const double root = 2.50662827463100050242 * sigma;
  if (total > 0) return log(discrete_sum(sigma, c) / total) - c * c / (2 * sigma * sigma);
  return up ? log_above((c - 1) / sigma, true) : log_above(c / sigma, false) - log1p(1 / root);
}

static void try_discrete(best *b, double sensitivity, double sigma, double runs) {
  static const double beyond[] = {0, 1, 2.5, 4};
  const double total = sigma < 50 ? 2 * discrete_sum(sigma, 0) - 1 : 0;
  for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
    const double c = ceil(beyond[i] * sigma);
    count_events(b, log_discrete(sigma, total, c, false), log_discrete(sigma, total, c + sensitivity, true),
                 runs);
  }
}

static void try_laplace(best *b, double loss, double runs) {
  for (int quarter = 0; quarter <= 4; quarter++) {
    const double y = quarter / 4.0 * loss;
    count_events(b, log1p(-0.5 * exp(-y)), y - loss - log(2), runs);
  }
}

static void try_response(best *b, double loss, double choices, double runs) {
  const double log_told = -log1p((choices - 1) * exp(-loss)), log_other = log_told - loss;
  count_events(b, log_told, log_other, runs);
  if (choices > 2) count_events(b, log1p(-exp(log_other)), log(choices - 1) + log_other, runs);
}

/* Of (epsilon, delta) alone, by the worst pair that has it (Kairouz, Oh and Viswanath 2015). */
static void try_noise_free(best *b, const sotto_mechanism *m, double runs) {
  double loss, lost;
  sotto_i_mechanism_noise_free(&loss, &lost, m);
  const double log_lost = log(-expm1(runs * log1p(-lost)));
  offer(b, log_lost, -INFINITY);
  const double log_q = log1p(-lost) - loss - log1p(exp(-loss));
  offer(b, log(lost + (1 - lost) / (1 + exp(-loss))), log_q);
}

static void try_one(best *b, const sotto_mechanism *m) {
  const double runs = sotto_i_mechanism_runs(m), rate = sotto_i_mechanism_rate(m);
  const double shift = m->noise > 0 ? m->sensitivity / m->noise : 0;
  switch (m->kind) {
  case SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN:
    try_sampled(b, rate, shift, false, runs);
    break;
  case SOTTO_MECHANISM_REPLACED_GAUSSIAN:
  case SOTTO_MECHANISM_POISSON_SUM:
    try_sampled(b, rate, shift, true, runs);
    break;
  case SOTTO_MECHANISM_SAMPLED_SUBGRAPHS: { /* as if all that the node is in added up to one */
    const double joins = rate * (double)m->sample / (double)m->degree;
    try_sampled(b, -expm1(log1p(-rate) + 2 * (double)m->degree * log1p(-joins)), shift, true, runs);
    break;
  }
  case SOTTO_MECHANISM_DISCRETE_GAUSSIAN:
    try_discrete(b, m->sensitivity, m->noise, runs);
    break;
  case SOTTO_MECHANISM_LAPLACE:
    try_laplace(b, sotto_i_mechanism_pure(m), runs);
    break;
  case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
    try_response(b, sotto_i_mechanism_pure(m), (double)m->choices, runs);
    break;
  case SOTTO_MECHANISM_MULTIBIT:
    try_response(b, sotto_i_mechanism_pure(m), 2, runs);
    break;
  case SOTTO_MECHANISM_NOISE_FREE_SAMPLING:
    try_noise_free(b, m, runs);
    break;
  default: /* Gaussian: all of them together */
    break;
  }
}

double sotto_i_bounds_lower(const sotto_mechanism *list, size_t count, const sotto_i_bounds_query *query) {
  best b = {.query = query};
  double square = 0;
  for (size_t i = 0; i < count && !sotto_i_stopped(); i++) { /* fewer show less: still a bound */
    const double mu = sotto_i_mechanism_is_gaussian(&list[i]) ? sotto_i_mechanism_mu(&list[i]) : 0;
    square += (double)list[i].count * mu * mu;
    try_one(&b, &list[i]);
  }
  try_gaussian(&b, sqrt(square));
  return b.value;
}
