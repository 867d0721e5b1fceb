/* Columns of a list of edges behind its ends: the amount, the time and the kind of a transfer, by name or as
 * the caller says. All others are not used. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tables.h"

/* A field cut to what a message has room for. */
#define SHORT(field) (int)((field).size < 80 ? (field).size : 80), (const char *)(field).text

static bool is_comma(const sotto_i_edge_text *e) {
  return e->options != NULL && e->options->decimal_comma;
}

static sotto_i_cell cell_of(const sotto_i_edge_text *e, const sotto_i_csv *csv, size_t column) {
  return sotto_i_cell_read(&csv->fields[column], is_comma(e));
}

/* The first row; one that is too short, or not there, has no value. */
static sotto_i_field first_of(const sotto_i_edge_text *e, size_t column) {
  static const sotto_i_field nothing = {(const uint8_t *)"", 0};
  return column < e->csv.count ? e->csv.fields[column] : nothing;
}

static bool could_be(const sotto_i_edge_text *e, const sotto_i_field *header, size_t column,
                     sotto_i_transfer_value which) {
  const sotto_i_field text = first_of(e, column);
  const sotto_i_cell cell = sotto_i_cell_read(&text, is_comma(e));
  return sotto_i_transfer_named(&header[column], which) &&
         sotto_i_transfer_fits(&header[column], &text, &cell, which,
                               e->options == NULL ? NULL : e->options->missing_words);
}

static bool is_free(const sotto_i_edge_text *e, size_t column) {
  return column != e->from && column != e->to;
}

static sotto_status find_stated(size_t *out, const sotto_i_edge_text *e, const sotto_i_field *header,
                                const char *name, const char *what, sotto_error *err) {
  for (size_t j = 0; e->header && j < e->width; j++)
    if (is_free(e, j) && header[j].size == strlen(name) && memcmp(header[j].text, name, header[j].size) == 0)
      return *out = j, SOTTO_OK;
  return sotto_i_fail(err, SOTTO_NOT_FOUND,
                      "%s: has no column '%.80s' for the %s of edges; names of columns are in its first line",
                      e->csv.lines.file, name, what);
}

static sotto_status check_time(const sotto_i_edge_text *e, const sotto_i_field *header, size_t column,
                               sotto_error *err) {
  const sotto_i_field text = first_of(e, column);
  const sotto_i_cell cell = sotto_i_cell_read(&text, is_comma(e));
  if (!sotto_i_transfer_counts_days(&cell)) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: column '%.*s' has the name of a time and '%.*s' in its first row; name the column "
                      "(time) if it counts days, write dates as 2024-01-31, or rename the column",
                      e->csv.lines.file, SHORT(header[column]), SHORT(text));
}

static sotto_status find_column(size_t *out, const sotto_i_edge_text *e, const sotto_i_field *header,
                                const char *stated, sotto_i_transfer_value which, sotto_error *err) {
  const char *what = sotto_i_transfer_word(which);
  *out = SIZE_MAX;
  if (stated != NULL) return find_stated(out, e, header, stated, what, err);
  for (size_t j = 0; e->header && j < e->width; j++) {
    if (!is_free(e, j) || !could_be(e, header, j, which)) continue;
    if (*out != SIZE_MAX)
      return sotto_i_fail(err, SOTTO_INVALID,
                          "%s: the %s of an edge may be in column '%.*s' or in '%.*s'; name the one that is "
                          "meant (%s), or say that edges are undirected",
                          e->csv.lines.file, what, SHORT(header[*out]), SHORT(header[j]), what);
    *out = j;
  }
  return *out == SIZE_MAX || which != SOTTO_I_TIME ? SOTTO_OK : check_time(e, header, *out, err);
}

/* Transfers have a direction, and one column a meaning. */
static sotto_status check_columns(const sotto_i_edge_text *e, sotto_error *err) {
  for (int which = 1; which < SOTTO_I_TRANSFER_VALUES; which++)
    for (int other = 0; other < which; other++)
      if (e->columns[which] != SIZE_MAX && e->columns[which] == e->columns[other])
        return sotto_i_fail(err, SOTTO_INVALID, "%s: one column is named as %s and as %s of edges; name two",
                            e->csv.lines.file, sotto_i_transfer_word((sotto_i_transfer_value)other),
                            sotto_i_transfer_word((sotto_i_transfer_value)which));
  if (!e->directed || !e->header || e->known) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID,
                      "%s: transfers go from one end to the other, and the names of columns do not say which "
                      "two are the ends; name them when the list is imported, as its source and its target",
                      e->csv.lines.file);
}

static sotto_status find_columns(sotto_i_edge_text *e, const sotto_i_field *header,
                                 const sotto_import_options *o, sotto_error *err) {
  const sotto_names *kinds = sotto_i_transfer_kinds(o);
  sotto_status status;
  SOTTO_TRY(find_column(&e->columns[SOTTO_I_AMOUNT], e, header, o->amount, SOTTO_I_AMOUNT, err));
  SOTTO_TRY(find_column(&e->columns[SOTTO_I_TIME], e, header, o->time, SOTTO_I_TIME, err));
  if (kinds != NULL) SOTTO_TRY(find_column(&e->columns[SOTTO_I_KIND], e, header, o->kind, SOTTO_I_KIND, err));
  SOTTO_TRY(sotto_i_transfer_kinds_check(o, e->columns[SOTTO_I_KIND] != SIZE_MAX, e->csv.lines.file, err));
  if (kinds != NULL) SOTTO_TRY(sotto_i_names_take(&e->transfers.kind_names, kinds, NULL, 0, err));
  e->transfers.has_amounts = e->columns[SOTTO_I_AMOUNT] != SIZE_MAX;
  e->transfers.has_times = e->columns[SOTTO_I_TIME] != SIZE_MAX;
  e->directed = o->directed || e->transfers.has_amounts || e->transfers.has_times || kinds != NULL;
  SOTTO_TRY(check_columns(e, err));
done:
  return status;
}

sotto_status sotto_i_edge_columns(sotto_i_edge_text *e, const sotto_i_field *header, sotto_error *err) {
  static const sotto_import_options none;
  const sotto_import_options *o = e->options == NULL ? &none : e->options;
  for (int which = 0; which < SOTTO_I_TRANSFER_VALUES; which++) e->columns[which] = SIZE_MAX;
  if (!e->plain && !o->undirected) return find_columns(e, header, o, err);
  if (!sotto_i_transfer_stated(o)) return SOTTO_OK;
  return sotto_i_fail(
      err, SOTTO_INVALID,
      "%s: undirected edges have no direction, amount, time or kind; leave one of the options "
      "out",
      e->csv.lines.file);
}

sotto_column_kind sotto_i_edge_column_kind(const sotto_i_edge_text *e, size_t column) {
  static const sotto_column_kind uses[SOTTO_I_TRANSFER_VALUES] = {SOTTO_COLUMN_AMOUNT, SOTTO_COLUMN_TIME,
                                                                  SOTTO_COLUMN_KIND};
  for (int which = 0; e->directed && which < SOTTO_I_TRANSFER_VALUES; which++)
    if (column == e->columns[which]) return uses[which];
  return SOTTO_COLUMN_UNUSED;
}

static sotto_status read_value(double *out, sotto_i_edge_text *e, const sotto_i_csv *csv,
                               sotto_i_transfer_value which, sotto_error *err) {
  const size_t column = e->columns[which];
  sotto_status status = SOTTO_OK;
  if (column == SIZE_MAX) return SOTTO_OK;
  const sotto_i_cell cell = cell_of(e, csv, column);
  const char *why = sotto_i_transfer_read(out, &status, &cell, which, &e->time_form);
  return why == NULL ? SOTTO_OK : sotto_i_csv_fail(csv, status, column, why, err);
}

static sotto_status read_kind(uint8_t *out, const sotto_i_edge_text *e, const sotto_i_csv *csv,
                              sotto_error *err) {
  const size_t column = e->columns[SOTTO_I_KIND];
  if (column == SIZE_MAX) return SOTTO_OK;
  const char *why = sotto_i_transfer_kind(out, &e->transfers.kind_names, &csv->fields[column]);
  return why == NULL ? SOTTO_OK : sotto_i_csv_fail(csv, SOTTO_PARSE, column, why, err);
}

sotto_status sotto_i_edge_transfer(sotto_i_edge_text *e, const sotto_i_csv *csv, uint32_t from, uint32_t to,
                                   sotto_error *err) {
  sotto_i_transfer transfer = {.source = from, .target = to};
  sotto_status status = SOTTO_OK;
  if (!e->directed) return SOTTO_OK;
  SOTTO_TRY(read_value(&transfer.amount, e, csv, SOTTO_I_AMOUNT, err));
  SOTTO_TRY(read_value(&transfer.time, e, csv, SOTTO_I_TIME, err));
  SOTTO_TRY(read_kind(&transfer.kind, e, csv, err));
  SOTTO_TRY(sotto_i_transfers_add(&e->transfers, transfer, err));
done:
  return status;
}
