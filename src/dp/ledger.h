/* The ledger's file: opening, checking, and small helpers over SQLite shared by the files of the ledger. */
#ifndef SOTTO_SRC_DP_LEDGER_H
#define SOTTO_SRC_DP_LEDGER_H

#include <sqlite3.h>

#include "sotto/dp.h"

struct sotto_ledger {
  sqlite3 *db;
  char *path;
};

/* Turns a failed SQLite call into a status and "PATH: could not DOING: reason". */
sotto_status sotto_i_ledger_fail(const sotto_ledger *ledger, int code, const char *doing, sotto_error *err);

/* Runs statements that give no rows. */
sotto_status sotto_i_ledger_run(const sotto_ledger *ledger, const char *sql, const char *doing,
                                sotto_error *err);

/* Prepares one statement; finalize it with sqlite3_finalize (NULL is fine, and what a failure leaves). */
sotto_status sotto_i_ledger_prepare(const sotto_ledger *ledger, sqlite3_stmt **out, const char *sql,
                                    sotto_error *err);

/* Ends a transaction without a trace; harmless when none is open. */
void sotto_i_ledger_rollback(const sotto_ledger *ledger);

/* Errors: INVALID, RANGE, when a charge is not one that a ledger takes. */
sotto_status sotto_i_ledger_check(const char *name, const sotto_charge *charges, size_t count,
                                  sotto_error *err);
/* Inside a transaction: writes what is new, then checks and saves the accounts it touched. Errors: REFUSED;
 * CORRUPT when an id stands for something else. */
sotto_status sotto_i_ledger_write(const sotto_ledger *ledger, const uint8_t digest[32], const char *name,
                                  const sotto_charge *charges, size_t count, sotto_error *err);

/* The totals of every account equal the sums over its charges (CORRUPT otherwise). */
sotto_status sotto_i_ledger_verify(const sotto_ledger *ledger, sotto_error *err);

#endif
