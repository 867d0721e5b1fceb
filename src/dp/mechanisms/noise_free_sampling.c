/* noise-free-sampling: FedDEP's samples of neighbours, without noise (its appendix, Lemma 2, and Theorem 1 as
 * printed and as corrected). */
#include "base/error.h"
#include "mechanism.h"

static sotto_status check(const sotto_mechanism *m, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  SOTTO_TRY(sotto_i_check_whole("epochs", m->epochs, 1, err));
  SOTTO_TRY(sotto_i_check_whole("sample", m->sample, 1, err));
  SOTTO_TRY(sotto_i_check_whole("degree", m->degree, 1, err));
  if (m->rate != 0) SOTTO_TRY(sotto_i_check_rate(m, err));
  if (!(m->slack > 0 && m->slack < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "slack is %g; it must be above 0 and below 1", m->slack);
done:
  return status;
}

/* One layer and one epoch: Lemma 2. */
static void layer_loss(double *epsilon, double *delta, const sotto_mechanism *m) {
  double sample = (double)m->sample, degree = (double)m->degree;
  if (m->sample < m->degree) { /* without replacement: Theorem B.1 */
    *epsilon = -log1p(-sample / (degree + 1));
    *delta = sample / degree;
  } else { /* with replacement: Theorem B.2 */
    *epsilon = sample * log1p(1 / degree);
    *delta = -expm1(sample * log1p(-1 / degree));
  }
}

/* All layers and epochs: Theorem 1 with Lemma 3's delta-tilde as printed or as corrected. */
static void run_loss(double *epsilon, double *delta, const sotto_mechanism *m, bool corrected) {
  double hop_epsilon, hop_delta, k = (double)m->layers * (double)m->epochs;
  layer_loss(&hop_epsilon, &hop_delta, m);
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

/* Of one layer and one epoch without amplification, else of the whole run. */
static void loss(double *epsilon, double *delta, const sotto_mechanism *m) {
  if (sotto_i_mechanism_rate(m) == 1)
    layer_loss(epsilon, delta, m);
  else
    run_loss(epsilon, delta, m, true);
}

static double runs(const sotto_mechanism *m) {
  const double all = (double)m->count;
  return sotto_i_mechanism_rate(m) == 1 ? all * ((double)m->layers * (double)m->epochs) : all;
}

static double unit(const sotto_mechanism *m) {
  double epsilon, delta;
  loss(&epsilon, &delta, m);
  return epsilon;
}

static sotto_status pld(sotto_i_pld *forward, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                        double tail, sotto_error *err) {
  double epsilon, delta;
  (void)backward, (void)tail;
  loss(&epsilon, &delta, m);
  return sotto_i_pld_response(forward, epsilon, delta, 0, width, err);
}

/* A distinguisher for (epsilon, delta) alone, by the worst pair that satisfies it (Kairouz, Oh and Viswanath
 * 2015). */
static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  double most, lost;
  loss(&most, &lost, m);
  const double log_lost = log(-expm1(runs(m) * log1p(-lost)));
  sotto_i_offer(b, log_lost, -INFINITY);
  const double log_q = log1p(-lost) - most - log1p(exp(-most));
  sotto_i_offer(b, log(lost + (1 - lost) / (1 + exp(-most))), log_q);
}

const sotto_i_descriptor sotto_i_mechanism_noise_free_sampling = {
    .name = "noise-free-sampling",
    .text = "sampled neighbours without noise",
    .example = "layers=1 sample=1 degree=1000000",
    .fields = SOTTO_I_FIELD_LAYERS | SOTTO_I_FIELD_EPOCHS | SOTTO_I_FIELD_SAMPLE | SOTTO_I_FIELD_RATE,
    .unstated = SOTTO_I_FIELD_LAYERS | SOTTO_I_FIELD_SAMPLE,
    .check = check,
    .runs = runs,
    .loss = loss,
    .published = run_loss,
    .no_renyi = "noise-free-sampling has no finite Renyi divergence",
    .pld = pld,
    .unit = unit,
    .atoms = true,
    .distinguish = distinguish,
};
