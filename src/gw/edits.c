/* Exact graph edit distance by depth-first branch and bound (Abu-Aisheh et al. 2015). The nodes of x get
 * images in y, or none, one after the other. Inserting or deleting a node or an edge, and changing a
 * label, cost 1 each. Lower bound of the remaining cost: the difference of the numbers of open nodes, and
 * of edges with an end among them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "gw/collection.h"

enum { most = 32, none = 32 };

typedef struct search {
  int n, m, best;
  uint32_t x[most], y[most]; /* neighbours of each node as a bit mask */
  bool same[most][most];     /* equal labels */
  int image[most];           /* of the nodes of x assigned so far */
  double until;
  uint64_t visits;
  bool bound;
} search;

static int count_bits(uint32_t word) {
  return __builtin_popcount(word);
}

/* Number of edges with at least one end among the `open` nodes. */
static int count_open_edges(const uint32_t *rows, int count, uint32_t open) {
  int twice = 0;
  for (int v = 0; v < count; v++) twice += count_bits(rows[v] & (open >> v & 1U ? UINT32_MAX : open));
  return twice / 2;
}

static uint32_t low_bits(int count) {
  return count >= 32 ? UINT32_MAX : (1U << count) - 1;
}

static void assign_image(search *s, int v, uint32_t used, int cost);

/* Cost of assigning image w (or none) to v: its label, and the edges to nodes assigned before. */
static int assignment_cost(const search *s, int v, int w) {
  int cost = w == none ? 1 : s->same[v][w] ? 0 : 1;
  for (int u = 0; u < v; u++) {
    const bool here = s->x[v] >> u & 1U;
    const bool there = w != none && s->image[u] != none && (s->y[w] >> s->image[u] & 1U);
    cost += here != there;
  }
  return cost;
}

/* Cost of inserting the nodes of y without a preimage, and their edges. */
static int insertion_cost(const search *s, uint32_t used) {
  const uint32_t open = low_bits(s->m) & ~used;
  return count_bits(open) + count_open_edges(s->y, s->m, open);
}

static void try_image(search *s, int v, int w, uint32_t used, int cost) {
  s->image[v] = w;
  assign_image(s, v + 1, w == none ? used : used | 1U << w, cost + assignment_cost(s, v, w));
}

static void assign_image(search *s, int v, uint32_t used, int cost) {
  if (v == s->n) {
    const int total = cost + insertion_cost(s, used);
    if (total < s->best) s->best = total;
    return;
  }
  const uint32_t open_x = low_bits(s->n) & ~low_bits(v), open_y = low_bits(s->m) & ~used;
  const int nodes = abs(count_bits(open_x) - count_bits(open_y));
  const int edges = abs(count_open_edges(s->x, s->n, open_x) - count_open_edges(s->y, s->m, open_y));
  if (cost + nodes + edges >= s->best) return;
  if (s->bound || (++s->visits % 1024 == 0 && sotto_i_seconds() > s->until)) {
    s->bound = true;
    return;
  }
  /* Nodes of equal label and degree first: an early good solution prunes most of the search. */
  for (int pass = 0; pass < 2; pass++)
    for (int w = 0; w < s->m; w++) {
      const bool alike = s->same[v][w] && count_bits(s->x[v]) == count_bits(s->y[w]);
      if ((open_y >> w & 1U) && alike == (pass == 0)) try_image(s, v, w, used, cost);
    }
  try_image(s, v, none, used, cost);
}

static void fill_masks(uint32_t *rows, const sotto_graph *graph) {
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) rows[v] |= 1U << graph->targets[e];
}

double sotto_i_gw_edits(const sotto_i_gw_collection *c, size_t x, size_t y, double seconds, bool *bound) {
  const size_t width = c->rows[x].cols * sizeof(float);
  search s = {.n = (int)c->graph[x].nodes, .m = (int)c->graph[y].nodes, .until = sotto_i_seconds() + seconds};
  SOTTO_I_CHECK(s.n <= most && s.m <= most);
  fill_masks(s.x, &c->graph[x]);
  fill_masks(s.y, &c->graph[y]);
  for (int v = 0; v < s.n; v++)
    for (int w = 0; w < s.m; w++)
      s.same[v][w] = width == 0 || memcmp(c->rows[x].data + (size_t)v * c->rows[x].cols,
                                          c->rows[y].data + (size_t)w * c->rows[y].cols, width) == 0;
  /* Upper bound: delete all of x, insert all of y. */
  s.best = s.n + s.m + (int)(c->graph[x].entries + c->graph[y].entries) / 2;
  assign_image(&s, 0, 0, 0);
  *bound = s.bound;
  return s.best;
}
