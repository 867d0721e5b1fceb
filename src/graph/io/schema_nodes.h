/* The YAML of a schema as a tree of nodes, which are texts, lists and mappings. */
#ifndef SOTTO_SRC_GRAPH_IO_SCHEMA_NODES_H
#define SOTTO_SRC_GRAPH_IO_SCHEMA_NODES_H

#include "sotto/base.h"

typedef enum sotto_i_yaml_kind {
  SOTTO_I_YAML_TEXT,
  SOTTO_I_YAML_LIST,
  SOTTO_I_YAML_MAPPING
} sotto_i_yaml_kind;
/* Nodes are named by their place in the tree; 0 is none, and the root is 1. */
typedef struct sotto_i_yaml_node {
  const char *text;     /* TEXT; NULL: it has a zero byte */
  const char *key;      /* of a child of a mapping */
  uint32_t first, next; /* the first child, and the next child of the same parent */
  uint32_t line;
  uint8_t kind; /* sotto_i_yaml_kind */
  bool settled; /* the text is ASCII without blanks at its ends (words.h); false: it is not known to be */
} sotto_i_yaml_node;
typedef struct sotto_i_yaml {
  sotto_i_yaml_node *nodes; /* the first one is not used */
  size_t count, room;
  char *text;
} sotto_i_yaml;

/* Reads YAML without aliases. `file` is for messages. Errors: PARSE, naming the line; NOMEM. */
sotto_status sotto_i_yaml_read(sotto_i_yaml *out, const char *file, const char *text, size_t size,
                               sotto_error *err);
void sotto_i_yaml_free(sotto_i_yaml *nodes);

/* The two ways of that, for tests. _plain reads the form that Sotto writes, many times faster: *done is false
 * for any other, and the tree is then empty. Errors: NOMEM. */
sotto_status sotto_i_yaml_read_plain(bool *done, sotto_i_yaml *out, const char *text, size_t size,
                                     sotto_error *err);
sotto_status sotto_i_yaml_read_any(sotto_i_yaml *out, const char *file, const char *text, size_t size,
                                   sotto_error *err);

#endif
