/* What the accountant remembers: the question has every field, an answer is the one that was computed. */
#include <math.h>

#include "check.h"
#include "dp/account/answers.h"

static sotto_mechanism any(void) {
  sotto_mechanism m = sotto_mechanism_default(SOTTO_MECHANISM_REPLACED_GAUSSIAN);
  m.noise = 1.5;
  m.rate = 0.1;
  m.count = 20;
  return m;
}

static bool same(const sotto_i_question *a, const sotto_i_question *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static void another_field_is_another_question(void **state) {
  const sotto_mechanism list[2] = {any(), any()};
  const sotto_i_question asked = sotto_i_question_of(list, 2, 1, 2, 1e-6);
  sotto_i_question other;
  (void)state;
  for (size_t byte = offsetof(sotto_mechanism, count); byte < sizeof *list; byte++) {
    sotto_mechanism changed[2] = {any(), any()};
    ((uint8_t *)&changed[1])[byte] ^= 1;
    other = sotto_i_question_of(changed, 2, 1, 2, 1e-6);
    if (same(&asked, &other)) fail_msg("byte %zu of a mechanism is not in the question", byte);
  }
  sotto_mechanism changed[2] = {any(), any()};
  changed[0].kind = SOTTO_MECHANISM_SUBSAMPLED_GAUSSIAN;
  const sotto_i_question others[] = {
      sotto_i_question_of(changed, 2, 1, 2, 1e-6), sotto_i_question_of(list, 1, 1, 2, 1e-6),
      sotto_i_question_of(list, 2, 0, 2, 1e-6),    sotto_i_question_of(list, 2, SIZE_MAX, 2, 1e-6),
      sotto_i_question_of(list, 2, 1, 3, 1e-6),    sotto_i_question_of(list, 2, 1, 2, 1e-7),
  };
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(same(&asked, &others[i]));
  other = sotto_i_question_of(list, 2, 1, 2, 1e-6);
  assert_true(same(&asked, &other));
}

static void an_answer_is_kept_until_64_others_came(void **state) {
  const sotto_mechanism m = any();
  double value = 0;
  (void)state;
  for (size_t i = 0; i < 65; i++) {
    const sotto_i_question question = sotto_i_question_of(&m, 1, i, 1, 1e-6);
    assert_false(sotto_i_answer_find(&value, &question));
    sotto_i_answer_keep((double)i, &question);
    assert_true(sotto_i_answer_find(&value, &question));
    assert_true(value == (double)i);
  }
  sotto_i_question question = sotto_i_question_of(&m, 1, 0, 1, 1e-6);
  assert_false(sotto_i_answer_find(&value, &question));
  question = sotto_i_question_of(&m, 1, 1, 1, 1e-6);
  assert_true(sotto_i_answer_find(&value, &question) && value == 1);
}

static void the_accountant_says_the_same_again(void **state) {
  const sotto_mechanism m = any();
  double first[2] = {0}, again[2] = {0}, other = 0;
  (void)state;
  for (int k = 0; k < 2; k++) {
    double *out = k == 0 ? first : again;
    CHECK_OK(sotto_account_epsilon(&out[0], &m, 1, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
    CHECK_OK(sotto_account_noise(&out[1], &m, 1, 0, 2, 1e-6, SOTTO_ACCOUNTANT_PLD, &err));
  }
  assert_memory_equal(first, again, sizeof first);
  CHECK_OK(sotto_account_epsilon(&other, &m, 1, 1e-6, SOTTO_ACCOUNTANT_RDP, &err));
  assert_true(other > first[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(another_field_is_another_question),
      cmocka_unit_test(an_answer_is_kept_until_64_others_came),
      cmocka_unit_test(the_accountant_says_the_same_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
