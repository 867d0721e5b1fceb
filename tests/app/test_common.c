/* What the program builds on: files, texts, memory. */
#include <dirent.h>

#include "base/error.h"
#include "check.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/print.h"

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
  assert_true(sotto_i_is_file(path));
  assert_false(sotto_i_is_folder(path));
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
  CHECK_FAILS(SOTTO_IO, "plain", sotto_i_make_folder(check_path("plain/below"), &err));
  CHECK_FAILS(SOTTO_IO, "is not a folder", sotto_i_make_folder(check_path("plain"), &err));
}

static void a_disk_that_is_full_leaves_the_old_file(void **state) {
  (void)state;
  app_writer writer;
  CHECK_OK(app_write_file(check_path("c"), "old", 3, &err));
  CHECK_OK(app_writer_open(&writer, check_path("c"), &err));
  (void)fclose(writer.stream);
  writer.stream = fopen("/dev/full", "wb");
  CHECK_OK(app_writer_add(&writer, "new", 3, &err)); /* in the buffer */
  CHECK_FAILS(SOTTO_IO, "write to it", app_writer_commit(&writer, &err));
  expect_file(check_path("c"), "old");
}

static void folders_are_made_with_their_parents(void **state) {
  (void)state;
  CHECK_OK(sotto_i_make_folder(check_path("x/y/z"), &err));
  CHECK_OK(sotto_i_make_folder(check_path("x/y/z"), &err));
  assert_true(sotto_i_is_folder(check_path("x/y/z")));
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(an_abandoned_write_leaves_the_old_file),
      cmocka_unit_test(failures_name_the_path),
      cmocka_unit_test(a_disk_that_is_full_leaves_the_old_file),
      cmocka_unit_test(folders_are_made_with_their_parents),
      cmocka_unit_test(memory_grows_and_keeps_what_it_holds),
      cmocka_unit_test(folders_are_not_for_those_who_ask),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
