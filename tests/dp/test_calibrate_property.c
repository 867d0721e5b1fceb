/* Random mechanisms and budgets: the calibrated noise, as it is printed, never answers above what was asked.
 * SOTTO_CASES: how many cases; SOTTO_FIRST: the number of the first. A case follows from its number alone. */
#include <math.h>

#include "check.h"
#include "inside/dp.h"
#include "sotto/dp.h"

static const uint64_t fixed_seed = 3920;

static double between(sotto_i_random *r, double low, double high) {
  return exp(log(low) + sotto_i_random_double(r) * (log(high) - log(low)));
}

static sotto_mechanism any_mechanism(sotto_i_random *r) {
  static const sotto_mechanism_kind kinds[] = {
      SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN, SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN,
      SOTTO_MECHANISM_REPLACED_GAUSSIAN,   SOTTO_MECHANISM_GAUSSIAN,
      SOTTO_MECHANISM_DISCRETE_GAUSSIAN,   SOTTO_MECHANISM_LAPLACE,
      SOTTO_MECHANISM_RANDOMIZED_RESPONSE, SOTTO_MECHANISM_CONTRACTIVE};
  const size_t pick = (size_t)(sotto_i_random_double(r) * sizeof kinds / sizeof *kinds);
  sotto_mechanism m = sotto_mechanism_default(kinds[pick]);
  m.count = (uint64_t)between(r, 1, 1e4);
  if (m.kind == SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN || m.kind == SOTTO_MECHANISM_REPLACED_GAUSSIAN)
    m.rate = between(r, 1e-4, 1);
  if (m.kind == SOTTO_MECHANISM_RANDOMIZED_RESPONSE)
    m.choices = 2 + (uint64_t)(sotto_i_random_double(r) * 20);
  if (m.kind == SOTTO_MECHANISM_CONTRACTIVE) {
    m.layers = (uint64_t)between(r, 1, 100);
    m.lipschitz = sotto_i_random_double(r);
  }
  return m;
}

/* Whether the printed noise answers at most what was asked; *answered counts the budgets that have a noise.
 */
static bool case_holds(uint64_t number, uint64_t *answered) {
  sotto_key key;
  sotto_i_random r;
  char text[40];
  double noise, back = NAN;
  sotto_key_insecure(&key, fixed_seed);
  sotto_i_random_init(&r, &key, SOTTO_I_PURPOSE_TEST, 0, number);
  sotto_mechanism m = any_mechanism(&r);
  const double epsilon = between(&r, 0.05, 2000), delta = between(&r, 1e-12, 0.01);
  const sotto_accountant by = sotto_i_random_double(&r) < 0.2 ? SOTTO_ACCOUNTANT_RDP : SOTTO_ACCOUNTANT_PLD;
  sotto_error refused = {0};
  if (sotto_account_noise(&noise, &m, 1, 0, epsilon, delta, by, &refused) != SOTTO_OK) {
    if (refused.status == SOTTO_RANGE || refused.status == SOTTO_UNSUPPORTED) return true;
    print_message("case %llu: %s\n", (unsigned long long)number, refused.text);
    return false;
  }
  ++*answered;
  (void)snprintf(text, sizeof text, "%.12g", noise);
  m.noise = strtod(text, NULL);
  CHECK_OK(sotto_account_epsilon(&back, &m, 1, delta, by, &err));
  if (back <= epsilon) return true;
  print_message(
      "case %llu: %s rate %.9g count %llu: noise %s for epsilon %.12g at delta %g by %s has %.12g\n",
      (unsigned long long)number, sotto_mechanism_name(m.kind), m.rate, (unsigned long long)m.count, text,
      epsilon, delta, sotto_accountant_name(by), back);
  return false;
}

static uint64_t from_environment(const char *name, uint64_t otherwise) {
  const char *text = getenv(name);
  return text == NULL ? otherwise : strtoull(text, NULL, 10);
}

static void printed_noise_answers_at_most_what_was_asked(void **unused) {
  (void)unused;
  const uint64_t cases = from_environment("SOTTO_CASES", 20), first = from_environment("SOTTO_FIRST", 0);
  uint64_t answered = 0, violations = 0;
  for (uint64_t n = first; n < first + cases; n++) violations += !case_holds(n, &answered);
  print_message("%llu of %llu budgets have a noise, %llu answer above\n", (unsigned long long)answered,
                (unsigned long long)cases, (unsigned long long)violations);
  assert_true(violations == 0 && answered * 2 >= cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(printed_noise_answers_at_most_what_was_asked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
