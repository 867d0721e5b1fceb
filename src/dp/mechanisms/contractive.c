/* contractive: noisy contractive layers, of which only the last is released. Gaussian with mu = (S/noise)
 * sqrt((1-L^K)/(1+L^K) (1+L)/(1-L)) (docs/privacy/mechanisms.md). */
#include "mechanism.h"

static double mu(const sotto_mechanism *m) {
  const double one = m->sensitivity / m->noise;
  if (m->lipschitz == 0) return one;
  double log_power = (double)m->layers * log(m->lipschitz); /* expm1 keeps its digits as L approaches 1 */
  double shrink = -expm1(log_power) / (1 + exp(log_power));
  return one * sqrt(shrink * (1 + m->lipschitz) / (1 - m->lipschitz));
}

const sotto_i_descriptor sotto_i_mechanism_contractive = {
    .name = "contractive",
    .text = "the last of several noisy contractive layers",
    .example = "noise=2 layers=3 lipschitz=0.4",
    .fields =
        SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_SENSITIVITY | SOTTO_I_FIELD_LAYERS | SOTTO_I_FIELD_LIPSCHITZ,
    .norm = SOTTO_I_NORM_L2,
    .mu = mu,
};
