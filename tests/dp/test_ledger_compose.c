/* What the ledger's charges compose to: the accountant's epsilon for the same mechanisms, never below the
 * exact one, and less than the sum of pure epsilons and one Gaussian that stood for them before. */
#include <math.h>

#include "check.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "sotto/dp.h"

static const uint8_t cora[32] = {1};

/* Each line is a charge of its own. */
typedef struct mixture {
  const char *what, *text;
} mixture;

static const mixture mixtures[] = {
    {"2 releases of 2 noisy layers", "gaussian noise=3 count=2\ngaussian noise=3 count=2"},
    {"contractive and plain layers",
     "contractive noise=2 layers=4 lipschitz=0.5\ngaussian noise=4 sensitivity=1.5"},
    {"3 histograms", "laplace noise=2\nlaplace noise=2\nlaplace noise=4"},
    {"30 answers of randomised response", "randomized-response epsilon=0.2 count=30"},
    {"layers and a histogram", "gaussian noise=2\nlaplace noise=1"},
    {"DP-SGD, 500 steps", "subsampled-gaussian noise=2 sensitivity=2 population=1000 batch=20 count=500"},
    {"DP-SGD, layers and a histogram",
     "subsampled-gaussian noise=2 sensitivity=2 population=1000 batch=20 count=500\n"
     "gaussian noise=3\nlaplace noise=2"},
    {"2 trainings by DP-SGD",
     "subsampled-gaussian noise=1.5 sensitivity=2 population=500 batch=10 count=200\n"
     "subsampled-gaussian noise=1.5 sensitivity=2 population=500 batch=10 count=200"},
    {"multi-bit embeddings, 3 rounds", "multibit epsilon=1 sampled=8 count=3"},
};
static const size_t mixture_count = sizeof mixtures / sizeof *mixtures;

static sotto_mechanism *mechanisms_of(size_t *count, const char *text) {
  sotto_mechanism *list;
  CHECK_OK(sotto_mechanisms_parse(&list, count, text, strlen(text), &err));
  return list;
}

/* The mu and the epsilon of a charge: exact for Gaussian and pure releases; for steps of DP-SGD a Gaussian
 * whose curve lies above theirs from delta 1e-2 to 1e-12. */
static void price(double *mu, double *epsilon, const sotto_mechanism *m) {
  *mu = *epsilon = 0;
  if (m->kind != SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN && m->kind != SOTTO_MECHANISM_GAUSSIAN &&
      m->kind != SOTTO_MECHANISM_CONTRACTIVE) {
    CHECK_OK(sotto_account_epsilon(epsilon, m, 1, 0, SOTTO_ACCOUNTANT_PLD, &err));
    return;
  }
  for (int half = 4; half <= 24; half++) {
    double delta = pow(10, -half / 2.0), at, found;
    CHECK_OK(sotto_account_epsilon(&found, m, 1, delta, SOTTO_ACCOUNTANT_PLD, &err));
    CHECK_OK(sotto_gdp_mu(&at, found, delta, &err));
    *mu = fmax(*mu, m->kind == SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN ? 1.01 * at : at);
  }
}

/* Charges a mixture, with its mechanisms or without. */
static sotto_spent spend(const char *text, double delta, bool with) {
  const sotto_budget wide = {1e6, delta};
  size_t count;
  sotto_mechanism *list = mechanisms_of(&count, text);
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &wide, "", &err));
  for (size_t i = 0; i < count; i++) {
    char id[24];
    double mu = 0, epsilon = 0;
    if (!with) price(&mu, &epsilon, &list[i]);
    (void)snprintf(id, sizeof id, "r%zu", i);
    sotto_charge charge = check_gaussian_charge(id, mu);
    charge.epsilon = epsilon;
    charge.mechanism = sotto_mechanism_name(list[i].kind);
    charge.release = with ? &list[i] : NULL;
    CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  }
  sotto_spent spent = check_spent_on(ledger, cora, "edge");
  sotto_ledger_close(ledger);
  sotto_mechanisms_free(list);
  return spent;
}

static double accountant(const char *text, double delta) {
  double epsilon;
  size_t count;
  sotto_mechanism *list = mechanisms_of(&count, text);
  CHECK_OK(sotto_account_epsilon(&epsilon, list, count, delta, SOTTO_ACCOUNTANT_PLD, &err));
  sotto_mechanisms_free(list);
  return epsilon;
}

static void the_ledger_composes_as_the_accountant_does(void **state) {
  (void)state;
  static const double deltas[] = {1e-3, 1e-6};
  print_message("%-36s %9s %9s %9s\n", "at delta 1e-6", "ledger", "stand-in", "less by");
  for (size_t i = 0; i < mixture_count; i++)
    for (int d = 0; d < 2; d++) {
      const mixture *m = &mixtures[i];
      double epsilon = spend(m->text, deltas[d], true).epsilon;
      /* Equal charges are one mechanism with a count, where the list has two: the grids differ. */
      if (fabs(epsilon - accountant(m->text, deltas[d])) > 1e-3 * epsilon)
        fail_msg("%s at delta %g: %.9g, and the accountant says %.9g", m->what, deltas[d], epsilon,
                 accountant(m->text, deltas[d]));
      if (d != 1) continue;
      sotto_spent spent = spend(m->text, deltas[d], false);
      double gaussian = 0;
      if (spent.mu > 0) CHECK_OK(sotto_gdp_epsilon(&gaussian, spent.mu, deltas[d], &err));
      double before = gaussian + spent.pure_epsilon;
      print_message("%-36s %9.4f %9.4f %8.1f%%\n", m->what, epsilon, before, 100 * (before / epsilon - 1));
      assert_true(epsilon <= before * (1 + 1e-9));
      assert_true(spent.epsilon >= epsilon * (1 - 1e-3)); /* without its mechanism: the worst of its kind */
    }
}

/* delta(epsilon) of k runs of binary randomised response, exactly (Kairouz, Oh and Viswanath 2015). */
static double response_delta(int k, double each, double epsilon) {
  double delta = 0;
  for (int lies = 0; lies <= k; lies++) {
    double log_choose = lgamma(k + 1.0) - lgamma(lies + 1.0) - lgamma(k - lies + 1.0);
    double p = log_choose + (k - lies) * each - k * log1p(exp(each)),
           q = log_choose + lies * each - k * log1p(exp(each));
    delta += fmax(0, exp(p) - exp(epsilon + q));
  }
  return delta;
}

static void no_epsilon_lies_below_the_exact_one(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 12; round++) {
    int k = 1 + (int)sotto_i_random_below(&random, 60);
    double each = 0.01 + 0.5 * sotto_i_random_double(&random),
           delta = pow(10, -2 - 7 * sotto_i_random_double(&random));
    char text[80];
    (void)snprintf(text, sizeof text, "randomized-response epsilon=%.17g count=%d", each, k);
    double epsilon = spend(text, delta, true).epsilon;
    if (response_delta(k, each, epsilon) > delta * (1 + 1e-6))
      fail_msg("%d times %g at delta %g: the ledger says %.9g, and delta there is %g", k, each, delta,
               epsilon, response_delta(k, each, epsilon));
    if (epsilon > 1e-6 && response_delta(k, each, epsilon * 0.998 - 1e-9) < delta)
      fail_msg("%d times %g at delta %g: %.9g is more than 0.2%% too much", k, each, delta, epsilon);
    (void)snprintf(text, sizeof text, "gaussian noise=%.17g count=%d", 1 + each, k);
    epsilon = spend(text, delta, true).epsilon;
    assert_true(sotto_gdp_delta(sqrt(k) / (1 + each), epsilon) <= delta * (1 + 1e-6));
  }
}

/* More than one computation of the accountant takes: in groups, which is still an upper bound. */
static void hundreds_of_different_mechanisms_compose(void **state) {
  (void)state;
  enum { many = 600 };
  static sotto_charge charges[many];
  static sotto_mechanism list[many];
  static char ids[many][16];
  sotto_ledger *ledger = check_ledger_at(check_ledger_path());
  double pure = 0;
  for (int i = 0; i < many; i++) {
    list[i] = sotto_mechanism_default(SOTTO_MECHANISM_RANDOMIZED_RESPONSE);
    list[i].epsilon = 1e-4 * (1 + 1e-6 * i);
    (void)snprintf(ids[i], sizeof ids[i], "r%d", i);
    charges[i] = check_laplace_charge(ids[i], list[i].epsilon);
    charges[i].release = &list[i];
    pure += list[i].epsilon;
  }
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", charges, many, &err));
  double epsilon = check_spent_on(ledger, cora, "edge").epsilon;
  assert_true(epsilon <= pure * (1 + 1e-9) && response_delta(many, 1e-4, epsilon) <= 1e-6 * (1 + 1e-6));
  sotto_ledger_close(ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ledger_composes_as_the_accountant_does),
      cmocka_unit_test(no_epsilon_lies_below_the_exact_one),
      cmocka_unit_test(hundreds_of_different_mechanisms_compose),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
