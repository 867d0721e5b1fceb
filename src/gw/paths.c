/* All shortest paths of an unweighted graph. */
#include "base/error.h"
#include "base/memory.h"
#include "sotto/gw.h"

enum { most_nodes = 10000 };

/* Hops from `source`, -1 where no path leads. Returns the largest. */
static double search_breadth_first(double *out, uint32_t *queue, const sotto_graph *graph, uint32_t source) {
  size_t head = 0, tail = 0;
  for (uint64_t v = 0; v < graph->nodes; v++) out[v] = -1;
  out[source] = 0;
  queue[tail++] = source;
  while (head < tail) {
    const uint32_t u = queue[head++];
    for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
      const uint32_t v = graph->targets[e];
      if (out[v] >= 0) continue;
      out[v] = out[u] + 1;
      queue[tail++] = v;
    }
  }
  return out[queue[tail - 1]];
}

sotto_status sotto_gw_paths(double *distance, const sotto_graph *graph, sotto_error *err) {
  const uint64_t n = graph->nodes;
  uint32_t *queue = NULL;
  double largest = 0;
  if (n < 1 || n > most_nodes)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "the path matrix of a graph of %llu nodes was requested; 1 to %d are possible",
                        (unsigned long long)n, most_nodes);
  sotto_status status = sotto_i_new_raw(&queue, n, sizeof *queue, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t v = 0; v < n; v++) {
    const double reach = search_breadth_first(distance + v * n, queue, graph, v);
    if (reach > largest) largest = reach;
  }
  for (uint64_t k = 0; k < n * n; k++)
    if (distance[k] < 0) distance[k] = largest + 1;
  sotto_i_free(queue);
  return SOTTO_OK;
}
