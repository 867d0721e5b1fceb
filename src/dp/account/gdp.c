/* Gaussian differential privacy (Dong, Roth, Su, J. R. Stat. Soc. B 84, 2022, corollary 1): the trade-off of
 * N(0, 1) against N(mu, 1), its delta at an epsilon, and both inverses, in logarithms.
 *
 * With a = epsilon / mu - mu / 2 and b = a + mu, phi and Q the normal density and upper tail, and since
 * epsilon - b^2 / 2 = -a^2 / 2,
 *     delta = Q(a) - e^epsilon Q(b)
 *           = e^(-a^2/2) / 2 (erfcx(a / sqrt 2) - erfcx(b / sqrt 2))            without overflow,     (1)
 *           = int_0^inf phi(a + s) (1 - e^(-mu s)) ds                          without cancellation.  (2) */
#include <math.h>

#include "account.h"
#include "bounds.h"

static const double sqrt_half = 0.70710678118654752440;
static const double sqrt_pi = 1.77245385090551602730;
static const double ln_sqrt_two_pi = 0.91893853320467274178;
/* Bound on the error of log_delta; the inverses subtract it to stay on the safe side. */
static const double log_margin = 2e-12;

/* exp(x^2) erfc(x), x >= 0. */
static double erfcx(double x) {
  if (x < 10) {
    double square = x * x;
    double error = fma(x, x, -square); /* without it exp(x^2) loses a factor of x^2 in accuracy */
    return exp(square) * (1 + error) * erfc(x);
  }
  /* Continued fraction, 1/sqrt(pi) / (x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...)))): 30 levels at x >= 10. */
  double tail = x;
  for (int level = 30; level > 0; level--) tail = x + 0.5 * level / tail;
  return 1 / (sqrt_pi * tail);
}

/* epsilon / mu - mu / 2. The numerator is formed exactly where its two terms nearly cancel. */
static double threshold(double mu, double epsilon) {
  double square = mu * mu;
  if (isinf(square) || square < 1e-280) return epsilon / mu - mu / 2;
  double error = fma(mu, mu, -square);
  return ((epsilon - square / 2) - error / 2) / mu;
}

/* Logarithm of int_0^inf e^(-a s - s^2 / 2) (1 - e^(-mu s)) / mu ds for a >= -1, mu <= 1, by the double
 * exponential rule (Takahasi and Mori 1974) with s = c e^(x - e^(-x)): positive terms only. */
static double log_integral(double a, double mu) {
  const double h = 1.0 / 24;
  double c = 1 / (1 + fmax(a, 0)), sum = 0;
  for (int i = -110; i <= 110; i++) {
    double x = i * h, fall = exp(-x);
    double s = c * exp(x - fall);
    double weight = exp(-s * (a + s / 2)) * s * (1 + fall);
    sum += weight * (mu * s < 1e-290 ? s : -expm1(-mu * s) / mu);
  }
  return log(h * sum);
}

/* ln delta; -infinity where delta is zero. mu >= 0 and epsilon >= 0, both may be infinite. */
static double log_delta(double mu, double epsilon) {
  if (!(mu > 0) || isinf(epsilon)) return -INFINITY;
  if (isinf(mu)) return 0;
  double a = threshold(mu, epsilon);
  if (a == INFINITY) return -INFINITY;
  if (mu < 1) return -a * a / 2 - ln_sqrt_two_pi + log(mu) + log_integral(a, mu);
  double far = erfcx((a + mu) * sqrt_half);
  if (a >= 0) return -a * a / 2 + log((erfcx(a * sqrt_half) - far) / 2);
  /* delta = 1 - (the rest), so that a delta near one keeps its digits. */
  return log1p(-(erfc(-a * sqrt_half) + exp(-a * a / 2) * far) / 2);
}

double sotto_i_gdp_delta(double mu, double epsilon) {
  return exp(log_delta(mu, epsilon));
}

static sotto_status check_delta(double delta, sotto_error *err) {
  if (delta > 0 && delta < 1) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "delta is %g; it must be above 0 and below 1", delta);
}

/* The search for one argument of log_delta, mu or epsilon. The other one is `fixed`. */
typedef struct search {
  double fixed, target;
  bool of_mu;
} search;

static double log_delta_at(const search *s, double x) {
  return s->of_mu ? log_delta(x, s->fixed) : log_delta(s->fixed, x);
}

/* d log_delta / d x, where log_delta is `value`: phi(a) / delta of mu, -e^epsilon Q(b) / delta of epsilon. */
static double slope_at(const search *s, double x, double value) {
  const double mu = s->of_mu ? x : s->fixed, a = threshold(mu, s->of_mu ? s->fixed : x);
  if (s->of_mu) return exp(-a * a / 2 - value - ln_sqrt_two_pi);
  return -exp(-a * a / 2 - value) * erfcx((a + mu) * sqrt_half) / 2;
}

static bool is_between(double x, double a, double b) {
  return x > fmin(a, b) && x < fmax(a, b);
}

/* Moves both points to where log_delta crosses the target: it is at most the target at `held`, and above it
 * at `missed`. Newton's steps, then a small one to the other side. The points may remain far apart. */
static void newton_bracket(double *missed, double *held, const search *s) {
  const double side = s->of_mu ? 1 : -1;
  double x = *held, before = INFINITY;
  for (int i = 0; i < 12 && fabs(x - before) > 1e-12 * x; i++) {
    const double value = log_delta_at(s, x);
    *(value <= s->target ? held : missed) = x;
    before = x;
    x -= (value - s->target) / slope_at(s, x, value);
    if (!is_between(x, *missed, *held)) break;
  }
  for (int i = 0; i < 10; i++) {
    x = *held * (1 + side * ldexp(2e-12, 2 * i));
    if (!is_between(x, *missed, *held)) return;
    const bool holds = log_delta_at(s, x) <= s->target;
    *(holds ? held : missed) = x;
    if (!holds) return;
  }
}

enum { most_halvings = 200 };

/* Bisects the interval from `missed` to `held`, and returns the last end at the side of `held`. log_delta is
 * monotone, so it is evaluated only at midpoints between newton()'s points, which are few. */
static double bisect(const search *s, double missed, double held) {
  const double side = s->of_mu ? 1 : -1;
  double low = fmin(missed, held), high = fmax(missed, held);
  newton_bracket(&missed, &held, s);
  for (int i = 0; i < most_halvings && high - low > 1e-11 * high; i++) {
    const double middle = low + (high - low) / 2;
    const bool known = side * (held - middle) >= 0, open = side * (missed - middle) > 0;
    const bool holds = known || (open && log_delta_at(s, middle) <= s->target);
    *(holds == s->of_mu ? &low : &high) = middle;
  }
  return s->of_mu ? low : high;
}

sotto_status sotto_i_gdp_epsilon(double *epsilon, double mu, double delta, sotto_error *err) {
  sotto_status status = check_delta(delta, err);
  if (status != SOTTO_OK) return status;
  if (!(mu >= 0 && mu < INFINITY))
    return sotto_i_fail(err, SOTTO_RANGE, "mu is %g; it must be finite and not negative", mu);
  const search s = {.fixed = mu, .target = log(delta) - log_margin};
  *epsilon = 0;
  if (log_delta(mu, 0) <= s.target) return SOTTO_OK;
  /* delta <= Q(a) <= e^(-a^2 / 2) bounds epsilon from above. */
  *epsilon = bisect(&s, 0, mu * (mu / 2 + sqrt(-2 * s.target)) * (1 + 1e-12));
  return SOTTO_OK;
}

/* The largest mu, before its epsilon is computed again. */
static double mu_for(double epsilon, double delta) {
  const search s = {.fixed = epsilon, .target = log(delta) - log_margin, .of_mu = true};
  /* The same bound, solved for mu, is safe; doubling finds a mu that is not. */
  double tail = sqrt(-2 * s.target);
  double low = 2 * (epsilon / (tail + hypot(tail, sqrt(2) * sqrt(epsilon)))) * (1 - 1e-12), high = 2 * low;
  while (high < INFINITY && log_delta_at(&s, high) <= s.target) {
    low = high;
    high *= 2;
  }
  return bisect(&s, high, low);
}

/* One release of N(0, 1) against N(mu, 1). */
static sotto_mechanism release_of(double mu) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  m.noise = 1;
  m.sensitivity = mu;
  return m;
}

double sotto_gdp_delta(double mu, double epsilon) {
  SOTTO_I_CHECK(mu >= 0 && epsilon >= 0);
  const sotto_mechanism one = release_of(mu);
  const sotto_i_bounds_query query = {.epsilon = epsilon};
  double delta = sotto_i_gdp_delta(mu, epsilon);
  if (mu == 0 || isinf(mu) || isinf(epsilon)) return delta;
  if (sotto_i_bounds_within(&delta, &one, 1, &query, SOTTO_ACCOUNTANT_GDP, NULL) != SOTTO_OK) return 1;
  return delta;
}

sotto_status sotto_gdp_epsilon(double *epsilon, double mu, double delta, sotto_error *err) {
  const sotto_mechanism one = release_of(mu);
  const sotto_i_bounds_query query = {.delta = delta};
  double value = INFINITY;
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_i_gdp_epsilon(&value, mu, delta, err));
  if (mu > 0) SOTTO_TRY(sotto_i_bounds_within(&value, &one, 1, &query, SOTTO_ACCOUNTANT_GDP, err));
  *epsilon = value;
done:
  return status;
}

/* Least share of the requested epsilon, and, where epsilon is near 0, resolution of mu. */
static const double least_use = 0.99, resolution = 1e-9;

sotto_status sotto_gdp_mu(double *mu, double epsilon, double delta, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(check_delta(delta, err));
  if (!(epsilon > 0 && epsilon < INFINITY))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon is %g; it must be finite and above 0", epsilon);
  const double found = mu_for(epsilon, delta);
  double forward = INFINITY;
  SOTTO_TRY(sotto_gdp_epsilon(&forward, found, delta, err));
  const double slack = resolution * (epsilon + found);
  if (!(forward <= epsilon + slack && forward >= least_use * epsilon - slack))
    return sotto_i_fail(
        err, SOTTO_NUMERIC,
        "mu %g was found for epsilon %g, and has epsilon %g: this is a fault of the accountant; "
        "report both numbers",
        found, epsilon, forward);
  *mu = found;
done:
  return status;
}
