/* Which names and cells stand for amounts, times and kinds of transfers. */
#include "transfer_values.h"

#include <string.h>

#include "base/error.h"
#include "name_words.h"

static const char *const words[SOTTO_I_TRANSFER_VALUES][6] = {
    {"amount", "amt", "value", "sum", "volume", NULL},
    {"time", "timestamp", "datetime", "date", "day", NULL},
    {"kind", "type", "channel", NULL}};

/* Seconds and milliseconds since 1970: from 1973 to 2286. */
static const double least_seconds = 1e8, least_milliseconds = 1e11, most_milliseconds = 1e13;
static const double seconds_a_day = 86400, day_of_2000 = 10957;
/* Days from 0001-01-01 to 9999-12-31. */
static const double first_day = -730119, last_day = 2921939;

const char *sotto_i_transfer_word(sotto_i_transfer_value which) {
  return which == SOTTO_I_TIME ? "time" : which == SOTTO_I_KIND ? "kind" : "amount";
}

bool sotto_i_transfer_named(const sotto_i_field *name, sotto_i_transfer_value which) {
  for (const char *const *word = words[which]; *word != NULL; word++)
    if (sotto_i_name_has_word(name, *word)) return true;
  return false;
}

static bool is_instant(const sotto_i_cell *cell) {
  return cell->kind == SOTTO_I_CELL_NUMBER && cell->value >= least_seconds && cell->value < most_milliseconds;
}

/* Is the name one of the words, and no more? */
static bool is_word(const sotto_i_field *name, sotto_i_transfer_value which) {
  for (const char *const *word = words[which]; *word != NULL; word++)
    if (sotto_i_field_is(name, *word)) return true;
  return false;
}

bool sotto_i_transfer_counts_days(const sotto_i_cell *cell) {
  return cell->kind == SOTTO_I_CELL_NUMBER && !is_instant(cell);
}

bool sotto_i_transfer_fits(const sotto_i_field *name, const sotto_i_field *text, const sotto_i_cell *cell,
                           sotto_i_transfer_value which, const char *missing_words) {
  if (which == SOTTO_I_KIND) return true; /* the names that the schema declares decide */
  const bool dates = which == SOTTO_I_TIME;
  const sotto_i_cell_kind wanted = dates ? SOTTO_I_CELL_DATE : SOTTO_I_CELL_NUMBER;
  if (cell->kind == wanted || (dates && is_instant(cell))) return true;
  if (sotto_i_transfer_named(name, dates ? SOTTO_I_AMOUNT : SOTTO_I_TIME)) return false; /* value_date */
  return cell->kind == SOTTO_I_CELL_NEARLY || cell->kind == SOTTO_I_CELL_NUMBER || is_word(name, which) ||
         sotto_i_cell_is_missing(text, missing_words); /* a word: amount_currency */
}

static const char *read_amount(double *out, sotto_status *status, const sotto_i_cell *cell) {
  *status = cell->kind != SOTTO_I_CELL_NUMBER ? SOTTO_PARSE : cell->value >= 0 ? SOTTO_OK : SOTTO_RANGE;
  *out = cell->value;
  if (*status == SOTTO_OK) return NULL;
  return *status == SOTTO_PARSE
             ? "is no amount, such as 1234.5; correct it, take the edge out, or say that edges are "
               "undirected, so that amounts are not read"
             : "is an amount below 0; exchange the two ends and write it without its sign";
}

static sotto_i_time_form form_of(const sotto_i_cell *cell) {
  if (cell->kind == SOTTO_I_CELL_DATE) return SOTTO_I_TIME_DATES;
  if (cell->kind != SOTTO_I_CELL_NUMBER) return SOTTO_I_TIME_UNKNOWN;
  if (!is_instant(cell)) return SOTTO_I_TIME_DAYS;
  return cell->value < least_milliseconds ? SOTTO_I_TIME_SECONDS : SOTTO_I_TIME_MILLISECONDS;
}

static const char *read_time(double *out, sotto_status *status, const sotto_i_cell *cell,
                             sotto_i_time_form *form) {
  const sotto_i_time_form found = form_of(cell);
  const bool first = *form == SOTTO_I_TIME_UNKNOWN;
  if (first) *form = found;
  *status = found == SOTTO_I_TIME_UNKNOWN || found != *form ? SOTTO_PARSE : SOTTO_OK;
  *out = found == SOTTO_I_TIME_SECONDS        ? cell->value / seconds_a_day - day_of_2000
         : found == SOTTO_I_TIME_MILLISECONDS ? cell->value / (1000 * seconds_a_day) - day_of_2000
                                              : cell->value;
  if (*status == SOTTO_OK && *out >= first_day && *out < last_day + 1) return NULL;
  if (*status == SOTTO_OK) {
    *status = SOTTO_RANGE;
    return "is a day before the year 1 or after 9999, counted from 2000-01-01; write a date as 2024-01-31";
  }
  if (first)
    return "is no time: a date as 2024-01-31, also with a time as 2024-01-31T18:30, or seconds or "
           "milliseconds since 1970; correct it, take the edge out, or say that edges are undirected, so "
           "that times are not read";
  return "is no time like those before it: a date, or seconds, milliseconds or days in all "
         "rows; correct it, take the edge out, or say that edges are undirected, so that "
         "times are not read";
}

const char *sotto_i_transfer_read(double *out, sotto_status *status, const sotto_i_cell *cell,
                                  sotto_i_transfer_value which, sotto_i_time_form *form) {
  return which == SOTTO_I_TIME ? read_time(out, status, cell, form) : read_amount(out, status, cell);
}

const char *sotto_i_transfer_kind(uint8_t *out, const sotto_names *kinds, const sotto_i_field *field) {
  for (uint64_t i = 0; i < kinds->count; i++) {
    const char *name = sotto_name(kinds, i);
    if (field->size != strlen(name) || memcmp(field->text, name, field->size) != 0) continue;
    *out = (uint8_t)i;
    return NULL;
  }
  return "is none of the kinds that the schema declares; correct it, take the edge out, or add the kind "
         "there";
}

const sotto_names *sotto_i_transfer_kinds(const sotto_import_options *o) {
  return o == NULL || o->schema == NULL || o->schema->kinds.count == 0 ? NULL : &o->schema->kinds;
}

bool sotto_i_transfer_stated(const sotto_import_options *o) {
  return o != NULL && (o->amount != NULL || o->time != NULL || o->kind != NULL || o->directed);
}

sotto_status sotto_i_transfer_kinds_check(const sotto_import_options *o, bool found, const char *file,
                                          sotto_error *err) {
  const bool declared = sotto_i_transfer_kinds(o) != NULL;
  if (declared && !found)
    return sotto_i_fail(err, SOTTO_NOT_FOUND,
                        "%s: the schema declares kinds of transfers, and edges have none; name their column "
                        "(kind), or say that edges are undirected",
                        file);
  if (!declared && o != NULL && o->kind != NULL)
    return sotto_i_fail(
        err, SOTTO_INVALID,
        "%s: the kinds in '%.80s' have no declared names; list them in a schema, as in kinds: "
        "[cash, card]",
        file, o->kind);
  return SOTTO_OK;
}
