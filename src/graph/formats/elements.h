/* Nodes and edges with attributes, as GraphML, GML and JSON have them: collected one by one, then a dataset.
 */
#ifndef SOTTO_SRC_GRAPH_FORMATS_ELEMENTS_H
#define SOTTO_SRC_GRAPH_FORMATS_ELEMENTS_H

#include "graph/tables/columns.h"

typedef struct sotto_i_elements_cell {
  uint32_t node, column;
  uint64_t line; /* 0: not known */
  sotto_i_field text;
} sotto_i_elements_cell;

typedef struct sotto_i_elements_edge {
  sotto_i_field from, to;
  uint64_t line;
} sotto_i_elements_edge;

/* Texts are copied, so that parsers may give what they have. */
typedef struct sotto_i_elements {
  sotto_i_columns columns; /* file and options are set by the reader */
  sotto_i_ids column_names, ids, edge_columns;
  const char *names; /* the attribute whose values name the nodes for people, or NULL: their ids do */
  sotto_i_elements_cell *cells;
  sotto_i_elements_edge *edges;
  size_t cell_count, cell_room, edge_count, edge_room;
  uint8_t **chunks; /* memory of the texts */
  size_t chunk_count, chunk_room, chunk_left;
} sotto_i_elements;

void sotto_i_elements_init(sotto_i_elements *e, const sotto_i_source *file,
                           const sotto_import_options *options);
/* A copy of the text that lives as long as the elements. */
sotto_status sotto_i_elements_text(sotto_i_elements *e, sotto_i_field *out, const void *text, size_t size,
                                   sotto_error *err);
/* Adds a node; its attributes follow. Errors: PARSE (an empty id, or one that was there), RANGE, NOMEM. */
sotto_status sotto_i_elements_node(sotto_i_elements *e, const sotto_i_field *id, uint64_t line,
                                   sotto_error *err);
/* An attribute of the node that was added last. */
sotto_status sotto_i_elements_attribute(sotto_i_elements *e, const sotto_i_field *name,
                                        const sotto_i_field *value, uint64_t line, sotto_error *err);
/* An edge between nodes that may come later. */
sotto_status sotto_i_elements_edge_add(sotto_i_elements *e, const sotto_i_field *from,
                                       const sotto_i_field *to, uint64_t line, sotto_error *err);
/* An attribute of edges: named in the report, and not used. */
sotto_status sotto_i_elements_edge_column(sotto_i_elements *e, const sotto_i_field *name, sotto_error *err);
/* Makes the parts. Errors: RANGE (an edge to a node that is not there), those of columns. */
sotto_status sotto_i_elements_finish(sotto_i_elements *e, sotto_i_parts *parts, sotto_error *err);
void sotto_i_elements_free(sotto_i_elements *e);

/* Readers of files of elements. Errors name the file, and the line where it is known. */
sotto_status sotto_i_read_graphml(sotto_i_parts *parts, const sotto_i_source *file,
                                  const sotto_import_options *options, sotto_error *err);
sotto_status sotto_i_read_gml(sotto_i_parts *parts, const sotto_i_source *file,
                              const sotto_import_options *options, sotto_error *err);
sotto_status sotto_i_read_node_link(sotto_i_parts *parts, const sotto_i_source *file,
                                    const sotto_import_options *options, sotto_error *err);

#endif
