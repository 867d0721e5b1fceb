/* The tables of a ledger, and the check that a file has exactly these. */
#include <string.h>

#include "store.h"

#define ENTRY                                                                                                \
  "CREATE TABLE entry (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, text TEXT NOT NULL,"        \
  " hash BLOB NOT NULL CHECK (length(hash) = 32)) STRICT"
#define HEAD                                                                                                 \
  "CREATE TABLE head (one INTEGER PRIMARY KEY CHECK (one = 1), count INTEGER NOT NULL,"                      \
  " hash BLOB NOT NULL, signature BLOB NOT NULL) STRICT"

const char sotto_i_store_tables[] =
    ENTRY "; " HEAD "; INSERT INTO head VALUES (1, 0, zeroblob(32), zeroblob(64));"
          "PRAGMA application_id = 1399813236;" /* 0x536f7474 */
          "PRAGMA user_version = 2;";

/* In the order of the query below. */
static const struct {
  const char *type, *name, *table, *sql;
} objects[] = {{"index", "sqlite_autoindex_entry_1", "entry", ""},
               {"table", "entry", "entry", ENTRY},
               {"table", "head", "head", HEAD},
               {"table", "sqlite_sequence", "sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)"}};
enum { object_count = sizeof objects / sizeof *objects };

static const char *text_of(sqlite3_stmt *s, int column) {
  const char *text = (const char *)sqlite3_column_text(s, column);
  return text == NULL ? "" : text;
}

static bool is_expected(sqlite3_stmt *s, size_t at) {
  return at < object_count && strcmp(text_of(s, 0), objects[at].type) == 0 &&
         strcmp(text_of(s, 1), objects[at].name) == 0 && strcmp(text_of(s, 2), objects[at].table) == 0 &&
         strcmp(text_of(s, 3), objects[at].sql) == 0;
}

static sotto_status compare_schema(const sotto_i_store *store, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  size_t at = 0;
  int code;
  sotto_status status = sotto_i_store_prepare(
      store, &s, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name", err);
  if (status != SOTTO_OK) return status;
  while ((code = sqlite3_step(s)) == SQLITE_ROW && is_expected(s, at)) at++;
  if (code == SQLITE_ROW)
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: the %.20s '%.60s' is not part of a ledger: the file was changed; restore "
                          "it from a backup",
                          store->path, text_of(s, 0), text_of(s, 1));
  else if (code != SQLITE_DONE)
    status = sotto_i_store_fail(store, code, "read it", err);
  else if (at < object_count)
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: the %s '%s' is missing: the file was changed; restore it from a backup",
                          store->path, objects[at].type, objects[at].name);
  (void)sqlite3_finalize(s);
  return status;
}

sotto_status sotto_i_store_check_schema(sotto_i_store *store, sotto_error *err) {
  sqlite3_int64 version = 0;
  int known = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_store_query(store, &version, "PRAGMA schema_version", err));
  if (version == store->checked) return SOTTO_OK;
  SOTTO_TRY(sotto_i_store_version(&known, store, err));
  SOTTO_TRY(compare_schema(store, err));
  store->checked = version;
done:
  return status;
}
