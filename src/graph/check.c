/* Whether a graph keeps the promises of sotto/graph.h. */
#include <sodium.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/threads.h"
#include "csr.h"

enum { node_grain = 1 << 12, points = 2, field_bits = 61 };

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

/* Whether each entry has its reverse, without a search: entries above the diagonal and the reverses of those
 * below it are the same set when the polynomials in z that have z - code as factors are the same, where the
 * code of (u, v) is u and then v in as few bits as nodes need. These are compared at random points modulo
 * 2^61
 * - 1, which nobody who made the graph knows. Of n factors, different ones agree at a point with probability
 * n / 2^61 at most (Schwartz 1980), below 2^-60 at both for fewer than 2^31 edges. */
typedef struct scan {
  const sotto_graph *graph;
  _Atomic uint64_t first;                        /* first node whose row is at fault, or graph->nodes */
  unsigned id_bits;                              /* of a node; codes have twice as many */
  uint64_t z[points];                            /* below 2^61 - 1 */
  _Atomic uint64_t above[points], below[points]; /* products of the factors of both sets */
} scan;

static const uint64_t prime = (UINT64_C(1) << field_bits) - 1;

/* A number below 2^61 + 8 that is as good as a * b, which is below 2^124. */
static inline uint64_t multiply(uint64_t a, uint64_t b) {
  const unsigned __int128 product = (unsigned __int128)a * b;
  const uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64);
  const uint64_t sum =
      (low & prime) + (high * 8 + (low >> field_bits)); /* no shift of a pair of words: slow */
  return (sum & prime) + (sum >> field_bits);
}

static void multiply_by(_Atomic uint64_t *product, uint64_t factor) {
  uint64_t seen = atomic_load(product);
  while (!atomic_compare_exchange_weak(product, &seen, multiply(seen, factor))) {
  }
}

static bool is_same(uint64_t a, uint64_t b) {
  return a % prime == b % prime;
}

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

/* Products of the factors so far, each in two halves that take turns: so a multiplication does not wait for
 * the one before. */
typedef struct factors {
  uint64_t above[points][2], below[points][2];
} factors;

/* Multiplies the factors of a row into the products; whether the row is in order. There is no branch on which
 * side of the diagonal an entry is, since that cannot be foreseen. */
static inline bool take_row(const scan *s, uint64_t node, factors *f) {
  const uint64_t end = s->graph->offsets[node + 1], nodes = s->graph->nodes;
  int64_t before = -1;
  bool good = true;
  for (uint64_t e = s->graph->offsets[node]; e < end; e++) {
    const uint64_t id = s->graph->targets[e];
    const uint64_t low = id < node ? id : node, high = id < node ? node : id,
                   side = id < node ? UINT64_MAX : 0;
    good = good & (id < nodes) & (id != node) & ((int64_t)id > before);
    before = (int64_t)id;
    const uint64_t code = low << s->id_bits | high;
#pragma GCC unroll 2 /* so that the products stay in registers */
    for (size_t k = 0; k < points; k++) {
      const uint64_t above = f->above[k][0], below = f->below[k][0], old = (below & side) | (above & ~side);
      const uint64_t product = multiply(old, s->z[k] + prime - code);
      f->above[k][0] = f->above[k][1];
      f->below[k][0] = f->below[k][1];
      f->above[k][1] = (above & side) | (product & ~side);
      f->below[k][1] = (product & side) | (below & ~side);
    }
  }
  return good;
}

static void scan_rows(void *context, size_t begin, size_t end) {
  scan *s = context;
  factors f;
  for (size_t k = 0; k < points; k++) f.above[k][0] = f.above[k][1] = f.below[k][0] = f.below[k][1] = 1;
  for (size_t v = begin; v < end; v++)
    if (!take_row(s, v, &f)) {
      sotto_i_atomic_min(&s->first, v);
      return;
    }
  for (size_t k = 0; k < points; k++) {
    multiply_by(&s->above[k], multiply(f.above[k][0], f.above[k][1]));
    multiply_by(&s->below[k], multiply(f.below[k][0], f.below[k][1]));
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

static void draw_points(scan *s) {
  SOTTO_I_CHECK(sodium_init() >= 0);
  randombytes_buf(s->z, sizeof s->z);
  for (size_t k = 0; k < points; k++) {
    s->z[k] %= prime;
    s->above[k] = s->below[k] = 1;
  }
}

sotto_status sotto_graph_check(const sotto_graph *graph, sotto_error *err) {
  sotto_status status = check_offsets(graph, err);
  if (status != SOTTO_OK) return status;
  scan s = {.graph = graph, .first = graph->nodes};
  while (s.id_bits < 32 && graph->nodes >> s.id_bits != 0) s.id_bits++;
  draw_points(&s);
  sotto_i_parallel(graph->nodes, node_grain, scan_rows, &s);
  if (s.first < graph->nodes) return report_disorder(graph, s.first, err);
  const bool coded = 2 * s.id_bits < field_bits; /* else, above 2^30 nodes, each reverse is looked for */
  if (coded && is_same(s.above[0], s.below[0]) && is_same(s.above[1], s.below[1])) return SOTTO_OK;
  sotto_i_parallel(graph->nodes, node_grain, scan_one_way, &s);
  SOTTO_I_CHECK(s.first < graph->nodes || !coded); /* the same sets have the same products */
  if (s.first == graph->nodes) return SOTTO_OK;
  const uint64_t v = s.first, e = first_one_way(graph, v);
  return sotto_i_fail(err, SOTTO_CORRUPT,
                      "node %llu, entry %llu: neighbour %u does not have node %llu in its row",
                      (unsigned long long)v, (unsigned long long)e, graph->targets[e], (unsigned long long)v);
}
