/* Columns of nodes: their types, and their cells as features, labels and parts of a split. */
#include "columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

sotto_status sotto_i_place_fail(const sotto_i_columns *columns, sotto_i_place place, size_t j,
                                const sotto_i_field *cell, sotto_status status, const char *what,
                                sotto_error *err) {
  char where[200] = "", text[41];
  size_t size = cell->size < sizeof text - 1 ? cell->size : sizeof text - 1;
  if (size > 0) memcpy(text, cell->text, size);
  text[size] = '\0';
  for (size_t i = 0; i < size; i++)
    if (text[i] == '\0') text[i] = '?';
  if (place.line > 0) (void)snprintf(where, sizeof where, "line %llu, ", (unsigned long long)place.line);
  const size_t used = strlen(where);
  if (place.column > 0)
    (void)snprintf(where + used, sizeof where - used, "column %zu", place.column);
  else
    (void)snprintf(where + used, sizeof where - used, "'%.80s'", columns->items[j].name);
  return sotto_i_fail(err, status, "%s: %s: '%s' %s", columns->file->file, where, text, what);
}

/* Whether a list with commas between has the word. */
static bool lists(const char *list, const sotto_i_field *word) {
  for (const char *at = list; at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    if (length == word->size && memcmp(at, word->text, length) == 0) return true;
    at += length + (at[length] == ',');
  }
  return false;
}

size_t sotto_i_columns_find(const sotto_i_columns *columns, sotto_column_kind kind) {
  for (size_t j = 0; j < columns->count; j++)
    if (columns->items[j].decided && columns->items[j].kind == kind) return j;
  return SIZE_MAX;
}

/* What the name alone decides; false: the first cell does. */
static bool kind_of(sotto_column_kind *out, const sotto_i_columns *columns, const sotto_i_field *name) {
  const sotto_import_options *o = columns->options;
  const char *label = o != NULL && o->label != NULL ? o->label
                      : columns->label != NULL      ? columns->label
                                                    : "label";
  const struct {
    const char *word;
    sotto_column_kind kind;
  } known[] = {{label, SOTTO_COLUMN_LABEL}, {"id", SOTTO_COLUMN_ID}, {"split", SOTTO_COLUMN_SPLIT}};
  *out = SOTTO_COLUMN_UNUSED;
  if (o != NULL && lists(o->drop, name)) return true;
  *out = SOTTO_COLUMN_CATEGORY;
  if (o != NULL && lists(o->categories, name)) return true;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (sotto_i_field_is(name, known[i].word)) return *out = known[i].kind, true;
  return false;
}

sotto_status sotto_i_columns_add(sotto_i_columns *columns, const sotto_i_field *name, sotto_i_place place,
                                 sotto_error *err) {
  sotto_status status =
      sotto_i_grow(&columns->items, &columns->room, columns->count + 1, sizeof *columns->items, err);
  if (status != SOTTO_OK) return status;
  sotto_i_column *added = &columns->items[columns->count];
  *added = (sotto_i_column){.kind = SOTTO_COLUMN_NUMBER};
  SOTTO_TRY(sotto_i_new(&added->name, name->size + 1, 1, err));
  if (name->size > 0) memcpy(added->name, name->text, name->size);
  sotto_i_ids_init(&added->words);
  sotto_column_kind kind = SOTTO_COLUMN_NUMBER;
  const bool decided = kind_of(&kind, columns, name);
  const bool second = decided && kind != SOTTO_COLUMN_UNUSED && kind != SOTTO_COLUMN_CATEGORY &&
                      sotto_i_columns_find(columns, kind) != SIZE_MAX;
  columns->count++;
  added->decided = added->declared = decided;
  added->kind = kind;
  if (second)
    return sotto_i_place_fail(columns, place, columns->count - 1, name, SOTTO_PARSE,
                              "names a second column; rename one of the two", err);
done:
  return status;
}

static sotto_status check_list(const sotto_i_columns *columns, const char *list, sotto_error *err) {
  for (const char *at = list; at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    bool found = false;
    for (size_t j = 0; j < columns->count; j++)
      found = found ||
              (strlen(columns->items[j].name) == length && memcmp(columns->items[j].name, at, length) == 0);
    if (!found)
      return sotto_i_fail(err, SOTTO_NOT_FOUND,
                          "%s: has no column '%.*s'; names of columns are in its first line",
                          columns->file->file, (int)(length < 80 ? length : 80), at);
    at += length + (at[length] == ',');
  }
  return SOTTO_OK;
}

sotto_status sotto_i_columns_check_options(const sotto_i_columns *columns, sotto_error *err) {
  if (columns->options == NULL) return SOTTO_OK;
  sotto_status status = check_list(columns, columns->options->drop, err);
  if (status == SOTTO_OK) status = check_list(columns, columns->options->categories, err);
  return status == SOTTO_OK ? check_list(columns, columns->options->label, err) : status;
}

bool sotto_i_is_missing(const sotto_i_field *cell) {
  static const char *const words[] = {"NA", "N/A", "NaN", "null", "None", "?"};
  if (cell->size == 0) return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (sotto_i_field_is(cell, words[i])) return true;
  return false;
}

/* Cells of labels and categories are missing when they are empty: "NA" may be the name of a class. */
static bool has_no_value(const sotto_i_column *column, const sotto_i_field *cell) {
  if (column->decided && column->kind != SOTTO_COLUMN_NUMBER) return cell->size == 0;
  return sotto_i_is_missing(cell);
}

static bool fills(const sotto_i_columns *columns) {
  return columns->options != NULL && columns->options->missing != SOTTO_MISSING_REFUSE;
}

sotto_status sotto_i_columns_word(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                  sotto_i_place place, sotto_error *err) {
  sotto_i_column *column = &columns->items[j];
  if (sotto_i_ids_find(&column->words, cell) != UINT32_MAX) return SOTTO_OK;
  if (column->kind == SOTTO_COLUMN_CATEGORY && column->words.count == SOTTO_I_MOST_CATEGORIES)
    return sotto_i_place_fail(columns, place, j, cell, SOTTO_RANGE,
                              "is the 1001st different word of a column that is no feature then; drop the "
                              "column when the file is imported, or group its words",
                              err);
  return sotto_i_ids_add(&column->words, cell, err);
}

sotto_status sotto_i_columns_see(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                 sotto_i_place place, sotto_error *err) {
  sotto_i_column *column = &columns->items[j];
  double value;
  uint8_t part;
  if (column->decided && (column->kind == SOTTO_COLUMN_ID || column->kind == SOTTO_COLUMN_UNUSED))
    return SOTTO_OK;
  if (has_no_value(column, cell)) {
    if ((column->decided && column->kind != SOTTO_COLUMN_NUMBER && column->kind != SOTTO_COLUMN_CATEGORY) ||
        fills(columns))
      return SOTTO_OK;
    return sotto_i_place_fail(
        columns, place, j, cell, SOTTO_PARSE,
        "is not a value; give one, or have missing values filled when the file is imported", err);
  }
  const bool number = sotto_i_text_double(cell->text, cell->size, &value);
  column->present++;
  if (!column->decided) column->kind = number ? SOTTO_COLUMN_NUMBER : SOTTO_COLUMN_CATEGORY;
  column->decided = true;
  if (column->kind == SOTTO_COLUMN_SPLIT && !sotto_i_part_of_word(&part, cell))
    return sotto_i_place_fail(columns, place, j, cell, SOTTO_PARSE,
                              "is no part of a split; write train, validation, test or none", err);
  if (column->kind == SOTTO_COLUMN_CATEGORY && !column->declared && number)
    return sotto_i_place_fail(
        columns, place, j, cell, SOTTO_PARSE,
        "is a number, and the first value of this column is a word; correct one of them, "
        "or name the column as one of categories when the file is imported",
        err);
  if (column->kind == SOTTO_COLUMN_NUMBER && !number)
    return sotto_i_place_fail(
        columns, place, j, cell, SOTTO_PARSE,
        "is not a finite number, as the first value is; correct it, or name the column as one of categories "
        "when the file is imported",
        err);
  if (column->kind == SOTTO_COLUMN_CATEGORY || column->kind == SOTTO_COLUMN_LABEL)
    return sotto_i_columns_word(columns, j, cell, place, err);
  return SOTTO_OK;
}

void sotto_i_columns_free(sotto_i_columns *columns) {
  for (size_t j = 0; j < columns->count; j++) {
    sotto_i_free(columns->items[j].name);
    sotto_i_ids_free(&columns->items[j].words);
    sotto_i_free(columns->items[j].rank);
  }
  sotto_i_free(columns->items);
  *columns = (sotto_i_columns){0};
}

/* Which of the column's words the cell has; the first reading saw it, unless the file changed since. */
static sotto_status word_of(uint32_t *out, const sotto_i_columns *columns, size_t j,
                            const sotto_i_field *cell, sotto_i_place place, sotto_error *err) {
  const sotto_i_column *column = &columns->items[j];
  const uint32_t number = sotto_i_ids_find(&column->words, cell);
  if (number == UINT32_MAX)
    return sotto_i_place_fail(columns, place, j, cell, SOTTO_CORRUPT,
                              "was not there a moment ago: the file changed while it was read; read it again",
                              err);
  *out = column->rank[number];
  return SOTTO_OK;
}

sotto_status sotto_i_columns_put(sotto_i_columns *columns, sotto_i_parts *parts, uint64_t node, size_t j,
                                 const sotto_i_field *cell, sotto_i_place place, sotto_error *err) {
  const sotto_i_column *column = &columns->items[j];
  double value = 0;
  uint8_t part = SOTTO_PART_NONE;
  uint32_t word = 0;
  sotto_status status = SOTTO_OK;
  if (!column->decided || has_no_value(column, cell)) return SOTTO_OK;
  float *row = NULL;
  if (column->count > 0) {
    SOTTO_I_CHECK(parts->features != NULL);
    row = parts->features + node * parts->width + column->first;
  }
  switch (column->kind) {
  case SOTTO_COLUMN_NUMBER:
    if (!sotto_i_text_double(cell->text, cell->size, &value))
      return sotto_i_place_fail(columns, place, j, cell, SOTTO_PARSE, "is not a finite number", err);
    if (row != NULL) row[0] = (float)value;
    break;
  case SOTTO_COLUMN_CATEGORY:
    if (row == NULL) break;
    memset(row, 0, column->count * sizeof *row);
    status = word_of(&word, columns, j, cell, place, err);
    if (status == SOTTO_OK) row[word] = 1;
    break;
  case SOTTO_COLUMN_LABEL:
    status = word_of(&word, columns, j, cell, place, err);
    if (status == SOTTO_OK) parts->labels[node] = (int32_t)word;
    break;
  case SOTTO_COLUMN_SPLIT:
    (void)sotto_i_part_of_word(&part, cell);
    parts->split[node] = part;
    break;
  default:
    break;
  }
  return status;
}

bool sotto_i_part_of_word(uint8_t *part, const sotto_i_field *word) {
  static const struct {
    const char *word;
    uint8_t part;
  } known[] = {{"", SOTTO_PART_NONE},
               {"none", SOTTO_PART_NONE},
               {"train", SOTTO_PART_TRAIN},
               {"training", SOTTO_PART_TRAIN},
               {"tr", SOTTO_PART_TRAIN},
               {"validation", SOTTO_PART_VALIDATION},
               {"valid", SOTTO_PART_VALIDATION},
               {"val", SOTTO_PART_VALIDATION},
               {"va", SOTTO_PART_VALIDATION},
               {"test", SOTTO_PART_TEST},
               {"te", SOTTO_PART_TEST}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (sotto_i_field_is(word, known[i].word)) return *part = known[i].part, true;
  return false;
}
