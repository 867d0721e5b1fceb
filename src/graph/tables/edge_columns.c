/* Columns of a list of edges behind its ends: the amount and the time of a transfer, by name or as the caller
 * says. All others are not used. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tables.h"

static bool is_comma(const sotto_i_edge_text *e) {
  return e->options != NULL && e->options->decimal_comma;
}

static sotto_i_cell cell_of(const sotto_i_edge_text *e, const sotto_i_csv *csv, size_t column) {
  return sotto_i_cell_read(&csv->fields[column], is_comma(e));
}

static bool could_be(const sotto_i_edge_text *e, size_t column, sotto_i_transfer_value which) {
  if (column >= e->csv.count) return false;
  const sotto_i_cell cell = cell_of(e, &e->csv, column);
  return sotto_i_transfer_fits(&cell, which);
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

static sotto_status find_column(size_t *out, const sotto_i_edge_text *e, const sotto_i_field *header,
                                const char *stated, sotto_i_transfer_value which, sotto_error *err) {
  const char *what = sotto_i_transfer_word(which);
  *out = SIZE_MAX;
  if (stated != NULL) return find_stated(out, e, header, stated, what, err);
  for (size_t j = 0; e->header && j < e->width; j++) {
    if (!is_free(e, j) || !sotto_i_transfer_named(&header[j], which) || !could_be(e, j, which)) continue;
    if (*out != SIZE_MAX)
      return sotto_i_fail(err, SOTTO_INVALID,
                          "%s: the %s of an edge may be in column '%.*s' or in '%.*s'; name the one that is "
                          "meant (%s), or say that edges are undirected",
                          e->csv.lines.file, what, (int)(header[*out].size < 80 ? header[*out].size : 80),
                          (const char *)header[*out].text, (int)(header[j].size < 80 ? header[j].size : 80),
                          (const char *)header[j].text, what);
    *out = j;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_edge_columns(sotto_i_edge_text *e, const sotto_i_field *header, sotto_error *err) {
  static const sotto_import_options none;
  const sotto_import_options *o = e->options == NULL ? &none : e->options;
  sotto_status status = SOTTO_OK;
  e->amount = e->time = SIZE_MAX;
  if (e->plain || o->undirected) {
    if (o->amount != NULL || o->time != NULL || o->directed)
      status =
          sotto_i_fail(err, SOTTO_INVALID,
                       "%s: undirected edges have no direction, amount or time; leave one of the options "
                       "out",
                       e->csv.lines.file);
    goto done;
  }
  SOTTO_TRY(find_column(&e->amount, e, header, o->amount, SOTTO_I_AMOUNT, err));
  SOTTO_TRY(find_column(&e->time, e, header, o->time, SOTTO_I_TIME, err));
  e->transfers.has_amounts = e->amount != SIZE_MAX;
  e->transfers.has_times = e->time != SIZE_MAX;
  e->directed = o->directed || e->transfers.has_amounts || e->transfers.has_times;
done:
  return status;
}

sotto_column_kind sotto_i_edge_column_kind(const sotto_i_edge_text *e, size_t column) {
  if (e->directed && column == e->amount) return SOTTO_COLUMN_AMOUNT;
  return e->directed && column == e->time ? SOTTO_COLUMN_TIME : SOTTO_COLUMN_UNUSED;
}

static sotto_status read_value(double *out, sotto_i_edge_text *e, const sotto_i_csv *csv, size_t column,
                               sotto_i_transfer_value which, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (column == SIZE_MAX) return SOTTO_OK;
  const sotto_i_cell cell = cell_of(e, csv, column);
  const char *why = sotto_i_transfer_read(out, &status, &cell, which, &e->time_form);
  return why == NULL ? SOTTO_OK : sotto_i_csv_fail(csv, status, column, why, err);
}

sotto_status sotto_i_edge_transfer(sotto_i_edge_text *e, const sotto_i_csv *csv, uint32_t from, uint32_t to,
                                   sotto_error *err) {
  double amount = 0, time = 0;
  sotto_status status = SOTTO_OK;
  if (!e->directed) return SOTTO_OK;
  SOTTO_TRY(read_value(&amount, e, csv, e->amount, SOTTO_I_AMOUNT, err));
  SOTTO_TRY(read_value(&time, e, csv, e->time, SOTTO_I_TIME, err));
  SOTTO_TRY(sotto_i_transfers_add(&e->transfers, from, to, amount, time, err));
done:
  return status;
}
