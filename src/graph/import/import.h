/* Import over ranks: state of the edge list and of its node table. */
#ifndef SOTTO_SRC_GRAPH_IMPORT_IMPORT_H
#define SOTTO_SRC_GRAPH_IMPORT_IMPORT_H

#include "graph/names.h"
#include "graph/spread/written.h"
#include "graph/tables/tables.h"
#include "shared_ids.h"
#include "text_part.h"

/* The node table: each rank has the nodes of its own lines. */
typedef struct sotto_i_import_nodes {
  sotto_ranks *ranks; /* borrowed */
  sotto_i_text_part text;
  sotto_i_source file; /* name and size for messages; no bytes */
  sotto_i_node_table table;
  uint64_t header_line;
  uint64_t nodes, before, own; /* number of nodes of all ranks, of earlier ranks, of this rank */
  sotto_i_parts parts;         /* of own nodes; names of columns and classes of all */
  char **texts;                /* words of columns, each in its own memory */
  size_t text_count, text_room;
} sotto_i_import_nodes;

/* _open reads the header. _list numbers the ids in the order of lines and registers them at their ranks;
 * their texts go to `names`. Errors: those of sotto_i_node_table_open, those of another rank. */
sotto_status sotto_i_import_nodes_open(sotto_i_import_nodes *out, sotto_ranks *ranks, const char *path,
                                       const sotto_import_options *options, sotto_error *err);
sotto_status sotto_i_import_nodes_list(sotto_i_import_nodes *nodes, sotto_i_shared_ids *ids,
                                       sotto_i_names_maker *names, sotto_error *err);
/* columns_over.c, second pass: fills features, labels and split of own nodes; `parts` gets the report on
 * columns. Errors: those of sotto_i_node_table_fill, those of another rank. */
sotto_status sotto_i_import_nodes_fill(sotto_i_import_nodes *nodes, sotto_i_parts *parts, sotto_error *err);
void sotto_i_import_nodes_free(sotto_i_import_nodes *nodes);
/* Reads the next own line; count 0: the piece has no more. Skips the header. */
sotto_status sotto_i_import_nodes_next(sotto_i_import_nodes *nodes, sotto_i_csv *csv, sotto_error *err);

/* columns_over.c: agrees on the kinds of columns, decided by the first rank with a value, and on the words
 * of all. Errors: RANGE, NOMEM, those of another rank. */
sotto_status sotto_i_import_decide_columns(sotto_i_import_nodes *nodes, sotto_error *err);
sotto_status sotto_i_import_merge_words(sotto_i_import_nodes *nodes, sotto_error *err);
/* Copies the texts of words that a piece of lines added. */
sotto_status sotto_i_import_keep_words(sotto_i_import_nodes *nodes, const size_t *known, sotto_error *err);

/* The edge list. */
typedef struct sotto_i_import_edges {
  sotto_ranks *ranks; /* borrowed */
  sotto_i_text_part text;
  sotto_i_edge_text form; /* columns and header, then the edges of one piece */
  uint64_t line;          /* lines before the piece */
  uint64_t places;        /* ends of edges so far */
} sotto_i_import_edges;
/* edges_over.c. _open finds columns and header. _list registers the ids of each piece, or with a node table
 * only reads; _send finds their numbers, and passes each edge to the ranks of its ends. Errors: those of
 * sotto_i_edge_text_open and _read, those of another rank. */
sotto_status sotto_i_import_edges_open(sotto_i_import_edges *e, sotto_ranks *ranks, const char *path,
                                       const sotto_import_options *options, sotto_i_parts *parts,
                                       sotto_error *err);
void sotto_i_import_edges_free(sotto_i_import_edges *e);
sotto_status sotto_i_import_edges_list(sotto_i_import_edges *e, sotto_i_shared_ids *ids, bool listed,
                                       sotto_error *err);
sotto_status sotto_i_import_edges_send(sotto_i_import_edges *e, sotto_i_shared_ids *ids, sotto_i_rows *rows,
                                       sotto_error *err);

#endif
