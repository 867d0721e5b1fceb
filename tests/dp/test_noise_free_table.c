/* Lemmas 2 and 3 and theorem 1 of Zhang et al. 2024 over a table of parameters, as printed and as corrected,
 * against the formulas written out with products in the place of powers. */
#include <math.h>

#include "check.h"
#include "inside/dp.h"
#include "sotto/claims.h"

typedef struct claim {
  double epsilon, printed, corrected;
} claim;

/* Theorem B.1 where d < D, theorem B.2 otherwise. */
static void slow_lemma_2(double *epsilon, double *keep, int sample, int degree) {
  *keep = 1;
  if (sample < degree) {
    *epsilon = log((degree + 1.0) / (degree + 1.0 - sample));
    *keep = 1 - (double)sample / degree;
    return;
  }
  *epsilon = 0;
  for (int i = 0; i < sample; i++) {
    *epsilon += log((degree + 1.0) / degree);
    *keep *= (degree - 1.0) / degree;
  }
}

static claim slow_theorem(int sample, int degree, int layers, int epochs, double rate, double slack) {
  double e, keep, all = 1 - slack, k = layers * epochs;
  slow_lemma_2(&e, &keep, sample, degree);
  for (int i = 0; i < layers * epochs; i++) all *= keep;
  double u = sqrt(log(exp(1) + e * sqrt(k) / slack)), other = sqrt(log(1 / slack));
  double advanced = k * e * (exp(e) - 1) / (exp(e) + 1) + e * (u < other ? u : other) * sqrt(2 * k);
  double total = k * e < advanced ? k * e : advanced;
  /* log(1 + r(e^t - 1)), by log-sum-exp where e^t is beyond a double */
  double epsilon = total < 600 ? log(1 + rate * (exp(total) - 1)) : total + log(rate);
  return (claim){epsilon, rate * all, rate * (1 - all)};
}

static const int samples[] = {1, 3, 5, 9, 10, 15}, degrees[] = {1, 5, 10, 100},
                 epochs[] = {1, 2, 10, 50, 100};
static const double rates[] = {0.1, 0.25, 0.5, 0.75, 1};

static void the_table_is_that_of_the_formulas(void **state) {
  (void)state;
  int vacuous = 0, all = 0;
  for (size_t s = 0; s < 6; s++)
    for (size_t d = 0; d < 4; d++)
      for (int layers = 1; layers <= 2; layers++)
        for (size_t n = 0; n < 5; n++)
          for (size_t r = 0; r < 5; r++) {
            double epsilon, delta;
            sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_NOISE_FREE_SAMPLING);
            m.sample = (uint64_t)samples[s];
            m.degree = (uint64_t)degrees[d];
            m.layers = (uint64_t)layers;
            m.epochs = (uint64_t)epochs[n];
            m.rate = rates[r];
            const claim wanted = slow_theorem(samples[s], degrees[d], layers, epochs[n], rates[r], m.slack);
            CHECK_OK(sotto_paper_feddep(&epsilon, &delta, &m, false, &err));
            CHECK_NEAR(epsilon, wanted.epsilon, 1e-9);
            CHECK_NEAR(delta, wanted.printed, 1e-12);
            CHECK_OK(sotto_paper_feddep(&epsilon, &delta, &m, true, &err));
            CHECK_NEAR(epsilon, wanted.epsilon, 1e-9);
            CHECK_NEAR(delta, wanted.corrected, 1e-12);
            vacuous += delta > 1e-3;
            all++;
          }
  /* Even one epoch over one hop with one draw of a hundred: delta is r / 100, so all of the table is vacuous.
   */
  assert_int_equal(vacuous, all);
}

static void the_accountant_never_says_less_than_the_corrected_form_loses(void **state) {
  (void)state;
  for (size_t r = 0; r < 4; r++) { /* below 1: the theorem's form; at 1 each hop is accounted by itself */
    double epsilon, theorem, delta;
    sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_NOISE_FREE_SAMPLING);
    m.sample = 1;
    m.degree = 100;
    m.rate = rates[r];
    CHECK_OK(sotto_paper_feddep(&theorem, &delta, &m, true, &err));
    CHECK_OK(sotto_account_epsilon(&epsilon, &m, 1, delta * (1 + 1e-9), SOTTO_ACCOUNTANT_PLD, &err));
    assert_true(epsilon <= theorem + 1e-3);
    CHECK_FAILS(SOTTO_RANGE, "lost outright",
                sotto_account_epsilon(&epsilon, &m, 1, delta / 2, SOTTO_ACCOUNTANT_PLD, &err));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_table_is_that_of_the_formulas),
      cmocka_unit_test(the_accountant_never_says_less_than_the_corrected_form_loses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
