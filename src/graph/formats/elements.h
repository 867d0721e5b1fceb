/* Nodes and edges with attributes, from GraphML, GML and JSON: collected one by one, then made a dataset. */
#ifndef SOTTO_SRC_GRAPH_FORMATS_ELEMENTS_H
#define SOTTO_SRC_GRAPH_FORMATS_ELEMENTS_H

#include "graph/tables/columns.h"
#include "graph/tables/transfer_values.h"

typedef struct sotto_i_elements_cell {
  uint32_t node, column;
  uint64_t line; /* 0: unknown */
  sotto_i_field text;
} sotto_i_elements_cell;

typedef struct sotto_i_elements_edge {
  sotto_i_field from, to;
  uint64_t line;
} sotto_i_elements_edge;

/* An attribute of an edge that may be an amount, a time or a kind. */
typedef struct sotto_i_elements_value {
  size_t edge;
  uint32_t column; /* of edge_columns */
  uint64_t line;
  sotto_i_field text;
} sotto_i_elements_value;

/* Collected nodes and edges. Texts are copied, so parsers may reuse their buffers. */
typedef struct sotto_i_elements {
  sotto_i_columns columns; /* the reader sets file and options */
  sotto_i_ids column_names, ids, edge_columns;
  const char *names; /* attribute whose values are the names of nodes, or NULL: ids are */
  sotto_i_elements_cell *cells;
  sotto_i_elements_edge *edges;
  sotto_i_elements_value *values; /* in the order of edges */
  size_t cell_count, cell_room, edge_count, edge_room, value_count, value_room;
  bool undirected; /* the file says so: its edges are no transfers */
  sotto_i_texts texts;
  uint64_t changed; /* ids and words that were not in the form in which they are compared (words.h) */
} sotto_i_elements;

void sotto_i_elements_init(sotto_i_elements *e, const sotto_i_source *file,
                           const sotto_import_options *options);
/* Copies a text, in the form in which words are compared; the copy lives as long as the elements. */
sotto_status sotto_i_elements_text(sotto_i_elements *e, sotto_i_field *out, const void *text, size_t size,
                                   sotto_error *err);
/* Adds a node; its attributes follow. Errors: PARSE (an empty or repeated id), RANGE, NOMEM. */
sotto_status sotto_i_elements_node(sotto_i_elements *e, const sotto_i_field *id, uint64_t line,
                                   sotto_error *err);
/* Adds an attribute of the latest node. */
sotto_status sotto_i_elements_attribute(sotto_i_elements *e, const sotto_i_field *name,
                                        const sotto_i_field *value, uint64_t line, sotto_error *err);
/* Adds an edge; its nodes may be added later. */
sotto_status sotto_i_elements_edge_add(sotto_i_elements *e, const sotto_i_field *from,
                                       const sotto_i_field *to, uint64_t line, sotto_error *err);
/* Adds an attribute of the latest edge: an amount, a time, a kind, or one that is named in the report and not
 * used.
 */
sotto_status sotto_i_elements_edge_attribute(sotto_i_elements *e, const sotto_i_field *name,
                                             const sotto_i_field *value, uint64_t line, sotto_error *err);
/* element_edges.c. Makes the edges, with their transfers, of all nodes. Errors: RANGE (an edge to an unknown
 * node, an amount below 0), PARSE, INVALID (two readings, options against each other), NOT_FOUND (no such
 * attribute). */
sotto_status sotto_i_elements_edges(sotto_i_elements *e, sotto_i_parts *parts, sotto_error *err);
/* Fails: "FILE: line N: 'TEXT' what". */
sotto_status sotto_i_elements_fail(const sotto_i_elements *e, uint64_t line, const sotto_i_field *text,
                                   sotto_status status, const char *what, sotto_error *err);
/* Makes the parts of the dataset. Errors: those of edges and of columns. */
sotto_status sotto_i_elements_finish(sotto_i_elements *e, sotto_i_parts *parts, sotto_error *err);
void sotto_i_elements_free(sotto_i_elements *e);

/* Readers of the formats. Errors name the file, and the line where known. */
sotto_status sotto_i_read_graphml(sotto_i_parts *parts, const sotto_i_source *file,
                                  const sotto_import_options *options, sotto_error *err);
sotto_status sotto_i_read_gml(sotto_i_parts *parts, const sotto_i_source *file,
                              const sotto_import_options *options, sotto_error *err);
sotto_status sotto_i_read_node_link(sotto_i_parts *parts, const sotto_i_source *file,
                                    const sotto_import_options *options, sotto_error *err);

#endif
