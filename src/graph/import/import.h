/* An edge list and its table of nodes, read by all ranks. */
#ifndef SOTTO_SRC_GRAPH_IMPORT_IMPORT_H
#define SOTTO_SRC_GRAPH_IMPORT_IMPORT_H

#include "graph/names.h"
#include "graph/spread/written.h"
#include "graph/tables/tables.h"
#include "shared_ids.h"
#include "text_part.h"

/* The table of nodes: this rank has the nodes of its lines. */
typedef struct sotto_i_import_nodes {
  sotto_ranks *ranks; /* borrowed */
  sotto_i_text_part text;
  sotto_i_source file; /* for messages, and its size; no bytes */
  sotto_i_node_table table;
  char separator;
  uint64_t header_line;
  uint64_t nodes, before, own; /* of all ranks, of those before this one, of this one */
  sotto_i_parts parts;         /* of own nodes; names of columns and classes of all */
  char **texts;                /* of words of columns, each by itself */
  size_t text_count, text_room;
} sotto_i_import_nodes;

/* Reads the header, and lists the ids, numbered in the order of lines, with the ranks that have them; their
 * texts go to `names`. Errors: those of sotto_i_node_table_open, those of another rank. */
sotto_status sotto_i_import_nodes_open(sotto_i_import_nodes *out, sotto_ranks *ranks, const char *path,
                                       const sotto_import_options *options, sotto_error *err);
sotto_status sotto_i_import_nodes_list(sotto_i_import_nodes *nodes, sotto_i_shared_ids *ids,
                                       sotto_i_names_maker *names, sotto_error *err);
/* columns_over.c: the second pass: features, labels and split of own nodes; what became of columns is said in
 * `parts`. Errors: those of sotto_i_node_table_fill, those of another rank. */
sotto_status sotto_i_import_nodes_fill(sotto_i_import_nodes *nodes, sotto_i_parts *parts, sotto_error *err);
void sotto_i_import_nodes_free(sotto_i_import_nodes *nodes);
/* The next line of own ones; count 0: none is left in this piece. The header is stepped over. */
sotto_status sotto_i_import_nodes_next(sotto_i_import_nodes *nodes, sotto_i_csv *csv, sotto_error *err);

/* columns_over.c: what columns are, as the first rank that has a value says; and the words of all. Errors:
 * RANGE, NOMEM, those of another rank. */
sotto_status sotto_i_import_decide(sotto_i_import_nodes *nodes, sotto_error *err);
sotto_status sotto_i_import_agree(sotto_i_import_nodes *nodes, sotto_error *err);
/* Words that a piece of lines added get texts that stay. */
sotto_status sotto_i_import_keep_words(sotto_i_import_nodes *nodes, const size_t *known, sotto_error *err);

/* The edge list. */
typedef struct sotto_i_import_edges {
  sotto_ranks *ranks; /* borrowed */
  sotto_i_text_part text;
  sotto_i_edge_text form; /* columns and header; then the edges of one piece */
  char separator;
  uint64_t line;   /* before the piece */
  uint64_t places; /* ends of edges so far */
} sotto_i_import_edges;

#endif
