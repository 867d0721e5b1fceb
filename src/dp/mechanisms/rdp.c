/* Renyi divergences: orders, divergences of common mechanisms, conversion to (epsilon, delta). */
#include "rdp.h"

#include <math.h>

void sotto_i_rdp_init(sotto_i_rdp *rdp) {
  static const double large[] = {128, 256, 512, 1024};
  size_t n = 0;
  *rdp = (sotto_i_rdp){0};
  for (int tenth = 1; tenth < 100; tenth++) rdp->order[n++] = 1 + tenth / 10.0;
  for (int order = 11; order < 64; order++) rdp->order[n++] = order;
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) rdp->order[n++] = large[i];
  SOTTO_I_CHECK(n == SOTTO_I_RDP_ORDERS);
  rdp->count = n;
}

void sotto_i_rdp_init_few(sotto_i_rdp *rdp) {
  static const double few[] = {2, 3, 4, 5, 6, 8, 10, 12, SOTTO_I_RDP_FEW, 24, 32, 48, 64};
  *rdp = (sotto_i_rdp){.count = sizeof few / sizeof *few};
  for (size_t i = 0; i < rdp->count; i++) rdp->order[i] = few[i];
}

void sotto_i_rdp_init_wide(sotto_i_rdp *rdp) {
  sotto_i_rdp_init(rdp);
  for (int i = 0; i < SOTTO_I_RDP_WIDE; i++) rdp->order[rdp->count++] = ldexp(1, 12 + 2 * i);
}

double sotto_i_rdp_response(double e, double equal, double order) {
  double low = exp(-e) / (1 + exp(-e)), high = 1 / (1 + exp(-e));
  double up = log(high) + (order - 1) * e, down = log(low) - (order - 1) * e;
  if (e < 1e-6) return sotto_i_rdp_seen_sample(1 - equal, order * e * e / 2, order);
  if (e < 1e-3) { /* log sum exp would lose all digits: (1 - equal) E[cosh-like growth - 1] */
    double growth = high * expm1((order - 1) * e) + low * expm1(-(order - 1) * e);
    return log1p((1 - equal) * growth) / (order - 1);
  }
  double sum = sotto_i_log_add(up, down) + log1p(-equal);
  if (equal > 0) sum = sotto_i_log_add(sum, log(equal));
  return sum / (order - 1);
}

/* A square that underflows must not become 0, which would mean no loss. */
double sotto_i_rdp_gaussian(double mu, double order) {
  return fmax(order * mu * mu / 2, 0x1p-1022);
}

double sotto_i_rdp_epsilon(const sotto_i_rdp *rdp, double delta) {
  double best = INFINITY;
  const double log_delta = log(delta);
  for (size_t i = 0; i < rdp->count; i++) {
    double a = rdp->order[i], r = rdp->value[i];
    if (!(r >= 0)) continue; /* an overflow gives no bound */
    /* Total variation is at most sqrt(1 - exp(-KL)) and KL is at most r: epsilon 0 suffices. */
    if (delta * delta + expm1(-r) > 0) return 0;
    double epsilon = r + log1p(-1 / a) - (log_delta + log(a)) / (a - 1);
    if (epsilon < best) best = epsilon;
  }
  return best > 0 ? best : 0;
}

double sotto_i_rdp_delta(const sotto_i_rdp *rdp, double epsilon) {
  double best = 0;
  for (size_t i = 0; i < rdp->count; i++) {
    double a = rdp->order[i], r = rdp->value[i];
    if (!(r >= 0)) continue;
    if (r == 0) return 0;
    double variation = 0.5 * log(-expm1(-r)), log_delta = (a - 1) * (r - epsilon + log1p(-1 / a)) - log(a);
    if (variation < best) best = variation;
    if (log_delta < best) best = log_delta;
  }
  return exp(best);
}
