/* Status texts and sotto_error. */
#include "check.h"

static void every_status_has_a_text(void **state) {
  (void)state;
#define HAS_TEXT(name, text) assert_string_equal(sotto_status_text(SOTTO_##name), text);
  SOTTO_STATUS_LIST(HAS_TEXT)
  assert_string_equal(sotto_status_text((sotto_status)999), "unknown status");
}

static void the_first_failure_is_kept(void **state) {
  (void)state;
  sotto_error err = {0};
  assert_int_equal(sotto_i_fail(&err, SOTTO_IO, "first %d", 1), SOTTO_IO);
  assert_int_equal(sotto_i_fail(&err, SOTTO_PARSE, "second"), SOTTO_PARSE);
  assert_int_equal(err.status, SOTTO_IO);
  assert_string_equal(err.text, "first 1");
  assert_int_equal(sotto_i_fail(NULL, SOTTO_PARSE, "nobody listens"), SOTTO_PARSE);
}

static void a_prefix_goes_before_the_text(void **state) {
  (void)state;
  sotto_error err = {0};
  sotto_i_error_prefix(&err, "file");
  assert_string_equal(err.text, "");
  (void)sotto_i_fail(&err, SOTTO_PARSE, "line 3: no");
  sotto_i_error_prefix(&err, "%s", "a.csv");
  assert_string_equal(err.text, "a.csv: line 3: no");
}

static void a_long_text_is_cut_between_characters(void **state) {
  (void)state;
  sotto_error err = {0};
  char text[3 * SOTTO_ERROR_TEXT + 1] = "";
  for (int i = 0; i < SOTTO_ERROR_TEXT; i++) memcpy(text + 3 * i, "\xE2\x82\xAC", 4); /* the euro sign */
  (void)sotto_i_fail(&err, SOTTO_PARSE, "%s", text);
  size_t length = strlen(err.text);
  assert_true(length > SOTTO_ERROR_TEXT - 5);
  assert_int_equal(length % 3, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_a_text),
      cmocka_unit_test(the_first_failure_is_kept),
      cmocka_unit_test(a_prefix_goes_before_the_text),
      cmocka_unit_test(a_long_text_is_cut_between_characters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
