/* Paths that a run folder keeps. */
#include "run/storage/own_paths.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char start[4096];

static int enter(void **state) {
  (void)state;
  FILE *file;
  if (getcwd(start, sizeof start) == NULL || chdir(check_folder()) != 0) return 1;
  if (mkdir("a", 0700) != 0) return 1;
  file = fopen("graph.csv", "w");
  return file == NULL ? 1 : fclose(file);
}

static int leave(void **state) {
  (void)state;
  return chdir(start);
}

/* What run.yaml has for `data` as it was given. */
static const char *kept(const char *data) {
  static sotto_options o;
  sotto_options_default(&o);
  CHECK_OK(sotto_options_set(&o, "data", data, &err));
  sotto_i_own_paths(&o);
  return o.data;
}

static void relative_paths_of_what_is_there_become_absolute(void **state) {
  (void)state;
  char here[4096], expected[5000];
  assert_non_null(getcwd(here, sizeof here));
  (void)snprintf(expected, sizeof expected, "%s/graph.csv", here);
  assert_string_equal(kept("graph.csv"), expected);
  assert_string_equal(kept("././graph.csv"), expected);
  assert_string_equal(kept(".///graph.csv"), expected);
  (void)snprintf(expected, sizeof expected, "%s/.:cora", here);
  assert_string_equal(kept(".:cora"), expected);
}

static void what_is_no_path_stays_as_it_is(void **state) {
  (void)state;
  char longest[1015] = "";
  assert_string_equal(kept("/tmp"), "/tmp");
  assert_string_equal(kept("(in memory)"), "(in memory)");
  assert_string_equal(kept("absent.csv"), "absent.csv");
  assert_string_equal(kept("absent:cora"), "absent:cora");
  assert_string_equal(kept(""), "");
  while (strlen(longest) + 20 < sizeof longest) (void)strcat(longest, "a/../");
  (void)strcat(longest, "graph.csv"); /* fits as it is, and would not below a folder */
  assert_string_equal(kept(longest), longest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relative_paths_of_what_is_there_become_absolute),
      cmocka_unit_test(what_is_no_path_stays_as_it_is),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
