/* Lists of ids: read from a file, checked to be distinct. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/io/csv.h"
#include "psi.h"

typedef struct id {
  uint64_t start; /* in the text */
  uint32_t size, line;
} id;

struct sotto_ids {
  uint8_t *text;
  id *items;
  size_t count, used, room, text_room;
};

void sotto_ids_free(sotto_ids *ids) {
  if (ids == NULL) return;
  sotto_i_free(ids->text);
  sotto_i_free(ids->items);
  sotto_i_free(ids);
}

size_t sotto_ids_count(const sotto_ids *ids) {
  return ids->count;
}

const uint8_t *sotto_ids_get(const sotto_ids *ids, size_t row, size_t *size) {
  *size = ids->items[row].size;
  return ids->text + ids->items[row].start;
}

void sotto_ids_digest(uint8_t digest[32], const sotto_ids *ids, const uint32_t *rows, size_t count) {
  crypto_generichash_state hash;
  crypto_generichash_init(&hash, NULL, 0, 32);
  for (size_t i = 0; i < (rows == NULL ? ids->count : count); i++) {
    const id *item = &ids->items[rows == NULL ? i : rows[i]];
    crypto_generichash_update(&hash, ids->text + item->start, item->size);
    crypto_generichash_update(&hash, (const uint8_t *)"\n", 1);
  }
  crypto_generichash_final(&hash, digest, 32);
}

static sotto_status add_id(sotto_ids *ids, const sotto_i_field *field, const sotto_i_lines *lines,
                           sotto_error *err) {
  unsigned long long line = lines->line;
  if (field->size == 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: the id is empty; every row needs one", lines->file,
                        line);
  if (field->size > SOTTO_MOST_ID_BYTES)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: line %llu: the id has %zu bytes; at most %d are taken",
                        lines->file, line, field->size, SOTTO_MOST_ID_BYTES);
  if (ids->count == ids->room)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: line %llu: more than %d ids", lines->file, line,
                        SOTTO_MOST_IDS);
  SOTTO_I_CHECK(ids->used + field->size <= ids->text_room);
  memcpy(ids->text + ids->used, field->text, field->size);
  ids->items[ids->count++] = (id){ids->used, (uint32_t)field->size, (uint32_t)line};
  ids->used += field->size;
  return SOTTO_OK;
}

static sotto_status read_lines(sotto_ids *ids, const sotto_i_source *source, sotto_error *err) {
  sotto_i_lines lines;
  sotto_i_field field;
  sotto_status status = SOTTO_OK;
  sotto_i_lines_init(&lines, source);
  while (status == SOTTO_OK && sotto_i_lines_next(&lines, &field.text, &field.size))
    status = add_id(ids, &field, &lines, err);
  return status;
}

/* The number of the named column in the line just read. */
static sotto_status find_column(size_t *out, const sotto_i_csv *csv, const char *column, sotto_error *err) {
  size_t found = 0;
  for (size_t i = 0; i < csv->count; i++) {
    const sotto_i_field *field = &csv->fields[i];
    if (field->size != strlen(column) || memcmp(field->text, column, field->size) != 0) continue;
    if (found++ == 0) *out = i;
  }
  if (found == 1) return SOTTO_OK;
  if (found == 0)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: no column is named '%s'; its first line names the columns",
                        csv->lines.file, column);
  return sotto_i_fail(err, SOTTO_PARSE, "%s: %zu columns are named '%s'", csv->lines.file, found, column);
}

/* "#N" is a number, of a column of a file that has no line of names. */
static sotto_status choose_column(size_t *at, const sotto_i_csv *csv, const char *column, sotto_error *err) {
  uint64_t number;
  if (column[0] != '#') return find_column(at, csv, column, err);
  sotto_status status = sotto_i_parse_u64(&number, column + 1, "column", err);
  if (status != SOTTO_OK) return status;
  if (number < 1 || number > csv->count)
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: there is no column %llu; its first line has %zu",
                        csv->lines.file, (unsigned long long)number, csv->count);
  *at = (size_t)number - 1;
  return SOTTO_OK;
}

/* Every line is a row: none is empty, and all are as wide as the first. */
static sotto_status next_row(sotto_i_csv *csv, size_t width, sotto_error *err) {
  const uint64_t last = csv->lines.line;
  sotto_status status = sotto_i_csv_next(csv, err);
  if (status != SOTTO_OK) return status;
  const uint64_t expected = csv->count == 0 ? last : last + 1;
  if (csv->lines.line != expected)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: the line is empty; every row needs an id",
                        csv->lines.file, (unsigned long long)last + 1);
  if (csv->count != 0 && csv->count != width)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: %zu fields, where the first line has %zu",
                        csv->lines.file, (unsigned long long)csv->lines.line, csv->count, width);
  return SOTTO_OK;
}

static sotto_status read_column(sotto_ids *ids, const sotto_i_source *source, const char *column,
                                sotto_error *err) {
  sotto_i_csv csv;
  size_t at = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_csv_open(&csv, source, ',', err));
  SOTTO_TRY(sotto_i_csv_next(&csv, err));
  if (csv.count > 0 && csv.lines.line != 1) {
    status =
        sotto_i_fail(err, SOTTO_PARSE, "%s: line 1: the line is empty; every row needs an id", source->file);
    goto done;
  }
  SOTTO_TRY(choose_column(&at, &csv, column, err));
  const size_t width = csv.count;
  if (column[0] != '#') SOTTO_TRY(next_row(&csv, width, err));
  while (csv.count > 0) {
    SOTTO_TRY(add_id(ids, &csv.fields[at], &csv.lines, err));
    SOTTO_TRY(next_row(&csv, width, err));
  }
done:
  sotto_i_csv_free(&csv);
  return status;
}

/* What ids are sorted by to find those that come twice. */
typedef struct mark {
  uint64_t hash;
  uint32_t row;
} mark;

static int by_hash(const void *left, const void *right) {
  const mark *a = left, *b = right;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

static bool same_id(const sotto_ids *ids, uint32_t a, uint32_t b) {
  const id *x = &ids->items[a], *y = &ids->items[b];
  return x->size == y->size && memcmp(ids->text + x->start, ids->text + y->start, x->size) == 0;
}

/* Fails with the first id, by its second place, that stands twice. */
static sotto_status check_distinct(const sotto_ids *ids, const char *file, sotto_error *err) {
  mark *marks = NULL;
  uint8_t key[crypto_shorthash_KEYBYTES];
  uint32_t first = 0, second = UINT32_MAX;
  sotto_status status = sotto_i_new_raw(&marks, ids->count, sizeof *marks, err);
  if (status != SOTTO_OK) return status;
  crypto_shorthash_keygen(key);
  for (size_t i = 0; i < ids->count; i++) {
    const id *item = &ids->items[i];
    crypto_shorthash((uint8_t *)&marks[i].hash, ids->text + item->start, item->size, key);
    marks[i].row = (uint32_t)i;
  }
  qsort(marks, ids->count, sizeof *marks, by_hash);
  for (size_t i = 0; i < ids->count; i++)
    for (size_t j = i + 1; j < ids->count && marks[j].hash == marks[i].hash; j++)
      if (marks[j].row < second && same_id(ids, marks[i].row, marks[j].row)) {
        first = marks[i].row;
        second = marks[j].row;
      }
  sotto_i_free(marks);
  if (second == UINT32_MAX) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE,
                      "%s: lines %u and %u have the same id; an id may stand for one row only", file,
                      ids->items[first].line, ids->items[second].line);
}

sotto_status sotto_i_ids_read(sotto_ids **out, const sotto_i_source *source, const char *column,
                              sotto_error *err) {
  sotto_ids *ids = NULL;
  size_t lines = 1;
  sotto_status status;
  *out = NULL;
  SOTTO_I_CHECK(sodium_init() >= 0);
  for (size_t i = 0; i < source->size; i++) lines += source->data[i] == '\n';
  SOTTO_TRY(sotto_i_new(&ids, 1, sizeof *ids, err));
  ids->room = lines < SOTTO_MOST_IDS ? lines : SOTTO_MOST_IDS;
  ids->text_room = source->size;
  SOTTO_TRY(sotto_i_new_raw(&ids->items, ids->room, sizeof *ids->items, err));
  SOTTO_TRY(sotto_i_new_raw(&ids->text, ids->text_room, 1, err));
  if (column == NULL)
    SOTTO_TRY(read_lines(ids, source, err));
  else
    SOTTO_TRY(read_column(ids, source, column, err));
  SOTTO_TRY(check_distinct(ids, source->file, err));
done:
  if (status != SOTTO_OK)
    sotto_ids_free(ids);
  else
    *out = ids;
  return status;
}

sotto_status sotto_ids_open(sotto_ids **out, const char *path, const char *column, sotto_error *err) {
  sotto_i_map map;
  *out = NULL;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  const sotto_i_source source = {path, map.data, map.size};
  status = sotto_i_ids_read(out, &source, column, err);
  sotto_i_map_close(&map);
  return status;
}
