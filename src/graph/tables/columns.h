/* Columns of nodes: told apart, turned into features, labels and a split.
 *
 * A reader goes over its cells twice. First it shows each one (see): a column is of numbers, dates or words
 * by its first cell with a value, and one of another kind after it is an error. Then begin sets memory aside,
 * and the reader puts each cell; finish numbers classes, fills what is missing and says what was read. Cells
 * without a value need not be shown or put. */
#ifndef SOTTO_SRC_GRAPH_TABLES_COLUMNS_H
#define SOTTO_SRC_GRAPH_TABLES_COLUMNS_H

#include "cell.h"

/* Different words of a column of features, at most: more are names or texts. */
enum { SOTTO_I_MOST_CATEGORIES = 1000 };

typedef struct sotto_i_column {
  char *name;
  sotto_column_kind kind;
  bool decided;          /* else the first cell with a value decides */
  bool declared;         /* by its name or by the options */
  bool chosen;           /* by the options: nothing about it is asked */
  uint64_t first, count; /* features */
  uint64_t present;
  uint64_t minus_ones; /* LABEL: cells of -1, which are no class unless options say so */
  char missing[64];    /* words of cells without a value, the first few */
  uint64_t last;       /* for readers of elements: 1 + the node whose value came last */
  sotto_i_ids words;   /* CATEGORY, LABEL: those that occur; texts are the reader's */
  uint32_t *rank;      /* of each word in their order */
} sotto_i_column;

typedef struct sotto_i_columns {
  const sotto_i_source *file;
  const sotto_import_options *options; /* may be NULL */
  const char *label; /* the name of the column of classes, unless options have one; NULL: label */
  sotto_i_column *items;
  size_t count, room;
} sotto_i_columns;

/* Where a cell stands, for messages: line 0 is left out, and so is `column` (from 1) 0, for an attribute. */
typedef struct sotto_i_place {
  uint64_t line;
  size_t column;
} sotto_i_place;

/* Adds a column, whose name says what it is: id, label, split, one of the options', or a feature (undecided).
 * Errors: PARSE (a second one of a kind), NOMEM. */
sotto_status sotto_i_columns_add(sotto_i_columns *columns, const sotto_i_field *name, sotto_i_place place,
                                 sotto_error *err);
/* The first column of that kind, or SIZE_MAX. */
size_t sotto_i_columns_find(const sotto_i_columns *columns, sotto_column_kind kind);
/* Whether every column that the options name is there. Errors: NOT_FOUND. */
sotto_status sotto_i_columns_check_options(const sotto_i_columns *columns, sotto_error *err);

/* The same of names that leave open what a column is. Errors: INVALID, with the readings. */
sotto_status sotto_i_columns_check_names(const sotto_i_columns *columns, sotto_error *err);
/* And of the words of a column, once all cells were seen, of so many nodes. Errors: INVALID. */
sotto_status sotto_i_columns_check_words(const sotto_i_columns *columns, size_t j, uint64_t nodes,
                                         sotto_error *err);

sotto_status sotto_i_columns_see(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                 sotto_i_place place, sotto_error *err);
/* Adds a word of a column unless it is there; the text is borrowed. Errors: RANGE (too many), NOMEM. */
sotto_status sotto_i_columns_word(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                  sotto_i_place place, sotto_error *err);
/* Sets features, labels and split of the parts aside, for so many nodes. Errors: RANGE, NOMEM. */
sotto_status sotto_i_columns_begin(sotto_i_columns *columns, sotto_i_parts *parts, uint64_t nodes,
                                   sotto_error *err);
sotto_status sotto_i_columns_put(sotto_i_columns *columns, sotto_i_parts *parts, uint64_t node, size_t j,
                                 const sotto_i_field *cell, sotto_i_place place, sotto_error *err);
/* Errors: PARSE (a node has no value, and options do not say what to do), NOMEM. */
sotto_status sotto_i_columns_finish(sotto_i_columns *columns, sotto_i_parts *parts, sotto_error *err);
/* Adds the values of feature j to a sum, in the order of nodes; and the value of nodes without one. */
void sotto_i_columns_sum(const sotto_i_parts *parts, size_t j, double *sum, uint64_t *present);
void sotto_i_columns_fill(sotto_i_parts *parts, size_t j, float value);
/* Says what became of a column, of whose cells so many had no value. Errors: NOMEM. */
sotto_status sotto_i_columns_say(const sotto_i_column *column, uint64_t missing, sotto_i_parts *parts,
                                 sotto_error *err);
void sotto_i_columns_free(sotto_i_columns *columns);

/* Fails with "FILE: line L, column C: 'cell' what", less what the place does not have. */
sotto_status sotto_i_place_fail(const sotto_i_columns *columns, sotto_i_place place, size_t j,
                                const sotto_i_field *cell, sotto_status status, const char *what,
                                sotto_error *err);
/* One of the words for a part of a split; an empty one is none. */
bool sotto_i_part_of_word(uint8_t *part, const sotto_i_field *word);
/* Keeps the ids as names of the nodes, unless each is the number of its node. `csv`: their texts lie in it,
 * so that errors name the line; or NULL. Errors: PARSE, NOMEM. */
sotto_status sotto_i_parts_ids(sotto_i_parts *parts, const sotto_i_ids *ids, const sotto_i_csv *csv,
                               const char *file, sotto_error *err);
/* Keeps names unless each is its own number. Errors: NOMEM. */
sotto_status sotto_i_parts_names(sotto_i_parts *parts, int list, sotto_i_names_maker *maker,
                                 sotto_error *err);
/* Has the cell no value, by the words of the options? */
bool sotto_i_columns_missing(const sotto_i_columns *columns, size_t j, const sotto_i_field *cell);
/* What a cell with a value makes of a column that is not decided. */
sotto_column_kind sotto_i_columns_kind(const sotto_i_columns *columns, const sotto_i_field *cell);
/* Adds words to those of the column's cells without a value, as far as there is room. */
void sotto_i_columns_note_missing(sotto_i_column *column, const sotto_i_field *word);

#endif
