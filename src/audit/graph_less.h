/* A graph without some of its edges, for audits. */
#ifndef SOTTO_SRC_AUDIT_GRAPH_LESS_H
#define SOTTO_SRC_AUDIT_GRAPH_LESS_H

#include "sotto/graph.h"

typedef struct sotto_i_edge {
  uint32_t u, v;
} sotto_i_edge;

/* out (fresh): a copy of the graph without without[0..count), which this sorts, and which need not be
 * edges. */
sotto_status sotto_i_graph_less(sotto_graph *out, const sotto_graph *graph, sotto_i_edge *without,
                                size_t count, sotto_error *err);

#endif
