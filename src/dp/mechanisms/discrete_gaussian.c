/* discrete-gaussian: Pr[x] proportional to exp(-x^2 / (2 noise^2)) on whole numbers (Canonne, Kamath and
 * Steinke 2020), for a count that moves by `sensitivity`, a whole number. */
#include "base/error.h"
#include "mechanism.h"

static sotto_status check(const sotto_mechanism *m, sotto_error *err) {
  if (m->sensitivity == floor(m->sensitivity)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "sensitivity is %g; a discrete Gaussian takes whole numbers",
                      m->sensitivity);
}

/* At most that of the continuous Gaussian: Canonne et al. 2020, Prop. 5. */
static double renyi(const sotto_mechanism *m, double order) {
  return sotto_i_rdp_gaussian(m->sensitivity / m->noise, order);
}

/* The discrete Gaussian shifted by s: loss (s^2 - 2 s x) / (2 sigma^2) at the integer x. */
static sotto_status pld(sotto_i_pld *out, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                        double tail, sotto_error *err) {
  (void)backward;
  double s = m->sensitivity, scale = 1 / (2 * m->noise * m->noise);
  double reach = ceil(m->noise * sqrt(2 * log(4 / tail)) + 1);
  if (reach > (double)SOTTO_I_PLD_POINTS)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "a discrete Gaussian this wide is not offered under pld");
  sotto_status status =
      sotto_i_pld_grid(out, scale * s * (s - 2 * reach), scale * s * (s + 2 * reach), width, err);
  if (status != SOTTO_OK) return status;
  double total = 1;
  int64_t most = (int64_t)reach;
  for (int64_t x = most; x >= 1; x--) total += 2 * exp(-scale * (double)x * (double)x);
  for (int64_t x = -most; x <= most; x++)
    sotto_i_pld_add_atom(out, scale * s * (s - 2 * (double)x), exp(-scale * (double)x * (double)x) / total);
  /* The mass beyond `reach` on either side is less than sum_{x > reach} exp(-x reach / (2 sigma^2)). */
  double ratio = exp(-scale * reach), beyond = exp(-scale * reach * reach) * ratio / (1 - ratio);
  out->infinity = beyond / total;
  out->mass[0] += beyond / total;
  return SOTTO_OK;
}

static double unit(const sotto_mechanism *m) {
  return m->sensitivity / (2 * m->noise * m->noise);
}

static double variance(const sotto_mechanism *m) {
  const double ratio = m->sensitivity / m->noise;
  return ratio * ratio;
}

/* May it need more points than a grid has? */
static bool may_exceed_grid(const sotto_mechanism *m) {
  return m->noise > 1e5;
}

/* Sum of exp(-x (2 c + x) / (2 sigma^2)) over whole x >= 0, each term from the one before. The remainder and
 * the sum of roundings are far below the margin. */
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

/* log of the mass at whole numbers x >= c >= 0 of the discrete Gaussian around 0. Where it is wide, bounded
 * by integrals: its normalisation lies between sigma sqrt(2 pi) and that plus 1. `total` is the normalisation
 * of a narrow one. */
static double log_discrete(double sigma, double total, double c, bool up) {
  const double root = 2.50662827463100050242 * sigma;
  if (total > 0) return log(discrete_sum(sigma, c) / total) - c * c / (2 * sigma * sigma);
  return up ? sotto_i_log_above((c - 1) / sigma, true)
            : sotto_i_log_above(c / sigma, false) - log1p(1 / root);
}

static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  static const double beyond[] = {0, 1, 2.5, 4};
  const double sensitivity = m->sensitivity, sigma = m->noise, runs = (double)m->count;
  const double total = sigma < 50 ? 2 * discrete_sum(sigma, 0) - 1 : 0;
  for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
    const double c = ceil(beyond[i] * sigma);
    sotto_i_count_events(b, log_discrete(sigma, total, c, false),
                         log_discrete(sigma, total, c + sensitivity, true), runs);
  }
}

const sotto_i_descriptor sotto_i_mechanism_discrete_gaussian = {
    .name = "discrete-gaussian",
    .text = "discrete Gaussian noise on whole numbers",
    .example = "noise=6 sensitivity=2",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_SENSITIVITY,
    .norm = SOTTO_I_NORM_L2,
    .check = check,
    .renyi = renyi,
    .pld = pld,
    .unit = unit,
    .variance = variance,
    .may_exceed_grid = may_exceed_grid,
    .atoms = true,
    .distinguish = distinguish,
};
