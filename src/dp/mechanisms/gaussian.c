/* gaussian: N(0, noise^2) on an l2 sensitivity, exact under Gaussian differential privacy. */
#include "mechanism.h"

static double mu(const sotto_mechanism *m) {
  return m->sensitivity / m->noise;
}

static double log_ratio(double z, double scale, double step, bool pair) {
  (void)step;
  return -log(scale) - z * z / (pair ? 4 : 2) * (1 / (scale * scale) - 1);
}

const sotto_i_descriptor sotto_i_mechanism_gaussian = {
    .name = "gaussian",
    .text = "Gaussian noise on an l2 sensitivity",
    .example = "noise=3 count=4",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_SENSITIVITY,
    .norm = SOTTO_I_NORM_L2,
    .mu = mu,
    .log_ratio = log_ratio,
};
