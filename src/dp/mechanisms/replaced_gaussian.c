/* replaced-gaussian: a sum of vectors over a secret Poisson sample with Gaussian noise, replace-one.
 * Accounted by its dominating pair (docs/privacy/mechanisms.md). */
#include "mechanism.h"

/* parameters: rate, sigma. P = (1-q) N(0, sigma^2) + q N(1, sigma^2), and Q the same at -1: the dominating
 * pair of a record replaced (docs/privacy/mechanisms.md). The loss is odd in x and increases: x = sigma^2
 * (loss / 2 + asinh((1-q)/q exp(1/(2 sigma^2)) sinh(loss / 2))). */
static sotto_i_pld_edge replaced_edge(const void *parameters, double loss) {
  const double q = ((const double *)parameters)[0], sigma = ((const double *)parameters)[1],
               half = fabs(loss) / 2;
  const double log_sinh = half < 1 ? log(sinh(half)) : half - log(2) + log1p(-exp(-2 * half));
  const double log_z = log1p(-q) - log(q) + 1 / (2 * sigma * sigma) + log_sinh;
  const double size = sigma * sigma * (half + (log_z < 30 ? asinh(exp(log_z)) : log_z + log(2)));
  const double x = loss < 0 ? -size : size;
  double below, above, below_up, above_up, below_down, above_down;
  sotto_i_normal_tails(&below, &above, x / sigma);
  sotto_i_normal_tails(&below_up, &above_up, (x - 1) / sigma);
  sotto_i_normal_tails(&below_down, &above_down, (x + 1) / sigma);
  return (sotto_i_pld_edge){.p_below = (1 - q) * below + q * below_up,
                            .p_above = (1 - q) * above + q * above_up,
                            .q_below = (1 - q) * below + q * below_down,
                            .q_above = (1 - q) * above + q * above_down};
}

/* Both directions are equal, by reflection. */
static sotto_status pld(sotto_i_pld *out, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                        double tail, sotto_error *err) {
  (void)backward;
  const double q = m->rate, sigma = m->noise / m->sensitivity;
  const double parameters[2] = {q, sigma}, x = 1 + sigma * sqrt(2 * log(1 / tail));
  const double up = (2 * x - 1) / (2 * sigma * sigma), down = (-2 * x - 1) / (2 * sigma * sigma);
  const double high = (up > 600 ? up + log(q) : log1p(q * expm1(up))) - log1p(q * expm1(down));
  sotto_status status = sotto_i_pld_grid(out, -high, high, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_mirrored(out, replaced_edge, parameters);
  out->spread = 1.0 / 12;
  return SOTTO_OK;
}

static sotto_status add_renyi(sotto_i_rdp *rdp, const sotto_mechanism *m, sotto_error *err) {
  (void)err;
  sotto_i_rdp_sums(rdp, m->rate, m->sensitivity / m->noise, (double)m->count);
  return SOTTO_OK;
}

/* Distance of the two means: that of two opposite vectors. */
static double sampled_mu(const sotto_mechanism *m) {
  return 2 * m->sensitivity / m->noise;
}

static double gaussian_mu(const sotto_mechanism *m) {
  return m->rate == 1 ? sampled_mu(m) : 0;
}

static double variance(const sotto_mechanism *m) {
  return sotto_i_pld_sampled_variance(m->rate, sampled_mu(m));
}

static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  sotto_i_try_sampled(b, m->rate, m->sensitivity / m->noise, true, (double)m->count);
}

const sotto_i_descriptor sotto_i_mechanism_replaced_gaussian = {
    .name = "replaced-gaussian",
    .text = "a sum over a secret Poisson sample, with Gaussian noise, replace-one",
    .example = "noise=3 rate=0.1 count=9",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_SENSITIVITY | SOTTO_I_FIELD_RATE,
    .norm = SOTTO_I_NORM_L2,
    .check = sotto_i_check_rate,
    .add_renyi = add_renyi,
    .pld = pld,
    .gaussian_mu = gaussian_mu,
    .variance = variance,
    .sampled = true,
    .replaced = true,
    .distinguish = distinguish,
};
