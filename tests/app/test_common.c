/* What the program builds on: files, texts, memory, errors of its own. */
#include <dirent.h>
#include <math.h>

#include "check.h"
#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/text.h"

static void expect_file(const char *path, const char *wanted) {
  char *text;
  size_t size;
  CHECK_OK(app_read_file(&text, &size, path, &err));
  assert_int_equal(size, strlen(wanted));
  assert_string_equal(text, wanted);
  free(text);
}

static size_t files_in_folder(void) {
  size_t count = 0;
  DIR *folder = opendir(check_folder());
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static void what_is_written_is_read_back(void **state) {
  (void)state;
  CHECK_OK(app_write_file(check_path("a"), "hello", 5, &err));
  expect_file(check_path("a"), "hello");
  CHECK_OK(app_write_file(check_path("a"), "", 0, &err));
  expect_file(check_path("a"), "");
  char *path;
  CHECK_OK(app_join(&path, check_folder(), "a", &err));
  assert_true(app_is_file(path));
  assert_false(app_is_folder(path));
  free(path);
}

static void an_abandoned_write_leaves_the_old_file(void **state) {
  (void)state;
  app_writer writer;
  CHECK_OK(app_write_file(check_path("b"), "old", 3, &err));
  size_t before = files_in_folder();
  CHECK_OK(app_writer_open(&writer, check_path("b"), &err));
  CHECK_OK(app_writer_add(&writer, "new", 3, &err));
  app_writer_abandon(&writer);
  app_writer_abandon(&writer);
  assert_int_equal(files_in_folder(), before);
  expect_file(check_path("b"), "old");
}

static void failures_name_the_path(void **state) {
  (void)state;
  char *text;
  size_t size;
  CHECK_FAILS(SOTTO_NOT_FOUND, "/nothing", app_read_file(&text, &size, check_path("nothing"), &err));
  assert_null(text);
  CHECK_FAILS(SOTTO_IO, "regular file", app_read_file(&text, &size, check_folder(), &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "no/such", app_write_file(check_path("no/such/file"), "", 0, &err));
  CHECK_OK(app_write_file(check_path("plain"), "x", 1, &err));
  CHECK_FAILS(SOTTO_IO, "plain", app_make_folder(check_path("plain/below"), &err));
  CHECK_FAILS(SOTTO_IO, "is not a folder", app_make_folder(check_path("plain"), &err));
}

static void a_disk_that_is_full_leaves_the_old_file(void **state) {
  (void)state;
  app_writer writer;
  CHECK_OK(app_write_file(check_path("c"), "old", 3, &err));
  CHECK_OK(app_writer_open(&writer, check_path("c"), &err));
  (void)fclose(writer.stream);
  writer.stream = fopen("/dev/full", "wb");
  CHECK_OK(app_writer_add(&writer, "new", 3, &err)); /* in the buffer */
  CHECK_FAILS(SOTTO_IO, "sync it", app_writer_commit(&writer, &err));
  expect_file(check_path("c"), "old");
}

static void folders_are_made_with_their_parents(void **state) {
  (void)state;
  CHECK_OK(app_make_folder(check_path("x/y/z"), &err));
  CHECK_OK(app_make_folder(check_path("x/y/z"), &err));
  assert_true(app_is_folder(check_path("x/y/z")));
}

static void the_first_failure_is_kept_and_a_prefix_goes_before_it(void **state) {
  (void)state;
  sotto_error err = {0};
  app_error_prefix(&err, "nothing yet");
  assert_string_equal(err.text, "");
  assert_int_equal(app_fail(&err, SOTTO_IO, "line %d", 3), SOTTO_IO);
  assert_int_equal(app_fail(&err, SOTTO_PARSE, "second"), SOTTO_PARSE);
  app_error_prefix(&err, "%s", "a.csv");
  assert_string_equal(err.text, "a.csv: line 3");
  assert_int_equal(err.status, SOTTO_IO);
}

static void a_long_text_is_cut_between_characters(void **state) {
  (void)state;
  sotto_error err = {0};
  char text[3 * SOTTO_ERROR_TEXT + 1] = "";
  for (int i = 0; i < SOTTO_ERROR_TEXT; i++) memcpy(text + 3 * i, "\xE2\x82\xAC", 4); /* the euro sign */
  (void)app_fail(&err, SOTTO_PARSE, "%s", text);
  assert_true(strlen(err.text) > SOTTO_ERROR_TEXT - 5);
  assert_int_equal(strlen(err.text) % 3, 0);
}

static void memory_grows_and_keeps_what_it_holds(void **state) {
  (void)state;
  uint32_t *items = NULL;
  size_t capacity = 0;
  for (uint32_t i = 0; i < 1000; i++) {
    CHECK_OK(app_grow(&items, &capacity, i + 1, sizeof *items, &err));
    items[i] = i;
  }
  for (uint32_t i = 0; i < 1000; i++) assert_int_equal(items[i], i);
  CHECK_FAILS(SOTTO_NOMEM, "no memory", app_grow(&items, &capacity, SIZE_MAX, sizeof *items, &err));
  assert_int_equal(items[999], 999);
  free(items);
  void *none;
  CHECK_OK(app_new(&none, 0, 8, &err));
  free(none);
  CHECK_FAILS(SOTTO_NOMEM, "no memory", app_new(&none, SIZE_MAX / 2, 8, &err));
  assert_null(none);
}

static void numbers_are_read_whole_or_not_at_all(void **state) {
  (void)state;
  double real;
  uint64_t whole;
  CHECK_OK(app_parse_double(&real, "-1.5e3", "value", &err));
  CHECK_NEAR(real, -1500, 0);
  CHECK_OK(app_parse_u64(&whole, "18446744073709551615", "value", &err));
  assert_true(whole == UINT64_MAX);
  CHECK_FAILS(SOTTO_PARSE, "value: ' 1' is not a number", app_parse_double(&real, " 1", "value", &err));
  CHECK_FAILS(SOTTO_PARSE, "not a number", app_parse_double(&real, "1x", "value", &err));
  CHECK_FAILS(SOTTO_RANGE, "not finite", app_parse_double(&real, "1e999", "value", &err));
  CHECK_FAILS(SOTTO_PARSE, "whole number", app_parse_u64(&whole, "-1", "value", &err));
  CHECK_FAILS(SOTTO_RANGE, "too large", app_parse_u64(&whole, "18446744073709551616", "value", &err));
}

static void folders_are_not_for_those_who_ask(void **state) {
  static const char *const cases[][2] = {
      {"/home/user/run/model.safetensors: is missing", "model.safetensors: is missing"},
      {"open '/home/user/a b' and \"/tmp/x/y\"", "open 'a b' and \"y\""},
      {"see /health and POST /reload", "see /health and POST /reload"},
      {"run/seed-1: no run, a/b/c", "run/seed-1: no run, a/b/c"},
      {"path=/a/b/c.db (/d/e)", "path=c.db (e)"},
      {"/a/b/: a folder", "b/: a folder"},
      {"/", "/"},
      {"", ""}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[100];
    (void)snprintf(text, sizeof text, "%s", cases[i][0]);
    app_hide_folders(text);
    assert_string_equal(text, cases[i][1]);
  }
}

static void the_nearest_name_is_suggested(void **state) {
  (void)state;
  static const char *const names[] = {"train", "party", "data"};
  char hex[7];
  assert_string_equal(app_nearest("trian", names, 3), "train");
  assert_null(app_nearest("zzzzzz", names, 3));
  app_hex(hex, (const uint8_t[]){0, 0xAB, 0xF0}, 3);
  assert_string_equal(hex, "00abf0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(an_abandoned_write_leaves_the_old_file),
      cmocka_unit_test(failures_name_the_path),
      cmocka_unit_test(a_disk_that_is_full_leaves_the_old_file),
      cmocka_unit_test(folders_are_made_with_their_parents),
      cmocka_unit_test(the_first_failure_is_kept_and_a_prefix_goes_before_it),
      cmocka_unit_test(a_long_text_is_cut_between_characters),
      cmocka_unit_test(memory_grows_and_keeps_what_it_holds),
      cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
      cmocka_unit_test(the_nearest_name_is_suggested),
      cmocka_unit_test(folders_are_not_for_those_who_ask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
