/* Arrays that are mappings of files without a name. */

#include <dirent.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/reader.h"
#include "check.h"

enum { limit = 16 << 20, large = limit / 16 };

static size_t names_in(const char *folder) {
  size_t count = 0;
  DIR *d = opendir(folder);
  assert_non_null(d);
  while (readdir(d) != NULL) count++;
  (void)closedir(d);
  return count - 2; /* . and .. */
}

/* Bytes of mappings of files that have no name any more. */
static size_t nameless(void) {
  char line[512];
  size_t bytes = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  assert_non_null(maps);
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    if (strstr(line, "(deleted)") != NULL && sscanf(line, "%lx-%lx", &begin, &end) == 2) bytes += end - begin;
  }
  (void)fclose(maps);
  return bytes;
}

static const char *begin(const char *name) {
  const char *folder = check_path(name);
  CHECK_OK(sotto_i_make_folder(folder, &err));
  sotto_memory_set(limit);
  sotto_i_spill_into(folder);
  return folder;
}

static void end(void) {
  sotto_i_spill_into(NULL);
  sotto_memory_set(0);
}

static void large_arrays_have_no_name_and_go_with_the_memory(void **state) {
  (void)state;
  const char *folder = begin("spilled");
  const size_t before = nameless();
  uint8_t *a, *b, *small, *held;
  CHECK_OK(sotto_i_new(&a, large, 1, &err));
  CHECK_OK(sotto_i_new_raw(&b, 3 * (size_t)large + 5, 1, &err));
  CHECK_OK(sotto_i_new(&small, large - 1, 1, &err));
  CHECK_OK(sotto_i_held_new(&held, large, 1, &err));
  assert_true(nameless() - before >= 4 * (size_t)large && nameless() - before < 5 * (size_t)large);
  assert_int_equal(names_in(folder), 0);
  for (size_t i = 0; i < large; i++) assert_int_equal(a[i], 0);
  memset(b, 7, 3 * (size_t)large + 5);
  end();
  assert_int_equal(b[3 * (size_t)large + 4], 7); /* they stay until they are freed */
  sotto_i_free(small);
  sotto_i_free(b);
  sotto_i_free(held);
  sotto_i_free(a);
  assert_int_equal(nameless(), before);
}

static void without_a_limit_or_a_folder_nothing_is_spilled(void **state) {
  (void)state;
  const size_t before = nameless();
  uint8_t *a, *b;
  sotto_memory_set(limit);
  CHECK_OK(sotto_i_new(&a, 2 * (size_t)large, 1, &err));
  sotto_memory_set(0);
  sotto_i_spill_into(check_folder());
  CHECK_OK(sotto_i_new(&b, 2 * (size_t)large, 1, &err));
  assert_int_equal(nameless(), before);
  assert_true(sotto_i_own_peak() == 0 && sotto_i_memory_table() == 0);
  end();
  sotto_i_free(a);
  sotto_i_free(b);
}

static void a_folder_that_takes_no_file_is_an_error_that_says_why(void **state) {
  (void)state;
  uint8_t *a;
  (void)begin("gone");
  sotto_i_spill_into(check_path("never-made"));
  CHECK_FAILS(SOTTO_NOMEM, "in the run folder: No such file", sotto_i_new(&a, large, 1, &err));
  assert_null(a);
  end();
}

static void growing_goes_from_memory_to_files(void **state) {
  (void)state;
  uint64_t *items = NULL;
  size_t capacity = 0;
  (void)begin("grown");
  for (uint64_t i = 0; i < 3 * (uint64_t)large / 8; i++) {
    CHECK_OK(sotto_i_grow(&items, &capacity, i + 1, sizeof *items, &err));
    items[i] = i;
  }
  for (uint64_t i = 0; i < 3 * (uint64_t)large / 8; i++) assert_int_equal(items[i], i);
  end();
  sotto_i_free(items);
}

static void memory_that_cannot_be_dropped_is_told_from_what_can(void **state) {
  (void)state;
  uint8_t *spilled, *held;
  (void)begin("told");
  const uint64_t before = sotto_i_own_peak();
  CHECK_OK(sotto_i_new_raw(&spilled, 8 * (size_t)large, 1, &err));
  memset(spilled, 1, 8 * (size_t)large);
  sotto_i_free(spilled);
  assert_true(sotto_i_own_peak() < before + 2 * (uint64_t)large);
  CHECK_OK(sotto_i_held_new(&held, 8 * (size_t)large, 1, &err));
  memset(held, 1, 8 * (size_t)large);
  sotto_i_free(held);
  assert_true(sotto_i_own_peak() >= before + 7 * (uint64_t)large);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_arrays_have_no_name_and_go_with_the_memory),
      cmocka_unit_test(without_a_limit_or_a_folder_nothing_is_spilled),
      cmocka_unit_test(a_folder_that_takes_no_file_is_an_error_that_says_why),
      cmocka_unit_test(growing_goes_from_memory_to_files),
      cmocka_unit_test(memory_that_cannot_be_dropped_is_told_from_what_can),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
