/* Defaults and ranges of a mechanism's fields; descriptors combine these checks. */
#include <math.h>

#include "mechanism.h"

static const uint64_t count_limit = (uint64_t)1 << 62;

sotto_mechanism sotto_mechanism_default(sotto_mechanism_kind kind) {
  return (sotto_mechanism){.kind = kind,
                           .count = 1,
                           .sensitivity = 1,
                           .layers = 1,
                           .choices = 2,
                           .sampled = 1,
                           .epochs = 1,
                           .slack = 1e-6};
}

sotto_status sotto_i_check_whole(const char *what, uint64_t value, uint64_t least, sotto_error *err) {
  if (value >= least && value <= count_limit) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "%s is %llu; it must be between %llu and 2^62", what,
                      (unsigned long long)value, (unsigned long long)least);
}

sotto_status sotto_i_check_noise(const sotto_mechanism *m, sotto_error *err) {
  if (!(m->sensitivity > 0 && isfinite(m->sensitivity)))
    return sotto_i_fail(err, SOTTO_RANGE, "sensitivity is %g; it must be finite and above 0", m->sensitivity);
  double ratio = m->noise / m->sensitivity;
  if (!(m->noise > 0 && isfinite(m->noise) && ratio >= 1e-3 && ratio <= 1e12))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "noise is %g%s; it must be between 0.001 and 1e12 times the sensitivity", m->noise,
                        m->noise == 0 ? " or not given" : "");
  return SOTTO_OK;
}

sotto_status sotto_i_check_flip(const sotto_mechanism *m, const char *name, double most, sotto_error *err) {
  if ((m->noise != 0) == (m->epsilon != 0))
    return sotto_i_fail(err, m->noise != 0 ? SOTTO_INVALID : SOTTO_RANGE,
                        "%s takes either noise, the flip probability, or epsilon", name);
  if (m->noise != 0 && !(m->noise >= 1e-300 && m->noise <= most))
    return sotto_i_fail(err, SOTTO_RANGE, "noise is %g; the flip probability is above 0 and at most %g",
                        m->noise, most);
  if (m->epsilon != 0 && !(m->epsilon > 0 && m->epsilon <= 600))
    return sotto_i_fail(err, SOTTO_RANGE, "epsilon is %g; it must be above 0 and at most 600", m->epsilon);
  return SOTTO_OK;
}

sotto_status sotto_i_check_rate(const sotto_mechanism *m, sotto_error *err) {
  if (m->rate > 0 && m->rate <= 1) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "rate is %g; it must be above 0 and at most 1", m->rate);
}
