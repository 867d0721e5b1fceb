/* Options as data: a row of a table describes an option and its place in a settings struct. */
#ifndef SOTTO_SRC_BASE_OPTION_H
#define SOTTO_SRC_BASE_OPTION_H

#include <math.h>
#include <stddef.h>

#include "sotto/options.h"

/* Sets of adjacencies and of accountings, as bit masks. */
enum {
  SOTTO_I_NONE = 1,
  SOTTO_I_TRANSFER = 2,
  SOTTO_I_EDGE = 4,
  SOTTO_I_NEIGHBOURS = 8,
  SOTTO_I_NODE = 16,
  SOTTO_I_GRAPH = 32,
  SOTTO_I_CLIENT = 64
};
enum { SOTTO_I_SOUND = 1, SOTTO_I_PAPER = 2 };

typedef struct sotto_i_option {
  const char *key;
  sotto_option_type type;
  const char *settings; /* name of the settings struct */
  /* of the value in that struct; a WORD is stored as the value of its enumeration */
  size_t offset, size;
  const char *fallback; /* default as text; for a COUNT it may be "": not given */
  double least, most;   /* COUNT, REAL; INFINITY: "inf" is a value */
  const char *words;    /* WORD: all words in the order of their enumeration, separated by single spaces */
  const char *choices;  /* WORD: the words that are allowed */
  sotto_option_group group;
  const char *help;
  /* common: listed first in the help. local: about this machine, so parties need not agree on it */
  bool common, local;
  unsigned adjacencies, accountings; /* variants that have this option; 0: all */
  /* WORD: a value that every party has to request itself, because it trusts another party with more; or
   * NULL */
  const char *asked;
  const struct sotto_i_option_rows *own; /* set for rows of a method's own settings struct */
} sotto_i_option;

/* Initialises the first members of a row; others may follow. */
#define SOTTO_I_OPTION(struct_name, field, word, kind, usual, lowest, highest, choice, topic, meaning)       \
  .key = (word), .type = SOTTO_##kind, .settings = #struct_name, .offset = offsetof(struct_name, field),     \
  .size = sizeof(((struct_name *)0)->field), .fallback = (usual), .least = (lowest), .most = (highest),      \
  .words = (choice), .choices = (choice), .group = SOTTO_GROUP_##topic, .help = (meaning)

/* Rows of sotto_options (own_size 0), or of a method's own settings struct of own_size bytes. The program
 * ends at its start if a row is of another struct than `settings`, or outside it. */
typedef struct sotto_i_option_rows {
  const sotto_i_option *rows;
  size_t count;
  const char *settings; /* name of that struct */
  size_t own_size;
} sotto_i_option_rows;
#define SOTTO_I_ROWS(array)                                                                                  \
  { (array), sizeof(array) / sizeof *(array), "sotto_options", 0 }
#define SOTTO_I_OWN_ROWS(struct_name, array)                                                                 \
  { (array), sizeof(array) / sizeof *(array), #struct_name, sizeof(struct_name) }

/* The rows that a method uses: those with these keys, separated by single spaces; NULL: all. */
typedef struct sotto_i_option_use {
  const sotto_i_option_rows *rows;
  const char *keys;
} sotto_i_option_use;

/* Changes to a row for one method; members that are NULL or 0 change nothing. */
typedef struct sotto_i_option_change {
  const char *key, *fallback, *choices, *help;
  unsigned adjacencies, accountings;
} sotto_i_option_change;

/* A conditional default of one method.
 *
 * - All conditions have to hold; a condition that is 0 or NULL is ignored.
 * - For each key, the first row that holds counts. If none holds, the fallback of the change or of the row
 *   counts.
 * - Options are settled in the order of these rows. A condition may read options that are given, or whose
 *   rows come earlier. */
typedef struct sotto_i_option_default {
  const char *key, *value;
  const char *as; /* with `value` NULL: key of the option whose value is copied */
  unsigned adjacencies, accountings;
  enum { SOTTO_I_ANY_NOISE, SOTTO_I_WITH_NOISE, SOTTO_I_WITHOUT_NOISE } noise;
  double below;      /* condition: epsilon is below this */
  double round_most; /* condition: epsilon / layers is at most this */
  struct {
    /* condition: the value of `key` is one of these words, separated by single spaces */
    const char *key, *words;
    bool differs; /* condition: it is none of them */
  } when[2];
} sotto_i_option_default;

/* Conditions in `when`. SOTTO_I_PUBLISHED: the run is as published (option as-published). Rows under it have
 * the values of the method's paper, and come first, so that no other default replaces them. */
#define SOTTO_I_PUBLISHED SOTTO_I_WHEN("as-published", "true")
#define SOTTO_I_WHEN(option, values)                                                                         \
  { (option), (values), false }
#define SOTTO_I_UNLESS(option, values)                                                                       \
  { (option), (values), true }

enum { SOTTO_I_MOST_USES = 14 };
typedef struct sotto_i_option_table {
  sotto_i_option_use uses[SOTTO_I_MOST_USES];
  const sotto_i_option_change *changes;
  size_t change_count;
  const sotto_i_option_default *defaults;
  size_t default_count;
} sotto_i_option_table;
/* Initialise the table's changes and defaults from arrays. */
#define SOTTO_I_CHANGES(array)  .changes = (array), .change_count = sizeof(array) / sizeof *(array)
#define SOTTO_I_DEFAULTS(array) .defaults = (array), .default_count = sizeof(array) / sizeof *(array)

/* Writes the table's rows, with its changes, in the order of its uses: at most `most`. Returns the number
 * of rows in the table. */
size_t sotto_i_option_list(sotto_i_option *out, size_t most, const sotto_i_option_table *table);
/* Finds the row with this key; false when the table has none. */
bool sotto_i_option_find(sotto_i_option *out, const sotto_i_option_table *table, const char *key);

/* Row i, with its settings struct filled in. */
sotto_i_option sotto_i_option_row(const sotto_i_option_rows *rows, size_t i);

/* Whether `word` is one of the words of `choices`, which are separated by single spaces. */
bool sotto_i_word_among(const char *word, const char *choices);

/* Parses `text` and writes the value to `field`. Errors name the key: PARSE, RANGE, INVALID (not one of
 * the choices; a control character). */
sotto_status sotto_i_option_set(void *field, const sotto_i_option *row, const char *text, sotto_error *err);
/* Writes the value as people would (600, not 6e+02), in the shortest form that reads back the same. */
void sotto_i_option_text(char *out, size_t size, const void *field, const sotto_i_option *row);

#endif
