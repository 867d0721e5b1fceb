/* subsampled-gaussian: a sum over a secret batch of records, with Gaussian noise. Poisson sampling is
 * accounted add-or-remove-one, in the worse direction; sampling without replacement replace-one. */
#include <math.h>

#include "base/memory.h"
#include "mechanism.h"

static sotto_status check(const sotto_mechanism *m, sotto_error *err) {
  bool poisson = m->rate != 0, without = m->population != 0 || m->batch != 0;
  if (poisson == without)
    return sotto_i_fail(err, poisson ? SOTTO_INVALID : SOTTO_RANGE,
                        "subsampled-gaussian takes either rate, or population and batch");
  if (poisson) return sotto_i_check_rate(m, err);
  if (m->batch < 1 || m->batch > m->population || m->population > (uint64_t)1 << 62)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "batch is %llu of a population of %llu; it must be between 1 and the population",
                        (unsigned long long)m->batch, (unsigned long long)m->population);
  return SOTTO_OK;
}

/* log E_Q[(P/Q)^a] for a whole order: sum_i C(a, i) (1-q)^(a-i) q^i exp(i (i-1) / (2 sigma^2)), Mironov et
 * al. 2019, eq. 4, without its terms at exponent 0, which add up to one with the rest. */
static double log_moment_whole(double q, double sigma, double order) {
  double sum = -INFINITY, square = sigma * sigma;
  const double all = sotto_i_log_factorial(order), log_q = log(q), log_not = log1p(-q);
  for (int whole = 2; whole <= order; whole++) {
    double i = whole, choose = all - sotto_i_log_factorial(i) - sotto_i_log_factorial(order - i);
    double exponent = i * (i - 1) / (2 * square);
    double grown = exponent > 40 ? exponent : log(expm1(exponent));
    sum = sotto_i_log_add(sum, choose + i * log_q + (order - i) * log_not + grown);
  }
  return sum > 40 ? sum : log1p(exp(sum));
}

static double log_erfc(double x) {
  if (x < 25) return log(erfc(x));
  double t = 1 / (2 * x * x); /* erfc underflows: its asymptotic series, to 1e-9 and better from here on */
  return -x * x - log(x * 1.77245385090551602730) + log1p(-t + 3 * t * t - 15 * t * t * t);
}

/* The same for any order: the two series of Mironov et al. 2019, section 3.3, which split the integral at z0,
 * where both parts of the mixture are equal. Beyond the order the binomial coefficients alternate in sign.
 * They are added in absolute value, as in dp_accounting, so that the sum is an upper bound. INFINITY where a
 * thousand terms do not suffice; that order is then not used. */
static double log_moment_any(double q, double sigma, double order) {
  double square = 2 * sigma * sigma, z0 = sigma * sigma * log(1 / q - 1) + 0.5, root = sqrt(square);
  double sum = -INFINITY, last[2] = {-INFINITY, -INFINITY};
  for (int term = 0; term < 1000; term++) {
    double i = term, j = order - i, choose = sotto_i_log_choose(order, i) - log(2);
    double low = choose + i * log(q) + j * log1p(-q) + i * (i - 1) / square + log_erfc((i - z0) / root);
    double high = choose + j * log(q) + i * log1p(-q) + j * (j - 1) / square + log_erfc((z0 - j) / root);
    sum = sotto_i_log_add(sum, sotto_i_log_add(low, high));
    if (low < last[0] && high < last[1] && fmax(low, high) < sum - 30) return sum;
    last[0] = low;
    last[1] = high;
  }
  return INFINITY;
}

/* The series is a sum near 1, and its distance from 1 loses digits where the loss is small. Then the chord
 * between whole orders bounds it, since the logarithm of the moment is convex in the order, and 0 at 1. */
double sotto_i_rdp_poisson(double rate, double sigma, double order) {
  const double cancelled = 1e-9, low = floor(order), part = order - low;
  if (part == 0) return log_moment_whole(rate, sigma, order) / (order - 1);
  double value = log_moment_any(rate, sigma, order);
  if (!(value > cancelled)) {
    const double below = low > 1 ? log_moment_whole(rate, sigma, low) : 0;
    value = (1 - part) * below + part * log_moment_whole(rate, sigma, low + 1);
  }
  return value / (order - 1);
}

/* log |E_Q[(P/Q - 1)^l]| for even l up to `most`, in moments[l/2]; P = N(1, sigma^2), Q = N(0, sigma^2). A
 * sum of positive terms, unlike the forward differences that define it. Orders at which the other bound of
 * Theorem 27 is smaller stay INFINITY: there the moment is close to E_Q[(P/Q)^l]. */
static sotto_status central_moments(double *moments, double sigma, uint64_t most, sotto_error *err) {
  double square = 2 * sigma * sigma;
  uint64_t last = 2;
  while (last + 2 <= most && (double)last * exp(-((double)last - 0.5) / (sigma * sigma)) > 0.01) last += 2;
  for (uint64_t l = 0; l <= most; l += 2) moments[l / 2] = INFINITY;
  double step = fmin(sigma / 8, 0.25), low = -13 * sigma, high = (double)last + 13 * sigma;
  /* Where all ratios differ from 1 the integrand is smooth on the scale of sigma alone. A wide Gaussian needs
   * its own step, because (2x-1)/(2 sigma^2) then varies slowly. */
  if (sigma > 2) step = sigma / 8;
  size_t points = (size_t)ceil((high - low) / step) + 1;
  double *logs = NULL, *at = NULL;
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_i_new_raw(&logs, points, sizeof *logs, err));
  SOTTO_TRY(sotto_i_new_raw(&at, points, sizeof *at, err));
  for (size_t k = 0; k < points; k++) {
    double x = low + (double)k * step, u = (2 * x - 1) / square;
    logs[k] = u > 40 ? u : log(fabs(expm1(u)) + 1e-300);
    at[k] = -x * x / square;
  }
  for (uint64_t l = 2; l <= last; l += 2) {
    double high_term = -INFINITY, sum = 0;
    for (size_t k = 0; k < points; k++) {
      double term = (double)l * logs[k] + at[k];
      if (term > high_term) high_term = term;
    }
    for (size_t k = 0; k < points; k++) {
      double term = (double)l * logs[k] + at[k] - high_term;
      if (term > -45) sum += exp(term);
    }
    moments[l / 2] = high_term + log(sum * step / (sigma * 2.50662827463100050242));
  }
done:
  sotto_i_free(logs);
  sotto_i_free(at);
  return status;
}

/* (order - 1) times the divergence at a whole order. */
static double log_moment_without(double q, double sigma, double order, const double *moments,
                                 uint64_t exact) {
  double square = 2 * sigma * sigma, sum = -INFINITY, log_q = log(q), all = sotto_i_log_factorial(order);
  for (int whole = 2; whole <= order; whole++) {
    double j = whole,
           term = log(2) + j * (j - 1) / square; /* 2 E[(P/Q)^j], as no loss of a Gaussian is bounded */
    if (j == 2) {
      double e2 = 2 / square;
      term = fmin(log(4) + e2 + log(-expm1(-e2)), term);
    } else if (order <= (double)exact) {
      size_t below = (size_t)(j / 2), above = (size_t)((j + 1) / 2);
      term = fmin(term, log(4) + 0.5 * (moments[below] + moments[above]));
    }
    sum = sotto_i_log_add(sum, term + j * log_q +
                                   (all - sotto_i_log_factorial(j) - sotto_i_log_factorial(order - j)));
  }
  return sum > 40 ? sum : log1p(exp(sum));
}

sotto_status sotto_i_rdp_without(sotto_i_rdp *rdp, double rate, double sigma, double runs, sotto_error *err) {
  double moments[SOTTO_I_RDP_EXACT_ORDER / 2 + 1];
  const uint64_t exact = rdp->count == SOTTO_I_RDP_ORDERS ? SOTTO_I_RDP_EXACT_ORDER : SOTTO_I_RDP_FEW;
  sotto_status status = central_moments(moments, sigma, exact, err);
  if (status != SOTTO_OK) return status;
  double whole[12] = {0};
  for (int order = 2; order <= 11; order++)
    whole[order] = log_moment_without(rate, sigma, order, moments, exact);
  for (size_t i = 0; i < rdp->count; i++) {
    double order = rdp->order[i], low = floor(order), part = order - low, log_moment;
    if (order < 11) /* Wang et al. 2019, Cor. 10 */
      log_moment = (1 - part) * whole[(int)low] + part * (part > 0 ? whole[(int)low + 1] : 0);
    else
      log_moment = log_moment_without(rate, sigma, order, moments, exact);
    const double seen = sotto_i_rdp_seen_sample(rate, order / (2 * sigma * sigma), order);
    rdp->value[i] += runs * fmin(log_moment / (order - 1), seen);
  }
  return SOTTO_OK;
}

double sotto_i_rdp_without_general(double rate, double slope, uint64_t order) {
  double sum = -INFINITY, e2 = 2 * slope;
  for (uint64_t whole = 2; whole <= order; whole++) {
    double j = (double)whole, term = log(2) + (j - 1) * j * slope;
    if (j == 2) term = fmin(log(4) + e2 + log(-expm1(-e2)), term);
    sum = sotto_i_log_add(sum, term + j * log(rate) + sotto_i_log_choose((double)order, j));
  }
  return (sum > 40 ? sum : log1p(exp(sum))) / ((double)order - 1);
}

static sotto_status add_renyi(sotto_i_rdp *rdp, const sotto_mechanism *m, sotto_error *err) {
  const double runs = (double)m->count, rate = sotto_i_mechanism_rate(m), sigma = m->noise / m->sensitivity;
  if (m->population > 0 && rate < 1) return sotto_i_rdp_without(rdp, rate, sigma, runs, err);
  for (size_t i = 0; i < rdp->count; i++) {
    const double order = rdp->order[i];
    rdp->value[i] += runs * (rate < 1 ? sotto_i_rdp_poisson(rate, sigma, order)
                                      : sotto_i_rdp_gaussian(m->sensitivity / m->noise, order));
  }
  return SOTTO_OK;
}

static const double widest_mirror = 2; /* of a grid whose masses lose few digits to exp(width) */

/* parameters: rate, sigma. X ~ P = (1-q) N(0, sigma^2) + q N(1, sigma^2), Q = N(0, sigma^2), loss
 * log(1 - q + q exp((2x - 1) / (2 sigma^2))), increasing in x. */
static sotto_i_pld_edge poisson_edge(const void *parameters, double loss) {
  const double q = ((const double *)parameters)[0], sigma = ((const double *)parameters)[1];
  double inside = loss < 700 ? expm1(loss) + q : 0;
  if (loss < 700 && inside <= 0) return (sotto_i_pld_edge){.p_above = 1, .q_above = 1};
  double x = sigma * sigma * ((loss < 700 ? log(inside) : loss) - log(q)) + 0.5;
  double below1, above1;
  sotto_i_pld_edge e;
  sotto_i_normal_tails(&e.q_below, &e.q_above, x / sigma);
  sotto_i_normal_tails(&below1, &above1, (x - 1) / sigma);
  e.p_below = (1 - q) * e.q_below + q * below1;
  e.p_above = (1 - q) * e.q_above + q * above1;
  return e;
}

/* The pair (Q, P). Connect-the-dots preserves Q-masses too, so they are mass * exp(-loss), mirrored. Losses
 * above the forward grid, a Q-mass of `above`, move up to its end. */
static sotto_status mirror_masses(sotto_i_pld *out, const sotto_i_pld *pld, double above, sotto_error *err) {
  *out = *pld;
  out->infinity = 0;
  out->first = -(pld->first + (int64_t)pld->count - 1);
  sotto_status status = sotto_i_new(&out->mass, pld->count, sizeof(double), err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < pld->count; i++)
    out->mass[pld->count - 1 - i] = pld->mass[i] * exp(-(double)(pld->first + (int64_t)i) * pld->width);
  out->mass[0] += above;
  return SOTTO_OK;
}

static sotto_i_pld_edge poisson_edge_back(const void *parameters, double loss) {
  const sotto_i_pld_edge e = poisson_edge(parameters, -loss);
  return (sotto_i_pld_edge){
      .p_below = e.q_above, .p_above = e.q_below, .q_below = e.p_above, .q_above = e.p_below};
}

/* The same from the densities: on a coarse grid the masses below 0 are too small for the multiplication. */
static sotto_status backward_of(sotto_i_pld *out, const double parameters[2], double low, double high,
                                double width, double above, sotto_error *err) {
  sotto_status status = sotto_i_pld_grid(out, -high, -low, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_continuous(out, poisson_edge_back, parameters, -high, -low);
  out->mass[0] += above;
  out->spread = 1.0 / 12;
  return SOTTO_OK;
}

/* Without replacement, replace-one (Balle, Barthe and Gaboardi 2018, Thm 11): delta(e^eps) is that of the
 * pair above for eps >= 0, and the profile is symmetric, so the mass at -x is exp(-x) times that at x and the
 * rest lies at 0. */
static void make_symmetric(sotto_i_pld *pld) {
  double rest = 1 - pld->infinity;
  size_t zero = (size_t)-pld->first;
  for (size_t i = zero + 1; i < pld->count; i++) {
    double q = pld->mass[i] * exp(-(double)(i - zero) * pld->width);
    rest -= pld->mass[i] + q;
    if (i - zero <= zero)
      pld->mass[zero - (i - zero)] = q;
    else
      pld->mass[0] += q;
  }
  pld->mass[zero] = rest > 0 ? rest : 0;
}

static sotto_status pld(sotto_i_pld *out, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                        double tail, sotto_error *err) {
  const double q = sotto_i_mechanism_rate(m), sigma = m->noise / m->sensitivity;
  const double parameters[2] = {q, sigma};
  double x = 1 + sigma * sqrt(2 * log(1 / tail)), exponent = (2 * x - 1) / (2 * sigma * sigma);
  double high = exponent > 600 ? exponent + log(q) : log1p(q * expm1(exponent));
  bool without = m->population > 0;
  double low = without ? -high : log1p(-q);
  sotto_status status = sotto_i_pld_grid(out, low, high, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_continuous(out, poisson_edge, parameters, without ? 0 : low, high);
  sotto_i_pld_edge top = poisson_edge(parameters, ceil(high / width) * width);
  out->infinity = top.p_above;
  out->spread = 1.0 / 12;
  if (without)
    make_symmetric(out);
  else if (width < widest_mirror)
    status = mirror_masses(backward, out, top.q_above, err);
  else
    status = backward_of(backward, parameters, low, high, width, top.q_above, err);
  return status;
}

static double gaussian_mu(const sotto_mechanism *m) {
  return sotto_i_mechanism_rate(m) == 1 ? m->sensitivity / m->noise : 0;
}

static bool two_ways(const sotto_mechanism *m) {
  return m->population == 0;
}

static double variance(const sotto_mechanism *m) {
  return sotto_i_pld_sampled_variance(sotto_i_mechanism_rate(m), m->sensitivity / m->noise);
}

static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  sotto_i_try_sampled(b, sotto_i_mechanism_rate(m), m->sensitivity / m->noise, false, (double)m->count);
}

const sotto_i_descriptor sotto_i_mechanism_subsampled_gaussian = {
    .name = "subsampled-gaussian",
    .text = "a sum over a secret batch, with Gaussian noise",
    .example = "noise=1.2 rate=0.02 count=100",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_SENSITIVITY | SOTTO_I_FIELD_RATE | SOTTO_I_FIELD_POPULATION,
    .norm = SOTTO_I_NORM_L2,
    .check = check,
    .add_renyi = add_renyi,
    .pld = pld,
    .two_ways = two_ways,
    .gaussian_mu = gaussian_mu,
    .variance = variance,
    .sampled = true,
    .distinguish = distinguish,
};
