/* Edge lists in text, with an optional node table.
 *
 * A line has two ids, any text; commas, semicolons, tabs or blanks stand between, and lines that begin with #
 * or % are comments. Whether the first line is a header: edge_header.c. Further columns are named and not
 * used. With a node table ids are numbered in its order, and others are an error; without one in order of
 * first appearance. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tables.h"

typedef sotto_i_edge_text edge_list;
enum { most_columns = 100000 };

/* Of the id that was added last: said here, where the line is known. */
static sotto_status check_new_id(const edge_list *e, const sotto_i_csv *csv, sotto_error *err) {
  const size_t last = e->own.count - 1;
  if (e->listed || sotto_i_ids_is_plain(&e->own, last)) return SOTTO_OK;
  const sotto_i_field id = sotto_i_ids_name(&e->own, last, NULL);
  const sotto_status status = sotto_i_name_check((const char *)id.text, id.size, err);
  if (status != SOTTO_OK)
    sotto_i_error_prefix(err, "%s: line %llu: the id", csv->lines.file, (unsigned long long)csv->lines.line);
  return status;
}

sotto_status sotto_i_edge_text_unknown(const sotto_i_csv *csv, size_t column, sotto_error *err) {
  return sotto_i_csv_fail(csv, SOTTO_RANGE, column,
                          "is not an id of the node table; add its line there, or take the edge out", err);
}

/* Two files one behind the other, each with its header. */
static bool repeats_header(const edge_list *e, const sotto_i_csv *csv) {
  return e->names[0][0] != '\0' && csv->fields[e->from].size == strlen(e->names[0]) &&
         csv->fields[e->to].size == strlen(e->names[1]) &&
         memcmp(csv->fields[e->from].text, e->names[0], csv->fields[e->from].size) == 0 &&
         memcmp(csv->fields[e->to].text, e->names[1], csv->fields[e->to].size) == 0;
}

/* With the id of the table that is the same number, where there is one. */
static sotto_status fail_unknown(const edge_list *e, const sotto_i_csv *csv, size_t column,
                                 sotto_error *err) {
  uint8_t room[SOTTO_I_PLAIN_ROOM];
  char text[200];
  sotto_i_field alike;
  if (!sotto_i_ids_alike(&alike, room, e->table, &csv->fields[column]))
    return sotto_i_edge_text_unknown(csv, column, err);
  (void)snprintf(
      text, sizeof text,
      "is not an id of the node table, which has '%.*s': one program changed the form of the number; "
      "write them alike",
      (int)alike.size, (const char *)alike.text);
  return sotto_i_csv_fail(csv, SOTTO_RANGE, column, text, err);
}

static sotto_status find_or_add(uint32_t *out, edge_list *e, const sotto_i_csv *csv, size_t column,
                                sotto_error *err) {
  const sotto_i_field *id = &csv->fields[column];
  if (id->size == 0)
    return sotto_i_csv_fail(csv, SOTTO_PARSE, column, "is an empty id; an edge joins two nodes", err);
  *out = sotto_i_ids_find(e->table == NULL ? &e->own : e->table, id);
  if (*out != UINT32_MAX) return SOTTO_OK;
  if (repeats_header(e, csv))
    return sotto_i_csv_fail(csv, SOTTO_PARSE, column,
                            "repeats the header, as where one list was put behind another; take the line out",
                            err);
  if (e->table != NULL) return fail_unknown(e, csv, column, err);
  sotto_status status = sotto_i_id_check(csv, column, err);
  if (status != SOTTO_OK) return status;
  if (sotto_i_cell_is_missing(id, e->options == NULL ? NULL : e->options->missing_words))
    return sotto_i_csv_fail(
        csv, SOTTO_PARSE, column,
        "is a word for a missing value, not an id; take the edge out, or say that no word stands "
        "for a missing value when the list is imported",
        err);
  *out = (uint32_t)e->own.count;
  status = sotto_i_ids_add(&e->own, id, err);
  return status == SOTTO_OK ? check_new_id(e, csv, err) : status;
}

static sotto_status add_edge(edge_list *e, const sotto_i_csv *csv, sotto_error *err) {
  sotto_status status;
  uint32_t from = 0, to = 0;
  if (csv->count != e->width)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: line %llu: has %zu fields, but the first line has %zu",
                        csv->lines.file, (unsigned long long)csv->lines.line, csv->count, e->width);
  SOTTO_TRY(find_or_add(&from, e, csv, e->from, err));
  SOTTO_TRY(find_or_add(&to, e, csv, e->to, err));
  SOTTO_TRY(sotto_i_edge_list_add(&e->pairs, from, to, err));
  SOTTO_TRY(sotto_i_edge_transfer(e, csv, from, to, err));
  e->changed += (uint64_t)csv->changed[e->from] + csv->changed[e->to];
done:
  return status;
}

/* Names the other columns: by the header, or by their numbers. */
static sotto_status name_columns(edge_list *e, sotto_i_parts *parts, const sotto_i_field *header,
                                 sotto_error *err) {
  char name[100];
  for (size_t j = 0; j < e->width; j++) {
    if (e->header && (j == e->from || j == e->to)) {
      char *end = parts->reading.ends[j == e->to];
      (void)snprintf(e->names[j == e->to], sizeof e->names[0], "%.*s",
                     (int)(header[j].size < 80 ? header[j].size : 80), (const char *)header[j].text);
      (void)snprintf(end, sizeof parts->reading.ends[0], "%s", e->names[j == e->to]);
      sotto_text_clean(end, false);
    }
    if (j == e->from || j == e->to) continue;
    if (e->header)
      (void)snprintf(name, sizeof name, "%.*s", (int)(header[j].size < 80 ? header[j].size : 80),
                     (const char *)header[j].text);
    else
      (void)snprintf(name, sizeof name, "column %zu", j + 1);
    const sotto_column column = {.name = name, .kind = sotto_i_edge_column_kind(e, j), .of_edges = true};
    sotto_status status = sotto_i_reading_column(parts, &column, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status require_two_fields(const sotto_i_csv *csv, sotto_error *err) {
  if (csv->count != 1) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_PARSE,
      "%s: line %llu: has 1 field, but an edge needs two ids, separated by commas, semicolons, tabs or "
      "blanks",
      csv->lines.file, (unsigned long long)csv->lines.line);
}

/* Copies the first line until the second line shows whether it is a header. */
static sotto_status copy_line(sotto_i_field **out, uint8_t **text, bool **changed, const sotto_i_csv *csv,
                              sotto_error *err) {
  sotto_status status;
  size_t size = 0;
  for (size_t j = 0; j < csv->count; j++) size += csv->fields[j].size;
  SOTTO_TRY(sotto_i_new(out, csv->count, sizeof **out, err));
  SOTTO_TRY(sotto_i_new(text, size, 1, err));
  SOTTO_TRY(sotto_i_new(changed, csv->count, sizeof **changed, err));
  memcpy(*changed, csv->changed, csv->count * sizeof **changed);
  uint8_t *at = *text;
  for (size_t j = 0; j < csv->count; j++) {
    const sotto_i_field *field = &csv->fields[j];
    if (field->size > 0) memcpy(at, field->text, field->size);
    (*out)[j] = (sotto_i_field){at, field->size};
    at += field->size;
  }
done:
  return status;
}

sotto_status sotto_i_edge_text_begin(edge_list *e, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_csv *csv = &e->csv, first = {0};
  sotto_i_field *held = NULL;
  uint8_t *text = NULL;
  bool *changed = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_csv_next(csv, err));
  if (csv->count == 0) return SOTTO_OK;
  SOTTO_TRY(require_two_fields(csv, err));
  if (csv->count > most_columns)
    SOTTO_TRY(sotto_i_fail(
        err, SOTTO_PARSE,
        "%s: line %llu: has %zu fields, and each edge has a line of its own; end lines with a line "
        "feed",
        csv->lines.file, (unsigned long long)csv->lines.line, csv->count));
  e->width = csv->count;
  e->to = 1;
  e->first_line = csv->lines.line;
  SOTTO_TRY(copy_line(&held, &text, &changed, csv, err));
  first = (sotto_i_csv){.lines = csv->lines, .fields = held, .changed = changed, .count = e->width};
  SOTTO_TRY(sotto_i_csv_next(csv, err));
  SOTTO_TRY(sotto_i_edge_header(e, held, err));
  SOTTO_TRY(sotto_i_edge_columns(e, held, err));
  SOTTO_TRY(name_columns(e, parts, held, err));
  SOTTO_TRY(sotto_i_edge_list_room(&e->pairs, sotto_i_csv_lines_about(csv) + 1, err));
  if (!e->header) SOTTO_TRY(add_edge(e, &first, err));
done:
  sotto_i_free(held);
  sotto_i_free(text);
  sotto_i_free(changed);
  return status;
}

sotto_status sotto_i_edge_text_rest(edge_list *e, sotto_error *err) {
  sotto_i_csv *csv = &e->csv;
  sotto_status status = SOTTO_OK;
  while (csv->count != 0) {
    SOTTO_TRY(require_two_fields(csv, err));
    SOTTO_TRY(add_edge(e, csv, err));
    if (e->from == 0 && e->to == 1 && !e->directed)
      SOTTO_TRY(sotto_i_edge_lines(csv, e->width, e->table, &e->own, &e->pairs, err));
    SOTTO_TRY(sotto_i_csv_next(csv, err));
  }
done:
  return status;
}

/* "table of nodes FILE", and what is not usual about it. */
static void describe_table(char out[300], const sotto_i_node_table *nodes) {
  const sotto_import_options *o = nodes->columns.options;
  const bool comma = o != NULL && o->decimal_comma;
  (void)snprintf(out, 300, "table of nodes %.200s%s%s%s", nodes->columns.file->file,
                 nodes->first.separator == ',' ? "" : ", ",
                 nodes->first.separator == ',' ? "" : sotto_i_csv_separator_name(nodes->first.separator),
                 comma ? ", decimal commas" : "");
}

sotto_status sotto_i_edge_text_form(const edge_list *e, sotto_i_parts *parts, const sotto_i_node_table *nodes,
                                    sotto_error *err) {
  char comments[40] = "", table[300] = "";
  if (nodes != NULL) describe_table(table, nodes);
  if (e->csv.lines.file == NULL) return sotto_i_reading_form(parts, err, "%s; no edges", table);
  if (e->csv.comment_lines > 0)
    (void)snprintf(comments, sizeof comments, ", comments %llu", (unsigned long long)e->csv.comment_lines);
  return sotto_i_reading_form(parts, err, "edge list, %s, %s header%s; %s",
                              sotto_i_csv_separator_name(e->csv.separator), e->header ? "with a" : "no",
                              comments, nodes == NULL ? "ids in order of appearance" : table);
}

sotto_status sotto_i_edges_none(const char *file, sotto_error *err) {
  return sotto_i_fail(err, SOTTO_PARSE, "%s: has no edge and no node", file);
}

/* Of an open text of which nothing is read yet. */
static sotto_status choose_separator(edge_list *e, sotto_error *err) {
  const char *file = e->csv.lines.file;
  const size_t length = strlen(file);
  const bool tabs = length > 4 && strcmp(file + length - 4, ".tsv") == 0;
  e->csv.comments = e->csv.trim = true;
  return sotto_i_csv_choose(&e->csv, tabs ? "\t,; " : ",;\t ", err);
}

sotto_status sotto_i_edge_text_open(edge_list *e, const sotto_i_source *edges, sotto_error *err) {
  const sotto_status status = sotto_i_csv_open(&e->csv, edges, ',', err);
  return status == SOTTO_OK ? choose_separator(e, err) : status;
}

/* Options about columns of nodes have no effect without a table of nodes. */
static sotto_status check_no_columns(const sotto_import_options *o, const char *file, sotto_error *err) {
  if (o == NULL || (o->types == NULL && o->label == NULL)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: types and label are about columns of nodes, and there is no table of nodes", file);
}

static sotto_status describe_forms(sotto_i_parts *parts, size_t count, const sotto_i_field *first,
                                   const char *what, sotto_error *err) {
  if (count == 0) return SOTTO_OK;
  return sotto_i_reading_form(parts, err, "%s; ids that differ in %s alone: %zu, the first is %.*s",
                              parts->reading.view.form, what, count,
                              (int)(first->size < 80 ? first->size : 80), (const char *)first->text);
}

/* Reads the lines of an open list, if there is one, and builds the graph. */
static sotto_status read_list(edge_list *e, sotto_i_parts *parts, const sotto_i_source *nodes,
                              const sotto_import_options *options, sotto_error *err) {
  const char *file = e->csv.lines.file;
  sotto_i_node_table table = {0};
  sotto_i_id_forms forms = {0};
  sotto_status status;
  sotto_i_ids_init(&e->own);
  sotto_i_ids_copy(&e->own);
  sotto_i_ids_expect(&e->own, e->csv.size);
  e->options = options;
  if (nodes->data != NULL) {
    SOTTO_TRY(sotto_i_node_table_open(&table, nodes, options, err));
    e->table = &table.ids;
  }
  if (nodes->data == NULL) SOTTO_TRY(check_no_columns(options, file, err));
  if (file != NULL) {
    e->csv.observer = options == NULL ? NULL : options->observer;
    SOTTO_TRY(sotto_i_edge_text_begin(e, parts, err));
    SOTTO_TRY(sotto_i_edge_text_rest(e, err));
  }
  const uint64_t count = e->table == NULL ? e->own.count : e->table->count;
  if (count == 0) {
    status = sotto_i_edges_none(file != NULL ? file : nodes->file, err);
    goto done;
  }
  SOTTO_TRY(sotto_i_ids_check_forms(&forms, e->table == NULL ? &e->own : e->table,
                                    e->table == NULL ? file : nodes->file, err));
  SOTTO_TRY(sotto_i_edge_text_form(e, parts, nodes->data == NULL ? NULL : &table, err));
  SOTTO_TRY(describe_forms(parts, forms.count, &forms.first, "leading zeros", err));
  SOTTO_TRY(describe_forms(parts, forms.capitals, &forms.first_capitals, "capitals", err));
  SOTTO_TRY(sotto_i_reading_changed(parts, e->changed + table.changed, err));
  /* frees what is no longer needed before the graph allocates memory; names follow after it */
  sotto_i_csv_free(&e->csv);
  sotto_i_ids_close(&e->own);
  SOTTO_TRY(sotto_i_parts_take_edges(parts, count, &e->pairs, file, err));
  if (e->directed) SOTTO_TRY(sotto_i_transfers_sort(&e->transfers, err));
  parts->transfers = e->transfers;
  e->transfers = (sotto_i_transfers){.count = 0};
  if (e->table == NULL)
    SOTTO_TRY(sotto_i_parts_ids(parts, &e->own, NULL, file, err));
  else
    SOTTO_TRY(sotto_i_node_table_fill(&table, parts, err));
done:
  sotto_i_node_table_free(&table);
  sotto_i_csv_free(&e->csv);
  sotto_i_edge_list_free(&e->pairs);
  sotto_i_transfers_free(&e->transfers);
  sotto_i_ids_free(&e->own);
  return status;
}

sotto_status sotto_i_read_edges(sotto_i_parts *parts, const sotto_i_source *edges,
                                const sotto_i_source *nodes, const sotto_import_options *options,
                                sotto_error *err) {
  edge_list e = {0};
  const sotto_status status = edges->data == NULL ? SOTTO_OK : sotto_i_edge_text_open(&e, edges, err);
  if (status == SOTTO_OK) return read_list(&e, parts, nodes, options, err);
  sotto_i_csv_free(&e.csv);
  return status;
}

sotto_status sotto_i_read_edges_in_pieces(sotto_i_parts *parts, const sotto_i_reader *edges, size_t window,
                                          const sotto_i_source *nodes, const sotto_import_options *options,
                                          sotto_error *err) {
  edge_list e = {0};
  sotto_status status = sotto_i_csv_open_pieces(&e.csv, edges, window, err);
  if (status == SOTTO_OK) status = choose_separator(&e, err);
  if (status == SOTTO_OK) return read_list(&e, parts, nodes, options, err);
  sotto_i_csv_free(&e.csv);
  return status;
}
