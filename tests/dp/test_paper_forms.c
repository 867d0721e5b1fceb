/* What the papers claim, written out again, and what is wrong with it. */
#include <math.h>

#include "check.h"
#include "inside/dp.h"
#include "sotto/claims.h"

static void vesper_gamma_is_the_chance_of_meeting_an_affected_root(void **state) {
  (void)state;
  double gamma = NAN;
  CHECK_OK(sotto_paper_vesper_gamma(&gamma, 1, 10, 20, 5, &err)); /* 2 affected of 20, 5 drawn */
  CHECK_NEAR(gamma, 1 - 15.0 * 14 / (20 * 19), 1e-12);
  CHECK_OK(sotto_paper_vesper_gamma(&gamma, 3, 2, 1000, 7, &err)); /* a = 2 (8 - 1) = 14 */
  double none = 1;
  for (int i = 0; i < 7; i++) none *= (1000.0 - 14 - i) / (1000 - i);
  CHECK_NEAR(gamma, 1 - none, 1e-12);
  CHECK_OK(sotto_paper_vesper_gamma(&gamma, 4, 1, 100, 1, &err)); /* D = 1: a = 2 L */
  CHECK_NEAR(gamma, 0.08, 1e-12);
  CHECK_OK(sotto_paper_vesper_gamma(&gamma, 9, 9, 100, 5, &err));
  assert_true(gamma == 1);
  CHECK_FAILS(SOTTO_RANGE, "batch", sotto_paper_vesper_gamma(&gamma, 1, 1, 5, 6, &err));
}

static void vesper_amplifies_what_the_label_party_can_see(void **state) {
  (void)state;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  double claimed = NAN, sound = NAN;
  CHECK_OK(sotto_paper_vesper(&claimed, NULL, 4, 1, 2, 5, 100000, 64, 100, 1e-5, &err));
  m.noise = 4;
  m.count = 200; /* two layers, a hundred releases, no amplification: the party knows its batch */
  CHECK_OK(sotto_account_epsilon(&sound, &m, 1, 1e-5, SOTTO_ACCOUNTANT_GDP, &err));
  assert_true(claimed > 0 && claimed < sound / 4);
  double whole = NAN;
  CHECK_OK(sotto_paper_vesper(&whole, NULL, 4, 1, 2, 5, 64, 64, 100, 1e-5, &err));
  CHECK_OK(sotto_account_epsilon(&sound, &m, 1, 1e-5, SOTTO_ACCOUNTANT_RDP, &err));
  CHECK_NEAR(whole, sound, 1e-12); /* nothing sampled, nothing gained */
}

static sotto_mechanism feddep(void) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_NOISE_FREE_SAMPLING);
  m.layers = 2;
  m.epochs = 10;
  m.sample = 5;
  m.degree = 8;
  m.slack = 1e-5;
  m.rate = 0.5;
  return m;
}

static void feddep_is_printed_as_the_complement_of_the_right_delta(void **state) {
  (void)state;
  sotto_mechanism m = feddep();
  double epsilon, delta, right_epsilon, right_delta;
  CHECK_OK(sotto_paper_feddep(&epsilon, &delta, &m, false, &err));
  CHECK_OK(sotto_paper_feddep(&right_epsilon, &right_delta, &m, true, &err));
  double e = log(9.0 / 4), keep = pow(1 - 5.0 / 8, 20) * (1 - 1e-5);
  double u = fmin(sqrt(log(exp(1) + e * sqrt(20) / 1e-5)), sqrt(log(1e5)));
  double total = fmin(20 * e, 20 * e * (exp(e) - 1) / (exp(e) + 1) + e * u * sqrt(40));
  CHECK_NEAR(epsilon, log(1 + 0.5 * (exp(total) - 1)), 1e-12);
  CHECK_NEAR(right_epsilon, epsilon, 1e-15);
  CHECK_NEAR(delta / (0.5 * keep), 1, 1e-9);
  CHECK_NEAR(right_delta, 0.5 * (1 - keep), 1e-12);
  assert_true(delta < 1e-3 && right_delta > 1e-3); /* vacuous once it is right */
}

static void feddep_with_replacement_uses_the_other_lemma(void **state) {
  (void)state;
  sotto_mechanism m = feddep();
  double epsilon, delta;
  m.sample = 8;
  m.layers = m.epochs = 1;
  m.rate = 0;
  CHECK_OK(sotto_paper_feddep(&epsilon, &delta, &m, true, &err));
  CHECK_NEAR(epsilon, 8 * log(9.0 / 8), 1e-12);
  CHECK_NEAR(delta, 1 - pow(7.0 / 8, 8) * (1 - 1e-5), 1e-12);
}

static void the_paper_accountant_answers_only_where_the_paper_speaks(void **state) {
  (void)state;
  sotto_mechanism m = feddep();
  double epsilon, delta, value;
  CHECK_OK(sotto_paper_feddep(&epsilon, &delta, &m, false, &err));
  CHECK_OK(sotto_account_epsilon(&value, &m, 1, 1e-3, SOTTO_ACCOUNTANT_PAPER, &err));
  assert_true(value == epsilon);
  CHECK_FAILS(SOTTO_RANGE, "above",
              sotto_account_epsilon(&value, &m, 1, delta / 2, SOTTO_ACCOUNTANT_PAPER, &err));
  CHECK_FAILS(SOTTO_INVALID, "no noise",
              sotto_account_noise(&value, &m, 1, 0, 1, 1e-3, SOTTO_ACCOUNTANT_PAPER, &err));
}

static void bad_parameters_are_refused(void **state) {
  (void)state;
  double epsilon, delta;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  m.noise = 1;
  CHECK_FAILS(SOTTO_RANGE, "noise", sotto_paper_vesper(&epsilon, NULL, -1, 1, 1, 1, 9, 1, 1, 1e-5, &err));
  CHECK_FAILS(SOTTO_RANGE, "delta", sotto_paper_vesper(&epsilon, NULL, 1, 1, 1, 1, 9, 1, 1, 0, &err));
  CHECK_FAILS(SOTTO_RANGE, "steps", sotto_paper_vesper(&epsilon, NULL, 1, 1, 1, 1, 9, 1, 0, 1e-5, &err));
  CHECK_FAILS(SOTTO_RANGE, "noise-free", sotto_paper_feddep(&epsilon, &delta, &m, true, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vesper_gamma_is_the_chance_of_meeting_an_affected_root),
      cmocka_unit_test(vesper_amplifies_what_the_label_party_can_see),
      cmocka_unit_test(feddep_is_printed_as_the_complement_of_the_right_delta),
      cmocka_unit_test(feddep_with_replacement_uses_the_other_lemma),
      cmocka_unit_test(the_paper_accountant_answers_only_where_the_paper_speaks),
      cmocka_unit_test(bad_parameters_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
