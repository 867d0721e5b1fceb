/* One way to an epsilon: every answer lies between its bounds, whoever asks, and where no distribution fits
 * the upper bound is the answer. */
#include <math.h>

#include "check.h"
#include "dp/account/bounds.h"
#include "dp/ledger/state.h"
#include "release/plan.h"
#include "sotto/dp.h"

static double epsilon_of(const char *text, double delta, sotto_accountant by) {
  sotto_mechanism *list = NULL;
  size_t count = 0;
  double epsilon = NAN;
  CHECK_OK(sotto_mechanisms_parse(&list, &count, text, strlen(text), &err));
  CHECK_OK(sotto_account_epsilon(&epsilon, list, count, delta, by, &err));
  const sotto_i_bounds_query query = {.delta = delta};
  double upper = NAN;
  CHECK_OK(sotto_i_bounds_upper(&upper, NULL, list, count, &query, true, &err));
  assert_true(epsilon >= sotto_i_bounds_lower(list, count, &query) * (1 - 1e-6) &&
              epsilon <= upper * (1 + 1e-3));
  sotto_mechanisms_free(list);
  return epsilon;
}

static const char *const lists[] = {
    "laplace noise=2 count=30",
    "subsampled-gaussian rate=0.01 noise=1 count=100",
    "replaced-gaussian rate=0.1 noise=2",
    "randomized-response epsilon=0.5 choices=4 count=9\ngaussian noise=3",
    "discrete-gaussian noise=4 count=3",
    "poisson-sum rate=0.1 noise=4 count=10\nlaplace noise=3",
    "sampled-subgraphs rate=0.01 noise=20 degree=10 sample=5",
};

static void epsilon_is_known_at_every_delta(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    double before = 0;
    for (double delta = 1e-2; delta > 1e-300; delta *= 1e-33) {
      const double epsilon = epsilon_of(lists[i], delta, SOTTO_ACCOUNTANT_PLD);
      if (!(epsilon >= before * (1 - 1e-3)))
        fail_msg("%s at delta %g: %g, before %g", lists[i], delta, epsilon, before);
      before = epsilon;
    }
  }
}

/* Noise too small for a grid, too many runs, too many subgraphs. */
static void where_no_distribution_fits_the_upper_bound_answers(void **unused) {
  (void)unused;
  static const char *const texts[] = {
      "sampled-subgraphs rate=0.01 noise=0.5 degree=10 sample=5 count=20",
      "sampled-subgraphs rate=0.01 noise=0.1 degree=10 sample=5 count=20",
      "sampled-subgraphs rate=0.9 noise=12 degree=4000 sample=4000 count=10",
      "laplace noise=1 count=2199023255552",
      "poisson-sum rate=0.1 noise=4\nsampled-subgraphs rate=0.9 noise=9 degree=4000 sample=4000"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sotto_mechanism *list = NULL;
    size_t count = 0;
    double delta = NAN;
    const double epsilon = epsilon_of(texts[i], 1e-6, SOTTO_ACCOUNTANT_PLD);
    assert_true(epsilon > 1);
    CHECK_OK(sotto_mechanisms_parse(&list, &count, texts[i], strlen(texts[i]), &err));
    CHECK_OK(sotto_account_delta(&delta, list, count, epsilon * 1.01, SOTTO_ACCOUNTANT_PLD, &err));
    if (!(delta >= 0 && delta <= 1e-6 * (1 + 1e-9)))
      fail_msg("%s: delta %g at epsilon %g", texts[i], delta, epsilon);
    sotto_mechanisms_free(list);
  }
}

static void an_answer_outside_of_the_bounds_is_an_error(void **unused) {
  (void)unused;
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_GAUSSIAN);
  m.noise = 0.01;
  const double wrong[] = {0, 10, (double)NAN, -1, 1e9};
  const sotto_i_bounds_query query = {.delta = 1e-6};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    double value = wrong[i];
    CHECK_FAILS(SOTTO_NUMERIC, "a fault of the accountant",
                sotto_i_bounds_within(&value, &m, 1, &query, SOTTO_ACCOUNTANT_GDP, &err));
  }
  double none = INFINITY;
  CHECK_OK(sotto_i_bounds_within(&none, &m, 1, &query, SOTTO_ACCOUNTANT_PLD, &err));
  assert_true(isfinite(none) && none > 5000);
}

static void gaussian_epsilons_lie_between_the_bounds(void **unused) {
  (void)unused;
  sotto_i_random random = check_random();
  for (int i = 0; i < 300; i++) {
    const double mu = pow(10, 20 * sotto_i_random_double(&random) - 14);
    const double delta = pow(10, -300 * sotto_i_random_double(&random) - 0.5);
    double epsilon = NAN;
    CHECK_OK(sotto_gdp_epsilon(&epsilon, mu, delta, &err));
    assert_true(epsilon >= 0);
    assert_true(sotto_gdp_delta(mu, epsilon) <= delta);
  }
  assert_true(sotto_gdp_delta(1e-200, 0) > 0); /* its square is 0: still not nothing */
}

/* What is no number on the private side is never a small epsilon. */
static void a_ledger_with_no_number_is_spent(void **unused) {
  (void)unused;
  double epsilon = 0;
  const sotto_i_sums unknown = {.charges = 1, .gaussian = (double)NAN};
  CHECK_OK(sotto_i_sums_epsilon(&epsilon, &unknown, 1e-6, &err));
  assert_true(epsilon == INFINITY);
  assert_true(sotto_i_sums_pure(&unknown) == INFINITY);
  const sotto_i_sums endless = {.charges = 1, .gaussian = INFINITY};
  CHECK_OK(sotto_i_sums_epsilon(&epsilon, &endless, 1e-6, &err));
  assert_true(epsilon == INFINITY);
}

static void stated_epsilons_of_pure_releases_are_checked(void **unused) {
  (void)unused;
  const double stated[] = {2, 1.5, (double)NAN, INFINITY, -1};
  for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
    sotto_mechanism laplace = sotto_mechanism_default(SOTTO_MECHANISM_LAPLACE);
    sotto_cost cost = {.adjacency = "edge"};
    double epsilon = NAN;
    laplace.noise = 0.5;
    sotto_i_cost_add_pure(&cost, "counts", &laplace, stated[i]);
    if (i == 0) {
      CHECK_OK(sotto_i_cost_epsilon(&epsilon, &cost, 1, 1e-6, &err));
      assert_true(epsilon == 2);
      continue;
    }
    CHECK_FAILS(SOTTO_NUMERIC, "a fault of the method's plan",
                sotto_i_cost_epsilon(&epsilon, &cost, 1, 1e-6, &err));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(epsilon_is_known_at_every_delta),
      cmocka_unit_test(where_no_distribution_fits_the_upper_bound_answers),
      cmocka_unit_test(an_answer_outside_of_the_bounds_is_an_error),
      cmocka_unit_test(gaussian_epsilons_lie_between_the_bounds),
      cmocka_unit_test(a_ledger_with_no_number_is_spent),
      cmocka_unit_test(stated_epsilons_of_pure_releases_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
