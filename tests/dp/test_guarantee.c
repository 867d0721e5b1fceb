/* Classes of guarantees, the chance of a guess, and the words for both and for delta. */
#include <math.h>

#include "check.h"
#include "sotto/guarantee.h"

static void classes_begin_after_their_epsilons(void **state) {
  static const double bounds[] = {1, 4, 10};
  (void)state;
  assert_int_equal(sotto_guarantee_of(0, 0), SOTTO_GUARANTEE_STRONG);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(sotto_guarantee_of(bounds[i], 1e-6), i);
    assert_int_equal(sotto_guarantee_of(bounds[i] * (1 + 1e-7), 1e-6), i); /* calibrated noise is as near */
    assert_int_equal(sotto_guarantee_of(bounds[i] * 1.0001, 1e-6), i + 1);
  }
  assert_int_equal(sotto_guarantee_of(1e300, 0), SOTTO_GUARANTEE_VACUOUS);
  assert_int_equal(sotto_guarantee_of(0.5, 1e-3), SOTTO_GUARANTEE_STRONG);
  assert_int_equal(sotto_guarantee_of(0.5, 1.1e-3), SOTTO_GUARANTEE_VACUOUS);
}

/* What is no number is never a guarantee. */
static void what_is_no_number_is_not_protected(void **state) {
  static const double bad[][2] = {{NAN, 0}, {0, NAN}, {INFINITY, 0}, {-1, 0}, {1, -1}, {1, 2}, {NAN, NAN}};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_int_equal(sotto_guarantee_of(bad[i][0], bad[i][1]), SOTTO_GUARANTEE_NONE);
    assert_true(sotto_guarantee_guess(bad[i][0], bad[i][1]) == 1);
  }
  assert_string_equal(sotto_guarantee_describe((sotto_guarantee)99)->name, "not protected");
  assert_string_equal(sotto_guarantee_describe((sotto_guarantee)-1)->name, "not protected");
}

static void words_never_look_better_than_the_number(void **state) {
  char words[SOTTO_GUARANTEE_WORDS];
  (void)state;
  for (double epsilon = 0; epsilon < 30; epsilon += 0.01) {
    const double chance = sotto_guarantee_guess(epsilon, 1e-6);
    char times[16] = "", all[16] = "";
    sotto_guarantee_guess_words(words, sizeof words, chance);
    if (sscanf(words, "at most %15s times of %15s", times, all) != 2) {
      assert_string_equal(words, "nearly always");
      assert_true(chance > 0.999999);
      continue;
    }
    double figures[2] = {0, 0};
    for (int k = 0; k < 2; k++)
      for (const char *at = k == 0 ? times : all; *at != '\0'; at++)
        if (*at != ',') figures[k] = 10 * figures[k] + (*at - '0');
    assert_true(figures[0] / figures[1] >= chance - 1e-10 && figures[0] < figures[1]);
  }
  sotto_guarantee_guess_words(words, sizeof words, NAN);
  assert_string_equal(words, "nearly always");
}

/* Four digits, never below the number but for the precision of calibrated noise. */
static void epsilon_in_words_is_never_below_the_number(void **state) {
  static const struct {
    double epsilon;
    const char *words;
  } cases[] = {
      {0, "0"},           {4, "4"},   {4.0000001, "4"},       {4.0004, "4.001"},   {3.99951, "4"},
      {12.9612, "12.97"}, {40, "40"}, {12345.6, "1.235e+04"}, {0.10004, "0.1001"}, {1e-300, "1e-300"}};
  char words[SOTTO_EPSILON_WORDS];
  sotto_i_random random = check_random();
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_epsilon_words(words, cases[i].epsilon);
    assert_string_equal(words, cases[i].words);
  }
  for (int i = 0; i < 20000; i++) {
    const double epsilon = exp(40 * sotto_i_random_double(&random) - 20);
    sotto_epsilon_words(words, epsilon);
    const double said = strtod(words, NULL);
    if (!(said >= epsilon * (1 - 2e-6) && said <= epsilon * (1 + 1.1e-3)))
      fail_msg("%.17g is said to be %s", epsilon, words);
  }
  sotto_epsilon_words(words, INFINITY);
  assert_string_equal(words, "inf");
}

static void delta_has_one_form(void **state) {
  static const struct {
    double delta;
    const char *words;
  } cases[] = {{0, "0 (pure)"},    {1e-6, "1e-06"},  {2.5e-7, "2.5e-07"},
               {1e-300, "1e-300"}, {0.125, "0.125"}, {1.0049e-6, "1.01e-06"}};
  char words[SOTTO_DELTA_WORDS];
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sotto_delta_words(words, cases[i].delta);
    assert_string_equal(words, cases[i].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(classes_begin_after_their_epsilons),
      cmocka_unit_test(what_is_no_number_is_not_protected),
      cmocka_unit_test(words_never_look_better_than_the_number),
      cmocka_unit_test(epsilon_in_words_is_never_below_the_number),
      cmocka_unit_test(delta_has_one_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
