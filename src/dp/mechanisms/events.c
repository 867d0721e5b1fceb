/* Lower bounds of epsilon and delta, by what a distinguisher achieves.
 *
 * For every event E, delta >= P(E) - e^epsilon Q(E), so epsilon >= log((P(E) - delta) / Q(E)) (Kairouz, Oh
 * and Viswanath 2015). Here E is "the output exceeds a threshold in at least m of k runs", whose
 * probabilities are tails of binomial distributions. P(E) is rounded down and Q(E) up. */
#include "events.h"

#include <math.h>
#include <stddef.h>

static const double most_runs =
    0x1p24; /* most runs considered; the logarithm of a factorial keeps its digits */
enum { most_terms = 4096 };
static const double exact = 20;    /* below it a tail is not rounded */
static const double margin = 1e-6; /* above the error of any logarithm here */

void sotto_i_offer(sotto_i_events *b, double log_p, double log_q) {
  double value;
  if (b->delta > 0)
    value = log_p + log1p(-b->delta * (1 + margin) * exp(-log_p)) - log_q;
  else
    value = exp(log_p) * -expm1(b->epsilon + log_q - log_p + margin);
  if (value > b->value) b->value = value; /* NAN gives no bound */
}

double sotto_i_log_above(double z, bool up) {
  if (z < exact) return log(0.5 * erfc(z * 0.70710678118654752440));
  const double square = 1 / (z * z);
  return -z * z / 2 - log(z * 2.50662827463100050242) + log1p(-square + (up ? 3 * square * square : 0));
}

static double log_mixture(double rate, double log_without, double log_with) {
  const double a = log1p(-rate) + log_without, b = log(rate) + log_with;
  const double high = fmax(a, b), low = fmin(a, b);
  return high == -INFINITY ? high : high + log1p(exp(low - high));
}

/* log of the probability of at least m successes in k runs, each with probability exp(log_p). `up`: rounded
 * up, else down. */
static double log_binomial_tail(double k, double m, double log_p, double log_choose, bool up) {
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

/* The thresholds m are near the expected number under P. */
void sotto_i_count_events(sotto_i_events *b, double log_p, double log_q, double runs) {
  static const double deviations[] = {-1, 0.5, 2.5, 4.5};
  const double k = fmin(floor(runs), most_runs), p = exp(log_p), spread = sqrt(k * p * (1 - p));
  if (!(log_p > log_q)) return;
  sotto_i_offer(b, log_p, log_q);
  if (!(k > 1)) return;
  sotto_i_offer(b, k * log_p, k * log_q);
  double before = 0;
  int sign;
  const double all = lgamma_r(k + 1, &sign);
  for (size_t i = 0; i < sizeof deviations / sizeof *deviations; i++) {
    const double m = fmax(1, ceil(k * p + deviations[i] * spread));
    if (m == before) continue;
    if (!(m < k)) break;
    before = m;
    const double log_choose = all - lgamma_r(m + 1, &sign) - lgamma_r(k - m + 1, &sign);
    const double log_under_p = log_binomial_tail(k, m, log_p, log_choose, false);
    if (b->delta > 0 && !(exp(log_under_p) > b->delta)) break;
    sotto_i_offer(b, log_under_p, log_binomial_tail(k, m, log_q, log_choose, true));
  }
}

void sotto_i_try_sampled(sotto_i_events *b, double rate, double shift, bool replaced, double runs) {
  static const double beyond[] = {-1, 0, 1, 2.5, 4};
  for (size_t i = 0; i <= sizeof beyond / sizeof *beyond; i++) {
    const double c = i == 0 ? shift / 2 : shift + beyond[i - 1];
    const double none = sotto_i_log_above(c, false), none_up = c < exact ? none : sotto_i_log_above(c, true);
    const double log_p = log_mixture(rate, none, sotto_i_log_above(c - shift, false));
    if (replaced) {
      sotto_i_count_events(b, log_p, log_mixture(rate, none_up, sotto_i_log_above(c + shift, true)), runs);
      continue;
    }
    sotto_i_count_events(b, log_p, none_up, runs);
    const double below = sotto_i_log_above(-c, false);
    sotto_i_count_events(
        b, below, log_mixture(rate, sotto_i_log_above(-c, true), sotto_i_log_above(shift - c, true)), runs);
  }
}

void sotto_i_try_response(sotto_i_events *b, double loss, double choices, double runs) {
  const double log_told = -log1p((choices - 1) * exp(-loss)), log_other = log_told - loss;
  sotto_i_count_events(b, log_told, log_other, runs);
  if (choices > 2) sotto_i_count_events(b, log1p(-exp(log_other)), log(choices - 1) + log_other, runs);
}

double sotto_i_agreement(double flip, double choices) {
  return (1 - flip) * (1 - flip) + flip * flip / (choices - 1);
}
