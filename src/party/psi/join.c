/* A party's own table, brought into the order that all parties share. */
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "graph/io/csv.h"
#include "graph/io/table_text.h"
#include "sotto/align.h"

/* Where each record begins, the line of names included, and where the last one ends. */
typedef struct records {
  uint64_t *begins;
  size_t count, room;
} records;

static sotto_status find_records(records *out, const sotto_i_source *text, sotto_error *err) {
  sotto_i_csv csv;
  sotto_status status;
  SOTTO_TRY(sotto_i_csv_open(&csv, text, sotto_i_csv_guess(text, ",;\t", false), err));
  csv.trim = true;
  do {
    SOTTO_TRY(sotto_i_grow(&out->begins, &out->room, out->count + 1, sizeof *out->begins, err));
    out->begins[out->count++] = (uint64_t)(csv.lines.at - csv.text);
    SOTTO_TRY(sotto_i_csv_next(&csv, err));
  } while (csv.count > 0);
  out->count--;
done:
  sotto_i_csv_free(&csv);
  return status;
}

/* The table being written. */
typedef struct joined {
  uint8_t *text;
  size_t used, room;
} joined;

/* Adds a record without its end of line, and a line feed. */
static sotto_status add_record(joined *out, const sotto_i_source *text, const records *r, size_t i,
                               sotto_error *err) {
  const uint8_t *begin = text->data + r->begins[i], *end = text->data + r->begins[i + 1];
  while (end > begin && (end[-1] == '\n' || end[-1] == '\r')) end--;
  const size_t size = (size_t)(end - begin);
  const sotto_status status = sotto_i_grow(&out->text, &out->room, out->used + size + 1, 1, err);
  if (status != SOTTO_OK) return status;
  if (size > 0) memcpy(out->text + out->used, begin, size);
  out->used += size;
  out->text[out->used++] = '\n';
  return SOTTO_OK;
}

sotto_status sotto_ids_join(const char *path, const char *table, const char *column, const uint32_t *rows,
                            size_t count, sotto_error *err) {
  const size_t header = column[0] == '#' ? 0 : 1;
  sotto_i_map map = {.data = NULL};
  sotto_i_table_text text = {0};
  records r = {0};
  joined out = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_map_open(&map, table, err));
  SOTTO_TRY(sotto_i_table_text_open(&text, &(sotto_i_source){table, map.data, map.size}, err));
  SOTTO_TRY(find_records(&r, &text.source, err));
  if (r.count > 0 && header > 0) SOTTO_TRY(add_record(&out, &text.source, &r, 0, err));
  for (size_t i = 0; i < count; i++) {
    if (rows[i] + header >= r.count) {
      status =
          sotto_i_fail(err, SOTTO_CORRUPT, "%s: became shorter while ids were compared; align again", table);
      goto done;
    }
    SOTTO_TRY(add_record(&out, &text.source, &r, rows[i] + header, err));
  }
  SOTTO_TRY(sotto_i_write_file(path, out.text, out.used, err));
done:
  sotto_i_free(r.begins);
  sotto_i_free(out.text);
  sotto_i_table_text_free(&text);
  sotto_i_map_close(&map);
  return status;
}
