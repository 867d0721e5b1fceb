/* Subset selection: its cost, its law, and how it is accounted. */
#include <math.h>

#include "check.h"
#include "chi_square.h"
#include "inside/dp.h"
#include "sotto/dp.h"

static double choose(double n, double k) {
  double product = 1;
  for (double i = 1; i <= k; i++) product *= (n - k + i) / i;
  return product;
}

/* By the definition: the probabilities of a set that has the truth, and of one that has not. */
static double ratio(const sotto_subset *s) {
  const double f = ldexp((double)s->flip, -64), k = s->choices, w = s->members;
  return (1 - f) / choose(k - 1, w - 1) / (f / choose(k - 1, w));
}

static void a_subset_never_costs_more_than_asked_and_its_ratio_is_that(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 3000; round++) {
    uint32_t choices = 2 + (uint32_t)sotto_i_random_below(&random, 60);
    uint32_t members = (uint32_t)sotto_i_random_below(&random, choices);
    double epsilon = exp2(sotto_i_random_double(&random) * 20 - 16);
    sotto_subset s;
    CHECK_OK(sotto_subset_new(&s, choices, members, epsilon, &err));
    assert_true(s.epsilon <= epsilon && s.epsilon > epsilon * (1 - 1e-5));
    CHECK_NEAR(log(ratio(&s)), epsilon, 1e-9 * (1 + epsilon));
  }
}

/* Every set of 2 of 5, by its probability; the same law with the truth a little likelier is found. */
static void sets_have_the_stated_probabilities(void **state) {
  (void)state;
  enum { count = 60000, choices = 5, members = 2, sets = 10 };
  static int32_t values[count], answers[count * members];
  sotto_i_random random = check_random();
  sotto_subset s;
  sotto_key key;
  uint64_t seen[sets] = {0};
  double expected[sets];
  sotto_key_insecure(&key, sotto_i_random_u64(&random));
  CHECK_OK(sotto_subset_new(&s, choices, members, 0.9, &err));
  for (int i = 0; i < count; i++) values[i] = 3;
  CHECK_OK(sotto_subset_apply(answers, values, count, &s, &key, 0, &err));
  const double f = ldexp((double)s.flip, -64);
  int number = 0, of[choices][choices];
  for (int a = 0; a < choices; a++)
    for (int b = a + 1; b < choices; b++) {
      expected[number] = count * (a == 3 || b == 3 ? (1 - f) / 4 : f / 6);
      of[a][b] = number++;
    }
  for (int i = 0; i < count; i++) {
    assert_true(answers[2 * i] < answers[2 * i + 1]);
    seen[of[answers[2 * i]][answers[2 * i + 1]]]++;
  }
  assert_true(chi_square_z(seen, expected, sets) < CHI_SQUARE_LIMIT);
  for (int a = 0; a < choices; a++)
    for (int b = a + 1; b < choices; b++)
      expected[of[a][b]] = count * (a == 3 || b == 3 ? (1 - f + 0.02) / 4 : (f - 0.02) / 6);
  assert_true(chi_square_z(seen, expected, sets) > CHI_SQUARE_LIMIT);
}

/* The delta of a pure three-valued loss, by hand. */
static double delta_of(const sotto_subset *s, double epsilon) {
  const double f = ldexp((double)s->flip, -64), k = s->choices, w = s->members;
  const double up = (1 - f) * (k - w) / (k - 1);
  return fmax(0, up * (1 - exp(epsilon - s->epsilon)));
}

static void what_is_accounted_covers_the_set_and_hardly_more(void **state) {
  (void)state;
  static const struct {
    uint32_t choices;
    double epsilon;
  } cases[] = {{2, 4}, {54, 4}, {54, 1}, {20, 0.5}, {200, 2}, {7, 1.5}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    sotto_subset s;
    double accounted, given;
    CHECK_OK(sotto_subset_new(&s, cases[c].choices, 0, cases[c].epsilon, &err));
    const sotto_mechanism m = sotto_subset_mechanism(&s);
    CHECK_OK(sotto_account_epsilon(&accounted, &m, 1, 0, SOTTO_ACCOUNTANT_PLD, &err));
    assert_true(accounted >= s.epsilon && accounted < cases[c].epsilon + 1e-3);
    for (double part = 0.2; part < 1; part += 0.2) {
      const double at = part * s.epsilon, truth = delta_of(&s, at);
      CHECK_OK(sotto_account_delta(&given, &m, 1, at, SOTTO_ACCOUNTANT_PLD, &err));
      assert_true(given >= truth * (1 - 1e-9));
      assert_true(given <= truth * 1.15 + 1e-3);
    }
  }
}

static void more_members_are_taken_where_choices_are_many(void **state) {
  (void)state;
  sotto_subset s;
  CHECK_OK(sotto_subset_new(&s, 54, 0, 4, &err));
  assert_int_equal(s.members, 1);
  CHECK_OK(sotto_subset_new(&s, 54, 0, 1, &err));
  assert_true(s.members == 14 || s.members == 15); /* 54 / (e + 1) = 14.5 */
  double truth, other;
  sotto_subset_chances(&truth, &other, &s);
  CHECK_NEAR(truth + 53 * other, s.members, 1e-9);
}

static void subsets_refuse_wrong_values_and_write_nothing_then(void **state) {
  (void)state;
  sotto_subset s;
  sotto_key key;
  int32_t answers[4] = {7, 7, 7, 7};
  const int32_t values[2] = {1, 5};
  sotto_key_system(&key);
  CHECK_FAILS(SOTTO_RANGE, "2 to 2^24", sotto_subset_new(&s, 1, 0, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "leave at least one out", sotto_subset_new(&s, 5, 5, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "1e-9", sotto_subset_new(&s, 5, 1, 0, &err));
  CHECK_OK(sotto_subset_new(&s, 5, 2, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "value 1", sotto_subset_apply(answers, values, 2, &s, &key, 0, &err));
  assert_int_equal(answers[0], 7);
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "public", sotto_subset_apply(answers, values, 1, &s, &key, 0, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_subset_never_costs_more_than_asked_and_its_ratio_is_that),
      cmocka_unit_test(sets_have_the_stated_probabilities),
      cmocka_unit_test(what_is_accounted_covers_the_set_and_hardly_more),
      cmocka_unit_test(more_members_are_taken_where_choices_are_many),
      cmocka_unit_test(subsets_refuse_wrong_values_and_write_nothing_then),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
