/* The front of the accountants: order between them, calibration, steps, curves, refusals. */
#include <math.h>

#include "check.h"
#include "sotto/dp.h"

static double epsilon_of(const sotto_mechanism *m, size_t count, double delta, sotto_accountant accountant) {
  double epsilon = NAN;
  CHECK_OK(sotto_account_epsilon(&epsilon, m, count, delta, accountant, &err));
  return epsilon;
}

static double between(sotto_i_random *random, double low, double high) {
  return low * pow(high / low, sotto_i_random_double(random));
}

/* A random sampled Gaussian beside a random Laplace. */
static void random_list(sotto_mechanism list[2], sotto_i_random *random) {
  list[0] = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
  list[0].noise = between(random, 0.6, 6);
  list[0].rate = between(random, 1e-3, 0.5);
  list[0].count = (uint64_t)between(random, 1, 500);
  list[1] = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
  list[1].noise = between(random, 0.5, 20);
  list[1].count = (uint64_t)between(random, 1, 10);
  print_message("noise %g rate %g count %llu, laplace %g count %llu\n", list[0].noise, list[0].rate,
                (unsigned long long)list[0].count, list[1].noise, (unsigned long long)list[1].count);
}

static void more_of_anything_costs_more_and_pld_beats_rdp(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 4; round++) {
    sotto_mechanism list[2];
    double delta = between(&random, 1e-9, 1e-3);
    random_list(list, &random);
    for (int a = SOTTO_ACCOUNTANT_RDP; a <= SOTTO_ACCOUNTANT_PLD; a++) {
      sotto_accountant by = (sotto_accountant)a;
      double slack = by == SOTTO_ACCOUNTANT_PLD ? 1 - 1e-3 : 1 - 1e-9, base = epsilon_of(list, 2, delta, by);
      sotto_mechanism more[2] = {list[0], list[1]};
      more[0].count *= 2;
      assert_true(epsilon_of(more, 2, delta, by) >= base * slack);
      more[0] = list[0];
      more[0].noise *= 0.8;
      assert_true(epsilon_of(more, 2, delta, by) >= base * slack);
      more[0] = list[0];
      more[0].rate *= 1.5;
      assert_true(epsilon_of(more, 2, delta, by) >= base * slack);
      assert_true(epsilon_of(list, 2, delta / 10, by) >= base * slack);
      assert_true(epsilon_of(list, 1, delta, by) <= base / slack);
    }
    assert_true(epsilon_of(list, 2, delta, SOTTO_ACCOUNTANT_PLD) <=
                epsilon_of(list, 2, delta, SOTTO_ACCOUNTANT_RDP) * 1.001);
  }
}

static void delta_and_epsilon_are_inverse(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 4; round++) {
    sotto_mechanism list[2];
    double wanted = between(&random, 1e-9, 1e-3), delta = NAN;
    random_list(list, &random);
    double epsilon = epsilon_of(list, 2, wanted, SOTTO_ACCOUNTANT_PLD);
    if (epsilon == 0) continue;
    CHECK_OK(sotto_account_delta(&delta, list, 2, epsilon, SOTTO_ACCOUNTANT_PLD, &err));
    double back = epsilon_of(list, 2, delta, SOTTO_ACCOUNTANT_PLD);
    CHECK_NEAR(back / epsilon, 1, 1e-3);
  }
}

static void calibrated_noise_holds_and_less_does_not(void **state) {
  (void)state;
  for (int kind = SOTTO_MECHANISM_GAUSSIAN; kind < SOTTO_MECHANISM_NOISE_FREE_SAMPLING; kind++) {
    for (int a = SOTTO_ACCOUNTANT_GDP; a <= SOTTO_ACCOUNTANT_PLD; a++) {
      sotto_mechanism m = sotto_mechanism_default((sotto_mechanism_kind)kind);
      bool gaussian = kind == SOTTO_MECHANISM_GAUSSIAN || kind == SOTTO_MECHANISM_CONTRACTIVE;
      if (a == SOTTO_ACCOUNTANT_GDP && !gaussian) continue;
      if (kind == SOTTO_MECHANISM_CONTRACTIVE) {
        m.layers = 4;
        m.lipschitz = 0.8;
      }
      if (kind == SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN) m.rate = 0.02;
      m.count = 20;
      CHECK_OK(sotto_account_noise(&m.noise, &m, 1, 0, 1.5, 1e-6, (sotto_accountant)a, &err));
      assert_true(epsilon_of(&m, 1, 1e-6, (sotto_accountant)a) <= 1.5);
      m.noise *= 0.998;
      assert_true(epsilon_of(&m, 1, 1e-6, (sotto_accountant)a) > 1.5);
    }
  }
}

static void calibration_leaves_room_for_the_rest_of_the_list(void **state) {
  (void)state;
  sotto_mechanism list[2] = {sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN),
                             sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE)};
  list[1].noise = 2;
  list[0].noise = -3; /* not read */
  CHECK_OK(sotto_account_noise(&list[0].noise, list, 2, 0, 1, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  CHECK_NEAR(epsilon_of(list, 2, 1e-6, SOTTO_ACCOUNTANT_PLD), 1, 1e-3);
  double noise;
  CHECK_FAILS(SOTTO_RANGE, "reaches epsilon 0.4",
              sotto_account_noise(&noise, list, 2, 0, 0.4, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
}

static void a_pure_epsilon_calibrates_at_delta_zero(void **state) {
  (void)state;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
  double noise = NAN;
  m.count = 3;
  m.sensitivity = 5;
  CHECK_OK(sotto_account_noise(&noise, &m, 1, 0, 0.5, 0, SOTTO_ACCOUNTANT_RDP, &err));
  CHECK_NEAR(noise, 30, 1e-6);
}

static void steps_are_the_most_that_fit(void **state) {
  (void)state;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
  m.noise = 1;
  m.rate = 0.01;
  for (int a = SOTTO_ACCOUNTANT_RDP; a <= SOTTO_ACCOUNTANT_PLD; a++) {
    CHECK_OK(sotto_account_steps(&m.count, &m, 1, 0, 2, 1e-6, (sotto_accountant)a, &err));
    assert_true(m.count > 10);
    assert_true(epsilon_of(&m, 1, 1e-6, (sotto_accountant)a) <= 2 * (1 + 2e-4));
    m.count += 1 + m.count / 500;
    assert_true(epsilon_of(&m, 1, 1e-6, (sotto_accountant)a) > 2);
  }
  uint64_t steps;
  m = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  m.noise = 0.2;
  CHECK_OK(sotto_account_steps(&steps, &m, 1, 0, 0.1, 1e-6, SOTTO_ACCOUNTANT_GDP, &err));
  assert_int_equal(steps, 0);
}

static void curves_fall(void **state) {
  (void)state;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN);
  double epsilons[12], deltas[12];
  m.noise = 1;
  m.rate = 0.1;
  m.count = 30;
  for (int i = 0; i < 12; i++) epsilons[i] = 0.3 * i;
  for (int a = SOTTO_ACCOUNTANT_RDP; a <= SOTTO_ACCOUNTANT_PLD; a++) {
    for (int i = 0; i < 12; i++)
      CHECK_OK(sotto_account_delta(&deltas[i], &m, 1, epsilons[i], (sotto_accountant)a, &err));
    for (int i = 1; i < 12; i++) assert_true(deltas[i] < deltas[i - 1] && deltas[i] > 0);
  }
}

static void lost_mass_leaves_no_finite_epsilon(void **state) {
  (void)state;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_NOISE_FREE_SAMPLING);
  double value;
  m.sample = 2;
  m.degree = 100;
  m.layers = 2;
  m.epochs = 3;
  CHECK_FAILS(SOTTO_RANGE, "no finite epsilon",
              sotto_account_epsilon(&value, &m, 1, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  CHECK_OK(sotto_account_epsilon(&value, &m, 1, 0.12, SOTTO_ACCOUNTANT_PLD, &err)); /* 1 - 0.98^6 is 0.114 */
  assert_true(value > 0 && value <= 6 * log(101.0 / 99));
  CHECK_OK(sotto_account_delta(&value, &m, 1, 1, SOTTO_ACCOUNTANT_PLD, &err));
  CHECK_NEAR(value, 1 - pow(0.98, 6), 1e-9);
  CHECK_FAILS(SOTTO_UNSUPPORTED, "use pld",
              sotto_account_epsilon(&value, &m, 1, 0.5, SOTTO_ACCOUNTANT_RDP, &err));
}

static void bad_questions_are_refused(void **state) {
  (void)state;
  sotto_mechanism g = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN), l = g;
  double value;
  uint64_t steps;
  g.noise = 1;
  l.kind = SOTTO_MECHANISM_LAPLACE;
  l.noise = 1;
  for (int a = SOTTO_ACCOUNTANT_GDP; a <= SOTTO_ACCOUNTANT_PLD; a++) {
    sotto_accountant by = (sotto_accountant)a;
    CHECK_FAILS(SOTTO_RANGE, "delta", sotto_account_epsilon(&value, &g, 1, 0, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "delta", sotto_account_epsilon(&value, &g, 1, -1e-9, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "delta", sotto_account_epsilon(&value, &g, 1, 1, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "delta", sotto_account_epsilon(&value, &g, 1, NAN, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_account_delta(&value, &g, 1, -1, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_account_delta(&value, &g, 1, NAN, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_account_noise(&value, &g, 1, 0, 0, 1e-6, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_account_noise(&value, &g, 1, 0, INFINITY, 1e-6, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "mechanism 2", sotto_account_noise(&value, &g, 1, 1, 1, 1e-6, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_account_steps(&steps, &g, 1, 0, NAN, 1e-6, by, &err));
    CHECK_FAILS(SOTTO_RANGE, "1 to 4096", sotto_account_epsilon(&value, &g, 0, 1e-6, by, &err));
  }
  CHECK_FAILS(SOTTO_UNSUPPORTED, "gdp",
              sotto_account_epsilon(&value, &l, 1, 1e-6, SOTTO_ACCOUNTANT_GDP, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "gdp",
              sotto_account_noise(&value, &l, 1, 0, 1, 1e-6, SOTTO_ACCOUNTANT_GDP, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "paper",
              sotto_account_epsilon(&value, &g, 1, 1e-6, SOTTO_ACCOUNTANT_PAPER, &err));
  CHECK_FAILS(SOTTO_INVALID, "no accountant",
              sotto_account_epsilon(&value, &g, 1, 1e-6, (sotto_accountant)9, &err));
  l.count = ((uint64_t)1 << 62) + 1;
  CHECK_FAILS(SOTTO_RANGE, "count", sotto_account_epsilon(&value, &l, 1, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  g.noise = NAN;
  CHECK_FAILS(SOTTO_RANGE, "noise", sotto_account_epsilon(&value, &g, 1, 1e-6, SOTTO_ACCOUNTANT_GDP, &err));
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  sotto_mechanism list[2] = {sotto_mechanism_default(SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN),
                             sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE)};
  list[0].noise = 2;
  list[0].rate = 0.1;
  list[1].noise = 3;
  for (int a = SOTTO_ACCOUNTANT_RDP; a <= SOTTO_ACCOUNTANT_PLD; a++) {
    sotto_status status = SOTTO_NOMEM;
    for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
      double value = NAN;
      sotto_error err = {0};
      assert_true(nth < 500);
      sotto_i_memory_fail_at(nth);
      status = sotto_account_epsilon(&value, list, 2, 1e-6, (sotto_accountant)a, &err);
      sotto_i_memory_fail_at(0);
      assert_true(status == err.status);
    }
    assert_int_equal(status, SOTTO_OK);
  }
  for (uint64_t nth = 1; nth < 30; nth++) {
    double value = NAN;
    sotto_i_memory_fail_at(nth);
    sotto_status status = sotto_account_noise(&value, list, 2, 0, 2, 1e-6, SOTTO_ACCOUNTANT_PLD, NULL);
    sotto_i_memory_fail_at(0);
    assert_int_equal(status, SOTTO_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_of_anything_costs_more_and_pld_beats_rdp),
      cmocka_unit_test(delta_and_epsilon_are_inverse),
      cmocka_unit_test(calibrated_noise_holds_and_less_does_not),
      cmocka_unit_test(calibration_leaves_room_for_the_rest_of_the_list),
      cmocka_unit_test(a_pure_epsilon_calibrates_at_delta_zero),
      cmocka_unit_test(steps_are_the_most_that_fit),
      cmocka_unit_test(curves_fall),
      cmocka_unit_test(lost_mass_leaves_no_finite_epsilon),
      cmocka_unit_test(bad_questions_are_refused),
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
