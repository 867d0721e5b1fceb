/* Ledgers of version 1, which had tables of charges, accounts and draws: each charge becomes an entry, with
 * the time that it has, each budget an entry after them. A copy of the file is kept beside it. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "ledger.h"

static const char *text_of(sqlite3_stmt *s, int column) {
  const char *text = (const char *)sqlite3_column_text(s, column);
  return text == NULL ? "" : text;
}

static sotto_status damaged(const sotto_ledger *ledger, const char *what, sotto_error *err) {
  return sotto_i_fail(
      err, SOTTO_CORRUPT,
      "%s: is a ledger of version 1 that was changed by other means (%s); restore it from a backup",
      ledger->store.path, what);
}

/* The totals that version 1 kept, against its charges. */
static sotto_status check_old(const sotto_ledger *ledger, sotto_error *err) {
  static const struct {
    const char *sql, *what;
  } checks[] = {
      {"SELECT count(*) FROM sqlite_schema WHERE name NOT IN ('charge', 'charge_of_account', 'account', "
       "'draw',"
       " 'draw_of_part', 'sqlite_sequence', 'sqlite_autoindex_charge_1', 'sqlite_autoindex_account_1',"
       " 'sqlite_autoindex_draw_1') OR type NOT IN ('table', 'index')",
       "it has objects that are not a ledger's"},
      {"SELECT count(*) FROM account AS a WHERE charges <> (SELECT count(*) FROM charge AS c"
       " WHERE c.digest = a.digest AND c.adjacency = a.adjacency) OR"
       " abs(mu_squared - (SELECT total(mu * mu) FROM charge AS c WHERE c.digest = a.digest AND"
       " c.adjacency = a.adjacency)) > 1e-9 * mu_squared OR"
       " abs(pure_epsilon - (SELECT total(epsilon) FROM charge AS c WHERE c.digest = a.digest AND"
       " c.adjacency = a.adjacency)) > 1e-9 * pure_epsilon",
       "the totals of an account differ from the sum of its charges"},
      {"SELECT count(*) FROM charge AS c WHERE NOT EXISTS (SELECT 1 FROM account AS a"
       " WHERE c.digest = a.digest AND c.adjacency = a.adjacency)",
       "a charge has no account"},
      {"SELECT count(*) FROM charge WHERE adjacency NOT IN ('edge', 'node') OR length(digest) <> 32"
       " OR mu < 0 OR epsilon < 0 OR mu > 1e300 OR epsilon > 1e300",
       "a charge that no ledger makes"}};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
    sqlite3_int64 wrong = 0;
    SOTTO_TRY(sotto_i_store_query(&ledger->store, &wrong, checks[i].sql, err));
    if (wrong > 0) return damaged(ledger, checks[i].what, err);
  }
done:
  return status;
}

/* Calls `add` for each row. */
static sotto_status each(sotto_ledger *ledger, const char *sql,
                         sotto_status (*add)(sotto_ledger *ledger, sqlite3_stmt *row, sotto_error *err),
                         sotto_error *err) {
  sqlite3_stmt *s = NULL;
  int code;
  sotto_status status = sotto_i_store_prepare(&ledger->store, &s, sql, err);
  if (status != SOTTO_OK) return status;
  while ((code = sqlite3_step(s)) == SQLITE_ROW && status == SOTTO_OK) status = add(ledger, s, err);
  if (status == SOTTO_OK && code != SQLITE_DONE)
    status = sotto_i_store_fail(&ledger->store, code, "read its charges", err);
  (void)sqlite3_finalize(s);
  return status;
}

static sotto_status take_digest(uint8_t out[32], const sotto_ledger *ledger, sqlite3_stmt *row,
                                sotto_error *err) {
  if (sqlite3_column_bytes(row, 0) != 32) return damaged(ledger, "a digest is not whole", err);
  memcpy(out, sqlite3_column_blob(row, 0), 32);
  return SOTTO_OK;
}

static sotto_status add_charge(sotto_ledger *ledger, sqlite3_stmt *row, sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_CHARGE,
                     .level = text_of(row, 1),
                     .id = text_of(row, 2),
                     .name = text_of(row, 3),
                     .time = text_of(row, 4),
                     .run = text_of(row, 5),
                     .mechanism = text_of(row, 6),
                     .reason = text_of(row, 7),
                     .mu = sqlite3_column_double(row, 8),
                     .epsilon = sqlite3_column_double(row, 9),
                     .insecure = sqlite3_column_int(row, 10) != 0,
                     .among = (const char *)sqlite3_column_text(row, 11),
                     .part = (uint64_t)sqlite3_column_int64(row, 12)};
  sotto_status status = take_digest(e.account, ledger, row, err);
  if (sqlite3_column_int(row, 13) != 0) { /* a charge at node level counts at edge level by itself */
    e.kind = SOTTO_I_ENTRY_DRAW;
    e.reason = "counted with the charge at node level";
  }
  return status == SOTTO_OK ? sotto_i_ledger_add(ledger, &e, err) : status;
}

static sotto_status add_draw(sotto_ledger *ledger, sqlite3_stmt *row, sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_DRAW,
                     .level = text_of(row, 1),
                     .id = text_of(row, 2),
                     .among = text_of(row, 3),
                     .part = (uint64_t)sqlite3_column_int64(row, 4)};
  sotto_status status = take_digest(e.account, ledger, row, err);
  return status == SOTTO_OK ? sotto_i_ledger_add(ledger, &e, err) : status;
}

static sotto_status add_budget(sotto_ledger *ledger, sqlite3_stmt *row, sotto_error *err) {
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_BUDGET,
                     .level = text_of(row, 1),
                     .name = text_of(row, 2),
                     .epsilon = sqlite3_column_double(row, 3),
                     .delta = sqlite3_column_double(row, 4),
                     .reason = "from a ledger of version 1"};
  sotto_status status = take_digest(e.account, ledger, row, err);
  return status == SOTTO_OK ? sotto_i_ledger_add(ledger, &e, err) : status;
}

static sotto_status take_over(sotto_ledger *ledger, sotto_error *err) {
  static const char draws[] =
      "CREATE TABLE IF NOT EXISTS draw (digest BLOB NOT NULL CHECK (length(digest) = 32),"
      " adjacency TEXT NOT NULL, id TEXT NOT NULL, among TEXT NOT NULL, part INTEGER NOT NULL,"
      " PRIMARY KEY (digest, adjacency, id)) STRICT";
  sotto_status status;
  SOTTO_TRY(check_old(ledger, err));
  SOTTO_TRY(sotto_i_store_run(&ledger->store, draws, "read its draws", err));
  SOTTO_TRY(sotto_i_store_run(&ledger->store, sotto_i_store_tables, "make its tables", err));
  SOTTO_TRY(sotto_i_ledger_genesis(ledger, false, err));
  SOTTO_TRY(
      each(ledger,
           "SELECT c.digest, c.adjacency, c.id, name, time, run, mechanism, description, mu, epsilon,"
           " insecure, among, part, EXISTS (SELECT 1 FROM charge AS n WHERE n.digest = c.digest AND"
           " n.adjacency = 'node' AND c.adjacency = 'edge' AND n.mu = c.mu AND n.epsilon = c.epsilon AND"
           " c.id LIKE '%-edge%' AND n.id IN (replace(c.id, '-edge', ''), replace(c.id, '-edge', '-node'))) "
           "FROM charge AS c LEFT JOIN draw AS d "
           "ON d.digest = c.digest"
           " AND d.adjacency = c.adjacency AND d.id = c.id ORDER BY c.number",
           add_charge, err));
  SOTTO_TRY(each(ledger,
                 "SELECT digest, adjacency, id, among, part FROM draw WHERE id NOT IN (SELECT id FROM charge)"
                 " ORDER BY rowid",
                 add_draw, err));
  SOTTO_TRY(each(ledger,
                 "SELECT digest, adjacency, name, budget_epsilon, budget_delta FROM account"
                 " WHERE budget_epsilon > 0",
                 add_budget, err));
  SOTTO_TRY(sotto_i_store_run(&ledger->store, "DROP TABLE charge; DROP TABLE account; DROP TABLE draw;",
                              "remove its old tables", err));
  SOTTO_TRY(sotto_i_ledger_commit(ledger, err));
done:
  return status;
}

/* To the first name that is free: an attempt that failed left its copy. */
static sotto_status keep_copy(const sotto_ledger *ledger, sotto_error *err) {
  char path[4200];
  sotto_error failed = {0};
  for (int i = 1; i < 100; i++) {
    (void)snprintf(path, sizeof path, i == 1 ? "%.4096s.version-1" : "%.4096s.version-1.%d",
                   ledger->store.path, i);
    failed = (sotto_error){0};
    if (sotto_i_store_backup(&ledger->store, path, &failed) != SOTTO_INVALID) break;
  }
  return failed.status == SOTTO_OK ? SOTTO_OK : sotto_i_fail(err, failed.status, "%s", failed.text);
}

sotto_status sotto_i_ledger_migrate(sotto_ledger *ledger, sotto_error *err) {
  int version = 0;
  sotto_status status;
  (void)pthread_mutex_lock(&ledger->lock); /* as sotto_i_ledger_begin does, and sotto_i_ledger_end undoes */
  SOTTO_TRY(sotto_i_store_check_pages(&ledger->store, err));
  SOTTO_TRY(keep_copy(ledger, err));
  SOTTO_TRY(sotto_i_store_run(&ledger->store, "BEGIN IMMEDIATE", "begin its new tables", err));
  SOTTO_TRY(sotto_i_store_version(&version, &ledger->store, err));
  if (version == 1) SOTTO_TRY(take_over(ledger, err)); /* else another process was faster */
done:
  sotto_i_ledger_end(ledger);
  return status;
}
