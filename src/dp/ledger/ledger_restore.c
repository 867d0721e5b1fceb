/* A backup in the place of a ledger that is lost or does not open. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "ledger.h"

enum { most_kept = 100 };

/* The first of PATH.before-1, PATH.before-2, ... that is free. */
static sotto_status choose_aside(char out[SOTTO_LEDGER_ASIDE], const char *path, sotto_error *err) {
  for (int i = 1; i <= most_kept; i++) {
    (void)snprintf(out, SOTTO_LEDGER_ASIDE, "%.4000s.before-%d", path, i);
    if (!sotto_i_is_file(out)) return SOTTO_OK;
  }
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: %d ledgers that were replaced are kept beside it; move them elsewhere", path,
                      (int)most_kept);
}

/* A ledger that opens has all charges that this machine saw, and others may be charging it. One that cannot
 * be opened for another reason than damage, such as rights or memory, may be as whole. */
static sotto_status check_replaced(const char *path, sotto_error *err) {
  sotto_ledger *now = NULL;
  sotto_error why = {0};
  const sotto_status status = sotto_ledger_open(&now, path, &why);
  if (status == SOTTO_NOT_FOUND || status == SOTTO_CORRUPT) return SOTTO_OK;
  if (status != SOTTO_OK)
    return sotto_i_fail(err, status, "%s: it is not known whether this ledger holds, so it stays: %s", path,
                        why.text);
  sotto_ledger_close(now);
  return sotto_i_fail(
      err, SOTTO_REFUSED,
      "%s: this ledger holds, so it stays; a backup takes the place of one that is lost or does "
      "not open",
      path);
}

/* With the journal, which SQLite would apply to whatever has the ledger's name. */
static sotto_status put_aside(char aside[SOTTO_LEDGER_ASIDE], const char *place, sotto_error *err) {
  static const char *const endings[] = {"", "-journal", "-wal", "-shm"};
  bool moved = false;
  sotto_status status = choose_aside(aside, place, err);
  for (size_t i = 0; status == SOTTO_OK && i < sizeof endings / sizeof *endings; i++) {
    char from[SOTTO_LEDGER_ASIDE + 16], to[SOTTO_LEDGER_ASIDE + 16];
    (void)snprintf(from, sizeof from, "%.4000s%s", place, endings[i]);
    (void)snprintf(to, sizeof to, "%s%s", aside, endings[i]);
    if (!sotto_i_is_file(from)) continue;
    moved = moved || i == 0;
    status = sotto_i_rename(from, to, err);
  }
  if (!moved) aside[0] = '\0';
  return status;
}

sotto_status sotto_ledger_restore(char aside[SOTTO_LEDGER_ASIDE], const char *path, const char *backup,
                                  sotto_error *err) {
  char *place = NULL, *copy = NULL;
  bool named = false;
  sotto_ledger *from = NULL;
  sotto_status status;
  aside[0] = '\0';
  SOTTO_TRY(sotto_i_store_place(&place, &named, path, err));
  SOTTO_TRY(sotto_ledger_open(&from, backup, err));
  SOTTO_TRY(check_replaced(place, err));
  SOTTO_TRY(sotto_i_new(&copy, strlen(place) + sizeof ".restoring", 1, err));
  (void)snprintf(copy, strlen(place) + sizeof ".restoring", "%s.restoring", place);
  (void)remove(copy); /* of a restore that was killed */
  SOTTO_TRY(sotto_ledger_backup(from, copy, err));
  SOTTO_TRY(put_aside(aside, place, err));
  status = sotto_i_rename(copy, place, err);
done:
  sotto_ledger_close(from);
  sotto_i_free(copy);
  sotto_i_free(place);
  return status;
}
