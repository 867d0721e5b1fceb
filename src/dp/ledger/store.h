/* The ledger's SQLite file: path, connection, schema. */
#ifndef SOTTO_SRC_DP_LEDGER_STORE_H
#define SOTTO_SRC_DP_LEDGER_STORE_H

#include <sqlite3.h>

#include "base/error.h"

typedef struct sotto_i_store {
  sqlite3 *db;
  char *path;
  sqlite3_int64 checked; /* version of the schema that was checked; 0: none */
} sotto_i_store;

enum { SOTTO_I_LEDGER_VERSION = 2 };
/* SQL that makes the tables of a new ledger; inside a transaction. */
extern const char sotto_i_store_tables[];

/* The path of the ledger: `path`, else $SOTTO_LEDGER (both: *named), else the default in the user's data
 * folder. */
sotto_status sotto_i_store_place(char **out, bool *named, const char *path, sotto_error *err);
/* Makes an empty file (0600) in a folder (0700); SQLite gives its journal the mode of the file. *made is
 * false when a file exists. */
sotto_status sotto_i_store_make(bool *made, const char *path, sotto_error *err);
/* Opens the file at store->path, which exists. No code in the file can run. */
sotto_status sotto_i_store_connect(sotto_i_store *store, sotto_error *err);
/* The version of the file's tables, up to ours; 0 when it has none. Changes nothing, so that another
 * program's database stays as it is. Errors: CORRUPT. */
sotto_status sotto_i_store_version(int *out, const sotto_i_store *store, sotto_error *err);
/* Sets the journal's mode. */
sotto_status sotto_i_store_settle(const sotto_i_store *store, sotto_error *err);
sotto_status sotto_i_store_check_pages(const sotto_i_store *store, sotto_error *err);
/* Checks that the schema has all objects of a ledger, and no others. Errors: CORRUPT, naming the object. */
sotto_status sotto_i_store_check_schema(sotto_i_store *store, sotto_error *err);

/* Turns a failed SQLite call into a status and "PATH: could not DOING: reason". */
sotto_status sotto_i_store_fail(const sotto_i_store *store, int code, const char *doing, sotto_error *err);
/* Runs statements without result rows. */
sotto_status sotto_i_store_run(const sotto_i_store *store, const char *sql, const char *doing,
                               sotto_error *err);
/* Prepares one statement; finalize it with sqlite3_finalize, also after a failure (NULL is allowed). */
sotto_status sotto_i_store_prepare(const sotto_i_store *store, sqlite3_stmt **out, const char *sql,
                                   sotto_error *err);
/* The first column of a one-row query, as an integer. */
sotto_status sotto_i_store_query(const sotto_i_store *store, sqlite3_int64 *out, const char *sql,
                                 sotto_error *err);
/* Rolls a transaction back; harmless when none is open. */
void sotto_i_store_rollback(const sotto_i_store *store);

#endif
