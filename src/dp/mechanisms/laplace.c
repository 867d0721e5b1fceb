/* laplace: noise of density exp(-|x| / noise) / (2 noise) on an l1 sensitivity; pure. */
#include "mechanism.h"

static double pure(const sotto_mechanism *m) {
  return m->sensitivity / m->noise;
}

/* Mironov 2017, Prop. 6, with the probability of a loss of 1/b expanded. */
static double renyi(const sotto_mechanism *m, double order) {
  const double e = pure(m);
  if (e < 1e-4) return order * e * e / 2; /* all digits would cancel: Bun and Steinke 2016, Prop. 3.3 */
  return e + log1p((order - 1) * expm1(e * (1 - 2 * order)) / (2 * order - 1)) / (order - 1);
}

/* Laplace noise of scale b on inputs 0 (P) and 1 (Q). Outputs x outside of [0, 1] give atoms; this is the
 * part between, with loss (1 - 2x)/b. */
static sotto_i_pld_edge laplace_edge(const void *parameters, double loss) {
  const double *scale = parameters;
  double b = *scale, x = (1 - b * loss) / 2;
  if (x < 0) x = 0;
  if (x > 1) x = 1;
  return (sotto_i_pld_edge){.p_below = 0.5 * exp(-x / b) * -expm1((x - 1) / b),
                            .p_above = -0.5 * expm1(-x / b),
                            .q_below = -0.5 * expm1((x - 1) / b),
                            .q_above = 0.5 * exp((x - 1) / b) * -expm1(-x / b)};
}

static sotto_status make_laplace(sotto_i_pld *out, double scale, double width, sotto_error *err) {
  sotto_status status = sotto_i_pld_grid(out, -1 / scale, 1 / scale, width, err);
  if (status != SOTTO_OK) return status;
  sotto_i_pld_add_continuous(out, laplace_edge, &scale, -1 / scale, 1 / scale);
  sotto_i_pld_add_atom(out, 1 / scale, 0.5);
  sotto_i_pld_add_atom(out, -1 / scale, 0.5 * exp(-1 / scale));
  out->spread = 1.0 / 12;
  return SOTTO_OK;
}

static sotto_status pld(sotto_i_pld *forward, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                        double tail, sotto_error *err) {
  (void)backward, (void)tail;
  return make_laplace(forward, m->noise / m->sensitivity, width, err);
}

static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  const double loss = pure(m), runs = (double)m->count;
  for (int quarter = 0; quarter <= 4; quarter++) {
    const double y = quarter / 4.0 * loss;
    sotto_i_count_events(b, log1p(-0.5 * exp(-y)), y - loss - log(2), runs);
  }
}

/* For a discrete Laplace distribution: log of the probability of x scales, or of that difference of two
 * draws. */
static double log_density(double x, double step, bool pair) {
  const double even = log(tanh(step / 2)) - x;
  return pair ? even + log(tanh(step / 2) * (x / step + 1 / tanh(step))) : even;
}

static double log_ratio(double z, double scale, double step, bool pair) {
  const double x = fabs(z), fine = step > 0 ? step : 0x1p-11;
  return log_density(x / scale, fine / scale, pair) - log_density(x, fine, pair);
}

const sotto_i_descriptor sotto_i_mechanism_laplace = {
    .name = "laplace",
    .text = "Laplace noise on an l1 sensitivity",
    .example = "noise=8 count=3",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_SENSITIVITY,
    .norm = SOTTO_I_NORM_L1,
    .pure = pure,
    .renyi = renyi,
    .pld = pld,
    .unit = pure,
    .distinguish = distinguish,
    .by_pure = true,
    .log_ratio = log_ratio,
    .whole_step = true,
};
