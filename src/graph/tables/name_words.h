/* Words of the names of columns. */
#ifndef SOTTO_SRC_GRAPH_TABLES_NAME_WORDS_H
#define SOTTO_SRC_GRAPH_TABLES_NAME_WORDS_H

#include "graph/io/csv.h"

/* Is the word one of those that the name consists of? A letter or number alone is one behind a word for what
 * it is a number of (node_a, id1), or as u and v. `word`: small letters, shorter than 78 bytes. */
bool sotto_i_name_has_word(const sotto_i_field *name, const char *word);

#endif
