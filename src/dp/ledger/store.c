/* The ledger's file: its path, its schema, and its connection.
 *
 * It has a rollback journal with synchronous=EXTRA. A committed charge is synced to the file itself before
 * the call returns, so a copy of the file has every charge. A process killed at any moment leaves the whole
 * charge or none of it. Two processes may work at once: each change is one BEGIN IMMEDIATE transaction, which
 * waits for the other's. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum {
  application_id = 0x536f7474, /* "Sott" */
  busy_milliseconds = 60000,
};

sotto_status sotto_i_store_fail(const sotto_i_store *store, int code, const char *doing, sotto_error *err) {
  switch (code & 0xff) {
  case SQLITE_NOMEM:
    return sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory to %s", store->path, doing);
  case SQLITE_FULL:
    return sotto_i_fail(err, SOTTO_IO, "%s: could not %s: %s", store->path, doing,
                        sotto_i_errno_text(ENOSPC));
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
  case SQLITE_CONSTRAINT:
    return sotto_i_fail(err, SOTTO_CORRUPT, "%s: is damaged or not a ledger (%s): restore it from a backup",
                        store->path, sqlite3_errstr(code));
  case SQLITE_BUSY:
    return sotto_i_fail(err, SOTTO_IO, "%s: could not %s: another process has held it for %d seconds",
                        store->path, doing, busy_milliseconds / 1000);
  default:
    return sotto_i_fail(err, SOTTO_IO, "%s: could not %s: %s", store->path, doing, sqlite3_errstr(code));
  }
}

sotto_status sotto_i_store_run(const sotto_i_store *store, const char *sql, const char *doing,
                               sotto_error *err) {
  int code = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? SOTTO_OK : sotto_i_store_fail(store, code, doing, err);
}

sotto_status sotto_i_store_prepare(const sotto_i_store *store, sqlite3_stmt **out, const char *sql,
                                   sotto_error *err) {
  int code = sqlite3_prepare_v2(store->db, sql, -1, out, NULL);
  if (code == SQLITE_OK) return SOTTO_OK;
  /* A missing table or column means that the file was changed. */
  if ((code & 0xff) == SQLITE_ERROR) code = SQLITE_CORRUPT;
  return sotto_i_store_fail(store, code, "read it", err);
}

void sotto_i_store_rollback(const sotto_i_store *store) {
  if (!sqlite3_get_autocommit(store->db)) (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

sotto_status sotto_i_store_query(const sotto_i_store *store, sqlite3_int64 *out, const char *sql,
                                 sotto_error *err) {
  sqlite3_stmt *statement = NULL;
  sotto_status status = sotto_i_store_prepare(store, &statement, sql, err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW)
    *out = sqlite3_column_int64(statement, 0);
  else
    status = sotto_i_store_fail(store, code == SQLITE_DONE ? SQLITE_CORRUPT : code, "read it", err);
  (void)sqlite3_finalize(statement);
  return status;
}

static sotto_status read_version(int *out, const sotto_i_store *store, sotto_error *err) {
  sqlite3_int64 id = 0, version = 0, tables = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_store_query(store, &id, "PRAGMA application_id", err));
  SOTTO_TRY(sotto_i_store_query(store, &version, "PRAGMA user_version", err));
  SOTTO_TRY(sotto_i_store_query(store, &tables, "SELECT count(*) FROM sqlite_schema", err));
  *out = (int)version;
  if (id == 0 && version == 0 && tables == 0) return SOTTO_OK;
  if (id == application_id && version == SOTTO_I_LEDGER_VERSION) return SOTTO_OK;
  if (id == application_id && version > SOTTO_I_LEDGER_VERSION)
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "%s: is a ledger of version %lld, newer than this program reads (%d): use a newer one", store->path,
        (long long)version, SOTTO_I_LEDGER_VERSION);
  return sotto_i_fail(err, SOTTO_CORRUPT, "%s: is a database, but not a ledger", store->path);
done:
  return status;
}

/* All is read at one moment: another process may be making the tables. */
sotto_status sotto_i_store_version(int *out, const sotto_i_store *store, sotto_error *err) {
  sotto_status status = sotto_i_store_run(store, "SAVEPOINT version", "read its version", err);
  if (status != SOTTO_OK) return status;
  status = read_version(out, store, err);
  const sotto_status ended =
      sotto_i_store_run(store, "RELEASE version", "read its version", status == SOTTO_OK ? err : NULL);
  return status == SOTTO_OK ? ended : status;
}

sotto_status sotto_i_store_settle(const sotto_i_store *store, sotto_error *err) {
  return sotto_i_store_run(store, "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = EXTRA",
                           "open it for writing", err);
}

sotto_status sotto_i_store_check_pages(const sotto_i_store *store, sotto_error *err) {
  sqlite3_stmt *statement = NULL;
  sotto_status status = sotto_i_store_prepare(store, &statement, "PRAGMA quick_check(1)", err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_step(statement);
  const char *answer = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  if (code != SQLITE_ROW)
    status = sotto_i_store_fail(store, code, "check it", err);
  else if (answer == NULL || strcmp(answer, "ok") != 0)
    status = sotto_i_store_fail(store, SQLITE_CORRUPT, "check it", err);
  (void)sqlite3_finalize(statement);
  return status;
}

sotto_status sotto_i_store_place(char **out, bool *named, const char *path, sotto_error *err) {
  const char *given = getenv("SOTTO_LEDGER"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  if (path == NULL && given != NULL && given[0] != '\0') path = given;
  *named = path != NULL;
  if (*named) return sotto_i_strdup(out, path, err);
  if (data != NULL && data[0] == '/') return sotto_i_join(out, data, "sotto/ledger.db", err);
  if (home != NULL && home[0] != '\0') return sotto_i_join(out, home, ".local/share/sotto/ledger.db", err);
  return sotto_i_fail(err, SOTTO_IO, "no place for the ledger: set SOTTO_LEDGER to a path");
}

static sotto_status make_folder_of(const char *path, sotto_error *err) {
  char *folder = NULL;
  sotto_status status = sotto_i_strdup(&folder, path, err);
  if (status != SOTTO_OK) return status;
  char *slash = strrchr(folder, '/');
  if (slash != NULL && slash != folder) {
    *slash = '\0';
    if (!sotto_i_is_folder(folder)) status = sotto_i_make_folder(folder, err);
  }
  sotto_i_free(folder);
  if (status != SOTTO_NOT_FOUND) return status;
  if (err != NULL) err->status = SOTTO_IO;
  return SOTTO_IO;
}

sotto_status sotto_i_store_make(bool *made, const char *path, sotto_error *err) {
  sotto_status status = make_folder_of(path, err);
  if (status != SOTTO_OK) return status;
  int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  *made = descriptor >= 0;
  if (descriptor < 0 && errno != EEXIST)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not make the ledger: %s", path, sotto_i_errno_text(errno));
  if (descriptor >= 0) close(descriptor);
  return SOTTO_OK;
}

sotto_status sotto_i_store_connect(sotto_i_store *store, sotto_error *err) {
  char *named = NULL;
  sotto_status status = SOTTO_OK;
  /* "./" keeps SQLite from giving a meaning to names such as ":memory:". */
  if (store->path[0] != '/') SOTTO_TRY(sotto_i_join(&named, ".", store->path, err));
  int code = sqlite3_open_v2(named == NULL ? store->path : named, &store->db,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX | SQLITE_OPEN_PRIVATECACHE, NULL);
  if (code != SQLITE_OK) status = sotto_i_store_fail(store, code, "open it", err);
  if (status == SOTTO_OK) {
    static const int settings[][2] = {{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                      {SQLITE_DBCONFIG_ENABLE_VIEW, 0}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
      (void)sqlite3_db_config(store->db, settings[i][0], settings[i][1], NULL);
    (void)sqlite3_busy_timeout(store->db, busy_milliseconds);
  }
done:
  sotto_i_free(named);
  return status;
}
