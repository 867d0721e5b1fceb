/* Receipts of charges, and draws of disjoint parts that one charge covers. */
#include "receipt.h"

#include <pthread.h>
#include <sodium.h>
#include <string.h>

#include "base/error.h"
#include "ledger.h"

/* The seal of this process: drawn once, then only read. */
static uint8_t seal[32];
static pthread_once_t drawn = PTHREAD_ONCE_INIT;

static void draw_seal(void) {
  randombytes_buf(seal, sizeof seal);
}

static void issue(sotto_i_receipt *out) {
  (void)pthread_once(&drawn, draw_seal);
  memcpy(out->seal, seal, sizeof out->seal);
}

bool sotto_i_receipt_holds(const sotto_i_receipt *receipt) {
  (void)pthread_once(&drawn, draw_seal);
  return sodium_memcmp(receipt->seal, seal, sizeof seal) == 0;
}

sotto_status sotto_i_receipt_charge(sotto_i_receipt *out, sotto_ledger *ledger, const uint8_t digest[32],
                                    const char *name, const sotto_charge *charges, size_t count,
                                    sotto_error *err) {
  memset(out, 0, sizeof *out);
  sotto_status status = sotto_ledger_charge(ledger, digest, name, charges, count, err);
  if (status == SOTTO_OK) issue(out);
  return status;
}

/* Made at the first draw: ledgers without one are read by earlier versions as before. */
static const char tables[] =
    "CREATE TABLE IF NOT EXISTS draw (digest BLOB NOT NULL CHECK (length(digest) = 32),"
    " adjacency TEXT NOT NULL, id TEXT NOT NULL, among TEXT NOT NULL, part INTEGER NOT NULL,"
    " PRIMARY KEY (digest, adjacency, id)) STRICT;"
    "CREATE INDEX IF NOT EXISTS draw_of_part ON draw (digest, adjacency, among, part);";

/* Runs a query whose parameters are ?1 digest, ?2 adjacency, ?3 a text, ?4 a number; *out gets the first
 * column of its row, if it has one. */
static sotto_status ask(const sotto_ledger *ledger, sqlite3_int64 *out, const char *sql,
                        const uint8_t digest[32], const char *adjacency, const char *text, uint32_t part,
                        sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_ledger_prepare(ledger, &s, sql, err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_bind_blob(s, 1, digest, 32, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 2, adjacency, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 3, text, -1, SQLITE_STATIC);
  if (code == SQLITE_OK && sqlite3_bind_parameter_count(s) > 3) code = sqlite3_bind_int64(s, 4, part);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code == SQLITE_ROW)
    *out = sqlite3_column_int64(s, 0);
  else
    status = sotto_i_ledger_fail(ledger, code, "count charges", err);
  (void)sqlite3_finalize(s);
  return status;
}

/* By the index of ids, in which those with one beginning lie side by side; '~' comes after all letters. */
static const char charges_sql[] = "SELECT count(*) FROM charge WHERE id >= ?3 AND id < ?3 || '~'"
                                  " AND +digest = ?1 AND +adjacency = ?2";

static sotto_status note(const sotto_ledger *ledger, const uint8_t digest[32], const sotto_charge *charge,
                         const char *among, uint32_t part, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_ledger_prepare(
      ledger, &s, "INSERT INTO draw (digest, adjacency, id, among, part) VALUES (?1, ?2, ?3, ?4, ?5)", err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_bind_blob(s, 1, digest, 32, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 2, charge->adjacency, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 3, charge->id, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 4, among, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(s, 5, part);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code != SQLITE_DONE) status = sotto_i_ledger_fail(ledger, code, "write a draw", err);
  (void)sqlite3_finalize(s);
  return status;
}

/* Inside a transaction. */
static sotto_status charge_draw(const sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                                const sotto_charge *charge, const char *among, uint32_t part,
                                sotto_error *err) {
  sqlite3_int64 known = 0, draws = 0, charges = 0;
  sotto_status status;
  SOTTO_TRY(ask(ledger, &known, "SELECT count(*) FROM draw WHERE digest = ?1 AND adjacency = ?2 AND id = ?3",
                digest, charge->adjacency, charge->id, part, err));
  if (known > 0) return SOTTO_OK;
  SOTTO_TRY(ask(ledger, &draws,
                "SELECT count(*) FROM draw WHERE digest = ?1 AND adjacency = ?2 AND among = ?3 AND part = ?4",
                digest, charge->adjacency, among, part, err));
  SOTTO_TRY(ask(ledger, &charges, charges_sql, digest, charge->adjacency, among, part, err));
  if (draws >= charges) SOTTO_TRY(sotto_i_ledger_write(ledger, digest, name, charge, 1, err));
  SOTTO_TRY(note(ledger, digest, charge, among, part, err));
done:
  return status;
}

sotto_status sotto_i_receipt_draw(sotto_i_receipt *out, sotto_ledger *ledger, const uint8_t digest[32],
                                  const char *name, const sotto_charge *charge, const char *among,
                                  uint32_t part, sotto_error *err) {
  sotto_status status;
  memset(out, 0, sizeof *out);
  SOTTO_TRY(sotto_i_ledger_check(name, charge, 1, err));
  SOTTO_TRY(sotto_i_ledger_run(ledger, "BEGIN IMMEDIATE", "begin a draw", err));
  SOTTO_TRY(sotto_i_ledger_run(ledger, tables, "make its list of draws", err));
  SOTTO_TRY(charge_draw(ledger, digest, name, charge, among, part, err));
  SOTTO_TRY(sotto_i_ledger_run(ledger, "COMMIT", "sync a draw", err));
  issue(out);
done:
  sotto_i_ledger_rollback(ledger);
  return status;
}

sotto_status sotto_i_ledger_count(sotto_ledger *ledger, uint64_t *out, const uint8_t digest[32],
                                  const char *adjacency, const char *beginning, sotto_error *err) {
  sqlite3_int64 count = 0;
  sotto_status status = ask(ledger, &count, charges_sql, digest, adjacency, beginning, 0, err);
  *out = (uint64_t)count;
  return status;
}
