/* multibit: `sampled` bits, of sampled coordinates, each under binary randomised response; pure (Sajadmanesh
 * and Gatica-Perez 2021). */
#include "mechanism.h"

/* The epsilon of one bit. */
static double pure(const sotto_mechanism *m) {
  const double value = m->epsilon > 0 ? m->epsilon / (double)m->sampled : log1p(-m->noise) - log(m->noise);
  return value > 0 ? value : 0;
}

static double runs(const sotto_mechanism *m) {
  return (double)m->count * (double)m->sampled;
}

static double most_noise(const sotto_mechanism *m) {
  (void)m;
  return 0.5;
}

static sotto_status check(const sotto_mechanism *m, sotto_error *err) {
  return sotto_i_check_flip(m, "multibit", most_noise(m), err);
}

static double renyi(const sotto_mechanism *m, double order) {
  return sotto_i_rdp_response(pure(m), 0, order);
}

static sotto_status pld(sotto_i_pld *forward, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                        double tail, sotto_error *err) {
  (void)backward, (void)tail;
  return sotto_i_pld_response(forward, pure(m), 0, 0, width, err);
}

static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  sotto_i_try_response(b, pure(m), 2, runs(m));
}

static double agreement(const sotto_mechanism *m, double epsilon, double share) {
  const double all = m->noise > 0 ? m->noise : 1 / (exp(epsilon / (double)m->sampled) + 1);
  return sotto_i_agreement(share * all, 2);
}

const sotto_i_descriptor sotto_i_mechanism_multibit = {
    .name = "multibit",
    .text = "bits of sampled coordinates, each flipped with the flip probability",
    .example = "noise=0.4 sampled=4",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_EPSILON | SOTTO_I_FIELD_SAMPLED,
    .check = check,
    .most_noise = most_noise,
    .pure = pure,
    .runs = runs,
    .renyi = renyi,
    .pld = pld,
    .unit = pure,
    .atoms = true,
    .distinguish = distinguish,
    .agreement = agreement,
    .each_cell = true,
};
