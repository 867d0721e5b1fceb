/* The ledger's file: who may read it, where it stands, what is done to it by others. */
#include <math.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "plain_files.h"
#include "sotto/dp.h"

static const uint8_t cora[32] = {1};

static void files_and_folders_are_for_their_owner_alone(void **state) {
  (void)state;
  char folder[512], path[600];
  (void)snprintf(folder, sizeof folder, "%s", check_path("deep/er"));
  (void)snprintf(path, sizeof path, "%s/ledger.db", folder);
  mode_t old = umask(0);
  sotto_ledger *ledger = check_ledger_at(path);
  sotto_charge charge = check_gaussian_charge("a", 1);
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  umask(old);
  static const char *const suffixes[] = {"", "-journal"};
  struct stat info;
  for (int i = 0; i < 2; i++) {
    char file[700];
    (void)snprintf(file, sizeof file, "%s%s", path, suffixes[i]);
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
  }
  assert_int_equal(stat(folder, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0700);
  sotto_ledger_close(ledger);
}

static void the_default_path_comes_from_the_environment(void **state) {
  (void)state;
  char path[512];
  (void)snprintf(path, sizeof path, "%s", check_path("named.db"));
  setenv("SOTTO_LEDGER", path, 1);
  CHECK_OK(sotto_ledger_init(NULL, &err));
  sotto_ledger *ledger = check_ledger_at(NULL);
  assert_false(sotto_ledger_made(ledger));
  assert_string_equal(sotto_ledger_path(ledger), path);
  sotto_ledger_close(ledger);
  unsetenv("SOTTO_LEDGER");
  setenv("XDG_DATA_HOME", check_folder(), 1);
  assert_true(sotto_ledger_is_missing(NULL));
  ledger = check_ledger_at(NULL);
  assert_true(sotto_ledger_made(ledger) && !sotto_ledger_is_missing(NULL));
  assert_string_equal(sotto_ledger_path(ledger), check_path("sotto/ledger.db"));
  sotto_ledger_close(ledger);
  setenv("XDG_DATA_HOME", "relative", 1); /* the base directory specification: to be ignored */
  setenv("HOME", check_path("home"), 1);
  ledger = check_ledger_at(NULL);
  assert_string_equal(sotto_ledger_path(ledger), check_path("home/.local/share/sotto/ledger.db"));
  sotto_ledger_close(ledger);
}

static void a_path_that_is_named_has_to_exist(void **state) {
  (void)state;
  sotto_ledger *ledger;
  char path[512];
  (void)snprintf(path, sizeof path, "%s", check_path("ledgre.db"));
  CHECK_FAILS(SOTTO_NOT_FOUND, "sotto ledger init", sotto_ledger_open(&ledger, path, &err));
  setenv("SOTTO_LEDGER", path, 1);
  CHECK_FAILS(SOTTO_NOT_FOUND, "ledgre.db", sotto_ledger_open(&ledger, NULL, &err));
  assert_false(sotto_ledger_is_missing(NULL));
  unsetenv("SOTTO_LEDGER");
  assert_int_equal(access(path, F_OK), -1);
  CHECK_OK(sotto_ledger_init(path, &err));
  CHECK_FAILS(SOTTO_INVALID, "a file exists there", sotto_ledger_init(path, &err));
  sotto_ledger_close(check_ledger_at(path));
}

static void copy_file(const char *to, const char *from) {
  char command[1200];
  (void)snprintf(command, sizeof command, "cp '%s' '%s'", from, to);
  assert_int_equal(system(command), 0);
}

static void a_copy_of_the_file_alone_has_every_charge(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path), *other = check_ledger_at(path);
  sotto_charge charges[] = {check_gaussian_charge("a", 1), check_gaussian_charge("b", 1)};
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", charges, 2, &err));
  assert_int_equal(check_spent_on(other, cora, "edge").charges, 2);
  copy_file(check_path("copy.db"), path); /* both are open */
  sotto_ledger *copy = check_ledger_at(check_path("copy.db"));
  assert_int_equal(check_spent_on(copy, cora, "edge").charges, 2);
  sotto_ledger_close(copy);
  sotto_ledger_close(other);
  sotto_ledger_close(ledger);
}

static void a_backup_is_whole_and_replaces_nothing(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  sotto_charge charge = check_gaussian_charge("a", 1);
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  CHECK_OK(sotto_ledger_backup(ledger, check_path("backup.db"), &err));
  CHECK_FAILS(SOTTO_INVALID, "a file exists there",
              sotto_ledger_backup(ledger, check_path("backup.db"), &err));
  CHECK_FAILS(SOTTO_IO, "", sotto_ledger_backup(ledger, "/proc/none/backup.db", &err));
  sotto_ledger *copy = check_ledger_at(check_path("backup.db"));
  assert_int_equal(check_spent_on(copy, cora, "edge").charges, 1);
  sotto_ledger_close(copy);
  sotto_ledger_close(ledger);
}

static void a_relative_path_is_a_plain_file_whatever_its_name(void **state) {
  (void)state;
  char before[512];
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(check_folder()), 0);
  sotto_ledger_close(check_ledger_at(":memory:"));
  struct stat info;
  assert_int_equal(stat(":memory:", &info), 0);
  assert_int_equal(chdir(before), 0);
}

static void what_is_not_a_ledger_is_refused_and_left_alone(void **state) {
  (void)state;
  sotto_ledger *ledger;
  const char *path = check_ledger_path();
  check_write_text(
      path, "This is a text file that is long enough to be looked at as the head of a database file.....");
  CHECK_FAILS(SOTTO_CORRUPT, "not a ledger", sotto_ledger_open(&ledger, path, &err));
  assert_null(ledger);
  path = check_ledger_path();
  check_tamper(path, "CREATE TABLE charge (x)");
  CHECK_FAILS(SOTTO_CORRUPT, "not a ledger", sotto_ledger_open(&ledger, path, &err));
  path = check_ledger_path();
  sotto_ledger_close(check_ledger_at(path));
  check_tamper(path, "PRAGMA user_version = 3");
  CHECK_FAILS(SOTTO_CORRUPT, "newer", sotto_ledger_open(&ledger, path, &err));
  check_tamper(path, "PRAGMA user_version = 1");
  CHECK_FAILS(SOTTO_CORRUPT, "not a ledger", sotto_ledger_open(&ledger, path, &err));
  CHECK_FAILS(SOTTO_IO, "", sotto_ledger_open(&ledger, check_folder(), &err));
  path = check_ledger_path();
  check_write_text(path, "");
  CHECK_FAILS(SOTTO_CORRUPT, "is empty", sotto_ledger_open(&ledger, path, &err));
}

static void a_file_with_damaged_pages_is_never_trusted(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  for (int i = 0; i < 40; i++) {
    char id[8];
    (void)snprintf(id, sizeof id, "r%d", i);
    sotto_charge charge = check_gaussian_charge(id, 0.125);
    CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  }
  sotto_ledger_close(ledger);
  static uint8_t whole[1 << 20], bytes[1 << 20];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t size = fread(whole, 1, sizeof whole, file);
  (void)fclose(file);
  int noticed = 0;
  const int rounds = 60;
  for (int round = 0; round < rounds; round++) {
    memcpy(bytes, whole, size);
    size_t at = (size_t)sotto_i_random_below(&random, size - 64), kept = size;
    for (int i = 0; i < 64; i++) bytes[at + (size_t)i] = (uint8_t)sotto_i_random_u32(&random);
    if (round % 4 == 0) kept = (size_t)sotto_i_random_below(&random, size - 1) + 1;
    file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, kept, file), kept);
    (void)fclose(file);
    sotto_error err = {0};
    sotto_status status = sotto_ledger_open(&ledger, path, &err);
    /* Damage to unused bytes or to a text may pass; what is spent may not come out smaller. */
    if (status == SOTTO_OK) {
      sotto_spent spent;
      if (sotto_ledger_spent(ledger, &spent, cora, "edge", NULL) == SOTTO_OK && spent.charges != 0)
        CHECK_NEAR(spent.mu, 0.125 * sqrt(40), 1e-12);
    } else {
      assert_true(status == SOTTO_CORRUPT || status == SOTTO_IO);
      noticed++;
    }
    sotto_ledger_close(ledger);
  }
  assert_true(noticed > rounds / 4);
}

static void a_folder_that_cannot_be_written_is_an_io_error(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  check_write_text(path, "a file");
  char below[600];
  (void)snprintf(below, sizeof below, "%s/ledger.db", path);
  CHECK_FAILS(SOTTO_IO, "", sotto_ledger_init(below, &err));
  CHECK_FAILS(SOTTO_IO, "", sotto_ledger_init("/proc/none/ledger.db", &err));
  if (geteuid() == 0) {
    print_message("SKIPPED: root may write to read-only folders\n");
    return;
  }
  char folder[512];
  (void)snprintf(folder, sizeof folder, "%s", check_path("read-only"));
  assert_int_equal(mkdir(folder, 0500), 0);
  (void)snprintf(below, sizeof below, "%s/ledger.db", folder);
  CHECK_FAILS(SOTTO_IO, "", sotto_ledger_init(below, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_and_folders_are_for_their_owner_alone),
      cmocka_unit_test(the_default_path_comes_from_the_environment),
      cmocka_unit_test(a_path_that_is_named_has_to_exist),
      cmocka_unit_test(a_copy_of_the_file_alone_has_every_charge),
      cmocka_unit_test(a_backup_is_whole_and_replaces_nothing),
      cmocka_unit_test(a_relative_path_is_a_plain_file_whatever_its_name),
      cmocka_unit_test(what_is_not_a_ledger_is_refused_and_left_alone),
      cmocka_unit_test(a_file_with_damaged_pages_is_never_trusted),
      cmocka_unit_test(a_folder_that_cannot_be_written_is_an_io_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
