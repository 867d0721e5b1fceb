/* Lists of ids: read from a file by the rules of tables, checked to be distinct. */
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "graph/io/csv.h"
#include "graph/io/table_text.h"
#include "id_store.h"
#include "psi.h"

/* A list that is being read. */
typedef struct id_reading {
  sotto_ids *ids;
  const sotto_i_source *source;
  uint32_t first; /* line of row 0: no line is skipped */
  bool tall;      /* a row has several lines */
  sotto_i_texts texts;
} id_reading;

/* `bytes` is the text of the lines, as long as the source; quotes may have been removed. It is UTF-8. */
static sotto_status add_id(id_reading *r, const sotto_i_field *field, const sotto_i_lines *lines,
                           const uint8_t *bytes, sotto_error *err) {
  const unsigned long long line = lines->line;
  const uintptr_t start = (uintptr_t)field->text - (uintptr_t)bytes; /* large, if the text is elsewhere */
  if (field->size == 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: the id is empty; every row needs one", lines->file,
                        line);
  if (field->size > SOTTO_MOST_ID_BYTES)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: line %llu: the id has %zu bytes; at most %d are taken",
                        lines->file, line, field->size, SOTTO_MOST_ID_BYTES);
  if (r->ids->count == SOTTO_MOST_IDS)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: line %llu: more than %d ids", lines->file, line,
                        SOTTO_MOST_IDS);
  if (r->ids->count == 0) r->first = (uint32_t)line;
  const bool stands = r->ids->descriptor >= 0 && start < r->source->size &&
                      memcmp(r->source->data + start, field->text, field->size) == 0;
  return sotto_i_id_store_add(r->ids, field->text, field->size, stands ? start : UINT64_MAX, err);
}

static sotto_status read_lines(id_reading *r, sotto_error *err) {
  sotto_i_lines lines;
  sotto_i_field field;
  bool changed = false;
  sotto_status status = SOTTO_OK;
  const size_t good = sotto_i_text_good(r->source->data, r->source->size);
  sotto_i_lines_init(&lines, r->source);
  if (good < r->source->size) {
    uint64_t line = 1;
    for (size_t i = 0; i < good; i++) line += r->source->data[i] == '\n';
    return sotto_i_text_fail(r->source->file, line, good, r->source->data[good], err);
  }
  while (status == SOTTO_OK && sotto_i_lines_next(&lines, &field.text, &field.size)) {
    if (!sotto_i_word_is_plain(&field)) status = sotto_i_word_settle(&field, &r->texts, &changed, err);
    r->ids->changed += changed;
    changed = false;
    if (status == SOTTO_OK) status = add_id(r, &field, &lines, r->source->data, err);
  }
  return status;
}

/* Finds the column with this name in the line just read. */
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

/* "#N" is a column number, for a file without a line of names. */
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

/* Reads a row: none is empty, and all are as wide as the first. */
static sotto_status next_row(id_reading *r, sotto_i_csv *csv, size_t width, sotto_error *err) {
  sotto_i_csv_settle(csv);
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
  r->tall = r->tall || csv->inside > 0;
  return SOTTO_OK;
}

static sotto_status read_column(id_reading *r, const char *column, sotto_error *err) {
  sotto_i_csv csv;
  size_t at = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_csv_open(&csv, r->source, sotto_i_csv_guess(r->source, ",;\t", false), err));
  csv.trim = csv.passing = true;
  SOTTO_TRY(sotto_i_csv_next(&csv, err));
  if (csv.count > 0 && csv.lines.line != 1) {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: line 1: the line is empty; every row needs an id",
                          r->source->file);
    goto done;
  }
  SOTTO_TRY(choose_column(&at, &csv, column, err));
  const size_t width = csv.count;
  if (column[0] != '#') SOTTO_TRY(next_row(r, &csv, width, err));
  while (csv.count > 0) {
    r->ids->changed += csv.changed[at];
    SOTTO_TRY(add_id(r, &csv.fields[at], &csv.lines, csv.text, err));
    SOTTO_TRY(next_row(r, &csv, width, err));
  }
done:
  sotto_i_csv_free(&csv);
  return status;
}

/* The text of a row, in the file or in `kept`, while the file is in memory. */
static sotto_i_field text_of(const id_reading *r, size_t row) {
  const sotto_i_id_place place = sotto_i_id_store_place(r->ids, row);
  return (sotto_i_field){(place.kept ? r->ids->kept : r->source->data) + place.start, place.size};
}

static bool same_id(const id_reading *r, size_t row, const sotto_i_field *text) {
  const sotto_i_field other = text_of(r, row);
  return other.size == text->size && memcmp(other.text, text->text, text->size) == 0;
}

/* A slot of the hash table for duplicate ids: the upper half of a randomly keyed hash, and the row + 1; 0 is
 * free. */
static const uint64_t hash_part = 0xFFFFFFFF00000000ULL;

/* Fails with the first id, by its second line, that occurs twice. */
static sotto_status check_distinct(const id_reading *r, sotto_error *err) {
  uint64_t *slots = NULL;
  uint8_t key[crypto_shorthash_KEYBYTES];
  const size_t count = r->ids->count, room = count + count / 2 + 1;
  sotto_status status = sotto_i_new(&slots, room, sizeof *slots, err);
  if (status != SOTTO_OK) return status;
  crypto_shorthash_keygen(key);
  for (size_t row = 0; status == SOTTO_OK && row < count; row++) {
    const sotto_i_field text = text_of(r, row);
    uint64_t hash;
    crypto_shorthash((uint8_t *)&hash, text.text, text.size, key);
    size_t slot = sotto_i_slot_below(hash, room);
    /* The half that is compared is not the half that selected the slot. */
    hash = hash << 32;
    while (slots[slot] != 0) {
      const size_t other = (uint32_t)slots[slot] - 1U;
      if ((slots[slot] & hash_part) == hash && same_id(r, other, &text)) {
        const size_t first = r->tall ? 1 : r->first;
        status = sotto_i_fail(err, SOTTO_PARSE,
                              "%s: %s %zu and %zu have the same id; an id may stand for one row only",
                              r->source->file, r->tall ? "rows" : "lines", first + other, first + row);
        break;
      }
      slot = slot + 1 == room ? 0 : slot + 1;
    }
    slots[slot] = hash | (uint32_t)(row + 1);
  }
  sotto_i_free(slots);
  return status;
}

/* Reads the list. Texts that are in the file of `ids` byte for byte are not copied. */
static sotto_status read_ids(sotto_ids *ids, const sotto_i_source *source, const char *column,
                             sotto_error *err) {
  id_reading r = {.ids = ids, .source = source};
  sotto_status status = SOTTO_OK;
  if (ids->descriptor < 0) {
    SOTTO_TRY(sotto_i_new_raw(&ids->kept, source->size, 1, err));
    ids->kept_room = source->size;
  }
  SOTTO_TRY(sotto_i_strdup(&ids->file, source->file, err));
  SOTTO_TRY(column == NULL ? read_lines(&r, err) : read_column(&r, column, err));
  SOTTO_TRY(check_distinct(&r, err));
done:
  sotto_i_texts_free(&r.texts);
  return status;
}

sotto_status sotto_i_ids_read(sotto_ids **out, const sotto_i_source *source, const char *column,
                              sotto_error *err) {
  sotto_ids *ids = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_I_CHECK(sodium_init() >= 0);
  SOTTO_TRY(sotto_i_new(&ids, 1, sizeof *ids, err));
  ids->descriptor = -1;
  SOTTO_TRY(read_ids(ids, source, column, err));
  *out = ids;
done:
  if (status != SOTTO_OK) sotto_ids_free(ids);
  return status;
}

static sotto_status open_column(sotto_ids **out, const char *path, const char *column, sotto_error *err) {
  sotto_i_map map = {.data = NULL};
  sotto_i_table_text text = {0};
  sotto_ids *ids = NULL;
  sotto_status status;
  *out = NULL;
  SOTTO_I_CHECK(sodium_init() >= 0);
  SOTTO_TRY(sotto_i_new(&ids, 1, sizeof *ids, err));
  sotto_i_id_store_open(ids, path);
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  if (!sotto_i_id_store_stands(ids, path) || (uint64_t)ids->state.st_size != map.size)
    sotto_i_id_store_close(ids);
  SOTTO_TRY(sotto_i_table_text_open(&text, &(sotto_i_source){path, map.data, map.size}, err));
  if (text.made != NULL) sotto_i_id_store_close(ids); /* texts do not stand in the file */
  SOTTO_TRY(read_ids(ids, &text.source, column, err));
  *out = ids;
done:
  sotto_i_table_text_free(&text);
  sotto_i_map_close(&map);
  if (status != SOTTO_OK) sotto_ids_free(ids);
  return status;
}

/* The ending of a table, packed or not. */
static bool has_table_name(const char *path) {
  static const char *const endings[] = {".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst"};
  const size_t size = strlen(path);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    if (size > strlen(endings[i]) && strcmp(path + size - strlen(endings[i]), endings[i]) == 0) return true;
  return false;
}

/* A table has a column named 'id', or its lines would be taken for ids. */
static sotto_status open_by_name(sotto_ids **out, const char *path, sotto_error *err) {
  sotto_error problem = {0};
  if (!has_table_name(path)) return open_column(out, path, NULL, err);
  sotto_status status = open_column(out, path, "id", &problem);
  if (status == SOTTO_OK || !sotto_i_is_file(path) || status != SOTTO_NOT_FOUND) {
    if (err != NULL) *err = problem;
    return status;
  }
  status = open_column(out, path, "#2", NULL);
  if (status == SOTTO_NOT_FOUND) return open_column(out, path, NULL, err); /* a list: one id a line */
  if (status == SOTTO_OK) sotto_ids_free(*out);
  *out = NULL;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: is a table, and none of its columns is named 'id'; rename the column of ids, or "
                      "say which it is (column)",
                      path);
}

sotto_status sotto_ids_open(sotto_ids **out, const char *path, const char *column, sotto_error *err) {
  return column != NULL && column[0] == '\0' ? open_by_name(out, path, err)
                                             : open_column(out, path, column, err);
}
