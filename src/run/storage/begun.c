/* Checks of the options of a resumed run. */
#include "begun.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/method/method.h"
#include "run/settings/options.h"

static bool may_change(const sotto_i_option *row) {
  static const char *const keys[] = {"out",        "resume", "data",        "nodes",
                                     "schema",     "ids",    "ledger",      "threads",
                                     "idle-limit", "grace",  "record-wire", "checkpoint-every"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(row->key, keys[i]) == 0) return true;
  return false;
}

static sotto_status compare_options(const sotto_options *options, const sotto_options *begun,
                                    const char *folder, sotto_error *err) {
  sotto_i_option rows[SOTTO_MOST_OPTIONS], row;
  const size_t count = sotto_i_option_list(rows, SOTTO_MOST_OPTIONS, &sotto_i_method_of(options)->options);
  for (size_t i = 0; i < count; i++) {
    char now[1024], then[1024];
    if (may_change(&rows[i]) || !sotto_i_option_has(&row, options, rows[i].key)) continue;
    sotto_i_option_value(now, sizeof now, options, &row);
    sotto_i_option_value(then, sizeof then, begun, &row);
    if (strcmp(now, then) != 0)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "%s: %.300s was begun with %s, and %s is asked for; leave the option out to go on, or "
          "train into another folder",
          row.key, folder, then, now);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_check_begun(const sotto_options *options, const char *folder, sotto_error *err) {
  sotto_options begun;
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, folder, "run.yaml", err));
  if (!sotto_i_is_file(path)) goto done;
  sotto_i_options_default(&begun);
  SOTTO_TRY(sotto_options_read(&begun, path, err));
  if (strcmp(begun.method, options->method) != 0)
    status = sotto_i_fail(err, SOTTO_INVALID, "method: %.300s was begun with %s; train into another folder",
                          folder, begun.method);
  else
    status = compare_options(options, &begun, folder, err);
done:
  sotto_i_free(path);
  return status;
}
