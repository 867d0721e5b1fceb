/* Copies of graphs without some edges. */
#include "graph_less.h"

#include <stdlib.h>

#include "base/memory.h"

static int by_ends(const void *a, const void *b) {
  const sotto_i_edge *x = a, *y = b;
  if (x->u != y->u) return (x->u > y->u) - (x->u < y->u);
  return (x->v > y->v) - (x->v < y->v);
}

/* Puts the smaller end first and sorts ascending. */
static void sort_edges(sotto_i_edge *edges, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (edges[i].u > edges[i].v) edges[i] = (sotto_i_edge){edges[i].v, edges[i].u};
  if (count > 0) qsort(edges, count, sizeof *edges, by_ends);
}

sotto_status sotto_i_graph_less(sotto_graph *out, const sotto_graph *graph, sotto_i_edge *without,
                                size_t count, sotto_error *err) {
  uint32_t *ends = NULL;
  uint64_t kept = 0;
  sotto_status status;
  sort_edges(without, count);
  SOTTO_TRY(sotto_i_new_raw(&ends, graph->entries, sizeof *ends, err));
  for (uint32_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      const sotto_i_edge edge = {v, graph->targets[e]};
      if (edge.v < v) continue;
      if (count > 0 && bsearch(&edge, without, count, sizeof edge, by_ends) != NULL) continue;
      ends[kept] = edge.u;
      ends[graph->entries / 2 + kept++] = edge.v;
    }
  SOTTO_TRY(sotto_graph_from_pairs(out, graph->nodes, ends, ends + graph->entries / 2, kept, err));
done:
  sotto_i_free(ends);
  return status;
}
