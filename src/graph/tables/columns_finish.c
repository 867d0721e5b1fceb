/* Columns of nodes, second pass: memory for features, order of words, missing values, names, report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "columns.h"

/* A word and its sort key. */
typedef struct word {
  sotto_i_field text;
  int64_t value;
  uint32_t number;
} word;

static int compare_bytes(const void *left, const void *right) {
  const word *a = left, *b = right;
  const size_t shorter = a->text.size < b->text.size ? a->text.size : b->text.size;
  const int order = memcmp(a->text.text, b->text.text, shorter);
  return order != 0 ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static int compare_values(const void *left, const void *right) {
  const word *a = left, *b = right;
  const int order = (a->value > b->value) - (a->value < b->value);
  return order != 0 ? order : compare_bytes(left, right);
}

/* Sorts the words by value if all are integers, else by their bytes; those that a schema states stay first.
 */
static sotto_status order_words(word **out, sotto_i_column *column, sotto_error *err) {
  const size_t count = column->words.count;
  bool numbers = true;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(out, count, sizeof **out, err));
  SOTTO_TRY(sotto_i_new(&column->rank, count, sizeof *column->rank, err));
  for (size_t i = 0; i < count; i++) {
    word *w = &(*out)[i];
    *w = (word){.text = column->words.names[i], .number = (uint32_t)i};
    numbers = numbers && sotto_i_text_integer(w->text.text, w->text.size, &w->value);
  }
  if (count > column->stated)
    qsort(*out + column->stated, count - column->stated, sizeof **out,
          numbers ? compare_values : compare_bytes);
  for (size_t i = 0; i < count; i++) column->rank[(*out)[i].number] = (uint32_t)i;
done:
  return status;
}

static sotto_status name_classes(sotto_i_parts *parts, const word *words, size_t count, const char *file,
                                 sotto_error *err) {
  sotto_i_names_maker maker = {0};
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < count; i++)
    SOTTO_TRY(sotto_i_names_add(&maker, words[i].text.text, words[i].text.size, err));
  status = sotto_i_parts_names(parts, SOTTO_I_NAMES_CLASSES, &maker, err);
done:
  sotto_i_names_maker_free(&maker);
  if (status == SOTTO_PARSE) sotto_i_error_prefix(err, "%s: the name of a class", file);
  return status;
}

/* Appends NAME=WORD for each word to the names of features. */
static sotto_status name_words(sotto_i_names_maker *maker, const sotto_i_column *column, const word *words,
                               sotto_error *err) {
  char *text = NULL;
  size_t room = 0;
  const size_t before = strlen(column->name) + 1;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < column->words.count; i++) {
    const sotto_i_field *w = &words[i].text;
    SOTTO_TRY(sotto_i_grow(&text, &room, before + w->size + 1, 1, err));
    memcpy(text, column->name, before - 1);
    text[before - 1] = '=';
    memcpy(text + before, w->text, w->size);
    SOTTO_TRY(sotto_i_names_add(maker, text, before + w->size, err));
  }
done:
  sotto_i_free(text);
  return status;
}

static sotto_status assign_features(sotto_i_column *column, sotto_i_parts *parts, sotto_i_names_maker *names,
                                    const char *file, sotto_error *err) {
  word *words = NULL;
  sotto_status status = SOTTO_OK;
  const bool of_words = column->kind == SOTTO_COLUMN_CATEGORY || column->kind == SOTTO_COLUMN_LABEL;
  if (!column->decided) column->kind = SOTTO_COLUMN_UNUSED; /* no cell has a value */
  column->first = parts->width;
  if (column->decided && of_words) SOTTO_TRY(order_words(&words, column, err));
  if (column->kind == SOTTO_COLUMN_NUMBER || column->kind == SOTTO_COLUMN_DATE ||
      column->kind == SOTTO_COLUMN_FLAG) {
    column->count = 1;
    SOTTO_TRY(sotto_i_names_add(names, column->name, strlen(column->name), err));
  }
  if (column->kind == SOTTO_COLUMN_CATEGORY) {
    column->count = column->words.count;
    SOTTO_TRY(name_words(names, column, words, err));
  }
  if (column->kind == SOTTO_COLUMN_LABEL) {
    parts->classes = (uint32_t)column->words.count;
    SOTTO_TRY(name_classes(parts, words, column->words.count, file, err));
  }
  parts->width += column->count;
done:
  if (status == SOTTO_PARSE) sotto_i_error_prefix(err, "%s: '%.80s'", file, column->name);
  sotto_i_free(words);
  return status;
}

sotto_status sotto_i_columns_begin(sotto_i_columns *columns, sotto_i_parts *parts, uint64_t nodes,
                                   sotto_error *err) {
  sotto_i_names_maker names = {0};
  const sotto_i_source *file = columns->file;
  sotto_status status = SOTTO_OK;
  for (size_t j = 0; j < columns->count; j++) {
    SOTTO_TRY(sotto_i_columns_check_words(columns, j, nodes, err));
    SOTTO_TRY(assign_features(&columns->items[j], parts, &names, file->file, err));
  }
  if (nodes == 0) parts->width = 0;
  if (parts->width > 0) {
    SOTTO_TRY(sotto_i_names_finish(&parts->names[SOTTO_I_NAMES_FEATURES], &names, err));
    SOTTO_TRY(sotto_i_features_new(&parts->features, nodes, parts->width, file->file, file->size, err));
  }
  /* marks cells that are not set */
  for (uint64_t i = 0; i < nodes * parts->width; i++) parts->features[i] = NAN;
  if (sotto_i_columns_find(columns, SOTTO_COLUMN_LABEL) != SIZE_MAX) {
    SOTTO_TRY(sotto_i_new(&parts->labels, nodes, sizeof *parts->labels, err));
    memset(parts->labels, 0xFF, nodes * sizeof *parts->labels);
    const sotto_i_column *label = &columns->items[sotto_i_columns_find(columns, SOTTO_COLUMN_LABEL)];
    parts->classes_from =
        label->stated == 0 || columns->options->others ? SOTTO_CLASSES_FOUND : SOTTO_CLASSES_DECLARED;
  }
  if (sotto_i_columns_find(columns, SOTTO_COLUMN_OUTCOME) != SIZE_MAX) {
    SOTTO_TRY(sotto_i_new_raw(&parts->numbers, nodes, sizeof *parts->numbers, err));
    for (uint64_t v = 0; v < nodes; v++) parts->numbers[v] = NAN;
  }
  if (sotto_i_columns_find(columns, SOTTO_COLUMN_SPLIT) != SIZE_MAX)
    SOTTO_TRY(sotto_i_new(&parts->split, nodes, 1, err));
done:
  sotto_i_names_maker_free(&names);
  return status;
}

/* Cells without a value where nothing may stand for it. */
static sotto_status refuse_missing(const sotto_i_columns *columns, const sotto_i_column *column,
                                   const sotto_i_parts *parts, const char *why, sotto_error *err) {
  for (uint64_t v = 0; v < parts->nodes; v++) {
    if (!isnan(parts->features[v * parts->width + column->first])) continue;
    const char *id = sotto_name(&parts->names[SOTTO_I_NAMES_NODES], v);
    return sotto_i_fail(err, SOTTO_PARSE, "%s: node %llu%s%.60s%s has no '%.80s'%s", columns->file->file,
                        (unsigned long long)v, id == NULL ? "" : " ('", id == NULL ? "" : id,
                        id == NULL ? "" : "')", column->name, why);
  }
  return SOTTO_OK;
}

double sotto_i_columns_filling(const sotto_i_column *column, size_t k) {
  if (column->fill == SOTTO_MISSING_REFUSE) return NAN;
  if (column->fill == SOTTO_MISSING_ZERO) return 0;
  if (column->fills == NULL) return INFINITY;
  return column->kind != SOTTO_COLUMN_CATEGORY || k < column->stated ? column->fills[k] : 0;
}

/* Says how cells without a value are filled, once it is known which nodes train (sotto_i_parts_fill). */
static sotto_status fill_column(const sotto_i_columns *columns, const sotto_i_column *column,
                                sotto_i_parts *parts, sotto_error *err) {
  const bool lacks = column->present < parts->nodes,
             later = columns->options != NULL && columns->options->others;
  if (column->count == 0) return SOTTO_OK;
  if (lacks && column->fill == SOTTO_MISSING_REFUSE)
    return refuse_missing(columns, column, parts,
                          "; give one, or have missing values filled when the file is imported", err);
  if (lacks && column->fill == SOTTO_MISSING_MEAN && column->fills == NULL && later)
    return refuse_missing(
        columns, column, parts,
        ", and the training kept no mean of it: that of this table is another; give a value, "
        "or have missing values filled by zero",
        err);
  if (lacks) parts->reading.view.filled = column->fill;
  for (size_t k = 0; k < column->count && parts->fill != NULL; k++)
    parts->fill[column->first + k] = sotto_i_columns_filling(column, k);
  return SOTTO_OK;
}

sotto_status sotto_i_columns_new_fill(const sotto_i_columns *columns, sotto_i_parts *parts,
                                      sotto_error *err) {
  bool any = false;
  for (size_t j = 0; j < columns->count; j++)
    any = any || (columns->items[j].count > 0 && columns->items[j].fill != SOTTO_MISSING_REFUSE);
  if (!any || parts->fill != NULL || parts->width == 0) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(&parts->fill, parts->width, sizeof *parts->fill, err);
  for (size_t j = 0; status == SOTTO_OK && j < parts->width; j++) parts->fill[j] = NAN;
  return status;
}

sotto_status sotto_i_columns_report(const sotto_i_column *c, uint64_t missing, sotto_i_parts *parts,
                                    sotto_error *err) {
  const bool counted = c->kind != SOTTO_COLUMN_ID && c->kind != SOTTO_COLUMN_UNUSED;
  const sotto_column said = {.name = c->name,
                             .kind = c->kind,
                             .first = c->first,
                             .feature_count = c->count,
                             .missing = counted ? missing : 0,
                             .missing_words = counted && c->missing[0] != '\0' ? c->missing : NULL};
  return sotto_i_reading_column(parts, &said, err);
}

sotto_status sotto_i_columns_finish(sotto_i_columns *columns, sotto_i_parts *parts, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_columns_new_fill(columns, parts, err));
  for (size_t j = 0; j < columns->count; j++) {
    const sotto_i_column *c = &columns->items[j];
    SOTTO_TRY(fill_column(columns, c, parts, err));
    SOTTO_TRY(sotto_i_columns_report(c, parts->nodes - c->present, parts, err));
  }
done:
  return status;
}

sotto_status sotto_i_parts_names(sotto_i_parts *parts, int list, sotto_i_names_maker *maker,
                                 sotto_error *err) {
  char number[24];
  bool numbers = true;
  for (size_t i = 0; i < maker->count && numbers; i++) {
    (void)snprintf(number, sizeof number, "%zu", i);
    numbers = strcmp(maker->text + maker->starts[i], number) == 0;
  }
  if (numbers) return SOTTO_OK;
  sotto_i_names_free(&parts->names[list]);
  return sotto_i_names_finish(&parts->names[list], maker, err);
}

/* The line of the table that contains a field. */
static unsigned long long find_line(const sotto_i_csv *csv, const sotto_i_field *field) {
  unsigned long long line = 1;
  for (const uint8_t *at = csv->text; at < field->text; at++) line += *at == '\n';
  return line;
}

/* Whether the ids are 0, 1, 2, ...; such numbers need no names. */
static bool are_numbers(const sotto_i_ids *ids) {
  uint8_t room[SOTTO_I_PLAIN_ROOM];
  char number[24];
  for (size_t i = 0; i < ids->count; i++) {
    const sotto_i_field name = sotto_i_ids_name(ids, i, room);
    const int length = snprintf(number, sizeof number, "%zu", i);
    if (name.size != (size_t)length || memcmp(name.text, number, name.size) != 0) return false;
  }
  return true;
}

sotto_status sotto_i_parts_ids(sotto_i_parts *parts, const sotto_i_ids *ids, const sotto_i_csv *csv,
                               const char *file, sotto_error *err) {
  uint8_t room[SOTTO_I_PLAIN_ROOM];
  sotto_names *names = &parts->names[SOTTO_I_NAMES_NODES];
  uint64_t *block = NULL, used = 0;
  const size_t head = (ids->count + 1) * sizeof *block;
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; i < ids->count; i++) used += sotto_i_ids_size(ids, i) + 1;
  SOTTO_TRY(sotto_i_new_raw(&block, head + used, 1, err));
  char *text = (char *)block + head;
  used = 0;
  for (size_t i = 0; i < ids->count; i++) {
    const sotto_i_field name = sotto_i_ids_name(ids, i, room);
    char *added = text + used;
    block[i] = used;
    if (name.size > 0) memcpy(added, name.text, name.size);
    added[name.size] = '\0';
    used += name.size + 1;
    if (sotto_i_ids_is_plain(ids, i)) continue;
    status = sotto_i_name_check(added, name.size, err);
    if (status == SOTTO_OK) continue;
    if (csv != NULL)
      sotto_i_error_prefix(err, "%s: line %llu: the id", file, find_line(csv, &name));
    else
      sotto_i_error_prefix(err, "%s: the id of node %zu", file, i);
    goto done;
  }
  block[ids->count] = used;
  if (are_numbers(ids)) goto done;
  sotto_i_names_free(names);
  *names = (sotto_names){.count = ids->count, .starts = block, .text = text};
  block = NULL;
done:
  sotto_i_free(block);
  return status;
}
