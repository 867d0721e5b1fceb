/* Lower bounds from one run with many canaries: published values, coverage, tightness. */
#include <math.h>

#include "audit/statistics/audit.h"
#include "check.h"
#include "inside/audit.h"

enum { most = 4000 };

static sotto_one_run_result judged(const double *scores, const uint8_t *members, size_t canaries,
                                   double epsilon, double delta, double mu) {
  const sotto_one_run run = {.scores = scores,
                             .members = members,
                             .canaries = canaries,
                             .epsilon = epsilon,
                             .delta = delta,
                             .mu = mu};
  sotto_one_run_result out;
  CHECK_OK(sotto_audit_one_run(&out, &run, &err));
  return out;
}

static double normal(sotto_i_random *random) {
  return sotto_i_normal_quantile(sotto_i_random_double(random) * (1 - 2e-12) + 1e-12);
}

/* Canary i: a score with law N(mu, 1) when it is in and N(0, 1) when it is out. */
static sotto_one_run_result gaussian(sotto_i_random *random, size_t canaries, double mu, double stated) {
  static double scores[most];
  static uint8_t members[most];
  for (size_t i = 0; i < canaries; i++) {
    members[i] = (uint8_t)sotto_i_random_below(random, 2);
    scores[i] = normal(random) + (members[i] != 0 ? mu : 0);
  }
  return judged(scores, members, canaries, 50, 1e-5, stated);
}

/* All guesses right: with v = r the bound is r log(q) = log(risk), q = 1 / (1 + e^-epsilon), at delta 0. Two
 * numbers of guesses share the risk. */
static void guesses_without_a_mistake_have_the_bound_of_the_theorem(void **state) {
  (void)state;
  double scores[640];
  uint8_t members[640];
  for (size_t i = 0; i < 640; i++) {
    members[i] = i % 2;
    scores[i] = members[i] == 1 ? 1 + (double)i : -1 - (double)i;
  }
  const sotto_one_run_result plain_run = judged(scores, members, 640, 5, 0, 0);
  const double q = exp(log(0.025) / (double)plain_run.guesses);
  CHECK_NEAR(plain_run.lower, -log(1 / q - 1), 1e-5);
  /* every delta costs something */
  const sotto_one_run_result slack = judged(scores, members, 640, 5, 1e-5, 0);
  assert_true(slack.guesses == plain_run.guesses && slack.lower < plain_run.lower);
  assert_true(slack.holds && plain_run.guesses == plain_run.correct);
  assert_false(judged(scores, members, 640, 1, 0, 0).holds);
}

/* Answers by randomised response at epsilon 2 are the worst case of the theorem. */
static void bounds_are_above_the_truth_at_most_once_in_twenty(void **state) {
  (void)state;
  enum { runs = 200, canaries = 300, alarms_allowed = 22 };
  sotto_i_random random = check_random();
  int of_epsilon = 0, of_mu = 0;
  double reached = 0;
  for (int run = 0; run < runs; run++) {
    double scores[canaries];
    uint8_t members[canaries];
    for (size_t i = 0; i < canaries; i++) {
      members[i] = (uint8_t)sotto_i_random_below(&random, 2);
      const bool true_answer = sotto_i_random_double(&random) < 1 / (1 + exp(-2.0));
      scores[i] = ((members[i] != 0) == true_answer ? 1 : -1) * (1 + sotto_i_random_double(&random));
    }
    of_epsilon += judged(scores, members, canaries, 2, 0, 0).holds ? 0 : 1;
    const sotto_one_run_result r = gaussian(&random, canaries, 1, 1);
    of_mu += r.holds ? 0 : 1;
    reached += r.mu_lower / runs;
  }
  (void)printf("  alarms of %d: %d of epsilon 2, %d of mu 1; mu reached %.3f\n", runs, of_epsilon, of_mu,
               reached);
  assert_true(of_epsilon <= alarms_allowed && of_mu <= alarms_allowed);
  assert_true(reached > 0.42);
}

static void a_run_with_twice_the_mu_is_objected_to(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  int caught = 0;
  for (int run = 0; run < 10; run++) caught += gaussian(&random, most, 2, 1).holds ? 0 : 1;
  assert_int_equal(caught, 10);
}

static void scores_without_a_meaning_show_nothing(void **state) {
  (void)state;
  static double scores[most];
  static uint8_t members[most];
  sotto_i_random random = check_random();
  for (size_t i = 0; i < most; i++) members[i] = (uint8_t)sotto_i_random_below(&random, 2);
  const sotto_one_run_result r = judged(scores, members, most, 1, 1e-5, 0.5);
  assert_true(r.lower < 0.5 && r.mu_lower < 0.5);
  assert_true(r.canaries == most && r.guesses > 0 && r.correct <= r.guesses);
}

static void unsound_arguments_are_refused(void **state) {
  (void)state;
  double scores[64] = {0};
  uint8_t members[64] = {0};
  sotto_one_run run = {.scores = scores, .members = members, .canaries = 63};
  sotto_one_run_result out;
  CHECK_FAILS(SOTTO_RANGE, "too few", sotto_audit_one_run(&out, &run, &err));
  run.canaries = 64;
  run.delta = 1;
  CHECK_FAILS(SOTTO_RANGE, "delta", sotto_audit_one_run(&out, &run, &err));
  run.delta = 0;
  scores[7] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "canary 7", sotto_audit_one_run(&out, &run, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(guesses_without_a_mistake_have_the_bound_of_the_theorem),
      cmocka_unit_test(bounds_are_above_the_truth_at_most_once_in_twenty),
      cmocka_unit_test(a_run_with_twice_the_mu_is_objected_to),
      cmocka_unit_test(scores_without_a_meaning_show_nothing),
      cmocka_unit_test(unsound_arguments_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
