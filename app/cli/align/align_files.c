/* The files that sotto align writes. */
#include <stdio.h>
#include <string.h>

#include "align.h"
#include "base/error.h"
#include "base/file.h"
#include "common/file.h"
#include "common/memory.h"
#include "common/print.h"
#include "report/report.h"

/* A field of a CSV file, quoted if necessary; writes at most 2 * size + 2 bytes. */
static size_t put_field(char *out, const uint8_t *id, size_t size) {
  size_t used = 0;
  bool quotes = memchr(id, ',', size) != NULL || memchr(id, '"', size) != NULL;
  if (quotes) out[used++] = '"';
  for (size_t i = 0; i < size; i++) {
    if (id[i] == '"') out[used++] = '"';
    out[used++] = (char)id[i];
  }
  if (quotes) out[used++] = '"';
  return used;
}

/* table: rows and ids under a header line. Else: one id a line. */
static sotto_status write_rows(const char *path, const sotto_alignment *a, const sotto_ids *ids, bool table,
                               sotto_error *err) {
  enum { block = 1 << 16, line = 2 * SOTTO_MOST_ID_BYTES + 32 };
  static const char header[] = "row,id\n";
  app_writer writer = {.stream = NULL};
  char *text = NULL;
  uint8_t id[SOTTO_MOST_ID_BYTES];
  size_t used = 0;
  sotto_status status;
  SOTTO_TRY(app_writer_open(&writer, path, err));
  SOTTO_TRY(app_new(&text, block + line, 1, err));
  if (table) SOTTO_TRY(app_writer_add(&writer, header, sizeof header - 1, err));
  for (size_t i = 0; i < a->count; i++) {
    size_t size;
    SOTTO_TRY(sotto_ids_get(id, &size, ids, a->rows[i], err));
    if (table) {
      used += (size_t)snprintf(text + used, line, "%u,", a->rows[i]);
      used += put_field(text + used, id, size);
    } else {
      memcpy(text + used, id, size);
      used += size;
    }
    text[used++] = '\n';
    if (used < block) continue;
    SOTTO_TRY(app_writer_add(&writer, text, used, err));
    used = 0;
  }
  SOTTO_TRY(app_writer_add(&writer, text, used, err));
  SOTTO_TRY(app_writer_commit(&writer, err));
done:
  if (status != SOTTO_OK) app_writer_abandon(&writer);
  free(text);
  return status;
}

sotto_status align_open_ids(sotto_ids **out, const char *file, const char *column, sotto_error *err) {
  const sotto_status status = sotto_ids_open(out, file, column == NULL ? "" : column, err);
  if (status == SOTTO_OK && sotto_ids_changed(*out) > 0)
    app_print(stderr, "sotto: %s: ids trimmed or composed (Unicode NFC): %llu\n", file,
              (unsigned long long)sotto_ids_changed(*out));
  return status;
}

sotto_status align_write(const char *folder, const align_request *r, const char *file,
                         const sotto_alignment *a, const sotto_ids *ids, sotto_error *err) {
  char *joined = NULL, *rows = NULL, *plain = NULL, *statement = NULL, *text = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_make_folder(folder, err));
  SOTTO_TRY(app_join(&rows, folder, "aligned.csv", err));
  SOTTO_TRY(app_join(&plain, folder, "ids.txt", err));
  SOTTO_TRY(app_join(&statement, folder, "statement.json", err));
  SOTTO_TRY(write_rows(rows, a, ids, true, err));
  SOTTO_TRY(write_rows(plain, a, ids, false, err));
  SOTTO_TRY(app_join(&joined, folder, "joined.csv", err));
  if (r->join) SOTTO_TRY(sotto_ids_join(joined, file, r->column, a->rows, a->count, err));
  SOTTO_TRY(sotto_report_alignment(&text, a, err));
  SOTTO_TRY(app_write_file(statement, text, strlen(text), err));
done:
  sotto_report_free_text(text);
  free(joined);
  free(rows);
  free(plain);
  free(statement);
  return status;
}
