/* Numbers as text, and names to suggest. */
#include "base/text.h"
#include "check.h"

static void counts_may_have_a_power_of_ten(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint64_t value;
  } good[] = {{"0", 0},
              {"12", 12},
              {"1e6", 1000000},
              {"1E3", 1000},
              {"2.5e3", 2500},
              {"0.5e1", 5},
              {"10e0", 10},
              {"1.50e1", 15},
              {"0e99", 0},
              {"18446744073709551615", UINT64_MAX},
              {"1e19", UINT64_C(10000000000000000000)}};
  static const char *const wrong[] = {"",     "e3",   ".5e1", "1e",    "1e-1",    "1e+3", "2.55e1", "1.e",
                                      "1e3 ", " 1e3", "-1e3", "1e3e3", "1.2.3e4", "0x10", "1,5e3",  "inf"};
  static const char *const large[] = {"1e20", "2e19", "1e999", "99999999999999999999e1",
                                      "18446744073709551616"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    uint64_t value = 77;
    assert_int_equal(sotto_i_parse_count(&value, good[i].text, "nodes", NULL), SOTTO_OK);
    assert_true(value == good[i].value);
  }
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    uint64_t value = 77;
    CHECK_FAILS(SOTTO_PARSE, "is not a whole number", sotto_i_parse_count(&value, wrong[i], "nodes", &err));
    assert_int_equal(value, 77);
  }
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    uint64_t value = 77;
    CHECK_FAILS(SOTTO_RANGE, "is too large", sotto_i_parse_count(&value, large[i], "nodes", &err));
    assert_int_equal(value, 77);
  }
}

static void strict_numbers_have_no_power(void **state) {
  (void)state;
  uint64_t value;
  CHECK_FAILS(SOTTO_PARSE, "is not a whole number", sotto_i_parse_u64(&value, "1e3", "port", &err));
}

static void what_is_too_small_is_no_zero(void **state) {
  (void)state;
  double value = 7;
  CHECK_FAILS(SOTTO_RANGE, "nearer to 0", sotto_i_parse_double(&value, "1e-400", "delta", &err));
  assert_int_equal(sotto_i_parse_double(&value, "0e-400", "delta", NULL), SOTTO_OK);
  assert_true(value == 0);
}

static void the_name_that_was_meant(void **state) {
  (void)state;
  static const char *const names[] = {"epsilon", "epochs", "data",  "method",
                                      "gap",     "info",   "label", "label-epsilon"};
  static const struct {
    const char *word, *name;
  } cases[] = {{"eps", "epsilon"},
               {"epsilonn", "epsilon"},
               {"Epsilon", "epsilon"},
               {"dat", "data"},
               {"adta", "data"},
               {"mehtod", "method"},
               {"GAP", "gap"},
               {"inf", "info"},
               {"labe", "label"},
               {"lable", "label"},
               {"ids", NULL},
               {"budget", NULL},
               {"zzzzzzzzz", NULL},
               {"d", NULL},
               {"", NULL},
               {"e", NULL},
               {"label-e", "label-epsilon"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *nearest = sotto_i_nearest(cases[i].word, names, sizeof names / sizeof *names);
    if (cases[i].name == NULL)
      assert_null(nearest);
    else
      assert_string_equal(nearest == NULL ? "" : nearest, cases[i].name);
  }
}

/* A name of two-byte characters, cut at every length: what fits ends with a whole character, and no shorter
 * text would do. */
static void a_name_is_cut_between_characters(void **state) {
  static const char name[] = "a\xc3\xa9\xc3\xa9\xf0\x9f\x98\x80z"; /* 1, 2, 2, 4 and 1 byte */
  static const int fits[] = {0, 1, 1, 3, 3, 5, 5, 5, 5, 9, 10, 10};
  (void)state;
  for (size_t most = 0; most < sizeof fits / sizeof *fits; most++)
    assert_int_equal(sotto_i_fitting(name, most), fits[most]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_may_have_a_power_of_ten),   cmocka_unit_test(strict_numbers_have_no_power),
      cmocka_unit_test(what_is_too_small_is_no_zero),     cmocka_unit_test(the_name_that_was_meant),
      cmocka_unit_test(a_name_is_cut_between_characters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
