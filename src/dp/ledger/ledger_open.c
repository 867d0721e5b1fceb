/* The ledger's file: where it lies, its schema, what is checked when it is opened.
 *
 * WAL with synchronous=FULL: a committed charge has been synced before the call returns, and a process killed
 * at any moment leaves either the whole charge or none of it. Two processes may work at once: each change is
 * one BEGIN IMMEDIATE transaction, which waits for the other's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "ledger.h"

enum {
  application_id = 0x536f7474, /* "Sott" */
  schema_version = 1,
  busy_milliseconds = 60000,
};

/* account: running totals, so that a charge costs the same whether it is the first or the millionth. */
static const char schema[] =
    "CREATE TABLE charge (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
    " digest BLOB NOT NULL CHECK (length(digest) = 32), name TEXT NOT NULL, time TEXT NOT NULL,"
    " run TEXT NOT NULL, mechanism TEXT NOT NULL, adjacency TEXT NOT NULL, description TEXT NOT NULL,"
    " mu REAL NOT NULL, epsilon REAL NOT NULL, insecure INTEGER NOT NULL) STRICT;"
    "CREATE INDEX charge_of_account ON charge (digest, adjacency, number);"
    "CREATE TABLE account (digest BLOB NOT NULL CHECK (length(digest) = 32), adjacency TEXT NOT NULL,"
    " name TEXT NOT NULL, charges INTEGER NOT NULL, mu_squared REAL NOT NULL, pure_epsilon REAL NOT NULL,"
    " budget_epsilon REAL NOT NULL, budget_delta REAL NOT NULL, PRIMARY KEY (digest, adjacency)) STRICT;"
    "PRAGMA application_id = 1399813236;" /* 0x536f7474 */
    "PRAGMA user_version = 1;";

sotto_status sotto_i_ledger_fail(const sotto_ledger *ledger, int code, const char *doing, sotto_error *err) {
  switch (code & 0xff) {
  case SQLITE_NOMEM:
    return sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory to %s", ledger->path, doing);
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
  case SQLITE_CONSTRAINT:
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: is damaged or not a ledger (%s): restore it from a backup",
                        ledger->path, sqlite3_errstr(code));
  case SQLITE_BUSY:
    return sotto_i_fail(err, SOTTO_IO, "%s: could not %s: another process has held it for %d seconds",
                        ledger->path, doing, busy_milliseconds / 1000);
  default:
    return sotto_i_fail(err, SOTTO_IO, "%s: could not %s: %s", ledger->path, doing, sqlite3_errstr(code));
  }
}

sotto_status sotto_i_ledger_run(const sotto_ledger *ledger, const char *sql, const char *doing,
                                sotto_error *err) {
  int code = sqlite3_exec(ledger->db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? SOTTO_OK : sotto_i_ledger_fail(ledger, code, doing, err);
}

sotto_status sotto_i_ledger_prepare(const sotto_ledger *ledger, sqlite3_stmt **out, const char *sql,
                                    sotto_error *err) {
  int code = sqlite3_prepare_v2(ledger->db, sql, -1, out, NULL);
  if (code == SQLITE_OK) return SOTTO_OK;
  /* A table or column that should be there is not: someone changed the file. */
  if ((code & 0xff) == SQLITE_ERROR) code = SQLITE_CORRUPT;
  return sotto_i_ledger_fail(ledger, code, "read it", err);
}

void sotto_i_ledger_rollback(const sotto_ledger *ledger) {
  if (!sqlite3_get_autocommit(ledger->db)) (void)sqlite3_exec(ledger->db, "ROLLBACK", NULL, NULL, NULL);
}

/* The first column of a one-row query, as an integer. */
static sotto_status query(const sotto_ledger *ledger, sqlite3_int64 *out, const char *sql, sotto_error *err) {
  sqlite3_stmt *statement = NULL;
  sotto_status status = sotto_i_ledger_prepare(ledger, &statement, sql, err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW)
    *out = sqlite3_column_int64(statement, 0);
  else
    status = sotto_i_ledger_fail(ledger, code == SQLITE_DONE ? SQLITE_CORRUPT : code, "read it", err);
  (void)sqlite3_finalize(statement);
  return status;
}

/* Whether the file is new (*fresh) or a ledger of this version. Changes nothing, so that another program's
 * database is left as it was. */
static sotto_status identify(const sotto_ledger *ledger, bool *fresh, sotto_error *err) {
  sqlite3_int64 id = 0, version = 0, tables = 0;
  sotto_status status;
  SOTTO_TRY(query(ledger, &id, "PRAGMA application_id", err));
  SOTTO_TRY(query(ledger, &version, "PRAGMA user_version", err));
  SOTTO_TRY(query(ledger, &tables, "SELECT count(*) FROM sqlite_schema", err));
  *fresh = id == 0 && version == 0 && tables == 0;
  if (*fresh || (id == application_id && version == schema_version)) return SOTTO_OK;
  if (id == application_id && version > schema_version)
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "%s: is a ledger of version %lld, newer than this program reads (%d): use a newer one", ledger->path,
        (long long)version, schema_version);
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: is a database, but not a ledger", ledger->path);
done:
  return status;
}

static sotto_status make_schema(const sotto_ledger *ledger, sotto_error *err) {
  bool fresh = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_ledger_run(ledger, "BEGIN IMMEDIATE", "begin its tables", err));
  SOTTO_TRY(identify(ledger, &fresh, err)); /* another process may have been faster */
  if (fresh) SOTTO_TRY(sotto_i_ledger_run(ledger, schema, "make its tables", err));
  SOTTO_TRY(sotto_i_ledger_run(ledger, "COMMIT", "make its tables", err));
done:
  sotto_i_ledger_rollback(ledger);
  return status;
}

/* SQLite does not wait when the change to WAL meets another process: so we do. */
static sotto_status use_wal(const sotto_ledger *ledger, sotto_error *err) {
  int code = SQLITE_BUSY;
  for (int waited = 0; waited < busy_milliseconds && (code & 0xff) == SQLITE_BUSY; waited += 5) {
    code = sqlite3_exec(ledger->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if ((code & 0xff) == SQLITE_BUSY) (void)sqlite3_sleep(5);
  }
  if (code != SQLITE_OK) return sotto_i_ledger_fail(ledger, code, "open it for writing", err);
  return sotto_i_ledger_run(ledger, "PRAGMA synchronous = FULL", "open it for writing", err);
}

static sotto_status check_pages(const sotto_ledger *ledger, sotto_error *err) {
  sqlite3_stmt *statement = NULL;
  sotto_status status = sotto_i_ledger_prepare(ledger, &statement, "PRAGMA quick_check(1)", err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_step(statement);
  const char *answer = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  if (code != SQLITE_ROW)
    status = sotto_i_ledger_fail(ledger, code, "check it", err);
  else if (answer == NULL || strcmp(answer, "ok") != 0)
    status = sotto_i_ledger_fail(ledger, SQLITE_CORRUPT, "check it", err);
  (void)sqlite3_finalize(statement);
  return status;
}

/* $SOTTO_LEDGER, else the user's data folder. */
static sotto_status default_path(char **out, sotto_error *err) {
  const char *given = getenv("SOTTO_LEDGER"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (given != NULL && given[0] != '\0') return sotto_i_strdup(out, given, err);
  if (data != NULL && data[0] == '/') return sotto_i_join(out, data, "sotto/ledger.db", err);
  if (home != NULL && home[0] != '\0') return sotto_i_join(out, home, ".local/share/sotto/ledger.db", err);
  return sotto_i_fail(err, SOTTO_IO, "no place for the ledger: set SOTTO_LEDGER to a path");
}

/* Makes the folder (0700) and an empty file (0600); SQLite gives its side files the mode of the file. */
static sotto_status make_file(const char *path, sotto_error *err) {
  char *folder = NULL;
  sotto_status status = sotto_i_strdup(&folder, path, err);
  if (status != SOTTO_OK) return status;
  char *slash = strrchr(folder, '/');
  if (slash != NULL && slash != folder) {
    *slash = '\0';
    if (!sotto_i_is_folder(folder)) status = sotto_i_make_folder(folder, err);
  }
  sotto_i_free(folder);
  if (status == SOTTO_NOT_FOUND) {
    if (err != NULL) err->status = SOTTO_IO;
    return SOTTO_IO;
  }
  if (status != SOTTO_OK) return status;
  int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not open the ledger: %s", path, strerror(errno));
  close(descriptor);
  return SOTTO_OK;
}

static sotto_status open_database(sotto_ledger *ledger, sotto_error *err) {
  char *named = NULL;
  sotto_status status = SOTTO_OK;
  /* "./" keeps SQLite from reading a meaning into names such as ":memory:". */
  if (ledger->path[0] != '/') SOTTO_TRY(sotto_i_join(&named, ".", ledger->path, err));
  int code = sqlite3_open_v2(named == NULL ? ledger->path : named, &ledger->db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
  if (code != SQLITE_OK) status = sotto_i_ledger_fail(ledger, code, "open it", err);
done:
  sotto_i_free(named);
  return status;
}

sotto_status sotto_ledger_open(sotto_ledger **out, const char *path, sotto_error *err) {
  *out = NULL;
  sotto_ledger *ledger = NULL;
  bool fresh = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&ledger, 1, sizeof *ledger, err));
  SOTTO_TRY(path == NULL ? default_path(&ledger->path, err) : sotto_i_strdup(&ledger->path, path, err));
  SOTTO_TRY(make_file(ledger->path, err));
  SOTTO_TRY(open_database(ledger, err));
  (void)sqlite3_busy_timeout(ledger->db, busy_milliseconds);
  SOTTO_TRY(sotto_i_ledger_run(ledger, "PRAGMA trusted_schema = OFF", "open it", err));
  SOTTO_TRY(identify(ledger, &fresh, err));
  SOTTO_TRY(use_wal(ledger, err));
  if (fresh) SOTTO_TRY(make_schema(ledger, err));
  SOTTO_TRY(check_pages(ledger, err));
  SOTTO_TRY(sotto_i_ledger_verify(ledger, err));
  *out = ledger;
  ledger = NULL;
done:
  sotto_ledger_close(ledger);
  return status;
}

void sotto_ledger_close(sotto_ledger *ledger) {
  if (ledger == NULL) return;
  (void)sqlite3_close(ledger->db);
  sotto_i_free(ledger->path);
  sotto_i_free(ledger);
}

const char *sotto_ledger_path(const sotto_ledger *ledger) {
  return ledger->path;
}
