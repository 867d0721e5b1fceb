/* The ledger's file as SQLite has it: place, connection, schema. */
#ifndef SOTTO_SRC_DP_LEDGER_STORE_H
#define SOTTO_SRC_DP_LEDGER_STORE_H

#include <sqlite3.h>

#include "base/error.h"

typedef struct sotto_i_store {
  sqlite3 *db;
  char *path;
  sqlite3_int64 checked; /* version of the schema that was looked at; 0: none */
} sotto_i_store;

enum { SOTTO_I_LEDGER_VERSION = 2 };
/* Tables of a new ledger; inside a transaction. */
extern const char sotto_i_store_tables[];

/* The path as given, else $SOTTO_LEDGER: *named; else the place in the user's data folder. */
sotto_status sotto_i_store_place(char **out, bool *named, const char *path, sotto_error *err);
/* Makes an empty file (0600) in a folder (0700); SQLite gives its journal the mode of the file. *made: no
 * file was there. */
sotto_status sotto_i_store_make(bool *made, const char *path, sotto_error *err);
/* Opens the file at store->path, which exists. Nothing that the file itself holds can run. */
sotto_status sotto_i_store_connect(sotto_i_store *store, sotto_error *err);
/* 0: there is nothing in it; else its version, up to ours. Changes nothing, so that another program's
 * database is left as it was. Errors: CORRUPT. */
sotto_status sotto_i_store_version(int *out, const sotto_i_store *store, sotto_error *err);
/* Chooses the journal. */
sotto_status sotto_i_store_settle(const sotto_i_store *store, sotto_error *err);
sotto_status sotto_i_store_check_pages(const sotto_i_store *store, sotto_error *err);
/* All objects of the schema are those that a ledger has, and no others. Errors: CORRUPT, naming the object.
 */
sotto_status sotto_i_store_check_schema(sotto_i_store *store, sotto_error *err);

/* ledger_backup.c: copies it to a new file. Errors: INVALID (a file is there), IO. */
sotto_status sotto_i_store_backup(const sotto_i_store *from, const char *path, sotto_error *err);

/* Turns a failed SQLite call into a status and "PATH: could not DOING: reason". */
sotto_status sotto_i_store_fail(const sotto_i_store *store, int code, const char *doing, sotto_error *err);
/* Runs statements that give no rows. */
sotto_status sotto_i_store_run(const sotto_i_store *store, const char *sql, const char *doing,
                               sotto_error *err);
/* Prepares one statement; finalize it with sqlite3_finalize (NULL is fine, and what a failure leaves). */
sotto_status sotto_i_store_prepare(const sotto_i_store *store, sqlite3_stmt **out, const char *sql,
                                   sotto_error *err);
/* The first column of a one-row query, as an integer. */
sotto_status sotto_i_store_query(const sotto_i_store *store, sqlite3_int64 *out, const char *sql,
                                 sotto_error *err);
/* Ends a transaction without a trace; harmless when none is open. */
void sotto_i_store_rollback(const sotto_i_store *store);

#endif
