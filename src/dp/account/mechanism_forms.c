/* Closed forms of mechanisms: mu, pure epsilons, FedDEP's noise-free sampling. */
#include <math.h>

#include "mechanism.h"

double sotto_i_mechanism_mu(const sotto_mechanism *m) {
  double mu = m->sensitivity / m->noise;
  if (m->kind == SOTTO_MECHANISM_GAUSSIAN || m->lipschitz == 0) return mu;
  /* (1-L^K)/(1+L^K) (1+L)/(1-L) (docs/privacy.md, section 2); expm1 keeps digits as L nears 1. */
  double log_power = (double)m->layers * log(m->lipschitz);
  double shrink = -expm1(log_power) / (1 + exp(log_power));
  return mu * sqrt(shrink * (1 + m->lipschitz) / (1 - m->lipschitz));
}

double sotto_i_mechanism_pure(const sotto_mechanism *m) {
  double value = INFINITY;
  switch (m->kind) {
  case SOTTO_MECHANISM_LAPLACE:
    return m->sensitivity / m->noise;
  case SOTTO_MECHANISM_RANDOMIZED_RESPONSE:
    value = m->epsilon > 0 ? m->epsilon : log1p(-m->noise) - log(m->noise) + log((double)(m->choices - 1));
    break;
  case SOTTO_MECHANISM_MULTIBIT:
    value = m->epsilon > 0 ? m->epsilon / (double)m->sampled : log1p(-m->noise) - log(m->noise);
    break;
  default:
    return value;
  }
  return value > 0 ? value : 0;
}

double sotto_i_mechanism_runs(const sotto_mechanism *m) {
  double runs = (double)m->count;
  if (m->kind == SOTTO_MECHANISM_MULTIBIT) runs *= (double)m->sampled;
  if (m->kind == SOTTO_MECHANISM_NOISE_FREE_SAMPLING && sotto_i_mechanism_rate(m) == 1)
    runs *= (double)m->layers * (double)m->epochs;
  return runs;
}

void sotto_i_noise_free_hop(double *epsilon, double *delta, const sotto_mechanism *m) {
  double sample = (double)m->sample, degree = (double)m->degree;
  if (m->sample < m->degree) { /* without replacement: Theorem B.1 */
    *epsilon = -log1p(-sample / (degree + 1));
    *delta = sample / degree;
  } else { /* with replacement: Theorem B.2 */
    *epsilon = sample * log1p(1 / degree);
    *delta = -expm1(sample * log1p(-1 / degree));
  }
}

void sotto_i_noise_free_theorem(double *epsilon, double *delta, const sotto_mechanism *m, bool corrected) {
  double hop_epsilon, hop_delta, k = (double)m->layers * (double)m->epochs;
  sotto_i_noise_free_hop(&hop_epsilon, &hop_delta, m);
  double e = hop_epsilon, spread = sqrt(log(1 / m->slack));
  double other = sqrt(log(exp(1) + e * sqrt(k) / m->slack));
  if (other < spread) spread = other; /* U of Lemma 3 */
  double plain = k * e, advanced = k * e * tanh(e / 2) + e * spread * sqrt(2 * k);
  double total = plain < advanced ? plain : advanced;
  double log_keep = k * log1p(-hop_delta) + log1p(-m->slack);
  double total_delta = corrected ? -expm1(log_keep) : exp(log_keep);
  double rate = sotto_i_mechanism_rate(m);
  /* Theorem B.4; written so that a large epsilon does not overflow. */
  *epsilon = total > 30 ? total + log(rate + (1 - rate) * exp(-total)) : log1p(rate * expm1(total));
  *delta = rate * total_delta;
}

void sotto_i_mechanism_noise_free(double *epsilon, double *delta, const sotto_mechanism *m) {
  if (sotto_i_mechanism_rate(m) == 1)
    sotto_i_noise_free_hop(epsilon, delta, m);
  else
    sotto_i_noise_free_theorem(epsilon, delta, m, true);
}
