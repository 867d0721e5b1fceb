/* One cell of a table: a number, a date, a word, or none; or a number in a form that is not taken as it is.
 */
#ifndef SOTTO_SRC_GRAPH_TABLES_CELL_H
#define SOTTO_SRC_GRAPH_TABLES_CELL_H

#include "graph/io/csv.h"

typedef enum sotto_i_cell_kind {
  SOTTO_I_CELL_NUMBER, /* finite in single precision, in the form of C */
  SOTTO_I_CELL_DATE,   /* 2024-01-31, also with a time: 2024-01-31T18:30 or 2024-01-31 18:30:05 */
  SOTTO_I_CELL_NEARLY, /* a number or a date for people: 1,5, 12%, 1 000, (5), inf, 31.01.2024 */
  SOTTO_I_CELL_WORD
} sotto_i_cell_kind;
typedef struct sotto_i_cell {
  sotto_i_cell_kind kind;
  double value;    /* NUMBER; DATE: days since 2000-01-01, with the time of the day as a fraction */
  const char *why; /* NEARLY: what it has, and what to do; static */
} sotto_i_cell;

/* `comma`: numbers have a decimal comma, and points between thousands. */
sotto_i_cell sotto_i_cell_read(const sotto_i_field *cell, bool comma);

/* Is the cell one of the words, with commas between? NULL: the usual words of cells without a value. An empty
 * cell always is. */
bool sotto_i_cell_is_missing(const sotto_i_field *cell, const char *words);
/* Has a list with commas between the word, byte by byte? */
bool sotto_i_list_has(const char *list, const sotto_i_field *word);

#endif
