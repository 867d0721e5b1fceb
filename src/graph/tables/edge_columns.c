/* Columns of a list of edges behind its ends: the amount and the time of a transfer, by name or as the caller
 * says. All others are not used. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "cell.h"
#include "tables.h"

static const char *const amount_words[] = {"amount", "amt", "value", "sum", "volume", NULL};
static const char *const time_words[] = {"time", "timestamp", "datetime", "date", "day", NULL};

/* Seconds and milliseconds since 1970: from 1973 to 2286. */
static const double least_seconds = 1e8, least_milliseconds = 1e11, most_milliseconds = 1e13;
static const double seconds_a_day = 86400, day_of_2000 = 10957;

static bool is_named(const sotto_i_field *name, const char *const *words) {
  for (; *words != NULL; words++)
    if (sotto_i_edge_name_has(name, *words)) return true;
  return false;
}

static bool is_comma(const sotto_i_edge_text *e) {
  return e->options != NULL && e->options->decimal_comma;
}

static sotto_i_cell cell_of(const sotto_i_edge_text *e, const sotto_i_csv *csv, size_t column) {
  return sotto_i_cell_read(&csv->fields[column], is_comma(e));
}

static bool is_instant(const sotto_i_cell *cell) {
  return cell->kind == SOTTO_I_CELL_NUMBER && cell->value >= least_seconds && cell->value < most_milliseconds;
}

/* A name is not enough: the first row has to have such a value. */
static bool could_be(const sotto_i_edge_text *e, size_t column, bool time) {
  if (column >= e->csv.count) return false;
  const sotto_i_cell cell = cell_of(e, &e->csv, column);
  if (time) return cell.kind == SOTTO_I_CELL_DATE || is_instant(&cell);
  return cell.kind == SOTTO_I_CELL_NUMBER;
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
                                const char *stated, bool time, sotto_error *err) {
  const char *what = time ? "time" : "amount";
  *out = SIZE_MAX;
  if (stated != NULL) return find_stated(out, e, header, stated, what, err);
  for (size_t j = 0; e->header && j < e->width; j++) {
    if (!is_free(e, j) || !is_named(&header[j], time ? time_words : amount_words) || !could_be(e, j, time))
      continue;
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
  SOTTO_TRY(find_column(&e->amount, e, header, o->amount, false, err));
  SOTTO_TRY(find_column(&e->time, e, header, o->time, true, err));
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

static sotto_status read_amount(double *out, const sotto_i_edge_text *e, const sotto_i_csv *csv,
                                sotto_error *err) {
  if (e->amount == SIZE_MAX) return SOTTO_OK;
  const sotto_i_cell cell = cell_of(e, csv, e->amount);
  if (cell.kind != SOTTO_I_CELL_NUMBER)
    return sotto_i_csv_fail(
        csv, SOTTO_PARSE, e->amount,
        "is no amount; correct it, take the edge out, or say that edges are undirected, so "
        "that amounts are not read",
        err);
  if (!(cell.value >= 0))
    return sotto_i_csv_fail(csv, SOTTO_RANGE, e->amount,
                            "is an amount below 0; exchange the two ends and write it without its sign", err);
  *out = cell.value;
  return SOTTO_OK;
}

static sotto_status read_time(double *out, sotto_i_edge_text *e, const sotto_i_csv *csv, sotto_error *err) {
  if (e->time == SIZE_MAX) return SOTTO_OK;
  const sotto_i_cell cell = cell_of(e, csv, e->time);
  const sotto_i_time_form form = cell.kind == SOTTO_I_CELL_DATE                         ? SOTTO_I_TIME_DATES
                                 : cell.kind != SOTTO_I_CELL_NUMBER                     ? SOTTO_I_TIME_UNKNOWN
                                 : is_instant(&cell) && cell.value < least_milliseconds ? SOTTO_I_TIME_SECONDS
                                 : is_instant(&cell) ? SOTTO_I_TIME_MILLISECONDS
                                                     : SOTTO_I_TIME_DAYS;
  if (e->time_form == SOTTO_I_TIME_UNKNOWN) e->time_form = form;
  if (form == SOTTO_I_TIME_UNKNOWN || form != e->time_form)
    return sotto_i_csv_fail(
        csv, SOTTO_PARSE, e->time,
        "is no time like those before it: a date, or seconds, milliseconds or days in all "
        "rows; correct it, take the edge out, or say that edges are undirected, so that "
        "times are not read",
        err);
  *out = form == SOTTO_I_TIME_SECONDS        ? cell.value / seconds_a_day - day_of_2000
         : form == SOTTO_I_TIME_MILLISECONDS ? cell.value / (1000 * seconds_a_day) - day_of_2000
                                             : cell.value;
  return SOTTO_OK;
}

sotto_status sotto_i_edge_transfer(sotto_i_edge_text *e, const sotto_i_csv *csv, uint32_t from, uint32_t to,
                                   sotto_error *err) {
  double amount = 0, time = 0;
  sotto_status status = SOTTO_OK;
  if (!e->directed) return SOTTO_OK;
  SOTTO_TRY(read_amount(&amount, e, csv, err));
  SOTTO_TRY(read_time(&time, e, csv, err));
  SOTTO_TRY(sotto_i_transfers_add(&e->transfers, from, to, amount, time, err));
done:
  return status;
}
