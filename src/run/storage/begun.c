/* Checks of the options of a resumed run. */
#include "begun.h"

#include <ftw.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "run/method/method.h"
#include "run/settings/options.h"

static bool may_change(const sotto_i_option *row) {
  static const char *const keys[] = {
      "out",    "resume",  "data",       "nodes", "schema",      "edges-to-others", "ids",
      "ledger", "threads", "idle-limit", "grace", "record-wire", "checkpoint-every"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
    if (strcmp(row->key, keys[i]) == 0) return true;
  return false;
}

static bool is_answer(const sotto_options *options, const sotto_options *begun) {
  return options->anyway == SOTTO_ANYWAY_GAIN && begun->anyway == SOTTO_ANYWAY_ASK;
}

static sotto_status compare_options(const sotto_options *options, const sotto_options *begun,
                                    const char *folder, sotto_error *err) {
  sotto_i_option rows[SOTTO_MOST_OPTIONS], row;
  const size_t count = sotto_i_option_list(rows, SOTTO_MOST_OPTIONS, &sotto_i_method_of(options)->options);
  for (size_t i = 0; i < count; i++) {
    char now[1024], then[1024];
    if (strcmp(rows[i].key, "anyway") == 0 && is_answer(options, begun)) continue;
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

/* The options of FOLDER/run.yaml; *found is false if there is none. */
static sotto_status read_begun(sotto_options *out, bool *found, const char *folder, sotto_error *err) {
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_join(&path, folder, "run.yaml", err));
  *found = sotto_i_is_file(path);
  sotto_i_options_default(out);
  if (*found) SOTTO_TRY(sotto_options_read(out, path, err));
done:
  sotto_i_free(path);
  return status;
}

sotto_status sotto_i_check_begun(const sotto_options *options, const char *folder, sotto_error *err) {
  sotto_options begun;
  bool found;
  sotto_status status;
  SOTTO_TRY(read_begun(&begun, &found, folder, err));
  if (!found) goto done;
  if (strcmp(begun.method, options->method) != 0)
    status = sotto_i_fail(err, SOTTO_INVALID, "method: %.300s was begun with %s; train into another folder",
                          folder, begun.method);
  else
    status = compare_options(options, &begun, folder, err);
done:
  return status;
}

/* Ends the walk at the record of a draw (src/release/draw.h). */
static int find_draw(const char *path, const struct stat *about, int kind, struct FTW *at) {
  const char *end = strrchr(path, '.');
  (void)about, (void)at;
  return kind == FTW_F && end != NULL && strcmp(end, ".made") == 0;
}

sotto_status sotto_i_begun_answered(bool *out, const sotto_options *options, const char *folder,
                                    sotto_error *err) {
  enum { most_open = 16 };
  sotto_options begun;
  bool found;
  sotto_status status;
  *out = false;
  SOTTO_TRY(read_begun(&begun, &found, folder, err));
  *out = found && is_answer(options, &begun) && sotto_i_check_begun(options, folder, NULL) == SOTTO_OK &&
         nftw(folder, find_draw, most_open, FTW_PHYS) == 0;
done:
  return status;
}

sotto_status sotto_i_begun_keep_answer(const sotto_options *options, const char *folder, sotto_error *err) {
  sotto_options begun;
  char *path = NULL;
  bool found;
  sotto_status status;
  SOTTO_TRY(read_begun(&begun, &found, folder, err));
  if (!found || !is_answer(options, &begun)) goto done;
  begun.anyway = options->anyway;
  SOTTO_TRY(sotto_i_join(&path, folder, "run.yaml", err));
  SOTTO_TRY(sotto_i_options_write_part(&begun, path, false, err));
done:
  sotto_i_free(path);
  return status;
}
