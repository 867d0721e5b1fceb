/* Privacy that papers claim for their methods, for comparison. dp.h states the fault of each. */
#include <math.h>

#include "dp/mechanisms/mechanism.h"
#include "inside/dp.h"
#include "sotto/claims.h"

static sotto_status check_parameters(double noise, double sensitivity, double delta, sotto_error *err) {
  if (!(noise > 0 && isfinite(noise)))
    return sotto_i_fail(err, SOTTO_RANGE, "noise is %g; it must be finite and above 0", noise);
  if (!(sensitivity > 0 && isfinite(sensitivity)))
    return sotto_i_fail(err, SOTTO_RANGE, "sensitivity is %g; it must be finite and above 0", sensitivity);
  if (!(delta > 0 && delta < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "delta is %g; it must be above 0 and below 1", delta);
  return SOTTO_OK;
}

static sotto_status check_whole_number(const char *what, uint64_t value, sotto_error *err) {
  if (value >= 1 && value <= (uint64_t)1 << 62) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "%s is %llu; it must be between 1 and 2^62", what,
                      (unsigned long long)value);
}

/* sum_{l < layers} degree^l. */
static double geometric_sum(uint64_t layers, uint64_t degree) {
  double d = (double)degree;
  return degree == 1 ? (double)layers : (pow(d, (double)layers) - 1) / (d - 1);
}

static sotto_status rdp_to_epsilon(double *epsilon, const sotto_i_rdp *rdp, double delta, sotto_error *err) {
  *epsilon = sotto_i_rdp_epsilon(rdp, delta);
  if (isfinite(*epsilon)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "the noise is too small for a finite epsilon at delta %g", delta);
}

sotto_status sotto_paper_vesper_gamma(double *gamma, uint64_t layers, uint64_t fanout, uint64_t roots,
                                      uint64_t batch, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(check_whole_number("layers", layers, err));
  SOTTO_TRY(check_whole_number("fan-out", fanout, err));
  SOTTO_TRY(check_whole_number("roots", roots, err));
  SOTTO_TRY(check_whole_number("batch", batch, err));
  if (batch > roots)
    return sotto_i_fail(err, SOTTO_RANGE, "batch is %llu of %llu roots", (unsigned long long)batch,
                        (unsigned long long)roots);
  double affected = 2 * geometric_sum(layers, fanout), n = (double)roots, b = (double)batch;
  if (affected + b > n) {
    *gamma = 1; /* every batch contains an affected root */
    return SOTTO_OK;
  }
  /* C(n-a, b)/C(n, b) is symmetric in a and b: a product over the smaller. */
  double few = affected < b ? affected : b, many = affected < b ? b : affected, log_none = 0;
  if (few <= 1e6) {
    for (int i = 0; i < few; i++) log_none += log1p(-many / (n - i));
  } else {
    int sign;
    log_none = lgamma_r(n - affected + 1, &sign) + lgamma_r(n - b + 1, &sign) -
               lgamma_r(n - affected - b + 1, &sign) - lgamma_r(n + 1, &sign);
  }
  *gamma = -expm1(log_none);
done:
  return status;
}

sotto_status sotto_paper_vesper_eta(double *eta, uint64_t least_degree, sotto_error *err) {
  double d = (double)least_degree;
  if (least_degree < 2)
    return sotto_i_fail(err, SOTTO_RANGE, "least degree is %llu; proposition 2 is about degrees above 1",
                        (unsigned long long)least_degree);
  *eta = sqrt(2) * ((1 - 1 / d) / (2 * d) + 1 / (d * (d + 1)) + 1 / (d + 1));
  return SOTTO_OK;
}

sotto_status sotto_paper_caribou(double *sensitivity, double contraction, double graph_weight,
                                 uint64_t least_degree, sotto_error *err) {
  double d = (double)least_degree, at = d > 3 ? d : 3;
  if (!(contraction >= 0 && contraction < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "contraction is %g; it must be at least 0 and below 1",
                        contraction);
  if (!(graph_weight >= 0 && graph_weight <= 1))
    return sotto_i_fail(err, SOTTO_RANGE, "graph_weight is %g; it must be between 0 and 1", graph_weight);
  double others = at * (1 / sqrt(at + 1) - 1 / sqrt(at + 2)) / sqrt(d + 1);
  *sensitivity = sqrt(2) * contraction * graph_weight * (1 / ((d + 1) * (d + 2)) + others + 1 / (d + 2));
  return SOTTO_OK;
}

sotto_status sotto_paper_vesper(double *epsilon, double *claimed_gamma, double theta, double sensitivity,
                                uint64_t layers, uint64_t fanout, uint64_t roots, uint64_t batch,
                                uint64_t steps, double delta, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_i_rdp rdp;
  double gamma = 1, ratio = sensitivity / theta;
  SOTTO_TRY(check_parameters(theta, sensitivity, delta, err));
  SOTTO_TRY(check_whole_number("steps", steps, err));
  SOTTO_TRY(sotto_paper_vesper_gamma(&gamma, layers, fanout, roots, batch, err));
  double slope = (double)layers * ratio * ratio / 2; /* epsilon(alpha) = alpha * slope */
  sotto_i_rdp_init(&rdp);
  for (size_t i = 0; i < rdp.count; i++) {
    double order = rdp.order[i], one = order * slope;
    /* Theorem 9 is stated for whole orders. Divergences do not decrease with the order, so the next whole
     * order bounds the others. Without sampling the divergence itself is smaller. */
    double amplified = sotto_i_rdp_without_general(gamma, slope, (uint64_t)ceil(order));
    rdp.value[i] = (double)steps * fmin(one, amplified);
  }
  SOTTO_TRY(rdp_to_epsilon(epsilon, &rdp, delta, err));
  if (claimed_gamma != NULL) *claimed_gamma = gamma;
done:
  return status;
}

sotto_status sotto_paper_feddep(double *epsilon, double *delta, const sotto_mechanism *mechanism,
                                bool corrected, sotto_error *err) {
  sotto_status status = sotto_mechanism_check(mechanism, err);
  if (status != SOTTO_OK) return status;
  const sotto_i_descriptor *d = sotto_i_descriptor_of(mechanism->kind);
  if (d->published == NULL || mechanism->count != 1)
    return sotto_i_fail(err, SOTTO_RANGE, "FedDEP's theorem speaks of one run of noise-free-sampling");
  d->published(epsilon, delta, mechanism, corrected);
  return SOTTO_OK;
}
