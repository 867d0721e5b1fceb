/* Backup of a ledger that is in use. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "ledger.h"

/* SQLite's online backup. It restarts when another process writes, so the copy is of one moment. */
static int copy_pages(sqlite3 *to, sqlite3 *from) {
  sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
  if (backup == NULL) return sqlite3_errcode(to);
  int code;
  do {
    code = sqlite3_backup_step(backup, -1);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED) (void)sqlite3_sleep(5);
  } while (code == SQLITE_BUSY || code == SQLITE_LOCKED);
  int ended = sqlite3_backup_finish(backup);
  return code == SQLITE_DONE ? ended : code;
}

sotto_status sotto_ledger_backup(sotto_ledger *ledger, const char *path, sotto_error *err) {
  const sotto_i_store *from = &ledger->store;
  sotto_i_store copy = {.db = NULL};
  sotto_status status;
  int descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600), code;
  if (descriptor < 0 && errno == EEXIST)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: a file exists there; name another path for the backup",
                        path);
  if (descriptor < 0)
    return sotto_i_fail(err, SOTTO_IO, "%s: could not make the backup: %s", path, sotto_i_errno_text(errno));
  close(descriptor);
  SOTTO_TRY(sotto_i_strdup(&copy.path, path, err));
  SOTTO_TRY(sotto_i_store_connect(&copy, err));
  SOTTO_TRY(sotto_i_store_run(&copy, "PRAGMA synchronous = EXTRA", "write the backup", err));
  code = copy_pages(copy.db, from->db);
  if (code != SQLITE_OK) status = sotto_i_store_fail(&copy, code, "write the backup", err);
done:
  (void)sqlite3_close(copy.db);
  sotto_i_free(copy.path);
  if (status != SOTTO_OK) (void)unlink(path);
  return status;
}
