/* Names of nodes, features and classes: built one by one, checked, and selected for a part of a dataset. */
#ifndef SOTTO_SRC_GRAPH_NAMES_H
#define SOTTO_SRC_GRAPH_NAMES_H

#include "sotto/graph.h"

/* The lists of names of a dataset, in the order of the native format. */
enum {
  SOTTO_I_NAMES_NODES,
  SOTTO_I_NAMES_FEATURES,
  SOTTO_I_NAMES_CLASSES,
  SOTTO_I_NAMES_GRAPH_CLASSES,
  SOTTO_I_NAME_LISTS
};

/* Names being collected. Zero-initialise it. */
typedef struct sotto_i_names_maker {
  uint64_t *starts;
  char *text;
  size_t count, used, room_starts, room_text;
} sotto_i_names_maker;

/* Whether text[size], followed by a zero byte, is a valid name. Errors: PARSE, as below. */
sotto_status sotto_i_name_check(const char *text, size_t size, sotto_error *err);
/* Adds text[size]. Errors: PARSE (not UTF-8, or with a control character; the text says so, and the caller
 * prefixes the place), NOMEM. */
sotto_status sotto_i_names_add(sotto_i_names_maker *maker, const void *text, size_t size, sotto_error *err);
/* Moves the collected names into one block: starts, then texts, as in the native format. */
sotto_status sotto_i_names_finish(sotto_names *out, sotto_i_names_maker *maker, sotto_error *err);
void sotto_i_names_maker_free(sotto_i_names_maker *maker);

/* Uses numbers as names, unless they are 0, 1, 2, ... Errors: NOMEM. */
sotto_status sotto_i_names_of_numbers(sotto_names *out, const int64_t *numbers, size_t count,
                                      sotto_error *err);

/* Bytes of the block: starts and texts. */
uint64_t sotto_i_names_size(const sotto_names *names);
/* Checks a list from a file or a caller that should have `count` names within its block. Errors: CORRUPT,
 * naming the list `what` and the name. */
sotto_status sotto_i_names_check(const sotto_names *names, uint64_t count, const char *what,
                                 sotto_error *err);
/* Copies the names items[0..count) of a list; items NULL: all. An absent list stays absent. Errors: NOMEM. */
sotto_status sotto_i_names_take(sotto_names *out, const sotto_names *from, const uint32_t *items,
                                uint64_t count, sotto_error *err);
/* Copies a list and appends "unused class N" up to `count`, at least the length of the list. Errors:
 * NOMEM. */
sotto_status sotto_i_names_pad(sotto_names *out, const sotto_names *from, uint64_t count, sotto_error *err);
/* Frees a list that a function above made. */
void sotto_i_names_free(sotto_names *names);

#endif
