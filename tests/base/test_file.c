/* Files: mapping, replacing, folders; words and numbers. */
#include <dirent.h>
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
      cmocka_unit_test(failures_name_the_path),
      cmocka_unit_test(folders_are_made_with_their_parents),
      cmocka_unit_test(numbers_are_read_strictly),
      cmocka_unit_test(the_nearest_word_is_suggested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
