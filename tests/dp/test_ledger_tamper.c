/* Kinds of tampering with a ledger's file, each of which has to be found when the ledger is opened. */
#include <sodium.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "check.h"
#include "dp/ledger/entry.h"
#include "inside/dp.h"
#include "ledgers.h"
#include "sotto/dp.h"

static const uint8_t cora[32] = {1};

/* A ledger with five charges, two of them of one batch, and two budgets. */
static const char *made_ledger(void) {
  static const sotto_budget first = {8, 1e-6}, second = {20, 1e-6};
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  sotto_charge charges[] = {check_gaussian_charge("a", 0.5), check_laplace_charge("b", 0.25)},
               more[] = {check_gaussian_charge("c", 0.5), check_gaussian_charge("d", 0.5),
                         check_gaussian_charge("e", 0.5)};
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &first, "agreed", &err));
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", charges, 2, &err));
  CHECK_OK(sotto_ledger_set_budget(ledger, cora, "cora", "edge", &second, "raised", &err));
  for (int i = 0; i < 3; i++) CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &more[i], 1, &err));
  sotto_ledger_close(ledger);
  return path;
}

/* Computes the hashes of all entries anew, and the head: what someone without the owner's key can do. */
static void link_again(const char *path) {
  sqlite3 *db;
  sqlite3_stmt *read, *write;
  uint8_t hash[32] = {0};
  sqlite3_int64 count = 0;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "SELECT number, text FROM entry ORDER BY number", -1, &read, NULL),
                   SQLITE_OK);
  while (sqlite3_step(read) == SQLITE_ROW) {
    sotto_i_entry_hash(hash, hash, (const char *)sqlite3_column_text(read, 1));
    assert_int_equal(sqlite3_prepare_v2(db, "UPDATE entry SET hash = ?1 WHERE number = ?2", -1, &write, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_bind_blob(write, 1, hash, 32, SQLITE_STATIC), SQLITE_OK);
    assert_int_equal(sqlite3_bind_int64(write, 2, sqlite3_column_int64(read, 0)), SQLITE_OK);
    assert_int_equal(sqlite3_step(write), SQLITE_DONE);
    assert_int_equal(sqlite3_finalize(write), SQLITE_OK);
    count++;
  }
  assert_int_equal(sqlite3_finalize(read), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(db, "UPDATE head SET count = ?1, hash = ?2", -1, &write, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_bind_int64(write, 1, count), SQLITE_OK);
  assert_int_equal(sqlite3_bind_blob(write, 2, hash, 32, SQLITE_STATIC), SQLITE_OK);
  assert_int_equal(sqlite3_step(write), SQLITE_DONE);
  assert_int_equal(sqlite3_finalize(write), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

typedef struct kind {
  const char *what, *sql;
  bool linked; /* and the hashes computed anew */
  const char *words;
} kind;

/* Entries: 1 the ledger, 2 a budget, 3 and 4 charges, 5 a budget, 6 to 8 charges. */
static const kind kinds[] = {
    {"a charge lowered", "UPDATE entry SET text = replace(text, '\"mu\":0.5', '\"mu\":0.1') WHERE number = 6",
     false, "entry 6"},
    {"a budget raised",
     "UPDATE entry SET text = replace(text, '\"epsilon\":20.0', '\"epsilon\":90.0') WHERE number = 5", false,
     "entry 5"},
    {"a reason reworded", "UPDATE entry SET text = replace(text, 'raised', 'lowered') WHERE number = 5",
     false, "entry 5"},
    {"a time changed",
     "UPDATE entry SET text = replace(text, '\"time\":\"2', '\"time\":\"1') WHERE number = 3", false,
     "entry 3"},
    {"a charge removed", "DELETE FROM entry WHERE number = 4", false, "entry 4 is missing"},
    {"a budget's change removed", "DELETE FROM entry WHERE number = 5", false, "entry 5 is missing"},
    {"the first entry removed", "DELETE FROM entry WHERE number = 1", false, "entry 1 is missing"},
    {"the last charge removed", "DELETE FROM entry WHERE number = 8", false, "its head says 8"},
    {"the last charge removed, and the head rewritten", "DELETE FROM entry WHERE number = 8", true,
     "not signed"},
    {"two entries exchanged",
     "UPDATE entry SET number = -6 WHERE number = 6; UPDATE entry SET number = 6 WHERE number"
     " = 7; UPDATE entry SET number = 7 WHERE number = -6",
     false, "entry 6"},
    {"a charge removed, the others moved up and linked again",
     "DELETE FROM entry WHERE number = 6; UPDATE entry SET number = 6 WHERE number = 7; UPDATE entry SET "
     "number = 7"
     " WHERE number = 8",
     true, "not signed"},
    {"an entry put in front", "INSERT INTO entry SELECT -1, NULL, text, hash FROM entry WHERE number = 2",
     false, "outside of the chain"},
    {"an entry repeated at the end",
     "INSERT INTO entry SELECT 9, NULL, text, hash FROM entry WHERE number = 2", false, "entry 9"},
    {"a charge changed, and all linked again",
     "UPDATE entry SET text = replace(text, '\"mu\":0.5', '\"mu\":0.1') WHERE number = 6", true,
     "not signed"},
    {"an id exchanged beside its text", "UPDATE entry SET id = 'z' WHERE number = 6", false, "entry 6"},
    {"a hash overwritten", "UPDATE entry SET hash = zeroblob(32) WHERE number = 3", false, "entry 3"},
    {"the head removed", "DELETE FROM head", false, "damaged"},
    {"the signature overwritten", "UPDATE head SET signature = zeroblob(64)", false, "not signed"},
    {"a trigger that drops charges",
     "CREATE TRIGGER quiet BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END", false, "trigger 'quiet'"},
    {"a trigger that halves charges",
     "CREATE TRIGGER half AFTER INSERT ON entry BEGIN UPDATE entry SET text = 'x' WHERE number = new.number; "
     "END",
     false, "trigger 'half'"},
    {"a view", "CREATE VIEW v AS SELECT * FROM entry", false, "view 'v'"},
    {"a view in the place of the table",
     "ALTER TABLE entry RENAME TO kept; CREATE VIEW entry AS SELECT * FROM kept", false,
     "is not part of a ledger"},
    {"a table more", "CREATE TABLE more (x)", false, "table 'more'"},
    {"an index more", "CREATE INDEX more ON entry (hash)", false, "index 'more'"},
    {"a column more", "ALTER TABLE entry ADD COLUMN more TEXT", false, "table 'entry'"},
    {"a table dropped", "DROP TABLE head", false, "'sqlite_sequence'"},
    {"everything removed",
     "DELETE FROM entry; UPDATE head SET count = 0, hash = zeroblob(32), signature = zeroblob(64)", false,
     "not signed"},
};

static void every_kind_of_tampering_is_found(void **state) {
  (void)state;
  sotto_ledger *ledger;
  size_t found = 0;
  const size_t count = sizeof kinds / sizeof *kinds;
  for (size_t i = 0; i < count; i++) {
    const char *path = made_ledger();
    sotto_ledger_close(check_ledger_at(path)); /* as it is, it holds */
    check_tamper(path, kinds[i].sql);
    if (kinds[i].linked) link_again(path);
    sotto_error err = {0};
    sotto_status status = sotto_ledger_open(&ledger, path, &err);
    if (status != SOTTO_CORRUPT || strstr(err.text, kinds[i].words) == NULL)
      fail_msg("%s: %s: '%s' lacks '%s'", kinds[i].what, sotto_status_text(status), err.text, kinds[i].words);
    assert_non_null(strstr(err.text, path));
    found++;
  }
  print_message("%zu of %zu kinds of tampering are found\n", found, count);
}

static void copy_file(const char *to, const char *from) {
  sotto_i_map map;
  CHECK_OK(sotto_i_map_open(&map, from, &err));
  CHECK_OK(sotto_i_write_file(to, map.data, map.size, &err));
  sotto_i_map_close(&map);
}

static void an_older_copy_in_its_place_is_found_by_the_head_beside_the_key(void **state) {
  (void)state;
  char path[300], old[310];
  (void)snprintf(path, sizeof path, "%s", made_ledger());
  (void)snprintf(old, sizeof old, "%s.old", path);
  copy_file(old, path);
  sotto_ledger *ledger = check_ledger_at(path);
  sotto_charge charge = check_gaussian_charge("late", 0.5);
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &charge, 1, &err));
  sotto_ledger_close(ledger);
  copy_file(path, old);
  CHECK_FAILS(SOTTO_CORRUPT, "has 8 entries, and had 9", sotto_ledger_open(&ledger, path, &err));
}

static void the_ledger_of_another_key_is_refused(void **state) {
  (void)state;
  char key[300], path[300];
  sotto_ledger *ledger;
  (void)snprintf(path, sizeof path, "%s", made_ledger());
  (void)snprintf(key, sizeof key, "%s", getenv("SOTTO_LEDGER_KEY"));
  setenv("SOTTO_LEDGER_KEY", check_path("thief.key"), 1);
  CHECK_FAILS(SOTTO_NOT_FOUND, "thief.key", sotto_ledger_open(&ledger, path, &err));
  const char *theirs = check_ledger_path();
  sotto_ledger_close(check_ledger_at(theirs)); /* makes the other key */
  CHECK_FAILS(SOTTO_CORRUPT, "another owner", sotto_ledger_open(&ledger, path, &err));
  copy_file(path, theirs); /* a whole ledger in its place */
  setenv("SOTTO_LEDGER_KEY", key, 1);
  CHECK_FAILS(SOTTO_CORRUPT, "another owner", sotto_ledger_open(&ledger, path, &err));
}

/* The first release after the change, not only the next start. */
static void a_trigger_that_is_planted_while_the_ledger_is_open_lets_nothing_through(void **state) {
  (void)state;
  const char *path = check_ledger_path();
  sotto_ledger *ledger = check_ledger_at(path);
  sotto_charge first = check_gaussian_charge("a", 1), second = check_gaussian_charge("b", 1);
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &first, 1, &err));
  check_tamper(path, "CREATE TRIGGER quiet BEFORE INSERT ON entry BEGIN SELECT RAISE(IGNORE); END");
  CHECK_FAILS(SOTTO_CORRUPT, "trigger 'quiet'", sotto_ledger_charge(ledger, cora, "cora", &second, 1, &err));
  check_tamper(path, "DROP TRIGGER quiet");
  CHECK_OK(sotto_ledger_charge(ledger, cora, "cora", &second, 1, &err));
  assert_int_equal(check_spent_on(ledger, cora, "edge").charges, 2);
  sotto_ledger_close(ledger);
}

static void a_key_that_is_not_whole_is_named(void **state) {
  (void)state;
  char key[300];
  sotto_ledger *ledger;
  const char *path = made_ledger();
  (void)snprintf(key, sizeof key, "%s", getenv("SOTTO_LEDGER_KEY"));
  setenv("SOTTO_LEDGER_KEY", check_path("half.key"), 1);
  CHECK_OK(sotto_i_write_file(check_path("half.key"), "sotto ledger key 1\nabc\n", 23, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "half.key", sotto_ledger_open(&ledger, path, &err));
  setenv("SOTTO_LEDGER_KEY", key, 1);
}

static void a_key_that_others_may_read_is_refused(void **state) {
  (void)state;
  sotto_ledger *ledger;
  const char *path = made_ledger(), *key = getenv("SOTTO_LEDGER_KEY");
  for (mode_t mode = 0640; mode <= 0642; mode += 2) {
    assert_int_equal(chmod(key, mode), 0);
    CHECK_FAILS(SOTTO_INVALID, "run `chmod 600", sotto_ledger_open(&ledger, path, &err));
  }
  assert_int_equal(chmod(key, 0600), 0);
  CHECK_OK(sotto_ledger_open(&ledger, path, &err));
  sotto_ledger_close(ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_kind_of_tampering_is_found),
      cmocka_unit_test(an_older_copy_in_its_place_is_found_by_the_head_beside_the_key),
      cmocka_unit_test(the_ledger_of_another_key_is_refused),
      cmocka_unit_test(a_trigger_that_is_planted_while_the_ledger_is_open_lets_nothing_through),
      cmocka_unit_test(a_key_that_is_not_whole_is_named),
      cmocka_unit_test(a_key_that_others_may_read_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
