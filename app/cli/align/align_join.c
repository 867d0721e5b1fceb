/* The party's own table, brought into the order that all parties share. Each row stands on a line of its own,
 * which the reader of ids has checked. */
#include <string.h>

#include "align.h"
#include "common/error.h"
#include "common/file.h"
#include "common/memory.h"

typedef struct table {
  char *text;
  size_t size;
  const char **lines; /* [count], the first byte of each */
  size_t count, room;
} table;

static sotto_status find_lines(table *t, sotto_error *err) {
  const char *at = t->text, *end = t->text + t->size;
  while (at < end) {
    const char *feed = memchr(at, '\n', (size_t)(end - at));
    sotto_status status = app_grow(&t->lines, &t->room, t->count + 1, sizeof *t->lines, err);
    if (status != SOTTO_OK) return status;
    t->lines[t->count++] = at;
    at = feed == NULL ? end : feed + 1;
  }
  return SOTTO_OK;
}

/* Without its end of line. */
static sotto_status add_line(app_writer *writer, const table *t, size_t number, sotto_error *err) {
  const char *line = t->lines[number];
  const char *end = number + 1 < t->count ? t->lines[number + 1] : t->text + t->size;
  while (end > line && (end[-1] == '\n' || end[-1] == '\r')) end--;
  sotto_status status = app_writer_add(writer, line, (size_t)(end - line), err);
  return status == SOTTO_OK ? app_writer_add(writer, "\n", 1, err) : status;
}

sotto_status align_join(const char *folder, const sotto_alignment *a, const char *file, bool header,
                        sotto_error *err) {
  table t = {NULL, 0, NULL, 0, 0};
  app_writer writer = {.stream = NULL};
  char *path = NULL;
  sotto_status status;
  SOTTO_TRY(app_read_file(&t.text, &t.size, file, err));
  SOTTO_TRY(find_lines(&t, err));
  SOTTO_TRY(app_join(&path, folder, "joined.csv", err));
  SOTTO_TRY(app_writer_open(&writer, path, err));
  if (header && t.count > 0) SOTTO_TRY(add_line(&writer, &t, 0, err));
  for (size_t i = 0; i < a->count; i++) {
    const size_t number = a->rows[i] + (header ? 1 : 0);
    if (number >= t.count) {
      status = app_fail(err, SOTTO_CORRUPT, "%s: became shorter while ids were compared; align again", file);
      goto done;
    }
    SOTTO_TRY(add_line(&writer, &t, number, err));
  }
  SOTTO_TRY(app_writer_commit(&writer, err));
done:
  if (status != SOTTO_OK) app_writer_abandon(&writer);
  free(t.text);
  free(t.lines);
  free(path);
  return status;
}
