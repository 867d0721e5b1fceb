/* Columns of nodes: determines their kinds, and converts them to features, labels and a split.
 *
 * A reader goes over its cells twice. First it shows each one (see): a column is of numbers, dates or words
 * by its first cell with a value, and one of another kind after it is an error. Then begin sets memory aside,
 * and the reader puts each cell; finish numbers classes, fills what is missing and says what was read. Cells
 * without a value need not be shown or put. */
#ifndef SOTTO_SRC_GRAPH_TABLES_COLUMNS_H
#define SOTTO_SRC_GRAPH_TABLES_COLUMNS_H

#include "cell.h"

/* Maximum number of distinct words in a feature column; more are names or texts. */
enum { SOTTO_I_MOST_CATEGORIES = 1000 };

/* What the cells of a column of numbers have been, to see whether they are names of the nodes. */
typedef struct sotto_i_whole {
  uint64_t count; /* cells that are whole numbers; the rest is of these */
  int64_t least, most;
  uint64_t sentinels, below; /* -99, -999 and so on; other numbers below 0 */
  uint64_t sum, squares;     /* modulo 2^64 */
} sotto_i_whole;

typedef struct sotto_i_column {
  char *name;
  sotto_column_kind kind;
  bool decided;          /* false: the first cell with a value decides */
  bool declared;         /* by its name or by the options */
  bool chosen;           /* by the options: nothing about it is asked */
  uint64_t first, count; /* features */
  uint64_t present;
  sotto_i_whole whole; /* NUMBER, unless options chose it */
  uint64_t minus_ones; /* LABEL: cells of -1, which are no class unless options say so; OUTCOME: the same */
  char missing[64];    /* words of cells without a value, the first few */
  uint64_t last;       /* for readers of elements: 1 + the node whose value came last */
  sotto_i_ids words;   /* CATEGORY, LABEL: those that occur; texts are the reader's */
  size_t stated;       /* how many of them a schema states, which come first and keep their order */
  sotto_missing fill;  /* of features */
  const double *fills; /* what a schema states for that, one for each feature that it has; or NULL */
  uint32_t *rank;      /* of each word in their order */
} sotto_i_column;

typedef struct sotto_i_columns {
  const sotto_i_source *file;
  const sotto_import_options *options; /* may be NULL */
  const char *label; /* name of the class column, unless the options have one; NULL: label */
  sotto_i_column *items;
  size_t count, room;
} sotto_i_columns;

/* Position of a cell, for messages: line 0 is unknown; `column` counts from 1, and 0 means an attribute. */
typedef struct sotto_i_place {
  uint64_t line;
  size_t column;
} sotto_i_place;

/* Adds a column. Its name decides its kind: id, label, split, one of the options', or a feature
 * (undecided). Errors: PARSE (a second column of a kind), NOMEM. */
sotto_status sotto_i_columns_add(sotto_i_columns *columns, const sotto_i_field *name, sotto_i_place place,
                                 sotto_error *err);
/* The first column of a kind, or SIZE_MAX. */
size_t sotto_i_columns_find(const sotto_i_columns *columns, sotto_column_kind kind);
/* The type of the entry NAME=TYPE of this length, and the length of its name; false: it has no type. */
bool sotto_i_columns_entry(sotto_column_kind *out, const char *entry, size_t length, size_t *name);
/* Checks that every column named in the options exists. Errors: NOT_FOUND. */
sotto_status sotto_i_columns_check_options(const sotto_i_columns *columns, sotto_error *err);

/* The same of names that leave open what a column is. Errors: INVALID, with the readings. */
sotto_status sotto_i_columns_check_id(const sotto_i_columns *columns, sotto_error *err);
sotto_status sotto_i_columns_check_names(const sotto_i_columns *columns, sotto_error *err);
/* And of the words of a column, once all cells were seen, of so many nodes. Errors: INVALID. */
sotto_status sotto_i_columns_check_words(const sotto_i_columns *columns, size_t j, uint64_t nodes,
                                         sotto_error *err);

/* Notes a cell of a column of numbers. NULL, or why it may be a name and not a number: static. */
const char *sotto_i_whole_see(sotto_i_whole *whole, const sotto_i_field *cell);
void sotto_i_whole_merge(sotto_i_whole *into, const sotto_i_whole *other);

sotto_status sotto_i_columns_scan(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                  sotto_i_place place, sotto_error *err);
/* Adds a word to a column unless it exists; the text is borrowed. Errors: RANGE (too many), NOMEM. */
sotto_status sotto_i_columns_word(sotto_i_columns *columns, size_t j, const sotto_i_field *cell,
                                  sotto_i_place place, sotto_error *err);
/* Allocates features, labels and split of the parts for `nodes` nodes. Errors: RANGE, NOMEM. */
sotto_status sotto_i_columns_begin(sotto_i_columns *columns, sotto_i_parts *parts, uint64_t nodes,
                                   sotto_error *err);
sotto_status sotto_i_columns_put(sotto_i_columns *columns, sotto_i_parts *parts, uint64_t node, size_t j,
                                 const sotto_i_field *cell, sotto_i_place place, sotto_error *err);
/* Errors: PARSE (a node has no value, and the options do not say how to fill it), NOMEM. */
sotto_status sotto_i_columns_finish(sotto_i_columns *columns, sotto_i_parts *parts, sotto_error *err);
/* Makes parts->fill, of NAN, where columns fill what is missing; and the value in it of feature k of a
 * column, before means are known. Errors: NOMEM. */
sotto_status sotto_i_columns_new_fill(const sotto_i_columns *columns, sotto_i_parts *parts, sotto_error *err);
double sotto_i_columns_filling(const sotto_i_column *column, size_t k);
/* Reports the use of a column, and its number of cells without a value. Errors: NOMEM. */
sotto_status sotto_i_columns_report(const sotto_i_column *column, uint64_t missing, sotto_i_parts *parts,
                                    sotto_error *err);
/* Is it a column of ids, classes or categories? */
bool sotto_i_columns_has_words(const sotto_i_columns *columns, size_t j);
void sotto_i_columns_free(sotto_i_columns *columns);

/* Parses a word for a part of a split; an empty word means none. */
bool sotto_i_part_of_word(uint8_t *part, const sotto_i_field *word);
/* Stores the ids as names of the nodes, unless each is the number of its node. `csv`: contains their
 * texts, so that errors name the line; or NULL. Errors: PARSE, NOMEM. */
sotto_status sotto_i_parts_ids(sotto_i_parts *parts, const sotto_i_ids *ids, const sotto_i_csv *csv,
                               const char *file, sotto_error *err);
/* Stores names unless each is its own number. Errors: NOMEM. */
sotto_status sotto_i_parts_names(sotto_i_parts *parts, int list, sotto_i_names_maker *maker,
                                 sotto_error *err);
/* Has the cell no value, by the words of the options? */
bool sotto_i_columns_missing(const sotto_i_columns *columns, size_t j, const sotto_i_field *cell);
/* What a cell with a value makes of a column that is not decided. */
sotto_column_kind sotto_i_columns_kind(const sotto_i_columns *columns, const sotto_i_field *cell);
/* Adds words to those of the column's cells without a value, as far as there is room. */
void sotto_i_columns_note_missing(sotto_i_column *column, const sotto_i_field *word);

#endif
