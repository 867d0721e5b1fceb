/* Whether a graph keeps the promises of sotto/graph.h. */
#include <stdatomic.h>

#include "base/error.h"
#include "base/threads.h"
#include "csr.h"

/* Rows that are as short are looked through whole; how many entries ahead memory is asked for. */
enum { node_grain = 1 << 12, short_row = 16, near = 8, far = 24 };

uint64_t sotto_i_first_from(const uint32_t *ascending, uint64_t low, uint64_t high, uint64_t value) {
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (ascending[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool sotto_i_graph_has(const sotto_graph *graph, uint64_t u, uint32_t v) {
  const uint64_t end = graph->offsets[u + 1],
                 at = sotto_i_first_from(graph->targets, graph->offsets[u], end, v);
  return at < end && graph->targets[at] == v;
}

typedef struct scan {
  const sotto_graph *graph;
  _Atomic uint64_t first; /* first node whose row is at fault, or graph->nodes */
  _Atomic uint64_t above; /* entries whose reverse is looked for: those of a neighbour above the node */
} scan;

/* The first entry of the row that breaks an order or a bound, or the row's end. */
static uint64_t first_disorder(const sotto_graph *g, uint64_t node) {
  uint64_t begin = g->offsets[node], end = g->offsets[node + 1];
  for (uint64_t e = begin; e < end; e++) {
    uint32_t id = g->targets[e];
    if (id >= g->nodes || id == node || (e > begin && id <= g->targets[e - 1])) return e;
  }
  return end;
}

/* The first entry of the row whose reverse is missing, or the row's end. All rows must be in order. */
static uint64_t first_one_way(const sotto_graph *g, uint64_t node) {
  uint64_t end = g->offsets[node + 1];
  for (uint64_t e = g->offsets[node]; e < end; e++)
    if (!sotto_i_graph_has(g, g->targets[e], (uint32_t)node)) return e;
  return end;
}

/* Whether v stands in the row of u. */
static bool row_has(const sotto_graph *g, uint32_t u, uint32_t v) {
  const uint64_t begin = g->offsets[u], end = g->offsets[u + 1];
  bool found = false;
  if (end - begin > short_row) return sotto_i_graph_has(g, u, v);
  for (uint64_t e = begin; e < end; e++) found |= g->targets[e] == v;
  return found;
}

/* Asks for the row of a neighbour that comes later. */
static void ask_ahead(const sotto_graph *g, uint64_t node, uint64_t e) {
  if (e + far >= g->entries) return;
  if (g->targets[e + far] > node) __builtin_prefetch(&g->offsets[g->targets[e + far]]);
  if (g->targets[e + near] > node) __builtin_prefetch(&g->targets[g->offsets[g->targets[e + near]]]);
}

/* Whether all entries above the node have a reverse; adds how many there are. */
static bool has_reverses(const sotto_graph *g, uint64_t node, uint64_t *above) {
  for (uint64_t e = g->offsets[node]; e < g->offsets[node + 1]; e++) {
    const uint32_t id = g->targets[e];
    ask_ahead(g, node, e);
    if (id < node) continue;
    if (!row_has(g, id, (uint32_t)node)) return false;
    ++*above;
  }
  return true;
}

static void scan_disorder(void *context, size_t begin, size_t end) {
  scan *s = context;
  for (size_t v = begin; v < end; v++)
    if (first_disorder(s->graph, v) < s->graph->offsets[v + 1]) {
      sotto_i_atomic_min(&s->first, v);
      return;
    }
}

static void scan_one_way(void *context, size_t begin, size_t end) {
  scan *s = context;
  for (size_t v = begin; v < end; v++)
    if (first_one_way(s->graph, v) < s->graph->offsets[v + 1]) {
      sotto_i_atomic_min(&s->first, v);
      return;
    }
}

static void scan_reverses(void *context, size_t begin, size_t end) {
  scan *s = context;
  uint64_t above = 0;
  for (size_t v = begin; v < end; v++)
    if (!has_reverses(s->graph, v, &above)) return;
  atomic_fetch_add(&s->above, above);
}

static sotto_status check_offsets(const sotto_graph *g, sotto_error *err) {
  if (g->offsets == NULL || (g->entries > 0 && g->targets == NULL))
    return sotto_i_fail(err, SOTTO_CORRUPT, "the graph has no arrays");
  if (g->nodes > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%llu nodes are too many; a graph holds fewer than 2^32",
                        (unsigned long long)g->nodes);
  if (g->offsets[0] != 0 || g->offsets[g->nodes] != g->entries)
    return sotto_i_fail(err, SOTTO_CORRUPT, "the offsets run from %llu to %llu, not from 0 to %llu",
                        (unsigned long long)g->offsets[0], (unsigned long long)g->offsets[g->nodes],
                        (unsigned long long)g->entries);
  for (uint64_t v = 0; v < g->nodes; v++)
    if (g->offsets[v] > g->offsets[v + 1] || g->offsets[v + 1] > g->entries)
      return sotto_i_fail(err, SOTTO_CORRUPT, "the row of node %llu runs from entry %llu to %llu of %llu",
                          (unsigned long long)v, (unsigned long long)g->offsets[v],
                          (unsigned long long)g->offsets[v + 1], (unsigned long long)g->entries);
  return SOTTO_OK;
}

static sotto_status report_disorder(const sotto_graph *g, uint64_t v, sotto_error *err) {
  uint64_t e = first_disorder(g, v);
  uint32_t id = g->targets[e];
  unsigned long long node = v, entry = e;
  if (id >= g->nodes)
    return sotto_i_fail(err, SOTTO_CORRUPT, "node %llu, entry %llu: neighbour %u is not below %llu", node,
                        entry, id, (unsigned long long)g->nodes);
  if (id == v) return sotto_i_fail(err, SOTTO_CORRUPT, "node %llu, entry %llu: a self-loop", node, entry);
  return sotto_i_fail(err, SOTTO_CORRUPT, "node %llu, entry %llu: neighbour %u %s", node, entry, id,
                      id == g->targets[e - 1] ? "stands twice" : "is out of order");
}

sotto_status sotto_graph_check(const sotto_graph *graph, sotto_error *err) {
  sotto_status status = check_offsets(graph, err);
  if (status != SOTTO_OK) return status;
  scan s = {.graph = graph, .first = graph->nodes};
  sotto_i_parallel(graph->nodes, node_grain, scan_disorder, &s);
  if (s.first < graph->nodes) return report_disorder(graph, s.first, err);
  /* When each entry above its node has a reverse, and these are half of all, so has each below. */
  sotto_i_parallel(graph->nodes, node_grain, scan_reverses, &s);
  if (2 * s.above == graph->entries) return SOTTO_OK;
  sotto_i_parallel(graph->nodes, node_grain, scan_one_way, &s);
  if (s.first < graph->nodes) {
    uint64_t e = first_one_way(graph, s.first);
    return sotto_i_fail(
        err, SOTTO_CORRUPT, "node %llu, entry %llu: neighbour %u does not have node %llu in its row",
        (unsigned long long)s.first, (unsigned long long)e, graph->targets[e], (unsigned long long)s.first);
  }
  return SOTTO_OK;
}
