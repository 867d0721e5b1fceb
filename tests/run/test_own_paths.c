/* Paths that a run folder keeps. */
#include "plain_files.h"
#include "run/storage/own_paths.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "made_run.h"
#include "run/settings/options.h"

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

/* Is there such a line? */
static bool has_line(const char *path, const char *line) {
  char found[1200];
  bool has = false;
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(found, sizeof found, file) != NULL) {
    found[strcspn(found, "\n")] = '\0';
    has = has || strcmp(found, line) == 0;
  }
  assert_int_equal(fclose(file), 0);
  return has;
}

/* Options whose paths are all set. */
static sotto_options all_paths(const char *partition) {
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", "fedavg");
  check_set(&o, "data", "/home/user/bank.csv");
  check_set(&o, "nodes", "/home/user/nodes.csv");
  check_set(&o, "schema", "/home/user/schema.yaml");
  check_set(&o, "ids", "/home/user/ids");
  check_set(&o, "ledger", "/home/user/ledger.db");
  check_set(&o, "client-keys", "/home/user/keys.pem");
  check_set(&o, "partition", partition);
  sotto_options_resolve(&o);
  return o;
}

static void of_paths_the_name_of_the_data_alone_is_for_others(void **state) {
  static const char *const keys[] = {"data", "nodes", "schema", "ids", "ledger", "client-keys", "partition"};
  sotto_options o = all_paths("file:/home/user/parts"), read;
  (void)state;
  assert_int_equal(mkdir("run", 0700), 0);
  assert_int_equal(mkdir("run/owner-only", 0700), 0);
  CHECK_OK(sotto_i_options_write_part(&o, "run/owner-only/paths.yaml", true, &err));
  CHECK_OK(sotto_i_options_write_part(&o, "run/run.yaml", false, &err));
  sotto_options_default(&read);
  CHECK_OK(sotto_options_read(&read, "run/run.yaml", &err));
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    char was[1024], is[1024];
    size_t number;
    const sotto_i_option *row = sotto_i_option_known(keys[i], &number);
    sotto_i_option_value(was, sizeof was, &o, row);
    sotto_i_option_value(is, sizeof is, &read, row);
    assert_string_equal(is, was);
  }
  assert_true(has_line("run/run.yaml", "data: '.../bank.csv'"));
  sotto_options_default(&read); /* what the user gives wins */
  check_set(&read, "data", "/other.csv");
  CHECK_OK(sotto_options_read(&read, "run/run.yaml", &err));
  assert_string_equal(read.data, "/other.csv");
  assert_int_equal(remove("run/owner-only/paths.yaml"), 0); /* handed on */
  sotto_options_default(&read);
  CHECK_OK(sotto_options_read(&read, "run/run.yaml", &err));
  assert_string_equal(read.data, ".../bank.csv");
  assert_string_equal(read.ledger, "");
  o = all_paths("dirichlet:0.5"); /* no path */
  CHECK_OK(sotto_i_options_write_part(&o, "run/run.yaml", false, &err));
  assert_true(has_line("run/run.yaml", "partition: 'dirichlet:0.5'"));
}

static void names_of_data_are_cut_from_every_form_of_a_path(void **state) {
  static const char *const forms[][2] = {{"/a/TUX/", ".../TUX"},
                                         {"/a/b/planetoid:cora", ".../planetoid:cora"},
                                         {"x/y.csv", ".../y.csv"},
                                         {"made", "made"},
                                         {"//", ".../"}};
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char line[120];
    sotto_options o;
    sotto_options_default(&o);
    check_set(&o, "method", "mlp");
    check_set(&o, "data", forms[i][0]);
    CHECK_OK(sotto_i_options_write_part(&o, "cut.yaml", false, &err));
    (void)snprintf(line, sizeof line, "data: '%s'", forms[i][1]);
    assert_true(has_line("cut.yaml", line));
  }
}

static void a_file_of_paths_has_nothing_else(void **state) {
  static const char *const texts[] = {"epsilon: 40\n", "method: mlp\n", "account: other\n",
                                      "partition: alike\n", "none-such: 1\n"};
  sotto_options read;
  (void)state;
  check_write_text("run/run.yaml", "method: fedavg\n");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    check_write_text("run/owner-only/paths.yaml", texts[i]);
    sotto_options_default(&read);
    CHECK_FAILS(SOTTO_CORRUPT, "is no path", sotto_options_read(&read, "run/run.yaml", &err));
  }
  /* That of another party is not a run folder's. */
  sotto_options_default(&read);
  check_set(&read, "method", "fedavg");
  CHECK_OK(sotto_options_read_shared(&read, "run/run.yaml", &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relative_paths_of_what_is_there_become_absolute),
      cmocka_unit_test(what_is_no_path_stays_as_it_is),
      cmocka_unit_test(of_paths_the_name_of_the_data_alone_is_for_others),
      cmocka_unit_test(names_of_data_are_cut_from_every_form_of_a_path),
      cmocka_unit_test(a_file_of_paths_has_nothing_else),
  };
  return cmocka_run_group_tests(tests, enter, leave);
}
