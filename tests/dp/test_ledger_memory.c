/* Files by which data and run folders remember the ledger that they are charged to. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "dp/ledger/home.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "plain_files.h"
#include "sotto/generate.h"

/* One ledger is remembered, by `path` or by the other path to the same data; another one is refused. */
static void check_form(const char *path, const char *same, const char *memory) {
  sotto_ledger *own = check_ledger_at(check_path("own.db")), *other = check_ledger_at(check_path("other.db"));
  assert_false(sotto_i_is_remembered(path));
  CHECK_OK(sotto_i_ledger_check_memory(own, path, &err));
  CHECK_OK(sotto_i_ledger_remember(own, path, &err));
  assert_true(sotto_i_is_file(memory));
  assert_true(sotto_i_is_remembered(same));
  CHECK_OK(sotto_i_ledger_remember(own, same, &err));
  CHECK_FAILS(SOTTO_REFUSED, "is another one", sotto_i_ledger_check_memory(other, same, &err));
  CHECK_FAILS(SOTTO_REFUSED, "own.db", sotto_i_ledger_remember(other, path, &err));
  CHECK_OK(sotto_ledger_move(other, same, "a new office", &err));
  CHECK_OK(sotto_i_ledger_remember(other, path, &err));
  CHECK_FAILS(SOTTO_REFUSED, "other.db", sotto_i_ledger_remember(own, same, &err));
  sotto_ledger_close(own);
  sotto_ledger_close(other);
}

static void files_folders_links_and_names_in_folders_remember(void **state) {
  (void)state;
  char path[2][600], memory[600];
  check_write_text(check_path("g.sotto"), "x");
  (void)snprintf(path[0], sizeof path[0], "%s", check_path("g.sotto"));
  (void)snprintf(path[1], sizeof path[1], "%s", check_path("link.sotto"));
  assert_int_equal(symlink(path[0], path[1]), 0);
  (void)snprintf(memory, sizeof memory, "%s", check_path("g.sotto.ledger"));
  check_form(path[1], path[0], memory);
  assert_false(sotto_i_is_file(check_path("link.sotto.ledger")));

  CHECK_OK(sotto_i_make_folder(check_path("shapes"), &err));
  (void)snprintf(path[0], sizeof path[0], "%s", check_path("shapes"));
  (void)snprintf(path[1], sizeof path[1], "%s/", path[0]);
  (void)snprintf(memory, sizeof memory, "%s", check_path("shapes.ledger"));
  check_form(path[1], path[0], memory);

  (void)snprintf(path[0], sizeof path[0], "%s:cora", check_path("shapes"));
  (void)snprintf(path[1], sizeof path[1], "%s/./:cora", check_path("shapes"));
  (void)snprintf(memory, sizeof memory, "%s", check_path("shapes/cora.ledger"));
  check_form(path[0], path[1], memory);

  CHECK_OK(sotto_i_make_folder(check_path("run"), &err));
  check_write_text(check_path("run/run.id"), "x");
  CHECK_OK(sotto_i_make_folder(check_path("run/owner-only"), &err));
  (void)snprintf(path[0], sizeof path[0], "%s", check_path("run"));
  (void)snprintf(path[1], sizeof path[1], "%s", check_path("run/."));
  (void)snprintf(memory, sizeof memory, "%s", check_path("run/owner-only/ledger"));
  check_form(path[0], path[1], memory);
}

static void what_is_not_there_remembers_nothing(void **state) {
  (void)state;
  sotto_ledger *ledger = check_ledger_at(check_path("none.db"));
  const char *paths[] = {NULL, "", "nowhere.sotto", "nowhere:cora", ":"};
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
    CHECK_OK(sotto_i_ledger_check_memory(ledger, paths[i], &err));
    CHECK_OK(sotto_i_ledger_remember(ledger, paths[i], &err));
    assert_false(sotto_i_is_remembered(paths[i]));
  }
  CHECK_FAILS(SOTTO_INVALID, "no data", sotto_ledger_move(ledger, "nowhere.sotto", "", &err));
  sotto_ledger_close(ledger);
}

/* Whoever can read the data learns which ledger it is charged to, and nobody else does. */
static void the_memory_has_the_readers_of_the_data(void **state) {
  (void)state;
  const mode_t modes[] = {0600, 0640, 0644};
  sotto_ledger *ledger = check_ledger_at(check_path("readers.db"));
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    char path[600], memory[620];
    struct stat info;
    (void)snprintf(path, sizeof path, "%s-%zu", check_path("readers"), i);
    (void)snprintf(memory, sizeof memory, "%s.ledger", path);
    check_write_text(path, "x");
    assert_int_equal(chmod(path, modes[i]), 0);
    CHECK_OK(sotto_i_ledger_remember(ledger, path, &err));
    assert_int_equal(stat(memory, &info), 0);
    assert_int_equal(info.st_mode & 0777, modes[i]);
  }
  sotto_ledger_close(ledger);
}

static void a_damaged_memory_is_an_error_with_the_way_out(void **state) {
  (void)state;
  const char *texts[] = {"", "garbage", "sotto ledger of this data, form 1\n",
                         "sotto ledger of this data, form 1\n00\n/somewhere\n"};
  char path[600], memory[620];
  sotto_ledger *ledger = check_ledger_at(check_path("damaged.db"));
  (void)snprintf(path, sizeof path, "%s", check_path("damaged"));
  (void)snprintf(memory, sizeof memory, "%s.ledger", path);
  check_write_text(path, "x");
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    check_write_text(memory, texts[i]);
    CHECK_FAILS(SOTTO_CORRUPT, "sotto ledger move", sotto_i_ledger_check_memory(ledger, path, &err));
    CHECK_FAILS(SOTTO_CORRUPT, "sotto ledger move", sotto_i_ledger_remember(ledger, path, &err));
  }
  CHECK_OK(sotto_ledger_move(ledger, path, "it was damaged", &err));
  CHECK_OK(sotto_i_ledger_check_memory(ledger, path, &err));
  sotto_ledger_close(ledger);
}

/* Processes with ledgers of their own charge the same data for the first time, all at once: one of them does.
 */
static void of_many_first_charges_one_ledger_is_remembered(void **state) {
  (void)state;
  enum { processes = 6, rounds = 20 };
  char ledgers[processes][600], path[600], memory[620];
  for (int i = 0; i < processes; i++) {
    (void)snprintf(ledgers[i], sizeof *ledgers, "%s-%d", check_path("racing.db"), i);
    (void)check_new_ledger(ledgers[i]);
  }
  for (int round = 0; round < rounds; round++) {
    int gate[2], result, first = 0;
    char one;
    (void)snprintf(path, sizeof path, "%s-%d", check_path("racing"), round);
    (void)snprintf(memory, sizeof memory, "%s.ledger", path);
    check_write_text(path, "x");
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < processes; i++) {
      const pid_t child = fork();
      assert_true(child >= 0);
      if (child > 0) continue;
      sotto_ledger *ledger;
      (void)close(gate[1]);
      if (sotto_ledger_open(&ledger, ledgers[i], NULL) != SOTTO_OK) _exit(9);
      if (read(gate[0], &one, 1) != 0) _exit(8); /* until the parent closes it */
      _exit((int)sotto_i_ledger_remember(ledger, path, NULL));
    }
    (void)close(gate[0]);
    (void)close(gate[1]);
    for (int i = 0; i < processes; i++) {
      assert_true(wait(&result) > 0 && WIFEXITED(result));
      assert_true(WEXITSTATUS(result) == SOTTO_OK || WEXITSTATUS(result) == SOTTO_REFUSED);
      first += WEXITSTATUS(result) == SOTTO_OK;
    }
    assert_int_equal(first, 1);
    assert_true(sotto_i_is_file(memory));
  }
}

/* Where no file can be made a charge goes on, and says so. */
static void a_place_that_cannot_be_written_is_told_and_charged(void **state) {
  (void)state;
  char path[1024], name[246];
  sotto_dataset data;
  sotto_ledger_place_found found;
  sotto_key key;
  const sotto_sbm_options options = {.nodes = 20, .classes = 2, .degree_inside = 3, .degree_outside = 1};
  sotto_key_public(&key, 5);
  memset(name, 'n', sizeof name - 7);
  (void)snprintf(name + sizeof name - 7, 7, ".sotto"); /* too long for a second name beside it */
  (void)snprintf(path, sizeof path, "%s%s", check_path(""), name);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  data.path = path;
  check_write_text(check_path("short"), "x");
  assert_int_equal(rename(check_path("short"), path), 0);
  sotto_ledger *ledger = check_ledger_at(check_path("unwritten.db"));
  CHECK_OK(sotto_ledger_place(ledger, &found, &data, NULL, true, SOTTO_PLACING_KNOW, &err));
  assert_true(strlen(found.forgotten) > 0);
  data.path = NULL;
  CHECK_OK(sotto_ledger_place(ledger, &found, &data, NULL, true, SOTTO_PLACING_KNOW, &err));
  assert_string_equal(found.forgotten, "");
  sotto_dataset_free(&data);
  sotto_ledger_close(ledger);
}

/* Of runs that go with their ledger, as those of a benchmark, nothing is remembered. */
static void a_ledger_that_goes_with_its_run_is_not_remembered(void **state) {
  (void)state;
  const char *path = check_path("bench.sotto");
  sotto_ledger *ledger;
  check_write_text(path, "x");
  CHECK_OK(sotto_ledger_init_scratch(check_path("scratch.db"), &err));
  CHECK_OK(sotto_ledger_open(&ledger, check_path("scratch.db"), &err));
  CHECK_OK(sotto_i_ledger_remember(ledger, check_path("bench.sotto"), &err));
  assert_false(sotto_i_is_remembered(check_path("bench.sotto")));
  sotto_ledger_close(ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_folders_links_and_names_in_folders_remember),
      cmocka_unit_test(what_is_not_there_remembers_nothing),
      cmocka_unit_test(the_memory_has_the_readers_of_the_data),
      cmocka_unit_test(a_damaged_memory_is_an_error_with_the_way_out),
      cmocka_unit_test(of_many_first_charges_one_ledger_is_remembered),
      cmocka_unit_test(a_place_that_cannot_be_written_is_told_and_charged),
      cmocka_unit_test(a_ledger_that_goes_with_its_run_is_not_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
