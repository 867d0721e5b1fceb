/* Node tables: a header, then one line per node. Ids are in the column `id`, or in the first column. */
#include <string.h>

#include "base/memory.h"
#include "tables.h"

/* One name in the first line with another separator inside: a table whose columns are not found. */
static sotto_status check_one_name(const sotto_i_csv *csv, sotto_error *err) {
  const sotto_i_field *name = &csv->fields[0];
  bool parted = false;
  for (size_t i = 0; i < name->size; i++) parted = parted || strchr(" |:^", name->text[i]) != NULL;
  if (csv->count != 1 || !parted) return SOTTO_OK;
  return sotto_i_csv_fail(
      csv, SOTTO_INVALID, 0,
      "is the only name; columns are separated by commas, semicolons or tabs: write one of "
      "these between the names, or one name without a separator",
      err);
}

static sotto_status read_header(sotto_i_node_table *t, sotto_error *err) {
  sotto_status status = sotto_i_csv_next(&t->first, err);
  if (status != SOTTO_OK) return status;
  if (t->first.count == 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: has no header; its first line must name the columns",
                        t->first.lines.file);
  if (t->first.fields[0].size >= 4 && memcmp(t->first.fields[0].text, "sep=", 4) == 0)
    return sotto_i_csv_fail(
        &t->first, SOTTO_PARSE, 0,
        "is a line for Excel, and no header; take it out: separators are found without it", err);
  status = check_one_name(&t->first, err);
  if (status != SOTTO_OK) return status;
  for (size_t j = 0; j < t->first.count; j++) {
    const sotto_i_place place = {t->first.lines.line, j + 1};
    status = sotto_i_columns_add(&t->columns, &t->first.fields[j], place, err);
    if (status != SOTTO_OK) return status;
  }
  t->id_column = sotto_i_columns_find(&t->columns, SOTTO_COLUMN_ID);
  if (t->id_column == SIZE_MAX) {
    status = sotto_i_columns_check_id(&t->columns, err);
    if (status != SOTTO_OK) return status;
    sotto_i_column *column = &t->columns.items[0];
    if (column->decided)
      return sotto_i_csv_fail(&t->first, SOTTO_PARSE, 0,
                              "is the first column, and ids should be there; name the column of ids 'id'",
                              err);
    column->decided = true;
    column->kind = SOTTO_COLUMN_ID;
    t->id_column = 0;
  }
  return sotto_i_columns_check_options(&t->columns, err);
}

sotto_status sotto_i_node_table_twice(const sotto_i_csv *csv, size_t column, sotto_error *err) {
  return sotto_i_csv_fail(csv, SOTTO_PARSE, column,
                          "is an id that stands on a line before; each node has one line", err);
}

/* Is each cell of the row the name of its column? */
static bool repeats_header(const sotto_i_node_table *t) {
  const sotto_i_csv *csv = &t->first;
  for (size_t j = csv->count; j-- > 0;) {
    const char *name = t->columns.items[j].name;
    if (strlen(name) != csv->fields[j].size || memcmp(name, csv->fields[j].text, csv->fields[j].size) != 0)
      return false;
  }
  return true;
}

sotto_status sotto_i_node_table_row(sotto_i_node_table *t, sotto_error *err) {
  const sotto_i_csv *csv = &t->first;
  sotto_status status;
  if (csv->count != t->columns.count)
    return sotto_i_fail(
        err, SOTTO_PARSE,
        "%s: line %llu: has %zu field%s, but the header has %zu; a field with the separator inside "
        "stands in quotes",
        csv->lines.file, (unsigned long long)csv->lines.line, csv->count, csv->count == 1 ? "" : "s",
        t->columns.count);
  const sotto_i_field *id = &csv->fields[t->id_column];
  if (repeats_header(t))
    return sotto_i_csv_fail(
        csv, SOTTO_PARSE, t->id_column,
        "repeats the header, as where one table was put behind another; take the line out", err);
  if (id->size == 0)
    return sotto_i_csv_fail(csv, SOTTO_PARSE, t->id_column, "is an empty id; every node needs one", err);
  if (sotto_i_cell_is_missing(id, t->columns.options == NULL ? NULL : t->columns.options->missing_words))
    return sotto_i_csv_fail(csv, SOTTO_PARSE, t->id_column,
                            "is a word for a missing value, not an id; give the node an id, or say that no "
                            "word stands for a missing "
                            "value when the table is imported",
                            err);
  if (!t->columns.items[t->id_column].chosen) SOTTO_TRY(sotto_i_id_check(csv, t->id_column, err));
  if (sotto_i_ids_find(&t->ids, id) != UINT32_MAX) return sotto_i_node_table_twice(csv, t->id_column, err);
  SOTTO_TRY(sotto_i_ids_add(&t->ids, id, err));
  for (size_t j = 0; j < csv->count; j++) {
    SOTTO_TRY(
        sotto_i_columns_scan(&t->columns, j, &csv->fields[j], (sotto_i_place){csv->lines.line, j + 1}, err));
    t->changed += csv->changed[j] && sotto_i_columns_has_words(&t->columns, j);
  }
done:
  return status;
}

sotto_status sotto_i_node_table_begin(sotto_i_node_table *t, const sotto_i_source *file,
                                      const sotto_import_options *options, sotto_error *err) {
  const size_t length = strlen(file->file);
  const bool tabs = length > 4 && strcmp(file->file + length - 4, ".tsv") == 0;
  const char separator = tabs ? '\t' : sotto_i_csv_guess(file, ",;\t", false);
  sotto_status status;
  *t = (sotto_i_node_table){.columns = {.file = file, .options = options}};
  sotto_i_ids_init(&t->ids);
  SOTTO_TRY(sotto_i_csv_open(&t->first, file, separator, err));
  t->first.trim = true;
  SOTTO_TRY(read_header(t, err));
done:
  return status;
}

/* Is the last line one of sums? */
static sotto_status check_last(const sotto_i_node_table *t, sotto_error *err) {
  const sotto_i_column *column = &t->columns.items[t->id_column];
  uint8_t room[SOTTO_I_PLAIN_ROOM];
  if (t->ids.count < 3 || column->chosen) return SOTTO_OK;
  const sotto_i_field last = sotto_i_ids_name(&t->ids, t->ids.count - 1, room);
  if (!sotto_i_id_is_total(&last)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: its last line has the id '%.*s', and may be a sum of the others; take it out, or give the "
      "type id to the column '%.80s' when the file is imported",
      t->columns.file->file, (int)last.size, (const char *)last.text, column->name);
}

sotto_status sotto_i_node_table_open(sotto_i_node_table *t, const sotto_i_source *file,
                                     const sotto_import_options *options, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_node_table_begin(t, file, options, err));
  sotto_i_ids_expect(&t->ids, file->size);
  t->first.observer = options == NULL ? NULL : options->observer;
  for (;;) {
    SOTTO_TRY(sotto_i_csv_next(&t->first, err));
    if (t->first.count == 0) break;
    SOTTO_TRY(sotto_i_node_table_row(t, err));
  }
  status = check_last(t, err);
done:
  return status;
}

sotto_status sotto_i_node_table_fill(sotto_i_node_table *t, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_csv *csv = &t->second;
  sotto_status status;
  SOTTO_TRY(sotto_i_parts_ids(parts, &t->ids, &t->first, t->columns.file->file, err));
  SOTTO_TRY(sotto_i_csv_open(csv, t->columns.file, t->first.separator, err));
  csv->trim = csv->passing = true;
  csv->observer = t->first.observer;
  SOTTO_TRY(sotto_i_columns_begin(&t->columns, parts, t->ids.count, err));
  SOTTO_TRY(sotto_i_csv_next(csv, err));
  for (uint64_t node = 0; node < t->ids.count; node++) {
    SOTTO_TRY(sotto_i_csv_next(csv, err));
    if (csv->count != t->columns.count) {
      status =
          sotto_i_fail(err, SOTTO_CORRUPT, "%s: line %llu: the file changed while it was read; read it again",
                       t->columns.file->file, (unsigned long long)csv->lines.line);
      goto done;
    }
    for (size_t j = 0; j < csv->count; j++)
      SOTTO_TRY(sotto_i_columns_put(&t->columns, parts, node, j, &csv->fields[j],
                                    (sotto_i_place){csv->lines.line, j + 1}, err));
  }
  SOTTO_TRY(sotto_i_columns_finish(&t->columns, parts, err));
done:
  return status;
}

void sotto_i_node_table_free(sotto_i_node_table *table) {
  sotto_i_columns_free(&table->columns);
  sotto_i_csv_free(&table->first);
  sotto_i_csv_free(&table->second);
  sotto_i_ids_free(&table->ids);
}
