/* Amounts, times and kinds of transfers: which names and cells stand for them, in any format of edges. */
#ifndef SOTTO_SRC_GRAPH_TABLES_TRANSFER_VALUES_H
#define SOTTO_SRC_GRAPH_TABLES_TRANSFER_VALUES_H

#include "cell.h"
#include "sotto/schema.h"

typedef enum sotto_i_transfer_value {
  SOTTO_I_AMOUNT,
  SOTTO_I_TIME,
  SOTTO_I_KIND,
  SOTTO_I_TRANSFER_VALUES
} sotto_i_transfer_value;

/* How times are written. DAYS are those since 2000-01-01. */
typedef enum sotto_i_time_form {
  SOTTO_I_TIME_UNKNOWN,
  SOTTO_I_TIME_DATES,
  SOTTO_I_TIME_SECONDS,
  SOTTO_I_TIME_MILLISECONDS,
  SOTTO_I_TIME_DAYS
} sotto_i_time_form;

/* "amount", "time" or "kind". */
const char *sotto_i_transfer_word(sotto_i_transfer_value which);
/* Does the name say that its values are amounts, times or kinds? */
bool sotto_i_transfer_named(const sotto_i_field *name, sotto_i_transfer_value which);
/* A name is not enough: could its first cell be one, also one that is missing or written in another form? A
 * column is not left out because of one row, which may be private: what such a cell lacks is an error where
 * it is read. `missing_words`: as of cells. */
bool sotto_i_transfer_fits(const sotto_i_field *name, const sotto_i_field *text, const sotto_i_cell *cell,
                           sotto_i_transfer_value which, const char *missing_words);
/* Is the cell a number that is a time only where the caller names its column, as it counts days? */
bool sotto_i_transfer_counts_days(const sotto_i_cell *cell);
/* The value in *out, times in days since 2000-01-01 and in the form of those before, which starts UNKNOWN; or
 * why the cell has none, and its status (PARSE, RANGE). */
const char *sotto_i_transfer_read(double *out, sotto_status *status, const sotto_i_cell *cell,
                                  sotto_i_transfer_value which, sotto_i_time_form *form);
/* The number of the kind whose name stands in the field, or why it is none. */
const char *sotto_i_transfer_kind(uint8_t *out, const sotto_names *kinds, const sotto_i_field *field);
/* Names of the kinds to read, or NULL: the schema declares none, and columns of kinds are not used. */
const sotto_names *sotto_i_transfer_kinds(const sotto_import_options *options);
/* Is a column stated, where edges are undirected and have none? */
bool sotto_i_transfer_stated(const sotto_import_options *options);
/* A column of kinds is stated or declared, and the other is not there. Errors: NOT_FOUND. */
sotto_status sotto_i_transfer_kinds_check(const sotto_import_options *options, bool found, const char *file,
                                          sotto_error *err);

#endif
