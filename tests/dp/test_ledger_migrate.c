/* A ledger of version 1, as that version wrote it: tests/dp/ledger-1 has its file and its write-ahead log, in
 * which the last charges are. Two programs wrote it, the first without a table of draws. */
#include <sqlite3.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "sotto/dp.h"

static void copy_file(const char *to, const char *name) {
  char from[600];
  const char *source = getenv("SOTTO_SOURCE");
  sotto_i_map map;
  (void)snprintf(from, sizeof from, "%s/tests/dp/ledger-1/%s", source == NULL ? "." : source, name);
  CHECK_OK(sotto_i_map_open(&map, from, &err));
  CHECK_OK(sotto_i_write_file(to, map.data, map.size, &err));
  sotto_i_map_close(&map);
}

static const char *old_ledger(bool with_log) {
  static char path[300];
  char log[320];
  (void)snprintf(path, sizeof path, "%s", check_ledger_path());
  (void)snprintf(log, sizeof log, "%s-wal", path);
  copy_file(path, "ledger.db");
  if (with_log) copy_file(log, "ledger.db-wal");
  return path;
}

/* What the old tables have, by plain SQL. */
typedef struct old_row {
  uint8_t digest[32];
  char level[8], id[128], time[32], mechanism[32];
  double mu, epsilon;
} old_row;
enum { most = 100 };

static size_t read_old(old_row rows[most], const char *path) {
  sqlite3 *db;
  sqlite3_stmt *s;
  size_t count = 0;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(
      sqlite3_prepare_v2(
          db, "SELECT digest, adjacency, id, time, mechanism, mu, epsilon FROM charge ORDER BY number", -1,
          &s, NULL),
      SQLITE_OK);
  while (sqlite3_step(s) == SQLITE_ROW) {
    old_row *row = &rows[count++];
    assert_true(count < most);
    memcpy(row->digest, sqlite3_column_blob(s, 0), 32);
    (void)snprintf(row->level, sizeof row->level, "%s", (const char *)sqlite3_column_text(s, 1));
    (void)snprintf(row->id, sizeof row->id, "%s", (const char *)sqlite3_column_text(s, 2));
    (void)snprintf(row->time, sizeof row->time, "%s", (const char *)sqlite3_column_text(s, 3));
    (void)snprintf(row->mechanism, sizeof row->mechanism, "%s", (const char *)sqlite3_column_text(s, 4));
    row->mu = sqlite3_column_double(s, 5);
    row->epsilon = sqlite3_column_double(s, 6);
  }
  assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
  return count;
}

typedef struct comparison {
  const old_row *rows;
  size_t count, at, twins;
} comparison;

/* Charges at edge level that repeated one at node level are no charges any more. */
static bool is_twin(const comparison *c, const old_row *row) {
  for (size_t i = 0; i < c->count; i++) {
    const old_row *other = &c->rows[i];
    const char *edge = strstr(row->id, "-edge");
    char one[160], two[160];
    if (edge == NULL || strcmp(row->level, "edge") != 0 || strcmp(other->level, "node") != 0) continue;
    (void)snprintf(one, sizeof one, "%.*s%s", (int)(edge - row->id), row->id, edge + 5);
    (void)snprintf(two, sizeof two, "%.*s-node%s", (int)(edge - row->id), row->id, edge + 5);
    if (memcmp(other->digest, row->digest, 32) == 0 &&
        (strcmp(other->id, one) == 0 || strcmp(other->id, two) == 0))
      return true;
  }
  return false;
}

static int compare(void *context, const sotto_ledger_row *row) {
  comparison *c = context;
  while (c->at < c->count && is_twin(c, &c->rows[c->at])) c->at++, c->twins++;
  assert_true(c->at < c->count);
  const old_row *old = &c->rows[c->at++];
  assert_memory_equal(row->digest, old->digest, 32);
  assert_string_equal(row->charge.id, old->id);
  assert_string_equal(row->charge.adjacency, old->level);
  assert_string_equal(row->charge.mechanism, old->mechanism);
  assert_string_equal(row->time, old->time);
  assert_true(row->charge.mu == old->mu && row->charge.epsilon == old->epsilon);
  return 0;
}

static void every_charge_is_taken_over_and_a_copy_kept(void **state) {
  (void)state;
  static old_row rows[most], again[most];
  char copy[320], reference[300];
  (void)snprintf(reference, sizeof reference, "%s", old_ledger(true));
  size_t count = read_old(rows, reference);
  const char *path = old_ledger(true);
  (void)snprintf(copy, sizeof copy, "%s.version-1", path);
  comparison c = {.rows = rows, .count = count};
  sotto_ledger *ledger = check_ledger_at(path);
  CHECK_OK(sotto_ledger_visit(ledger, NULL, compare, &c, &err));
  while (c.at < c.count && is_twin(&c, &c.rows[c.at])) c.at++, c.twins++;
  assert_int_equal(c.at, count);
  print_message("%zu charges, of which %zu repeated one at node level\n", count, c.twins);
  assert_true(count == 69 && c.twins == 32);
  assert_int_equal(read_old(again, copy), count); /* the copy is whole without a log */
  assert_memory_equal(rows, again, count * sizeof *rows);
  sotto_ledger_close(ledger);
  sotto_ledger_close(check_ledger_at(path)); /* and again as any ledger */
}

/* The digest by which version 1 knew the graph, and its two charges at edge level. */
static void the_old_account_and_its_budget_become_part_of_the_new_one(void **state) {
  (void)state;
  static old_row rows[most];
  static const uint8_t edges[32] = {7}, named[32] = {8};
  char reference[300];
  sotto_budget low = {5, 1e-7};
  (void)snprintf(reference, sizeof reference, "%s", old_ledger(true));
  (void)read_old(rows, reference);
  sotto_ledger *ledger = check_ledger_at(old_ledger(true));
  const uint8_t *digest = rows[0].digest;
  sotto_spent before = check_spent_on(ledger, digest, "edge");
  assert_int_equal(before.charges, 5); /* three at node level count, too */
  assert_true(before.budget.epsilon == 20 && before.budget.delta == 1e-6);
  assert_int_equal(check_spent_on(ledger, edges, "edge").charges, 0);
  CHECK_OK(sotto_ledger_know(ledger, edges, digest, "sbm", &err));
  CHECK_OK(sotto_ledger_know(ledger, edges, digest, "sbm", &err));
  sotto_spent after = check_spent_on(ledger, edges, "edge");
  assert_true(after.charges == 5 && after.epsilon == before.epsilon && after.budget.epsilon == 20);
  assert_true(check_spent_on(ledger, edges, "node").budget.epsilon == 60);
  /* The same charge is found again, for a run that is resumed. */
  sotto_charge charge = check_gaussian_charge(rows[0].id, rows[0].mu), big = check_gaussian_charge("new", 9);
  CHECK_OK(sotto_ledger_charge(ledger, edges, "sbm", &charge, 1, &err));
  assert_int_equal(check_spent_on(ledger, edges, "edge").charges, 5);
  CHECK_FAILS(SOTTO_REFUSED, "budget is 20", sotto_ledger_charge(ledger, edges, "sbm", &big, 1, &err));
  /* A second dataset with the same edges and a lower budget: the stricter of both holds. */
  CHECK_OK(sotto_ledger_set_budget(ledger, named, "other", "edge", &low, "", &err));
  CHECK_OK(sotto_ledger_know(ledger, edges, named, "sbm", &err));
  after = check_spent_on(ledger, edges, "edge");
  assert_true(after.budget.epsilon == 5 && after.budget.delta == 1e-7);
  sotto_ledger_close(ledger);
}

static void what_was_changed_before_is_refused_and_left_as_it_is(void **state) {
  (void)state;
  static const struct {
    const char *sql, *words;
  } changes[] = {
      {"UPDATE charge SET mu = 0.1 WHERE number = 1", "totals"},
      {"DELETE FROM charge WHERE number = 2", "totals"},
      {"DELETE FROM account", "no account"},
      {"CREATE TRIGGER quiet BEFORE INSERT ON charge BEGIN SELECT RAISE(IGNORE); END", "not a ledger's"},
      {"CREATE VIEW v AS SELECT * FROM charge", "not a ledger's"}};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    static old_row rows[most];
    sotto_ledger *ledger;
    const char *path = old_ledger(true);
    check_tamper(path, changes[i].sql);
    size_t count = read_old(rows, path);
    CHECK_FAILS(SOTTO_CORRUPT, changes[i].words, sotto_ledger_open(&ledger, path, &err));
    assert_int_equal(read_old(rows, path), count);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_charge_is_taken_over_and_a_copy_kept),
      cmocka_unit_test(the_old_account_and_its_budget_become_part_of_the_new_one),
      cmocka_unit_test(what_was_changed_before_is_refused_and_left_as_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
