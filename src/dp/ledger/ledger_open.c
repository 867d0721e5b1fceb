/* Making and opening ledgers. */
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "inside/dp.h"
#include "ledger.h"

static sotto_status new_ledger(sotto_ledger **out, sotto_error *err) {
  pthread_mutexattr_t checking;
  sotto_status status = sotto_i_new(out, 1, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  (void)pthread_mutexattr_init(&checking);
  (void)pthread_mutexattr_settype(&checking, PTHREAD_MUTEX_ERRORCHECK);
  (void)pthread_mutex_init(&(*out)->lock, &checking);
  (void)pthread_mutexattr_destroy(&checking);
  return SOTTO_OK;
}

static void name_user(sotto_ledger *ledger) {
  char buffer[1024];
  struct passwd entry, *found = NULL;
  (void)snprintf(ledger->user, sizeof ledger->user, "uid %ld", (long)geteuid());
  if (getpwuid_r(geteuid(), &entry, buffer, sizeof buffer, &found) == 0 && found != NULL)
    (void)snprintf(ledger->user, sizeof ledger->user, "%.63s", found->pw_name);
}

/* Adds the first entry. */
static sotto_status add_first_entry(sotto_ledger *ledger, bool scratch, sotto_error *err) {
  uint8_t random[16];
  char id[33];
  sotto_i_entry first = {.kind = SOTTO_I_ENTRY_LEDGER, .id = id, .scratch = scratch};
  randombytes_buf(random, sizeof random);
  sotto_i_hex(id, random, sizeof random);
  memcpy(first.owner, ledger->owner.public_key, 32);
  ledger->state.scratch = scratch;
  return sotto_i_ledger_add(ledger, &first, err);
}

/* Makes the tables, unless another process has made them meanwhile. */
static sotto_status make_tables(sotto_ledger *ledger, bool scratch, sotto_error *err) {
  int version = 0;
  sotto_status status;
  (void)pthread_mutex_lock(&ledger->lock); /* as sotto_i_ledger_begin does; sotto_i_ledger_end releases it */
  SOTTO_TRY(sotto_i_store_run(&ledger->store, "BEGIN IMMEDIATE", "begin its tables", err));
  SOTTO_TRY(sotto_i_store_version(&version, &ledger->store, err));
  if (version == 0) {
    SOTTO_TRY(sotto_i_store_run(&ledger->store, sotto_i_store_tables, "make its tables", err));
    SOTTO_TRY(add_first_entry(ledger, scratch, err));
    SOTTO_TRY(sotto_i_ledger_commit(ledger, err));
  }
done:
  sotto_i_ledger_end(ledger);
  return status;
}

/* The head next to the key is read before the entries: later entries can only be more. */
static sotto_status verify_chain(sotto_ledger *ledger, sotto_error *err) {
  sqlite3_stmt *s = NULL;
  sotto_i_head kept = {.count = 0};
  sqlite3_int64 count = 0;
  bool found = false;
  sotto_status status;
  SOTTO_TRY(sotto_i_store_check_pages(&ledger->store, err));
  SOTTO_TRY(sotto_i_store_check_schema(&ledger->store, err));
  SOTTO_TRY(sotto_i_store_prepare(&ledger->store, &s, "SELECT hash FROM entry WHERE number = 1", err));
  if (sqlite3_step(s) == SQLITE_ROW && sqlite3_column_bytes(s, 0) == 32)
    SOTTO_TRY(sotto_i_witness_read(&kept, &found, &ledger->owner, sqlite3_column_blob(s, 0), err));
  (void)sqlite3_finalize(s);
  s = NULL;
  SOTTO_TRY(sotto_i_ledger_begin(ledger, false, err));
  SOTTO_TRY(sotto_i_store_query(&ledger->store, &count, "SELECT count(*) FROM entry", err));
  if (count != (sqlite3_int64)ledger->seen.count) {
    status = sotto_i_fail(
        err, SOTTO_CORRUPT,
        "%s: has an entry outside of the chain: the ledger was changed by other means; restore it "
        "from a backup",
        ledger->store.path);
    goto done;
  }
  if (memcmp(ledger->state.owner, ledger->owner.public_key, 32) != 0) {
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: is the ledger of another owner than the key %s: name the right key in "
                          "SOTTO_LEDGER_KEY, or restore the ledger from a backup",
                          ledger->store.path, ledger->owner.path);
    goto done;
  }
  if (found) SOTTO_TRY(sotto_i_ledger_witness(ledger, &kept, err));
done:
  (void)sqlite3_finalize(s);
  sotto_i_ledger_end(ledger);
  return status;
}

/* Opens the file. *version is that of its tables, 0 without tables. */
static sotto_status open_file(sotto_ledger *ledger, int *version, sotto_error *err) {
  sotto_status status;
  name_user(ledger);
  SOTTO_TRY(sotto_i_store_connect(&ledger->store, err));
  SOTTO_TRY(sotto_i_store_version(version, &ledger->store, err));
  SOTTO_TRY(sotto_i_store_settle(&ledger->store, err));
done:
  return status;
}

static sotto_status make_ledger(const char *path, bool scratch, sotto_error *err) {
  sotto_ledger *ledger = NULL;
  bool named, made = false;
  int version = 0;
  sotto_status status;
  SOTTO_TRY(new_ledger(&ledger, err));
  SOTTO_TRY(sotto_i_store_place(&ledger->store.path, &named, path, err));
  SOTTO_TRY(sotto_i_owner_open(&ledger->owner, true, err));
  SOTTO_TRY(sotto_i_store_make(&made, ledger->store.path, err));
  if (!made) {
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: a file exists there; name another path for the new ledger",
                          ledger->store.path);
    goto done;
  }
  SOTTO_TRY(open_file(ledger, &version, err));
  SOTTO_TRY(make_tables(ledger, scratch, err));
done:
  sotto_ledger_close(ledger);
  return status;
}

sotto_status sotto_ledger_init(const char *path, sotto_error *err) {
  return make_ledger(path, false, err);
}

sotto_status sotto_ledger_init_scratch(const char *path, sotto_error *err) {
  return make_ledger(path, true, err);
}

static sotto_status fail_missing(const char *path, sotto_error *err) {
  if (sotto_i_is_folder(path)) return sotto_i_fail(err, SOTTO_IO, "%s: is a folder, and no ledger", path);
  return sotto_i_fail(err, SOTTO_NOT_FOUND,
                      "%s: there is no ledger; correct the path, or make one with `sotto ledger init`", path);
}

/* Verifies an opened file, and makes its tables if it has none. `named`: the caller expects a ledger. */
static sotto_status verify_or_make(sotto_ledger *ledger, bool named, sotto_error *err) {
  int version = 0;
  sotto_status status;
  SOTTO_TRY(open_file(ledger, &version, err));
  if (version == 0 && named) {
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: is empty, and no ledger; remove it, and make one with `sotto ledger init`",
                          ledger->store.path);
    goto done;
  }
  SOTTO_TRY(sotto_i_owner_open(&ledger->owner, version == 0, err));
  if (version == 0) SOTTO_TRY(make_tables(ledger, false, err));
  ledger->seen = (sotto_i_head){.count = 0}; /* a new ledger is read like any other */
  sotto_i_state_free(&ledger->state);
  SOTTO_TRY(verify_chain(ledger, err));
done:
  return status;
}

sotto_status sotto_ledger_open(sotto_ledger **out, const char *path, sotto_error *err) {
  *out = NULL;
  sotto_ledger *ledger = NULL;
  bool named = false;
  sotto_status status;
  SOTTO_TRY(new_ledger(&ledger, err));
  SOTTO_TRY(sotto_i_store_place(&ledger->store.path, &named, path, err));
  if (named && !sotto_i_is_file(ledger->store.path)) {
    status = fail_missing(ledger->store.path, err);
    goto done;
  }
  if (!named) SOTTO_TRY(sotto_i_store_make(&ledger->made, ledger->store.path, err));
  SOTTO_TRY(verify_or_make(ledger, named, err));
  *out = ledger;
  ledger = NULL;
done:
  sotto_ledger_close(ledger);
  return status;
}

bool sotto_ledger_made(const sotto_ledger *ledger) {
  return ledger->made;
}

bool sotto_ledger_is_missing(const char *path) {
  char *place = NULL;
  bool named = false;
  bool missing = sotto_i_store_place(&place, &named, path, NULL) != SOTTO_OK || !sotto_i_is_file(place);
  sotto_i_free(place);
  return missing && !named;
}

void sotto_ledger_close(sotto_ledger *ledger) {
  if (ledger == NULL) return;
  (void)sqlite3_close(ledger->store.db);
  (void)pthread_mutex_destroy(&ledger->lock);
  sotto_i_free(ledger->store.path);
  sotto_i_owner_close(&ledger->owner);
  sotto_i_state_free(&ledger->state);
  sotto_i_free(ledger);
}

const char *sotto_ledger_path(const sotto_ledger *ledger) {
  return ledger->store.path;
}
