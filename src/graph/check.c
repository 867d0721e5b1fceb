/* Validation of graphs: the conditions stated in sotto/graph.h. */
#include <sodium.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include "csr.h"
#include "inside/graph.h"

enum { node_grain = 1 << 12 };

uint64_t sotto_i_first_at_least(const uint32_t *ascending, uint64_t low, uint64_t high, uint64_t value) {
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
                 at = sotto_i_first_at_least(graph->targets, graph->offsets[u], end, v);
  return at < end && graph->targets[at] == v;
}

/* Checks without a search that each entry has its reverse. Give each node v numbers x_v and y_v. The sum
 * of x_u y_v - y_u x_v over all entries (u, v) is 0 if each entry has its reverse. Otherwise it is a
 * nonzero polynomial: for an entry (u, v) without a reverse, x_u y_v occurs once. It is evaluated modulo
 * 2^64 at a random point, which the maker of the graph cannot know. x_v is the product of a random number
 * for the low bits of v and one for the high bits, y_v of two others. So there are few numbers, which stay
 * in the cache, and x_u y_v is another product for each pair.
 *
 * Probability of a false 0: Schwartz (1980) bounds it for fields. Modulo 2^64, let p_d(k) bound the
 * probability that 2^k divides a polynomial of degree d, linear in each variable, with a coefficient of 1
 * or -1. As a polynomial in one variable it is a Q + R with a uniform a and a Q of degree d - 1 of the
 * same kind. So p_d(k) is 2^-k (1 + sum over j = 1 to k of 2^(j - 1) p_(d-1)(j)), and p_0(k) is 0 for k >
 * 0. Hence p_4(64) is below 2^-51, and 2^-102 at two independent points. */
typedef struct factors {
  uint64_t x, y, other_x, other_y; /* at both random points */
} factors;

typedef struct scan {
  const sotto_graph *graph;
  factors *low, *high; /* for the low bits of a node (below `half`), and for the high bits */
  unsigned half;
  _Atomic uint64_t first;      /* first node with an invalid row, or graph->nodes */
  _Atomic uint64_t sum, other; /* sums over all rows so far, at both points */
} scan;

/* The numbers x and y of a node. */
static inline factors node_factors(const scan *s, uint64_t node) {
  const factors *low = &s->low[node & ((UINT64_C(1) << s->half) - 1)], *high = &s->high[node >> s->half];
  return (factors){low->x * high->x, low->y * high->y, low->other_x * high->other_x,
                   low->other_y * high->other_y};
}

/* The first entry of the row that is out of order or out of range, or the row's end. */
static uint64_t first_disorder(const sotto_graph *g, uint64_t node) {
  uint64_t begin = g->offsets[node], end = g->offsets[node + 1];
  for (uint64_t e = begin; e < end; e++) {
    uint32_t id = g->targets[e];
    if (id >= g->nodes || id == node || (e > begin && id <= g->targets[e - 1])) return e;
  }
  return end;
}

/* The first entry of the row without a reverse, or the row's end. All rows must be in order. */
static uint64_t first_without_reverse(const sotto_graph *g, uint64_t node) {
  uint64_t end = g->offsets[node + 1];
  for (uint64_t e = g->offsets[node]; e < end; e++)
    if (!sotto_i_graph_has(g, g->targets[e], (uint32_t)node)) return e;
  return end;
}

/* Adds the terms of a row to the sums; returns whether the row is in order. */
static inline bool add_row(const scan *s, uint64_t node, uint64_t *sum, uint64_t *other) {
  const uint64_t end = s->graph->offsets[node + 1], nodes = s->graph->nodes;
  const factors own = node_factors(s, node);
  factors row = {0, 0, 0, 0};
  int64_t before = -1;
  bool good = true;
  for (uint64_t e = s->graph->offsets[node]; e < end; e++) {
    const uint64_t id = s->graph->targets[e];
    const factors more = node_factors(s, id < nodes ? id : 0);
    good = good & (id < nodes) & (id != node) & ((int64_t)id > before);
    before = (int64_t)id;
    row.x += more.x;
    row.y += more.y;
    row.other_x += more.other_x;
    row.other_y += more.other_y;
  }
  *sum += own.x * row.y - own.y * row.x;
  *other += own.other_x * row.other_y - own.other_y * row.other_x;
  return good;
}

static void scan_rows(void *context, size_t begin, size_t end) {
  scan *s = context;
  uint64_t sum = 0, other = 0;
  for (size_t v = begin; v < end; v++)
    if (!add_row(s, v, &sum, &other)) {
      sotto_i_atomic_min(&s->first, v);
      return;
    }
  atomic_fetch_add(&s->sum, sum);
  atomic_fetch_add(&s->other, other);
}

static void scan_for_reverses(void *context, size_t begin, size_t end) {
  scan *s = context;
  for (size_t v = begin; v < end; v++)
    if (first_without_reverse(s->graph, v) < s->graph->offsets[v + 1]) {
      sotto_i_atomic_min(&s->first, v);
      return;
    }
}

static sotto_status check_offsets(const sotto_graph *g, sotto_error *err) {
  if (g->offsets == NULL || (g->entries > 0 && g->targets == NULL))
    return sotto_i_fail(err, SOTTO_CORRUPT, "the graph has no offsets or no targets");
  if (g->nodes > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_CORRUPT, "%llu nodes are too many; a graph holds fewer than 2^32",
                        (unsigned long long)g->nodes);
  if (g->offsets[0] != 0 || g->offsets[g->nodes] != g->entries)
    return sotto_i_fail(err, SOTTO_CORRUPT, "the offsets run from %llu to %llu, not from 0 to %llu",
                        (unsigned long long)g->offsets[0], (unsigned long long)g->offsets[g->nodes],
                        (unsigned long long)g->entries);
  for (uint64_t v = 0; v < g->nodes; v++)
    if (g->offsets[v] > g->offsets[v + 1] || g->offsets[v + 1] > g->entries)
      return sotto_i_fail(err, SOTTO_CORRUPT, "the row of node %llu spans entries %llu to %llu of %llu",
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
                      id == g->targets[e - 1] ? "occurs twice" : "is out of order");
}

/* Draws random factors for the nodes of the graph, in new memory at s->low. */
static sotto_status draw_factors(scan *s, sotto_error *err) {
  const uint64_t last = s->graph->nodes == 0 ? 0 : s->graph->nodes - 1;
  unsigned bits = 0;
  while (last >> bits != 0) bits++;
  s->half = (bits + 1) / 2;
  const size_t low = (size_t)1 << s->half, count = low + (size_t)(last >> s->half) + 1;
  uint8_t seed[randombytes_SEEDBYTES];
  SOTTO_I_CHECK(sodium_init() >= 0);
  const sotto_status status = sotto_i_new_raw(&s->low, count, sizeof *s->low, err);
  if (status != SOTTO_OK) return status;
  s->high = s->low + low;
  randombytes_buf(seed, sizeof seed);
  randombytes_buf_deterministic(s->low, count * sizeof *s->low, seed);
  return SOTTO_OK;
}

sotto_status sotto_graph_check(const sotto_graph *graph, sotto_error *err) {
  sotto_status status = check_offsets(graph, err);
  if (status != SOTTO_OK) return status;
  scan s = {.graph = graph, .first = graph->nodes};
  status = draw_factors(&s, err);
  if (status != SOTTO_OK) return status;
  sotto_i_parallel(graph->nodes, node_grain, scan_rows, &s);
  sotto_i_free(s.low);
  if (s.first < graph->nodes) return report_disorder(graph, s.first, err);
  if (s.sum == 0 && s.other == 0) return SOTTO_OK;
  sotto_i_parallel(graph->nodes, node_grain, scan_for_reverses, &s);
  SOTTO_I_CHECK(s.first < graph->nodes); /* if each entry had its reverse, the sums would be 0 */
  const uint64_t v = s.first, e = first_without_reverse(graph, v);
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "node %llu, entry %llu: neighbour %u does not have node %llu in its row",
                      (unsigned long long)v, (unsigned long long)e, graph->targets[e], (unsigned long long)v);
}
