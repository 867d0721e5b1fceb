/* Means over a graph that one holder alone knows, of rows under shares. Memory, bytes and time grow with the
 * nodes and the declared number of entries; nobody learns more of the edges. */
#ifndef SOTTO_SRC_PARTY_SHARES_SECURE_GRAPH_H
#define SOTTO_SRC_PARTY_SHARES_SECURE_GRAPH_H

#include "secure.h"
#include "sotto/graph.h"

/* D^-1 A of one holder's graph; a node without neighbours has a row of zeros. */
typedef struct sotto_i_secure_graph {
  size_t owner, nodes, entries; /* entries as declared */
  const sotto_graph *graph;     /* at the owner, borrowed */
  sotto_row_map spread, turn, collect, degree;
} sotto_i_secure_graph;

/* All sides call it; `graph` is NULL at all but the owner. `entries` is public: as many entries of the graph
 * (two for each edge) at most. `share` multiplies all of it. Errors: RANGE (more entries, 2^32 rows). */
sotto_status sotto_i_secure_graph_new(sotto_i_secure_graph *out, sotto_i_secure *s, size_t owner,
                                      const sotto_graph *graph, size_t nodes, size_t entries, float share,
                                      sotto_error *err);
void sotto_i_secure_graph_free(sotto_i_secure_graph *graph);
/* to += share D^-1 A x, or its transpose times x, with s->bits more fraction bits than x: exact. */
sotto_status sotto_i_secure_graph_add(sotto_i_secret *to, sotto_i_secure *s, const sotto_i_secure_graph *g,
                                      const sotto_i_secret *x, bool transposed, sotto_error *err);
/* The same, not transposed, where columns [first, first + own) of x are zero in the shares of all holders but
 * the owner, who sums them by itself. */
sotto_status sotto_i_secure_graph_add_features(sotto_i_secret *to, sotto_i_secure *s,
                                               const sotto_i_secure_graph *g, const sotto_i_secret *x,
                                               size_t first, size_t own, sotto_error *err);

#endif
