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

/* The ending of a table, packed or not. */
static bool has_table_name(const char *file) {
  static const char *const endings[] = {".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst"};
  const size_t size = strlen(file);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (size > strlen(endings[i]) && strcmp(file + size - strlen(endings[i]), endings[i]) == 0) return true;
  return false;
}

/* No column is named: a table has one named 'id', or its lines would be taken for ids. */
static sotto_status open_unnamed(sotto_ids **out, const char *file, sotto_error *err) {
  sotto_error problem = {0};
  sotto_status status;
  if (!has_table_name(file)) return sotto_ids_open(out, file, NULL, err);
  status = sotto_ids_open(out, file, "id", &problem);
  if (status == SOTTO_OK || !sotto_i_is_file(file) || status != SOTTO_NOT_FOUND) {
    if (err != NULL) *err = problem;
    return status;
  }
  status = sotto_ids_open(out, file, "#2", NULL);
  if (status == SOTTO_NOT_FOUND) return sotto_ids_open(out, file, NULL, err); /* a list: one id a line */
  if (status == SOTTO_OK) sotto_ids_free(*out);
  *out = NULL;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: is a table, and none of its columns is named 'id'; --column NAME says which has the ids", file);
}

sotto_status align_open_ids(sotto_ids **out, const char *file, const char *column, sotto_error *err) {
  const sotto_status status =
      column == NULL ? open_unnamed(out, file, err) : sotto_ids_open(out, file, column, err);
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
