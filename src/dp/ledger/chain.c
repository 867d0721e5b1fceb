/* The chain: ordered entries, each with a hash over itself and the one before, and a signed head. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "ledger.h"

static sotto_status fail_broken(const sotto_ledger *ledger, int64_t number, const char *what,
                                sotto_error *err) {
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "%s: entry %lld %s: the ledger was changed by other means; restore it from a backup",
                      ledger->store.path, (long long)number, what);
}

/* Checks that a row with the columns number, id, text, hash follows the entries read so far, and adds it. */
static sotto_status add_row(sotto_ledger *ledger, sqlite3_stmt *s, sotto_error *err) {
  const char *id = (const char *)sqlite3_column_text(s, 1), *text = (const char *)sqlite3_column_text(s, 2);
  const void *kept = sqlite3_column_blob(s, 3);
  int64_t number = sqlite3_column_int64(s, 0), wanted = (int64_t)ledger->seen.count + 1;
  uint8_t hash[32];
  sotto_i_entry entry = {.time = NULL};
  sotto_status status;
  if (number != wanted) return fail_broken(ledger, wanted, "is missing", err);
  if (text == NULL || kept == NULL) return fail_broken(ledger, number, "is not whole", err);
  sotto_i_entry_hash(hash, ledger->seen.hash, text);
  if (sqlite3_column_bytes(s, 3) != 32 || memcmp(kept, hash, 32) != 0)
    return fail_broken(ledger, number, "does not follow from the one before", err);
  SOTTO_TRY(sotto_i_entry_read(&entry, text, err));
  if ((id == NULL) != (entry.id == NULL) || (id != NULL && strcmp(id, entry.id) != 0) ||
      (entry.kind == SOTTO_I_ENTRY_LEDGER) != (number == 1)) {
    status = fail_broken(ledger, number, "does not match its hash", err);
    goto done;
  }
  SOTTO_TRY(sotto_i_state_add(&ledger->state, &entry, err));
  memcpy(ledger->seen.hash, hash, 32);
  if (number == 1) memcpy(ledger->seen.ledger, hash, 32);
  ledger->seen.count++;
done:
  sotto_i_entry_free(&entry);
  return status;
}

/* Checks that the head matches the entries and is signed by the owner. */
static sotto_status check_head(sotto_ledger *ledger, bool changed, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status =
      sotto_i_store_prepare(&ledger->store, &s, "SELECT count, hash, signature FROM head", err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_step(s);
  sotto_i_head *seen = &ledger->seen;
  if (code != SQLITE_ROW) {
    status = sotto_i_store_fail(&ledger->store, code == SQLITE_DONE ? SQLITE_CORRUPT : code, "read it", err);
  } else if (sqlite3_column_int64(s, 0) != (sqlite3_int64)seen->count || sqlite3_column_bytes(s, 1) != 32 ||
             memcmp(sqlite3_column_blob(s, 1), seen->hash, 32) != 0 ||
             sqlite3_column_bytes(s, 2) != SOTTO_I_SIGNATURE) {
    status = sotto_i_fail(
        err, SOTTO_CORRUPT,
        "%s: has %llu entries, and its head says %lld: entries were added or removed at its end; "
        "restore it from a backup",
        ledger->store.path, (unsigned long long)seen->count, (long long)sqlite3_column_int64(s, 0));
  } else if (changed) {
    memcpy(seen->signature, sqlite3_column_blob(s, 2), SOTTO_I_SIGNATURE);
    if (!sotto_i_head_holds(seen, ledger->state.owner))
      status = sotto_i_fail(err, SOTTO_CORRUPT,
                            "%s: its head was not signed by the owner's key: the ledger was changed by other "
                            "means; restore it from a backup",
                            ledger->store.path);
  }
  (void)sqlite3_finalize(s);
  return status;
}

static sotto_status read_new_entries(sotto_ledger *ledger, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  const uint64_t before = ledger->seen.count;
  int code = SQLITE_OK;
  sotto_status status;
  SOTTO_TRY(sotto_i_store_prepare(
      &ledger->store, &s, "SELECT number, id, text, hash FROM entry WHERE number > ?1 ORDER BY number", err));
  code = sqlite3_bind_int64(s, 1, (sqlite3_int64)before);
  if (code == SQLITE_OK)
    while ((code = sqlite3_step(s)) == SQLITE_ROW) SOTTO_TRY(add_row(ledger, s, err));
  if (code != SQLITE_DONE) {
    status = sotto_i_store_fail(&ledger->store, code, "read it", err);
    goto done;
  }
  SOTTO_TRY(check_head(ledger, ledger->seen.count != before || before == 0, err));
done:
  (void)sqlite3_finalize(s);
  if (status != SOTTO_OK) { /* an entry may have been added in part */
    sotto_i_state_free(&ledger->state);
    ledger->seen = (sotto_i_head){.count = 0};
  }
  return status;
}

sotto_status sotto_i_ledger_begin(sotto_ledger *ledger, bool writes, sotto_error *err) {
  sotto_status status;
  (void)pthread_mutex_lock(&ledger->lock);
  sotto_i_store_rollback(&ledger->store); /* an earlier transaction that ran out of memory */
  SOTTO_TRY(sotto_i_store_run(&ledger->store, writes ? "BEGIN IMMEDIATE" : "BEGIN", "begin a change", err));
  SOTTO_TRY(sotto_i_store_check_schema(&ledger->store, err));
  SOTTO_TRY(read_new_entries(ledger, err));
  ledger->next = ledger->seen;
done:
  return status;
}

void sotto_i_ledger_end(sotto_ledger *ledger) {
  sotto_i_store_rollback(&ledger->store);
  (void)pthread_mutex_unlock(&ledger->lock);
}

static sotto_status insert(const sotto_ledger *ledger, int64_t number, const char *id, const char *text,
                           const uint8_t hash[32], sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status =
      sotto_i_store_prepare(&ledger->store, &s, "INSERT INTO entry VALUES (?1, ?2, ?3, ?4)", err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_bind_int64(s, 1, number);
  if (code == SQLITE_OK && id != NULL) code = sqlite3_bind_text(s, 2, id, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_text(s, 3, text, -1, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_blob(s, 4, hash, 32, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code != SQLITE_DONE) status = sotto_i_store_fail(&ledger->store, code, "write an entry", err);
  (void)sqlite3_finalize(s);
  return status;
}

sotto_status sotto_i_ledger_add(sotto_ledger *ledger, const sotto_i_entry *given, sotto_error *err) {
  sotto_i_entry entry = *given;
  char now[32], *text = NULL;
  uint8_t hash[32];
  struct tm utc;
  time_t seconds = time(NULL);
  sotto_status status;
  (void)gmtime_r(&seconds, &utc);
  (void)strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", &utc);
  if (entry.time == NULL) {
    entry.time = now;
    entry.user = ledger->user;
  }
  SOTTO_TRY(sotto_i_entry_write(&text, &entry, err));
  sotto_i_entry_hash(hash, ledger->next.hash, text);
  SOTTO_TRY(insert(ledger, (int64_t)ledger->next.count + 1, entry.id, text, hash, err));
  memcpy(ledger->next.hash, hash, 32);
  if (ledger->next.count == 0) memcpy(ledger->next.ledger, hash, 32);
  ledger->next.count++;
done:
  free(text);
  return status;
}

static sotto_status save_head(const sotto_ledger *ledger, const sotto_i_head *head, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_store_prepare(
      &ledger->store, &s, "UPDATE head SET count = ?1, hash = ?2, signature = ?3 WHERE one = 1", err);
  if (status != SOTTO_OK) return status;
  int code = sqlite3_bind_int64(s, 1, (sqlite3_int64)head->count);
  if (code == SQLITE_OK) code = sqlite3_bind_blob(s, 2, head->hash, 32, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_bind_blob(s, 3, head->signature, SOTTO_I_SIGNATURE, SQLITE_STATIC);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code != SQLITE_DONE) status = sotto_i_store_fail(&ledger->store, code, "write its head", err);
  (void)sqlite3_finalize(s);
  return status;
}

/* The head next to the key is written after the commit. A crash in between leaves an older head, which is
 * still valid. */
sotto_status sotto_i_ledger_commit(sotto_ledger *ledger, sotto_error *err) {
  sotto_status status;
  if (ledger->next.count == ledger->seen.count) return SOTTO_OK;
  sotto_i_head_sign(&ledger->next, &ledger->owner);
  SOTTO_TRY(save_head(ledger, &ledger->next, err));
  SOTTO_TRY(sotto_i_store_run(&ledger->store, "COMMIT", "sync a change", err));
  if (!ledger->state.scratch) SOTTO_TRY(sotto_i_witness_write(&ledger->next, &ledger->owner, err));
done:
  return status;
}

/* Reads a row with the columns text and number, if the statement gives one. */
static sotto_status read_one(sotto_i_entry *out, int64_t *number, const sotto_ledger *ledger, sqlite3_stmt *s,
                             int code, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *number = 0;
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code == SQLITE_ROW) {
    const char *text = (const char *)sqlite3_column_text(s, 0);
    *number = sqlite3_column_int64(s, 1);
    status =
        text == NULL ? fail_broken(ledger, *number, "is not whole", err) : sotto_i_entry_read(out, text, err);
  } else if (code != SQLITE_DONE) {
    status = sotto_i_store_fail(&ledger->store, code, "read it", err);
  }
  (void)sqlite3_finalize(s);
  return status;
}

sotto_status sotto_i_ledger_find(sotto_i_entry *out, bool *found, const sotto_ledger *ledger, const char *id,
                                 sotto_error *err) {
  sqlite3_stmt *s = NULL;
  int64_t number = 0;
  *found = false;
  sotto_status status =
      sotto_i_store_prepare(&ledger->store, &s, "SELECT text, number FROM entry WHERE id = ?1", err);
  if (status != SOTTO_OK) return status;
  status = read_one(out, &number, ledger, s, sqlite3_bind_text(s, 1, id, -1, SQLITE_STATIC), err);
  *found = status == SOTTO_OK && number > 0;
  return status;
}

sotto_status sotto_i_ledger_next(sotto_i_entry *out, int64_t *number, const sotto_ledger *ledger,
                                 sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_status status = sotto_i_store_prepare(
      &ledger->store, &s, "SELECT text, number FROM entry WHERE number > ?1 ORDER BY number LIMIT 1", err);
  if (status != SOTTO_OK) return status;
  return read_one(out, number, ledger, s, sqlite3_bind_int64(s, 1, *number), err);
}

sotto_status sotto_i_ledger_witness(sotto_ledger *ledger, const sotto_i_head *kept, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  char beside[SOTTO_I_WITNESS_PATH];
  sotto_status status = SOTTO_OK;
  if (kept->count > ledger->seen.count) {
    sotto_i_witness_path(beside, &ledger->owner, kept->ledger);
    return sotto_i_fail(
        err, SOTTO_CORRUPT,
        "%.200s: has %llu entries, and had %llu when it was last used: it is an older copy, or its "
        "end was removed. Restore the newest copy; to go on without the charges that are missing, "
        "remove %.250s",
        ledger->store.path, (unsigned long long)ledger->seen.count, (unsigned long long)kept->count, beside);
  }
  SOTTO_TRY(sotto_i_store_prepare(&ledger->store, &s, "SELECT hash FROM entry WHERE number = ?1", err));
  int code = sqlite3_bind_int64(s, 1, (sqlite3_int64)kept->count);
  if (code == SQLITE_OK) code = sqlite3_step(s);
  if (code != SQLITE_ROW || sqlite3_column_bytes(s, 0) != 32 ||
      memcmp(sqlite3_column_blob(s, 0), kept->hash, 32) != 0)
    status = fail_broken(ledger, (int64_t)kept->count,
                         "is not the one that was there when the ledger was last used", err);
done:
  (void)sqlite3_finalize(s);
  return status;
}
