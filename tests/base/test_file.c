/* Files: mapping, replacing, folders; words and numbers. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "check.h"

static void what_is_written_is_read_back(void **state) {
  (void)state;
  sotto_i_map map;
  CHECK_OK(sotto_i_write_file(check_path("a"), "hello", 5, &err));
  CHECK_OK(sotto_i_map_open(&map, check_path("a"), &err));
  assert_int_equal(map.size, 5);
  assert_memory_equal(map.data, "hello", 5);
  sotto_i_map_close(&map);
  CHECK_OK(sotto_i_write_file(check_path("empty"), "", 0, &err));
  CHECK_OK(sotto_i_map_open(&map, check_path("empty"), &err));
  assert_int_equal(map.size, 0);
  sotto_i_map_close(&map);
}

static size_t files_in_folder(void) {
  size_t count = 0;
  DIR *folder = opendir(check_folder());
  while (readdir(folder) != NULL) count++;
  closedir(folder);
  return count;
}

static void an_abandoned_write_leaves_the_old_file(void **state) {
  (void)state;
  sotto_i_writer writer;
  sotto_i_map map;
  CHECK_OK(sotto_i_write_file(check_path("b"), "old", 3, &err));
  size_t before = files_in_folder();
  CHECK_OK(sotto_i_writer_open(&writer, check_path("b"), &err));
  CHECK_OK(sotto_i_writer_add(&writer, "new", 3, &err));
  sotto_i_writer_abandon(&writer);
  assert_int_equal(files_in_folder(), before);
  CHECK_OK(sotto_i_map_open(&map, check_path("b"), &err));
  assert_memory_equal(map.data, "old", 3);
  sotto_i_map_close(&map);
}

/* Twice a folder deep, and not through a link; what only looks like it stays. */
static void what_killed_writers_leave_is_removed(void **state) {
  (void)state;
  static const char *const left[] = {"run/a.partial.0123456789abcdef",
                                     "run/below/b.bin.partial.00000000000000ff"};
  static const char *const stay[] = {"run/a", "run/.partial.0123456789abcdef",
                                     "run/a.partial.0123456789abcdeg", "run/a.partial.0123",
                                     "other/c.partial.0123456789abcdef"};
  CHECK_OK(sotto_i_make_folder(check_path("run/below"), &err));
  CHECK_OK(sotto_i_make_folder(check_path("other"), &err));
  for (size_t i = 0; i < 2; i++) CHECK_OK(sotto_i_write_file(check_path(left[i]), "half", 4, &err));
  for (size_t i = 0; i < 5; i++) CHECK_OK(sotto_i_write_file(check_path(stay[i]), "whole", 5, &err));
  assert_int_equal(symlink(check_path("other"), check_path("run/link")), 0);
  CHECK_OK(sotto_i_remove_partials(check_path("run"), &err));
  for (size_t i = 0; i < 2; i++) assert_false(sotto_i_is_file(check_path(left[i])));
  for (size_t i = 0; i < 5; i++) assert_true(sotto_i_is_file(check_path(stay[i])));
  CHECK_FAILS(SOTTO_NOT_FOUND, "nowhere", sotto_i_remove_partials(check_path("nowhere"), &err));
}

static void a_full_disk_is_named_with_what_to_do(void **state) {
  (void)state;
  assert_non_null(strstr(sotto_i_errno_text(ENOSPC), "No space left on device: make room there"));
  assert_string_equal(sotto_i_errno_text(EACCES), strerror(EACCES));
}

/* Links at the names that a temporary file of this process could have, were they foreseen. */
static void a_link_in_the_way_is_not_followed(void **state) {
  (void)state;
  sotto_i_map map;
  char name[64];
  CHECK_OK(sotto_i_write_file(check_path("victim"), "precious", 8, &err));
  for (int i = 0; i < 64; i++) {
    (void)snprintf(name, sizeof name, "c.partial.%ld.%d", (long)getpid(), i);
    assert_int_equal(symlink(check_path("victim"), check_path(name)), 0);
  }
  assert_int_equal(symlink(check_path("victim"), check_path("c")), 0);
  for (int i = 0; i < 8; i++) CHECK_OK(sotto_i_write_file(check_path("c"), "new", 3, &err));
  CHECK_OK(sotto_i_map_open(&map, check_path("victim"), &err));
  assert_int_equal(map.size, 8);
  sotto_i_map_close(&map);
}

static unsigned mode_of(const char *path) {
  struct stat info;
  assert_int_equal(lstat(path, &info), 0);
  return info.st_mode & 07777U;
}

static void what_is_written_is_for_this_user_alone(void **state) {
  (void)state;
  const mode_t before = umask(0);
  CHECK_OK(sotto_i_make_folder(check_path("own/below"), &err));
  CHECK_OK(sotto_i_write_file(check_path("own/below/file"), "x", 1, &err));
  assert_int_equal(mode_of(check_path("own")), 0700);
  assert_int_equal(mode_of(check_path("own/below")), 0700);
  assert_int_equal(mode_of(check_path("own/below/file")), 0600);
  assert_int_equal(mkdir(check_path("open"), 0777), 0);
  CHECK_OK(sotto_i_make_private(check_path("open"), &err));
  assert_int_equal(mode_of(check_path("open")), 0700);
  (void)umask(before);
}

static void foreign_text_is_made_safe_for_a_terminal(void **state) {
  (void)state;
  static const struct {
    const char *text, *clean;
  } rows[] = {
      {"plain text, \xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82",
       "plain text, \xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82"},
      {"\033[31mred\033]0;title\007", "?[31mred?]0;title?"},
      {"one\ntwo\r\t\b\x7f", "one?two????"},
      {"c1 \xc2\x9b.", "c1 ??."},                  /* U+009B begins a sequence, too */
      {"\x9b\xff\xc0\x80\xe2\x82", "??????"},      /* not UTF-8: some terminals read single bytes */
      {"\xed\xa0\x80\xf4\x90\x80\x80", "???????"}, /* a surrogate; beyond Unicode */
      {"a\xe2\x80\xaetxt.exe\xe2\x81\xa6", "a???txt.exe???"}, /* turned text */
      {"two\xe2\x80\xa8lines", "two???lines"},
      {"", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[80];
    sotto_error err = {0};
    (void)snprintf(text, sizeof text, "%s", rows[i].text);
    sotto_text_clean(text, false);
    assert_string_equal(text, rows[i].clean);
    (void)sotto_i_fail(&err, SOTTO_IO, "%s", rows[i].text);
    assert_string_equal(err.text, rows[i].clean);
  }
  char lines[] = "one\n\ttwo\033[0m\r";
  sotto_text_clean(lines, true);
  assert_string_equal(lines, "one\n\ttwo?[0m?");
  sotto_error err = {0};
  (void)sotto_i_fail(&err, SOTTO_IO, "inner");
  sotto_i_error_prefix(&err, "%s", "pre\033fix");
  assert_string_equal(err.text, "pre?fix: inner");
}

static void failures_name_the_path(void **state) {
  (void)state;
  sotto_i_map map;
  CHECK_FAILS(SOTTO_NOT_FOUND, "/nothing", sotto_i_map_open(&map, check_path("nothing"), &err));
  CHECK_FAILS(SOTTO_IO, "regular file", sotto_i_map_open(&map, check_folder(), &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "no/such", sotto_i_write_file(check_path("no/such/file"), "", 0, &err));
  CHECK_OK(sotto_i_write_file(check_path("plain"), "x", 1, &err));
  CHECK_FAILS(SOTTO_IO, "plain", sotto_i_make_folder(check_path("plain/below"), &err));
}

static void folders_are_made_with_their_parents(void **state) {
  (void)state;
  CHECK_OK(sotto_i_make_folder(check_path("x/y/z"), &err));
  CHECK_OK(sotto_i_make_folder(check_path("x/y/z"), &err));
  assert_true(sotto_i_is_folder(check_path("x/y/z")));
}

static void numbers_are_read_strictly(void **state) {
  (void)state;
  double real = 0;
  uint64_t count = 0;
  CHECK_OK(sotto_i_parse_double(&real, "-1.5e3", "x", &err));
  assert_true(real == -1500);
  static const char *const bad[] = {"", " 1", "1 ", "1x", "x", "0x", "--1"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(SOTTO_PARSE, "x: ", sotto_i_parse_double(&real, bad[i], "x", &err));
  CHECK_FAILS(SOTTO_RANGE, "finite", sotto_i_parse_double(&real, "nan", "x", &err));
  CHECK_FAILS(SOTTO_RANGE, "finite", sotto_i_parse_double(&real, "1e999", "x", &err));
  CHECK_OK(sotto_i_parse_u64(&count, "18446744073709551615", "n", &err));
  assert_true(count == UINT64_MAX);
  CHECK_FAILS(SOTTO_RANGE, "too large", sotto_i_parse_u64(&count, "18446744073709551616", "n", &err));
  CHECK_FAILS(SOTTO_PARSE, "whole", sotto_i_parse_u64(&count, "-1", "n", &err));
}

static void the_nearest_word_is_suggested(void **state) {
  (void)state;
  static const char *const names[] = {"epsilon", "delta", "layers"};
  assert_string_equal(sotto_i_nearest("epsilonn", names, 3), "epsilon");
  assert_string_equal(sotto_i_nearest("layer", names, 3), "layers");
  assert_null(sotto_i_nearest("completely-different", names, 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_written_is_read_back),
      cmocka_unit_test(an_abandoned_write_leaves_the_old_file),
      cmocka_unit_test(what_killed_writers_leave_is_removed),
      cmocka_unit_test(a_full_disk_is_named_with_what_to_do),
      cmocka_unit_test(a_link_in_the_way_is_not_followed),
      cmocka_unit_test(what_is_written_is_for_this_user_alone),
      cmocka_unit_test(foreign_text_is_made_safe_for_a_terminal),
      cmocka_unit_test(failures_name_the_path),
      cmocka_unit_test(folders_are_made_with_their_parents),
      cmocka_unit_test(numbers_are_read_strictly),
      cmocka_unit_test(the_nearest_word_is_suggested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
