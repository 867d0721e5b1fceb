/* Edges of GraphML, GML and JSON: which attributes are amounts, times and kinds of transfers, and what is
 * made of them. */
#include <stdio.h>

#include "base/memory.h"
#include "elements.h"

/* Columns of amounts, times and kinds; UINT32_MAX: none. */
typedef struct transfer_columns {
  bool kept; /* edges are transfers */
  uint32_t column[SOTTO_I_TRANSFER_VALUES];
} transfer_columns;

/* A field cut to what a message has room for. */
#define SHORT(field) (int)((field)->size < 80 ? (field)->size : 80), (const char *)(field)->text

/* The first value of an attribute that is there, or NULL. */
static const sotto_i_field *first_value(const sotto_i_elements *e, uint32_t column) {
  for (size_t i = 0; i < e->value_count; i++)
    if (e->values[i].column == column) return &e->values[i].text;
  return NULL;
}

static sotto_i_cell cell_of(const sotto_i_elements *e, const sotto_i_field *text) {
  return sotto_i_cell_read(text, e->columns.options != NULL && e->columns.options->decimal_comma);
}

static bool first_fits(const sotto_i_elements *e, uint32_t column, sotto_i_transfer_value which) {
  const sotto_i_field *name = &e->edge_columns.names[column], *text = first_value(e, column);
  if (text == NULL || !sotto_i_transfer_named(name, which)) return false;
  const sotto_i_cell cell = cell_of(e, text);
  return sotto_i_transfer_fits(name, text, &cell, which,
                               e->columns.options == NULL ? NULL : e->columns.options->missing_words);
}

/* A number that is no instant is a day only where the caller says so. */
static sotto_status check_time(const sotto_i_elements *e, uint32_t column, sotto_error *err) {
  const sotto_i_field *text = first_value(e, column), *name = &e->edge_columns.names[column];
  const sotto_i_cell cell = cell_of(e, text);
  if (!sotto_i_transfer_counts_days(&cell)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: attribute '%.*s' has the name of a time and '%.*s' at its first edge; name the "
                      "attribute (time) if it counts days, write dates as 2024-01-31, or rename it",
                      e->columns.file->file, SHORT(name), SHORT(text));
}

static sotto_status find_column(uint32_t *out, const sotto_i_elements *e, const char *stated,
                                sotto_i_transfer_value which, sotto_error *err) {
  const char *what = sotto_i_transfer_word(which), *file = e->columns.file->file;
  const sotto_i_field *names = e->edge_columns.names;
  *out = UINT32_MAX;
  for (uint32_t j = 0; j < e->edge_columns.count; j++) {
    if (stated != NULL ? !sotto_i_field_is(&names[j], stated) : !first_fits(e, j, which)) continue;
    if (*out != UINT32_MAX)
      return sotto_i_fail(
          err, SOTTO_INVALID,
          "%s: the %s of an edge may be attribute '%.*s' or '%.*s'; name the one that is meant "
          "(%s), or say that edges are undirected",
          file, what, SHORT(&names[*out]), SHORT(&names[j]), what);
    *out = j;
  }
  if (stated == NULL && which == SOTTO_I_TIME && *out != UINT32_MAX) return check_time(e, *out, err);
  if (stated == NULL || *out != UINT32_MAX) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOT_FOUND, "%s: no edge has the attribute '%.80s' for its %s", file, stated,
                      what);
}

static sotto_status find_columns(transfer_columns *out, const sotto_i_elements *e, sotto_error *err) {
  static const sotto_import_options none;
  const sotto_import_options *o = e->columns.options == NULL ? &none : e->columns.options;
  sotto_status status = SOTTO_OK;
  const sotto_names *kinds = sotto_i_transfer_kinds(o);
  *out = (transfer_columns){.column = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
  if (e->undirected || o->undirected) {
    if (sotto_i_transfer_stated(o))
      status = sotto_i_fail(
          err, SOTTO_INVALID,
          "%s: %s, and undirected edges have no direction, amount, time or kind; leave the option "
          "out",
          e->columns.file->file,
          e->undirected ? "the file says that its edges are undirected"
                        : "the options say that edges are undirected");
    return status;
  }
  SOTTO_TRY(find_column(&out->column[SOTTO_I_AMOUNT], e, o->amount, SOTTO_I_AMOUNT, err));
  SOTTO_TRY(find_column(&out->column[SOTTO_I_TIME], e, o->time, SOTTO_I_TIME, err));
  if (kinds != NULL) SOTTO_TRY(find_column(&out->column[SOTTO_I_KIND], e, o->kind, SOTTO_I_KIND, err));
  SOTTO_TRY(
      sotto_i_transfer_kinds_check(o, out->column[SOTTO_I_KIND] != UINT32_MAX, e->columns.file->file, err));
  out->kept = kinds != NULL || o->directed || out->column[0] != UINT32_MAX || out->column[1] != UINT32_MAX;
done:
  return status;
}

/* Reads one value into the transfer; why it is none, and its status. */
static const char *read_value(sotto_i_transfer *out, sotto_status *status, sotto_i_time_form *form,
                              const sotto_i_elements *e, sotto_i_transfer_value which,
                              const sotto_i_field *text) {
  *status = SOTTO_PARSE;
  if (which == SOTTO_I_KIND)
    return sotto_i_transfer_kind(&out->kind, sotto_i_transfer_kinds(e->columns.options), text);
  const sotto_i_cell cell = cell_of(e, text);
  return sotto_i_transfer_read(which == SOTTO_I_TIME ? &out->time : &out->amount, status, &cell, which, form);
}

/* Takes the values of an edge; *next is the first value behind it. */
static sotto_status read_values(sotto_i_transfer *out, size_t *next, sotto_i_time_form *form,
                                const sotto_i_elements *e, size_t edge, const transfer_columns *columns,
                                sotto_error *err) {
  static const sotto_i_field nothing = {(const uint8_t *)"", 0};
  const sotto_i_elements_value *found[SOTTO_I_TRANSFER_VALUES] = {NULL, NULL, NULL};
  for (; *next < e->value_count && e->values[*next].edge == edge; ++*next)
    for (int which = 0; which < SOTTO_I_TRANSFER_VALUES; which++)
      if (e->values[*next].column == columns->column[which]) found[which] = &e->values[*next];
  for (int which = 0; which < SOTTO_I_TRANSFER_VALUES; which++) {
    if (columns->column[which] == UINT32_MAX) continue;
    const sotto_i_field *text = found[which] == NULL ? &nothing : &found[which]->text;
    sotto_status status;
    const char *why = read_value(out, &status, form, e, (sotto_i_transfer_value)which, text);
    if (why == NULL) continue;
    return sotto_i_elements_fail(e, found[which] == NULL ? e->edges[edge].line : found[which]->line, text,
                                 status, why, err);
  }
  return SOTTO_OK;
}

static sotto_status add_edge(sotto_i_edge_list *pairs, uint32_t ends[2], const sotto_i_elements *e, size_t i,
                             sotto_error *err) {
  const sotto_i_elements_edge *edge = &e->edges[i];
  const sotto_i_field *const names[2] = {&edge->from, &edge->to};
  for (int end = 0; end < 2; end++) {
    ends[end] = sotto_i_ids_find(&e->ids, names[end]);
    if (ends[end] == UINT32_MAX)
      return sotto_i_elements_fail(
          e, edge->line, names[end], SOTTO_RANGE,
          "is the end of an edge and no node of the file; add the node, or take the edge out", err);
  }
  return sotto_i_edge_list_add(pairs, ends[0], ends[1], err);
}

static sotto_status report_columns(const sotto_i_elements *e, const transfer_columns *columns,
                                   sotto_i_parts *parts, sotto_error *err) {
  for (uint32_t i = 0; i < e->edge_columns.count; i++) {
    char name[100];
    (void)snprintf(name, sizeof name, "%.*s", SHORT(&e->edge_columns.names[i]));
    const sotto_column column = {.name = name,
                                 .kind = i == columns->column[SOTTO_I_AMOUNT] ? SOTTO_COLUMN_AMOUNT
                                         : i == columns->column[SOTTO_I_TIME] ? SOTTO_COLUMN_TIME
                                         : i == columns->column[SOTTO_I_KIND] ? SOTTO_COLUMN_KIND
                                                                              : SOTTO_COLUMN_UNUSED,
                                 .of_edges = true};
    const sotto_status status = sotto_i_reading_column(parts, &column, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_elements_edges(sotto_i_elements *e, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_edge_list pairs = {0};
  sotto_i_time_form form = SOTTO_I_TIME_UNKNOWN;
  transfer_columns columns;
  size_t next = 0;
  sotto_status status;
  SOTTO_TRY(find_columns(&columns, e, err));
  sotto_i_transfers *const t = &parts->transfers;
  t->has_amounts = columns.column[SOTTO_I_AMOUNT] != UINT32_MAX;
  t->has_times = columns.column[SOTTO_I_TIME] != UINT32_MAX;
  if (columns.column[SOTTO_I_KIND] != UINT32_MAX)
    SOTTO_TRY(sotto_i_names_take(&t->kind_names, sotto_i_transfer_kinds(e->columns.options), NULL, 0, err));
  for (size_t i = 0; i < e->edge_count; i++) {
    sotto_i_transfer transfer = {.source = 0};
    uint32_t ends[2] = {0, 0};
    SOTTO_TRY(add_edge(&pairs, ends, e, i, err));
    if (!columns.kept) continue;
    transfer.source = ends[0];
    transfer.target = ends[1];
    SOTTO_TRY(read_values(&transfer, &next, &form, e, i, &columns, err));
    SOTTO_TRY(sotto_i_transfers_add(t, transfer, err));
  }
  if (columns.kept) SOTTO_TRY(sotto_i_transfers_sort(t, err));
  SOTTO_TRY(sotto_i_parts_edges(parts, e->ids.count, &pairs, e->columns.file->file, err));
  SOTTO_TRY(report_columns(e, &columns, parts, err));
done:
  sotto_i_edge_list_free(&pairs);
  return status;
}
