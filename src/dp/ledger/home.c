/* Memory files: data and run folders remember the ledger to which they are charged. Another ledger, such as
 * another user's empty one, lacks their charges and is refused. */
#include "home.h"

#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "ledger.h"

static const char form[] = "sotto ledger of this data, form 1\n";
enum { shown = 12 }; /* digits of an id in an error */

typedef struct memory {
  char *file; /* NULL: there is no memory file */
  bool found;
  char id[65], path[1024]; /* of the ledger */
} memory;

sotto_status sotto_i_whole_path(char **out, const char *path, sotto_error *err) {
  char folder[PATH_MAX], real[PATH_MAX + 1], whole[2 * PATH_MAX + 2];
  const char *colon = strrchr(path, ':');
  *out = NULL;
  if (realpath(path, real) != NULL) return sotto_i_strdup(out, real, err);
  if (colon == NULL || colon == path || (size_t)(colon - path) >= sizeof folder) return SOTTO_OK;
  (void)snprintf(folder, sizeof folder, "%.*s", (int)(colon - path), path);
  if (realpath(folder, real) == NULL) return SOTTO_OK;
  (void)snprintf(whole, sizeof whole, "%s/%.*s", real, PATH_MAX - 1, colon + 1);
  return sotto_i_strdup(out, whole, err);
}

static bool is_run_folder(const char *path) {
  char *id = NULL;
  const bool run = sotto_i_join(&id, path, "run.id", NULL) == SOTTO_OK && sotto_i_is_file(id);
  sotto_i_free(id);
  return run;
}

static sotto_status find_memory_file(char **out, const char *path, sotto_error *err) {
  char *whole = NULL;
  sotto_status status;
  *out = NULL;
  if (path == NULL || path[0] == '\0') return SOTTO_OK;
  if (is_run_folder(path)) return sotto_i_join(out, path, "owner-only/ledger", err);
  SOTTO_TRY(sotto_i_whole_path(&whole, path, err));
  if (whole == NULL) goto done;
  const size_t room = strlen(whole) + sizeof ".ledger";
  SOTTO_TRY(sotto_i_new(out, room, 1, err));
  (void)snprintf(*out, room, "%s.ledger", whole);
done:
  sotto_i_free(whole);
  return status;
}

static bool is_ledger_id(const char *text) {
  return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static sotto_status read_memory(memory *out, const char *path, sotto_error *err) {
  char text[sizeof out->id + sizeof out->path + sizeof form + 16] = "";
  sotto_i_map map = {0};
  sotto_status status;
  *out = (memory){.found = false};
  SOTTO_TRY(find_memory_file(&out->file, path, err));
  if (out->file == NULL || !sotto_i_is_file(out->file)) goto done;
  SOTTO_TRY(sotto_i_map_open(&map, out->file, err));
  if (map.size > 0 && map.size < sizeof text) memcpy(text, map.data, map.size);
  out->found = strncmp(text, form, sizeof form - 1) == 0 &&
               sscanf(text + sizeof form - 1, "%64s %1023[^\n]", out->id, out->path) == 2 &&
               is_ledger_id(out->id);
  if (!out->found)
    status = sotto_i_fail(err, SOTTO_CORRUPT,
                          "%s: does not name the ledger that was charged; restore it, or write it anew with "
                          "`sotto ledger move`",
                          out->file);
done:
  sotto_i_map_close(&map);
  return status;
}

bool sotto_i_is_remembered(const char *path) {
  char *file = NULL;
  const bool remembered =
      find_memory_file(&file, path, NULL) == SOTTO_OK && file != NULL && sotto_i_is_file(file);
  sotto_i_free(file);
  return remembered;
}

static void id_of(char out[65], const sotto_ledger *ledger) {
  sotto_i_hex(out, ledger->seen.ledger, 32);
}

sotto_status sotto_i_ledger_check_memory(const sotto_ledger *ledger, const char *path, sotto_error *err) {
  memory m = {.file = NULL};
  char id[65];
  sotto_status status;
  if (ledger->state.scratch) return SOTTO_OK;
  SOTTO_TRY(read_memory(&m, path, err));
  id_of(id, ledger);
  if (!m.found || strcmp(m.id, id) == 0) goto done;
  status =
      sotto_i_fail(err, SOTTO_REFUSED,
                   "%.80s: is charged to the ledger %.90s (id %.*s), and %.90s is another one (id %.*s); "
                   "nothing was released. Name the first one (ledger), or restore it from a backup. If you "
                   "change ledgers on purpose: `sotto ledger move`",
                   path, m.path, shown, m.id, ledger->store.path, shown, id);
done:
  sotto_i_free(m.file);
  return status;
}

/* The memory file has the data's access rights, so that every user of the data sees the ledger. */
static mode_t readers_of(const char *path) {
  char folder[PATH_MAX];
  const char *colon = strrchr(path, ':');
  struct stat info;
  if (is_run_folder(path)) return S_IRUSR | S_IWUSR;
  if (stat(path, &info) == 0) return S_IRUSR | S_IWUSR | (info.st_mode & (S_IRGRP | S_IROTH));
  (void)snprintf(folder, sizeof folder, "%.*s", colon == NULL ? 0 : (int)(colon - path), path);
  return S_IRUSR | S_IWUSR | (stat(folder, &info) == 0 ? info.st_mode & (S_IRGRP | S_IROTH) : 0);
}

/* Writes the file, whole and on disk, or not at all. `made` NULL: replaces an existing file. */
static sotto_status write_memory(const sotto_ledger *ledger, const char *file, const char *path, bool *made,
                                 sotto_error *err) {
  char text[1200], id[65], *whole = NULL;
  sotto_i_writer writer = {.descriptor = -1};
  sotto_status status;
  id_of(id, ledger);
  SOTTO_TRY(sotto_i_whole_path(&whole, ledger->store.path, err));
  const int size =
      snprintf(text, sizeof text, "%s%s\n%.1000s\n", form, id, whole == NULL ? ledger->store.path : whole);
  SOTTO_TRY(sotto_i_writer_open(&writer, file, err));
  (void)fchmod(writer.descriptor, readers_of(path)); /* if this fails, this user alone */
  SOTTO_TRY(sotto_i_writer_add(&writer, text, (size_t)size, err));
  status = made == NULL ? sotto_i_writer_commit(&writer, err) : sotto_i_writer_commit_new(&writer, made, err);
done:
  if (status != SOTTO_OK) sotto_i_writer_abandon(&writer);
  sotto_i_free(whole);
  return status;
}

sotto_status sotto_i_ledger_remember(const sotto_ledger *ledger, const char *path, sotto_error *err) {
  char *file = NULL;
  bool made = true;
  sotto_status status;
  if (ledger->state.scratch) return SOTTO_OK;
  SOTTO_TRY(find_memory_file(&file, path, err));
  if (file != NULL && !sotto_i_is_file(file)) SOTTO_TRY(write_memory(ledger, file, path, &made, err));
  SOTTO_TRY(sotto_i_ledger_check_memory(ledger, path, err)); /* another process may have been first */
done:
  sotto_i_free(file);
  return status;
}

sotto_status sotto_i_ledger_remember_data(char forgotten[SOTTO_I_FORGOTTEN], const sotto_ledger *ledger,
                                          const char *path, sotto_error *err) {
  sotto_error failed = {0};
  const sotto_status status = sotto_i_ledger_remember(ledger, path, &failed);
  forgotten[0] = '\0';
  if (status == SOTTO_OK) return SOTTO_OK;
  if (status == SOTTO_REFUSED || status == SOTTO_CORRUPT || status == SOTTO_NOMEM)
    return sotto_i_fail(err, status, "%s", failed.text);
  (void)snprintf(forgotten, SOTTO_I_FORGOTTEN, "%.199s", failed.text);
  return SOTTO_OK;
}

sotto_status sotto_ledger_move(sotto_ledger *ledger, const char *path, const char *reason, sotto_error *err) {
  memory m = {.file = NULL};
  sotto_error unread = {0};
  sotto_i_entry e = {.kind = SOTTO_I_ENTRY_MOVE, .name = path, .reason = reason};
  size_t used = 0;
  sotto_status status = read_memory(&m, path, &unread);
  if (status == SOTTO_CORRUPT) status = SOTTO_OK; /* it is written anew */
  if (status != SOTTO_OK) {
    status = sotto_i_fail(err, status, "%s", unread.text);
    goto done;
  }
  if (m.file == NULL) {
    status =
        sotto_i_fail(err, SOTTO_INVALID, "%s: there is no data and no run folder; correct the path", path);
    goto done;
  }
  if (m.found) (void)sodium_hex2bin(e.data, sizeof e.data, m.id, 64, NULL, &used, NULL);
  SOTTO_TRY(sotto_i_ledger_begin(ledger, true, err));
  status = sotto_i_ledger_add(ledger, &e, err);
  if (status == SOTTO_OK) status = sotto_i_ledger_commit(ledger, err);
  sotto_i_ledger_end(ledger);
  if (status == SOTTO_OK) status = write_memory(ledger, m.file, path, NULL, err);
done:
  sotto_i_free(m.file);
  return status;
}
