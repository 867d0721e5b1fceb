/* Columns of nodes: their kinds, and their cells as features, labels and parts of a split. */
#include "columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Fails with "FILE: line L, column C: 'cell' what"; omits unknown positions. */
static sotto_status fail_at(const sotto_i_columns *columns, sotto_i_place place, size_t j,
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

size_t sotto_i_columns_find(const sotto_i_columns *columns, sotto_column_kind kind) {
  for (size_t j = 0; j < columns->count; j++)
    if (columns->items[j].decided && columns->items[j].kind == kind) return j;
  return SIZE_MAX;
}

bool sotto_i_columns_entry(sotto_column_kind *out, const char *entry, size_t length, size_t *name) {
  *name = length;
  for (size_t i = 0; i < length; i++)
    if (entry[i] == '=') *name = i;
  return *name < length && sotto_i_column_type_find(out, entry + *name + 1, length - *name - 1);
}

static bool kind_in_types(sotto_column_kind *out, const char *list, const sotto_i_field *name) {
  for (const char *at = list; at != NULL && *at != '\0';) {
    const size_t length = strcspn(at, ",");
    size_t size;
    sotto_column_kind kind;
    if (sotto_i_columns_entry(&kind, at, length, &size) && size == name->size &&
        memcmp(at, name->text, size) == 0)
      return *out = kind, true;
    at += length + (at[length] == ',');
  }
  return false;
}

/* What the column to learn has, by the task. */
static sotto_column_kind learnt_kind(const sotto_import_options *o) {
  return o != NULL && o->regression ? SOTTO_COLUMN_OUTCOME : SOTTO_COLUMN_LABEL;
}

static bool kind_in_options(sotto_column_kind *out, const sotto_import_options *o,
                            const sotto_i_field *name) {
  if (o == NULL) return false;
  if (kind_in_types(out, o->types, name)) return true;
  if (o->label != NULL && sotto_i_field_is(name, o->label)) return *out = learnt_kind(o), true;
  return false;
}

/* What the name alone decides; false: the first cell does. */
static bool kind_of(sotto_column_kind *out, const sotto_i_columns *columns, const sotto_i_field *name) {
  const sotto_import_options *o = columns->options;
  const bool other_label = o != NULL && o->label != NULL;
  const struct {
    const char *word;
    sotto_column_kind kind;
  } known[] = {{columns->label != NULL ? columns->label : "label", learnt_kind(o)},
               {"id", SOTTO_COLUMN_ID},
               {"split", SOTTO_COLUMN_SPLIT}};
  for (size_t i = other_label ? 1 : 0; i < sizeof known / sizeof *known; i++)
    if (sotto_i_field_is(name, known[i].word)) return *out = known[i].kind, true;
  return false;
}

/* What a schema says of the column, with its words; the options say how to fill what a training refused. */
static sotto_status take_stated(sotto_i_column *column, const sotto_schema *schema, bool others,
                                const sotto_schema_column *stated, sotto_error *err) {
  const sotto_names *words = stated->kind == SOTTO_COLUMN_LABEL ? &schema->classes : &stated->words;
  sotto_status status = SOTTO_OK;
  column->kind = stated->kind;
  if (stated->missing != SOTTO_MISSING_REFUSE || !others) column->fill = stated->missing;
  column->fills = stated->fill;
  for (uint64_t i = 0; i < words->count; i++) {
    const char *word = sotto_name(words, i);
    SOTTO_TRY(sotto_i_ids_add(&column->words, &(sotto_i_field){(const uint8_t *)word, strlen(word)}, err));
  }
  column->stated = column->words.count;
done:
  return status;
}

sotto_status sotto_i_columns_add(sotto_i_columns *columns, const sotto_i_field *name, sotto_i_place place,
                                 sotto_error *err) {
  sotto_status status =
      sotto_i_grow(&columns->items, &columns->room, columns->count + 1, sizeof *columns->items, err);
  if (status != SOTTO_OK) return status;
  sotto_i_column *added = &columns->items[columns->count];
  const sotto_import_options *o = columns->options;
  const sotto_schema_column *stated = NULL;
  *added =
      (sotto_i_column){.kind = SOTTO_COLUMN_NUMBER, .fill = o == NULL ? SOTTO_MISSING_REFUSE : o->missing};
  SOTTO_TRY(sotto_i_new(&added->name, name->size + 1, 1, err));
  if (name->size > 0) memcpy(added->name, name->text, name->size);
  sotto_i_ids_init(&added->words);
  sotto_column_kind kind = SOTTO_COLUMN_NUMBER;
  if (o != NULL && o->schema != NULL)
    stated = sotto_i_schema_find(o->schema, (const char *)name->text, name->size);
  bool chosen = kind_in_options(&kind, o, name);
  if (chosen && stated != NULL && o->others && stated->kind != kind) stated = NULL; /* said of this table */
  chosen = chosen || stated != NULL;
  if (stated != NULL) kind = stated->kind;
  const bool decided = chosen || kind_of(&kind, columns, name);
  const bool alone = sotto_i_column_is_alone(kind);
  const bool second = decided && alone && sotto_i_columns_find(columns, kind) != SIZE_MAX;
  columns->count++;
  added->decided = added->declared = decided;
  added->chosen = chosen;
  added->kind = kind;
  if (stated != NULL) SOTTO_TRY(take_stated(added, o->schema, o->others, stated, err));
  if (second)
    return fail_at(columns, place, columns->count - 1, name, SOTTO_PARSE,
                   "names a second column; rename one of the two", err);
done:
  return status;
}

static bool is_minus_one(const sotto_i_field *cell) {
  return cell->size == 2 && memcmp(cell->text, "-1", 2) == 0;
}

static const char *missing_words(const sotto_i_columns *columns) {
  return columns->options == NULL ? NULL : columns->options->missing_words;
}

bool sotto_i_columns_missing(const sotto_i_columns *columns, size_t j, const sotto_i_field *cell) {
  const sotto_i_column *column = &columns->items[j];
  const char *words = missing_words(columns);
  if (column->decided && column->kind == SOTTO_COLUMN_SPLIT) return cell->size == 0;
  if (column->stated > 0 && sotto_i_ids_find(&column->words, cell) < column->stated) return false;
  if (sotto_i_cell_is_missing(cell, words)) return true;
  const bool of_label = column->decided && column->kind == SOTTO_COLUMN_LABEL,
             of_number = column->decided && column->kind == SOTTO_COLUMN_OUTCOME;
  if (words != NULL || !(of_label || of_number)) return false;
  return sotto_i_field_is(cell, "unknown") || (of_label && is_minus_one(cell));
}

void sotto_i_columns_note_missing(sotto_i_column *column, const sotto_i_field *word) {
  const size_t used = strlen(column->missing);
  if (word->size == 0 || used + word->size + 2 > sizeof column->missing ||
      memchr(word->text, '\0', word->size) != NULL || sotto_i_list_has(column->missing, word))
    return;
  if (used > 0) column->missing[used] = ',';
  memcpy(column->missing + used + (used > 0), word->text, word->size);
  column->missing[used + (used > 0) + word->size] = '\0';
}

static bool decimal_comma(const sotto_i_columns *columns) {
  return columns->options != NULL && columns->options->decimal_comma;
}

sotto_column_kind sotto_i_columns_kind(const sotto_i_columns *columns, const sotto_i_field *cell) {
  const sotto_i_cell read = sotto_i_cell_read(cell, decimal_comma(columns));
  return read.kind == SOTTO_I_CELL_DATE ? SOTTO_COLUMN_DATE
         : read.kind == SOTTO_I_CELL_WORD
             ? SOTTO_COLUMN_CATEGORY
             : SOTTO_COLUMN_NUMBER; /* what is nearly one is refused as a number */
}

sotto_status sotto_i_columns_word(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                  sotto_i_place place, sotto_error *err) {
  sotto_i_column *column = &columns->items[j];
  if (sotto_i_ids_find(&column->words, cell) != UINT32_MAX) return SOTTO_OK;
  const sotto_import_options *o = columns->options;
  if (o != NULL && o->schema != NULL && !o->others &&
      (column->stated > 0 || column->kind == SOTTO_COLUMN_CATEGORY))
    return fail_at(columns, place, j, cell, SOTTO_PARSE,
                   "is none of the words that the schema states for this column; correct it, or "
                   "add it to the schema",
                   err);
  if (cell->size > SOTTO_I_LONGEST_WORD)
    return fail_at(columns, place, j, cell, SOTTO_PARSE,
                   "begins a word of more than 65536 bytes; see whether a separator or a line end is "
                   "missing, or drop the column",
                   err);
  if (!column->chosen && sotto_i_word_is_spoilt(cell))
    return fail_at(columns, place, j, cell, SOTTO_PARSE,
                   "was spoilt by a program that took its UTF-8 for another encoding; export the "
                   "table again, or choose the column's type, which takes it as it is",
                   err);
  if (column->kind == SOTTO_COLUMN_CATEGORY && column->words.count == SOTTO_I_MOST_CATEGORIES)
    return fail_at(columns, place, j, cell, SOTTO_RANGE,
                   "is the 1001st different word of this column, which is too many for a feature; drop the "
                   "column when the file is imported, or group its words",
                   err);
  return sotto_i_ids_add(&column->words, cell, err);
}

/* 0, 1, or -1: it is no flag. */
static int flag_of(const sotto_i_field *cell) {
  static const char *const words[] = {"0", "1", "no", "yes", "false", "true"};
  char text[8];
  if (cell->size >= sizeof text) return -1;
  for (size_t i = 0; i < cell->size; i++)
    text[i] = (char)(cell->text[i] >= 'A' && cell->text[i] <= 'Z' ? cell->text[i] + 32 : cell->text[i]);
  text[cell->size] = '\0';
  for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
    if (strlen(words[i]) == cell->size && strcmp(words[i], text) == 0) return i % 2;
  return -1;
}

/* 1800-01-01 and 2200-12-31 */
enum { earliest_day = -73048, latest_day = 73413 };

/* Why a cell does not fit a column of that kind; NULL: it does. */
static const char *misfit(const sotto_i_column *column, const sotto_i_cell *cell, const sotto_i_field *text) {
  uint8_t part;
  switch (column->kind) {
  case SOTTO_COLUMN_SPLIT:
    return sotto_i_part_of_word(&part, text) ? NULL
                                             : "is no part of a split; write train, validation, test or none";
  case SOTTO_COLUMN_CATEGORY:
    if (!column->declared && cell->kind == SOTTO_I_CELL_NEARLY) return cell->why;
    return column->declared || cell->kind == SOTTO_I_CELL_WORD
               ? NULL
               : "is a number or a date, and the first value of this column is a word; correct one of them, "
                 "or name "
                 "the column as one of categories when the file is imported";
  case SOTTO_COLUMN_NUMBER:
    if (cell->kind == SOTTO_I_CELL_NEARLY) return cell->why;
    return cell->kind == SOTTO_I_CELL_NUMBER
               ? NULL
               : "is not a finite number, as the first value is; correct it, or name the column as one of "
                 "categories when the file is imported";
  case SOTTO_COLUMN_OUTCOME:
    if (cell->kind == SOTTO_I_CELL_NEARLY) return cell->why;
    return cell->kind == SOTTO_I_CELL_NUMBER ? NULL
                                             : "is not a finite number, which regression learns; correct it, "
                                               "leave the cell empty where the "
                                               "number is unknown, or name another column as the label";
  case SOTTO_COLUMN_FLAG:
    return flag_of(text) >= 0 ? NULL : "is no flag; write 0 or 1, no or yes, false or true";
  case SOTTO_COLUMN_DATE:
    if (cell->kind == SOTTO_I_CELL_DATE && !column->chosen &&
        (cell->value < earliest_day || cell->value >= latest_day + 1))
      return "is a day that often stands for none, as 0001-01-01 and 9999-12-31 do; leave the cell empty, "
             "list it "
             "among the words of missing values when the file is imported, or give the column the type date";
    if (cell->kind == SOTTO_I_CELL_NEARLY) return cell->why;
    return cell->kind == SOTTO_I_CELL_DATE ? NULL
                                           : "is not a date like 2024-01-31, as the first value is; correct "
                                             "it, or name the column as one of "
                                             "categories when the file is imported";
  default:
    return NULL;
  }
}

/* A cell without a value: filled, or refused. */
static sotto_status see_missing(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                sotto_i_place place, sotto_error *err) {
  sotto_i_column *column = &columns->items[j];
  const bool feature = !column->decided || sotto_i_column_is_feature(column->kind);
  sotto_i_columns_note_missing(column, cell);
  if (!feature) column->minus_ones += is_minus_one(cell);
  if (!feature || column->fill != SOTTO_MISSING_REFUSE) return SOTTO_OK;
  return fail_at(columns, place, j, cell, SOTTO_PARSE,
                 "is not a value; give one, or have missing values filled when the file is imported", err);
}

sotto_status sotto_i_columns_scan(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                  sotto_i_place place, sotto_error *err) {
  sotto_i_column *column = &columns->items[j];
  if (column->decided && (column->kind == SOTTO_COLUMN_ID || column->kind == SOTTO_COLUMN_UNUSED))
    return SOTTO_OK;
  if (sotto_i_columns_missing(columns, j, cell)) return see_missing(columns, j, cell, place, err);
  const sotto_i_cell read = sotto_i_cell_read(cell, decimal_comma(columns));
  column->present++;
  if (!column->decided) column->kind = sotto_i_columns_kind(columns, cell);
  column->decided = true;
  const char *why = misfit(column, &read, cell);
  if (why != NULL) return fail_at(columns, place, j, cell, SOTTO_PARSE, why, err);
  if (column->kind == SOTTO_COLUMN_NUMBER && !column->chosen) why = sotto_i_whole_see(&column->whole, cell);
  if (why != NULL) return fail_at(columns, place, j, cell, SOTTO_INVALID, why, err);
  if (column->kind == SOTTO_COLUMN_OUTCOME) { /* a number to learn may be of any form */
    (void)sotto_i_whole_see(&column->whole, cell);
    column->minus_ones += is_minus_one(cell);
  }
  if (column->kind == SOTTO_COLUMN_CATEGORY || column->kind == SOTTO_COLUMN_LABEL)
    return sotto_i_columns_word(columns, j, cell, place, err);
  return SOTTO_OK;
}

bool sotto_i_columns_has_words(const sotto_i_columns *columns, size_t j) {
  const sotto_i_column *column = &columns->items[j];
  return column->decided && (column->kind == SOTTO_COLUMN_ID || column->kind == SOTTO_COLUMN_LABEL ||
                             column->kind == SOTTO_COLUMN_CATEGORY);
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

/* The number of the cell's word in the column; the first pass added it, unless the file changed since. */
static sotto_status find_word(uint32_t *out, const sotto_i_columns *columns, size_t j,
                              const sotto_i_field *cell, sotto_i_place place, sotto_error *err) {
  const sotto_i_column *column = &columns->items[j];
  const uint32_t number = sotto_i_ids_find(&column->words, cell);
  if (number == UINT32_MAX)
    return fail_at(columns, place, j, cell, SOTTO_CORRUPT,
                   "was not there a moment ago: the file changed while it was read; read it again", err);
  *out = column->rank[number];
  return SOTTO_OK;
}

sotto_status sotto_i_columns_put(sotto_i_columns *columns, sotto_i_parts *parts, uint64_t node, size_t j,
                                 const sotto_i_field *cell, sotto_i_place place, sotto_error *err) {
  const sotto_i_column *column = &columns->items[j];
  sotto_i_cell read;
  uint8_t part = SOTTO_PART_NONE;
  uint32_t word = 0;
  sotto_status status = SOTTO_OK;
  if (!column->decided || sotto_i_columns_missing(columns, j, cell)) return SOTTO_OK;
  float *row = NULL;
  if (column->count > 0) {
    SOTTO_I_CHECK(parts->features != NULL);
    row = parts->features + node * parts->width + column->first;
  }
  switch (column->kind) {
  case SOTTO_COLUMN_NUMBER:
  case SOTTO_COLUMN_DATE:
  case SOTTO_COLUMN_OUTCOME:
    read = sotto_i_cell_read(cell, decimal_comma(columns));
    if (misfit(column, &read, cell) != NULL)
      return fail_at(columns, place, j, cell, SOTTO_PARSE, misfit(column, &read, cell), err);
    if (row != NULL) row[0] = (float)read.value;
    if (column->kind == SOTTO_COLUMN_OUTCOME) parts->numbers[node] = (float)read.value;
    break;
  case SOTTO_COLUMN_FLAG:
    if (row != NULL) row[0] = flag_of(cell) > 0;
    break;
  case SOTTO_COLUMN_CATEGORY:
    if (row == NULL) break;
    memset(row, 0, column->count * sizeof *row);
    status = find_word(&word, columns, j, cell, place, err);
    if (status == SOTTO_OK) row[word] = 1;
    break;
  case SOTTO_COLUMN_LABEL:
    status = find_word(&word, columns, j, cell, place, err);
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
