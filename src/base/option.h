/* An option as data: a row of a table, and its place in a struct of settings. */
#ifndef SOTTO_SRC_BASE_OPTION_H
#define SOTTO_SRC_BASE_OPTION_H

#include <math.h>
#include <stddef.h>

#include "sotto/options.h"

/* Sets of adjacencies and of accountings, as bits. */
enum {
  SOTTO_I_NONE = 1,
  SOTTO_I_EDGE = 2,
  SOTTO_I_NEIGHBOURS = 4,
  SOTTO_I_NODE = 8,
  SOTTO_I_GRAPH = 16,
  SOTTO_I_CLIENT = 32
};
enum { SOTTO_I_SOUND = 1, SOTTO_I_PAPER = 2 };

typedef struct sotto_i_option {
  const char *key;
  sotto_option_type type;
  size_t offset, size;  /* of the value, in the struct of settings; a WORD is an enumeration's value there */
  const char *fallback; /* the default, as text; a count may be "", not given */
  double least, most;   /* COUNT, REAL; INFINITY: "inf" is a value */
  const char *words;    /* WORD: all of them in the order of their enumeration, parted by single spaces */
  const char *choices;  /* WORD: those that may be taken */
  sotto_option_group group;
  const char *help;
  bool common, local;                /* shown first; of this machine, so that parties need not agree on it */
  unsigned adjacencies, accountings; /* the variants that have it; 0: all */
  const char *asked; /* WORD: the value that each of several parties has to ask for itself, since it trusts
                        another party with more; or NULL */
  const struct sotto_i_option_rows *own; /* set with the rows of a method's own settings */
} sotto_i_option;

/* The first members of a row; others may follow. */
#define SOTTO_I_OPTION(settings, field, word, kind, usual, lowest, highest, choice, topic, meaning)          \
  .key = (word), .type = SOTTO_##kind, .offset = offsetof(settings, field),                                  \
  .size = sizeof(((settings *)0)->field), .fallback = (usual), .least = (lowest), .most = (highest),         \
  .words = (choice), .choices = (choice), .group = SOTTO_GROUP_##topic, .help = (meaning)

/* Values lie in sotto_options, or in a struct of the method's own of so many bytes (sotto_i_own). */
typedef struct sotto_i_option_rows {
  const sotto_i_option *rows;
  size_t count, own_size;
} sotto_i_option_rows;

/* What a method takes of some rows: those with these keys, parted by single spaces; NULL: all. */
typedef struct sotto_i_option_use {
  const sotto_i_option_rows *rows;
  const char *keys;
} sotto_i_option_use;

/* How a row is other with one method; NULL and 0: as it stands. */
typedef struct sotto_i_option_change {
  const char *key, *fallback, *choices, *help;
  unsigned adjacencies, accountings;
} sotto_i_option_change;

/* A default of one method under conditions, all of which have to hold; those that are 0 or NULL are not
 * asked. Of the rows of a key the first that holds counts; where none does, the change's or the row's own
 * fallback. Rows stand in the order in which options are settled: a condition reads options that are given,
 * or whose rows stand above. */
typedef struct sotto_i_option_default {
  const char *key, *value;
  const char *as; /* with `value` NULL: the key of the option whose value it takes */
  unsigned adjacencies, accountings;
  enum { SOTTO_I_ANY_NOISE, SOTTO_I_WITH_NOISE, SOTTO_I_WITHOUT_NOISE } noise;
  double below;      /* epsilon is below it */
  double round_most; /* epsilon divided by layers is at most it */
  struct {
    const char *key, *words; /* its value is one of these words, parted by single spaces; */
    bool differs;            /* or is none of them */
  } when[2];
} sotto_i_option_default;

/* Conditions of `when`. */
#define SOTTO_I_WHEN(option, values)                                                                         \
  { (option), (values), false }
#define SOTTO_I_UNLESS(option, values)                                                                       \
  { (option), (values), true }

enum { SOTTO_I_MOST_USES = 12 };
typedef struct sotto_i_option_table {
  sotto_i_option_use uses[SOTTO_I_MOST_USES];
  const sotto_i_option_change *changes;
  size_t change_count;
  const sotto_i_option_default *defaults;
  size_t default_count;
} sotto_i_option_table;

/* The table's rows, with its changes, in the order of its uses. Writes at most `most`, returns how many there
 * are. */
size_t sotto_i_option_list(sotto_i_option *out, size_t most, const sotto_i_option_table *table);
/* The row with this key; false when the table has none. */
bool sotto_i_option_find(sotto_i_option *out, const sotto_i_option_table *table, const char *key);

/* Row i of the rows, as it is used. */
sotto_i_option sotto_i_option_row(const sotto_i_option_rows *rows, size_t i);

/* Is `word` one of the words, parted by single spaces, of `choices`? */
bool sotto_i_word_among(const char *word, const char *choices);

/* Parses `text` as a value of the row and writes it to `field`. Errors name the key: PARSE, RANGE, INVALID
 * (none of the choices; a control character). */
sotto_status sotto_i_option_set(void *field, const sotto_i_option *row, const char *text, sotto_error *err);
/* The value as text that people write (600, not 6e+02), the shortest that reads back the same. */
void sotto_i_option_text(char *out, size_t size, const void *field, const sotto_i_option *row);

#endif
