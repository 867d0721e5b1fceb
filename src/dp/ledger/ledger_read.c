/* Reading the ledger row by row: for people, and to verify its totals. */
#include "base/error.h"
#include "ledger.h"

#include <string.h>

static const char *text_of(sqlite3_stmt *s, int column) {
  const char *text = (const char *)sqlite3_column_text(s, column);
  return text == NULL ? "" : text;
}

static bool read_row(sqlite3_stmt *s, sotto_ledger_row *row) {
  const void *digest = sqlite3_column_blob(s, 0);
  if (digest == NULL || sqlite3_column_bytes(s, 0) != (int)sizeof row->digest) return false;
  memcpy(row->digest, digest, sizeof row->digest);
  row->name = text_of(s, 1);
  row->time = text_of(s, 2);
  row->charge = (sotto_charge){.id = text_of(s, 3),
                               .run = text_of(s, 4),
                               .mechanism = text_of(s, 5),
                               .adjacency = text_of(s, 6),
                               .description = text_of(s, 7),
                               .mu = sqlite3_column_double(s, 8),
                               .epsilon = sqlite3_column_double(s, 9),
                               .insecure = sqlite3_column_int(s, 10) != 0};
  return true;
}

sotto_status sotto_ledger_visit(sotto_ledger *ledger, const uint8_t *digest,
                                int (*visit)(void *context, const sotto_ledger_row *row), void *context,
                                sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_ledger_prepare(ledger, &s,
                                               "SELECT digest, name, time, id, run, mechanism, adjacency, "
                                               "description, mu, epsilon, insecure FROM charge"
                                               " WHERE ?1 IS NULL OR digest = ?1 ORDER BY number",
                                               err);
  if (status != SOTTO_OK) return status;
  int code = digest == NULL ? SQLITE_OK : sqlite3_bind_blob(s, 1, digest, 32, SQLITE_STATIC);
  if (code == SQLITE_OK)
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
      sotto_ledger_row row;
      if (!read_row(s, &row)) {
        code = SQLITE_CORRUPT;
        break;
      }
      if (visit(context, &row) != 0) break;
    }
  if (code != SQLITE_DONE && code != SQLITE_ROW) status = sotto_i_ledger_fail(ledger, code, "read it", err);
  (void)sqlite3_finalize(s);
  return status;
}

/* Adds up one account's charges, in the order in which they were made, so that the floating-point sums are
 * the very ones that the account must hold. Returns SQLITE_DONE when they agree, SQLITE_CORRUPT when not. */
static int verify_account(sqlite3_stmt *account, sqlite3_stmt *charges, sqlite3_int64 *seen) {
  (void)sqlite3_reset(charges);
  int code = sqlite3_bind_value(charges, 1, sqlite3_column_value(account, 0));
  if (code == SQLITE_OK) code = sqlite3_bind_value(charges, 2, sqlite3_column_value(account, 1));
  if (code != SQLITE_OK) return code;
  sqlite3_int64 count = 0;
  double mu_squared = 0, pure_epsilon = 0;
  while ((code = sqlite3_step(charges)) == SQLITE_ROW) {
    double mu = sqlite3_column_double(charges, 0);
    mu_squared += mu * mu;
    pure_epsilon += sqlite3_column_double(charges, 1);
    count++;
  }
  *seen += count;
  bool agree = count == sqlite3_column_int64(account, 2) && mu_squared == sqlite3_column_double(account, 3) &&
               pure_epsilon == sqlite3_column_double(account, 4);
  return code == SQLITE_DONE && !agree ? SQLITE_CORRUPT : code;
}

sotto_status sotto_i_ledger_verify(const sotto_ledger *ledger, sotto_error *err) {
  sqlite3_stmt *accounts = NULL, *charges = NULL, *all = NULL;
  sqlite3_int64 seen = 0;
  int code;
  sotto_status status;
  /* One transaction: a charge that another process makes meanwhile is either in both sums or in neither. */
  SOTTO_TRY(sotto_i_ledger_run(ledger, "BEGIN", "check it", err));
  SOTTO_TRY(sotto_i_ledger_prepare(
      ledger, &accounts, "SELECT digest, adjacency, charges, mu_squared, pure_epsilon FROM account", err));
  SOTTO_TRY(sotto_i_ledger_prepare(
      ledger, &charges, "SELECT mu, epsilon FROM charge WHERE digest = ?1 AND adjacency = ?2 ORDER BY number",
      err));
  SOTTO_TRY(sotto_i_ledger_prepare(ledger, &all, "SELECT count(*) FROM charge", err));
  while ((code = sqlite3_step(accounts)) == SQLITE_ROW) {
    code = verify_account(accounts, charges, &seen);
    if (code != SQLITE_DONE) break;
  }
  if (code == SQLITE_DONE && (code = sqlite3_step(all)) == SQLITE_ROW)
    code = sqlite3_column_int64(all, 0) == seen ? SQLITE_DONE : SQLITE_CORRUPT;
  if (code == SQLITE_CORRUPT)
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: the totals of an account differ from the sum of its charges: the ledger was "
                          "changed by other means; restore it from a backup",
                          ledger->path);
  else if (code != SQLITE_DONE)
    status = sotto_i_ledger_fail(ledger, code, "check it", err);
done:
  (void)sqlite3_finalize(accounts);
  (void)sqlite3_finalize(charges);
  (void)sqlite3_finalize(all);
  sotto_i_ledger_rollback(ledger);
  return status;
}
