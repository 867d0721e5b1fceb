/* Edge lists in CSV or TSV, with an optional node table.
 *
 * Edge list: two columns of ids. The first line is a header when its words are a usual pair of names, or when
 * neither is a whole number and both on the second line are. Ids are any text; with a node table they are
 * numbered in its order, and others are an error; without one in order of first appearance.
 * Node table: a header; the ids stand in the column `id`, or in the first; the classes in the column `label`,
 * where empty means unknown; every other column is a feature. Labels are renumbered ascending: by value when
 * all are whole numbers, else by their bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "csv.h"

/* A label on its way to a class number. */
typedef struct label {
  int64_t value;
  sotto_i_field text;
  size_t node;
} label;

typedef struct node_table {
  sotto_i_csv csv;
  size_t columns, id_column, label_column; /* label_column == columns: none */
  float *features;
  size_t feature_room;
  label *labels; /* of the nodes that have one */
  size_t label_count, label_room;
  bool words; /* some label is not a whole number */
} node_table;

static sotto_status read_header(node_table *t, sotto_error *err) {
  sotto_status status = sotto_i_csv_next(&t->csv, err);
  if (status != SOTTO_OK) return status;
  t->columns = t->label_column = t->csv.count;
  t->id_column = SIZE_MAX;
  if (t->columns == 0) return sotto_i_fail(err, SOTTO_PARSE, "%s: has no header", t->csv.lines.file);
  for (size_t j = 0; j < t->columns; j++) {
    size_t *place = sotto_i_field_is(&t->csv.fields[j], "id")      ? &t->id_column
                    : sotto_i_field_is(&t->csv.fields[j], "label") ? &t->label_column
                                                                   : NULL;
    if (place == NULL) continue;
    if (*place < t->columns) return sotto_i_csv_fail(&t->csv, SOTTO_PARSE, j, "names a second column", err);
    *place = j;
  }
  if (t->id_column == SIZE_MAX) t->id_column = 0;
  if (t->id_column == t->label_column)
    return sotto_i_csv_fail(&t->csv, SOTTO_PARSE, 0, "is the first column, and ids should be there", err);
  return SOTTO_OK;
}

static sotto_status add_label(node_table *t, size_t node, sotto_error *err) {
  const sotto_i_field *field = &t->csv.fields[t->label_column];
  if (field->size == 0) return SOTTO_OK;
  sotto_status status = sotto_i_grow(&t->labels, &t->label_room, t->label_count + 1, sizeof *t->labels, err);
  if (status != SOTTO_OK) return status;
  label *added = &t->labels[t->label_count++];
  *added = (label){.text = *field, .node = node};
  if (!sotto_i_text_integer(field->text, field->size, &added->value)) t->words = true;
  return SOTTO_OK;
}

static sotto_status read_row(node_table *t, sotto_i_ids *ids, size_t width, sotto_error *err) {
  sotto_status status;
  const sotto_i_csv *csv = &t->csv;
  if (csv->count != t->columns)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: %zu fields, and the header has %zu",
                        csv->lines.file, (unsigned long long)csv->lines.line, csv->count, t->columns);
  const sotto_i_field *id = &csv->fields[t->id_column];
  if (id->size == 0) return sotto_i_csv_fail(csv, SOTTO_PARSE, t->id_column, "is an empty id", err);
  if (sotto_i_ids_find(ids, id) != UINT32_MAX)
    return sotto_i_csv_fail(csv, SOTTO_PARSE, t->id_column, "is an id that stands on a line before", err);
  const size_t node = ids->count;
  SOTTO_TRY(sotto_i_ids_add(ids, id, err));
  SOTTO_TRY(sotto_i_grow(&t->features, &t->feature_room, (node + 1) * width, sizeof *t->features, err));
  size_t at = node * width;
  for (size_t j = 0; j < t->columns; j++) {
    double value;
    if (j == t->id_column || j == t->label_column) continue;
    if (!sotto_i_text_double(csv->fields[j].text, csv->fields[j].size, &value))
      return sotto_i_csv_fail(csv, SOTTO_PARSE, j, "is not a finite number", err);
    t->features[at++] = (float)value;
  }
  if (t->label_column < t->columns) SOTTO_TRY(add_label(t, node, err));
done:
  return status;
}

static int compare_values(const void *left, const void *right) {
  const label *a = left, *b = right;
  return (a->value > b->value) - (a->value < b->value);
}

static int compare_words(const void *left, const void *right) {
  const label *a = left, *b = right;
  size_t shorter = a->text.size < b->text.size ? a->text.size : b->text.size;
  int order = memcmp(a->text.text, b->text.text, shorter);
  return order != 0 ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static sotto_status number_labels(sotto_i_parts *parts, node_table *t, size_t nodes, sotto_error *err) {
  if (t->label_column == t->columns) return SOTTO_OK;
  int (*compare)(const void *, const void *) = t->words ? compare_words : compare_values;
  sotto_status status = sotto_i_new(&parts->labels, nodes, sizeof *parts->labels, err);
  if (status != SOTTO_OK) return status;
  for (size_t v = 0; v < nodes; v++) parts->labels[v] = -1;
  parts->classes_from = SOTTO_CLASSES_FOUND;
  if (t->label_count > 0) qsort(t->labels, t->label_count, sizeof *t->labels, compare);
  for (size_t i = 0; i < t->label_count; i++) {
    if (i == 0 || compare(&t->labels[i - 1], &t->labels[i]) != 0) parts->classes++;
    parts->labels[t->labels[i].node] = (int32_t)parts->classes - 1;
  }
  return SOTTO_OK;
}

static sotto_status read_nodes(sotto_i_parts *parts, node_table *t, sotto_i_ids *ids, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(read_header(t, err));
  const size_t width = t->columns - 1 - (t->label_column < t->columns);
  for (;;) {
    SOTTO_TRY(sotto_i_csv_next(&t->csv, err));
    if (t->csv.count == 0) break;
    SOTTO_TRY(read_row(t, ids, width, err));
  }
  SOTTO_TRY(number_labels(parts, t, ids->count, err));
  if (width == 0 || ids->count == 0) return SOTTO_OK;
  parts->width = width;
  parts->features = t->features;
  t->features = NULL;
done:
  return status;
}

static bool is_usual_header(const sotto_i_field fields[2]) {
  static const char *const usual[][2] = {
      {"source", "target"}, {"src", "dst"},       {"from", "to"},
      {"u", "v"},           {"id1", "id2"},       {"id_1", "id_2"},
      {"node1", "node2"},   {"node_1", "node_2"}, {"source", "destination"}};
  for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
    if (sotto_i_field_is(&fields[0], usual[i][0]) && sotto_i_field_is(&fields[1], usual[i][1])) return true;
  return false;
}

/* How many of the two ids are whole numbers. */
static int whole_numbers(const sotto_i_field fields[2]) {
  int64_t value;
  return sotto_i_text_integer(fields[0].text, fields[0].size, &value) +
         sotto_i_text_integer(fields[1].text, fields[1].size, &value);
}

static sotto_status number_of(uint32_t *out, const sotto_i_csv *csv, size_t column, sotto_i_ids *ids,
                              bool table, sotto_error *err) {
  const sotto_i_field *id = &csv->fields[column];
  if (id->size == 0) return sotto_i_csv_fail(csv, SOTTO_PARSE, column, "is an empty id", err);
  *out = sotto_i_ids_find(ids, id);
  if (*out != UINT32_MAX) return SOTTO_OK;
  if (table) return sotto_i_csv_fail(csv, SOTTO_RANGE, column, "is not an id of the node table", err);
  *out = (uint32_t)ids->count;
  return sotto_i_ids_add(ids, id, err);
}

static sotto_status check_width(const sotto_i_csv *csv, sotto_error *err) {
  if (csv->count == 2) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: an edge is two ids, and here are %zu fields",
                      csv->lines.file, (unsigned long long)csv->lines.line, csv->count);
}

static sotto_status add_edge(sotto_i_edge_list *pairs, const sotto_i_csv *csv, sotto_i_ids *ids, bool table,
                             sotto_error *err) {
  sotto_status status;
  uint32_t from = 0, to = 0;
  SOTTO_TRY(number_of(&from, csv, 0, ids, table, err));
  SOTTO_TRY(number_of(&to, csv, 1, ids, table, err));
  SOTTO_TRY(sotto_i_edge_list_add(pairs, from, to, err));
done:
  return status;
}

static sotto_status read_pairs(sotto_i_edge_list *pairs, sotto_i_csv *csv, sotto_i_ids *ids, bool table,
                               sotto_error *err) {
  sotto_status status;
  sotto_i_csv first = {0}; /* the first line, held back until the second tells whether it is a header */
  sotto_i_field held[2];
  SOTTO_TRY(sotto_i_csv_next(csv, err));
  if (csv->count == 0) return SOTTO_OK;
  SOTTO_TRY(check_width(csv, err));
  held[0] = csv->fields[0];
  held[1] = csv->fields[1];
  first = (sotto_i_csv){.lines = csv->lines, .fields = held, .count = 2};
  SOTTO_TRY(sotto_i_csv_next(csv, err));
  const bool usual = is_usual_header(held);
  const bool numbers_below = csv->count == 2 && whole_numbers(held) == 0 && whole_numbers(csv->fields) == 2;
  if (!usual && !numbers_below) SOTTO_TRY(add_edge(pairs, &first, ids, table, err));
  while (csv->count != 0) {
    SOTTO_TRY(check_width(csv, err));
    SOTTO_TRY(add_edge(pairs, csv, ids, table, err));
    SOTTO_TRY(sotto_i_csv_next(csv, err));
  }
done:
  return status;
}

sotto_status sotto_i_read_edges(sotto_i_parts *parts, const sotto_i_source *edges,
                                const sotto_i_source *nodes, char separator, sotto_error *err) {
  sotto_status status;
  node_table table = {0};
  sotto_i_csv csv = {0};
  sotto_i_edge_list pairs = {0};
  sotto_i_ids ids;
  sotto_i_ids_init(&ids);
  if (nodes->data != NULL) {
    size_t length = strlen(nodes->file);
    bool tabs = length > 4 && strcmp(nodes->file + length - 4, ".tsv") == 0;
    SOTTO_TRY(sotto_i_csv_open(&table.csv, nodes, tabs ? '\t' : ',', err));
    SOTTO_TRY(read_nodes(parts, &table, &ids, err));
  }
  SOTTO_TRY(sotto_i_csv_open(&csv, edges, separator, err));
  SOTTO_TRY(read_pairs(&pairs, &csv, &ids, nodes->data != NULL, err));
  SOTTO_TRY(sotto_i_parts_edges(parts, ids.count, &pairs, edges->file, err));
done:
  sotto_i_csv_free(&table.csv);
  sotto_i_free(table.features);
  sotto_i_free(table.labels);
  sotto_i_csv_free(&csv);
  sotto_i_edge_list_free(&pairs);
  sotto_i_ids_free(&ids);
  return status;
}
