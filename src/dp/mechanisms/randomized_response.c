/* randomized-response: one value out of `choices` is reported, and another one with probability `noise`;
 * pure. */
#include "mechanism.h"

static double pure(const sotto_mechanism *m) {
  const double value =
      m->epsilon > 0 ? m->epsilon : log1p(-m->noise) - log(m->noise) + log((double)(m->choices - 1));
  return value > 0 ? value : 0;
}

static double most_noise(const sotto_mechanism *m) {
  return 1 - 1 / (double)(m->choices > 1 ? m->choices : 2);
}

static sotto_status check(const sotto_mechanism *m, sotto_error *err) {
  return sotto_i_check_flip(m, "randomized-response", most_noise(m), err);
}

/* The mass of answers that are equally likely under both inputs. */
static double equal_mass(const sotto_mechanism *m) {
  const double others = (double)(m->choices - 2);
  return others / (exp(pure(m)) + others + 1);
}

static double renyi(const sotto_mechanism *m, double order) {
  return sotto_i_rdp_response(pure(m), equal_mass(m), order);
}

static sotto_status pld(sotto_i_pld *forward, sotto_i_pld *backward, const sotto_mechanism *m, double width,
                        double tail, sotto_error *err) {
  (void)backward, (void)tail;
  return sotto_i_pld_response(forward, pure(m), 0, equal_mass(m), width, err);
}

static void distinguish(sotto_i_events *b, const sotto_mechanism *m) {
  sotto_i_try_response(b, pure(m), (double)m->choices, (double)m->count);
}

static double agreement(const sotto_mechanism *m, double epsilon, double share) {
  const double choices = (double)m->choices;
  const double all = m->noise > 0 ? m->noise : (choices - 1) / (exp(epsilon) + choices - 1);
  return sotto_i_agreement(share * all, choices);
}

const sotto_i_descriptor sotto_i_mechanism_randomized_response = {
    .name = "randomized-response",
    .text = "one of several choices, which is another than the true one with the flip probability",
    .example = "epsilon=0.4 choices=5 count=3",
    .fields = SOTTO_I_FIELD_NOISE | SOTTO_I_FIELD_EPSILON | SOTTO_I_FIELD_CHOICES,
    .check = check,
    .most_noise = most_noise,
    .pure = pure,
    .renyi = renyi,
    .pld = pld,
    .unit = pure,
    .atoms = true,
    .distinguish = distinguish,
    .agreement = agreement,
};
