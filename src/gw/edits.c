/* Exact graph edit distance by depth-first branch and bound (Abu-Aisheh et al. 2015): the nodes of x are
 * given images in y, or none, one after the other. Inserting or deleting a node or an edge, and changing a
 * label, cost 1 each. What is still to come costs at least the difference of the numbers of nodes left, and
 * of edges with an end among them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/progress.h"
#include "gw/collection.h"

enum { most = 32, none = 32 };

typedef struct search {
  int n, m, best;
  uint32_t x[most], y[most]; /* neighbours of each node, one bit each */
  bool same[most][most];     /* equal labels */
  int image[most];           /* of the nodes of x that were placed */
  double until;
  uint64_t visits;
  bool bound;
} search;

static int bits(uint32_t word) {
  return __builtin_popcount(word);
}

/* Edges of x whose later end is node v or beyond. */
static int edges_from(const uint32_t *rows, int count, uint32_t open) {
  int twice = 0;
  for (int v = 0; v < count; v++) twice += bits(rows[v] & (open >> v & 1U ? UINT32_MAX : open));
  return twice / 2;
}

static uint32_t first_bits(int count) {
  return count >= 32 ? UINT32_MAX : (1U << count) - 1;
}

static void place(search *s, int v, uint32_t used, int cost);

/* Cost of giving v the image w (or none): its label, and the edges to nodes that were placed before. */
static int cost_of(const search *s, int v, int w) {
  int cost = w == none ? 1 : s->same[v][w] ? 0 : 1;
  for (int u = 0; u < v; u++) {
    const bool here = s->x[v] >> u & 1U;
    const bool there = w != none && s->image[u] != none && (s->y[w] >> s->image[u] & 1U);
    cost += here != there;
  }
  return cost;
}

/* What inserting the nodes of y that are no image, and their edges, costs. */
static int rest_of(const search *s, uint32_t used) {
  const uint32_t open = first_bits(s->m) & ~used;
  return bits(open) + edges_from(s->y, s->m, open);
}

static void try_image(search *s, int v, int w, uint32_t used, int cost) {
  s->image[v] = w;
  place(s, v + 1, w == none ? used : used | 1U << w, cost + cost_of(s, v, w));
}

static void place(search *s, int v, uint32_t used, int cost) {
  if (v == s->n) {
    const int total = cost + rest_of(s, used);
    if (total < s->best) s->best = total;
    return;
  }
  const uint32_t open_x = first_bits(s->n) & ~first_bits(v), open_y = first_bits(s->m) & ~used;
  const int nodes = abs(bits(open_x) - bits(open_y));
  const int edges = abs(edges_from(s->x, s->n, open_x) - edges_from(s->y, s->m, open_y));
  if (cost + nodes + edges >= s->best) return;
  if (s->bound || (++s->visits % 1024 == 0 && sotto_i_seconds() > s->until)) {
    s->bound = true;
    return;
  }
  /* Nodes of equal label and degree first: a good solution early cuts most of the rest. */
  for (int pass = 0; pass < 2; pass++)
    for (int w = 0; w < s->m; w++) {
      const bool alike = s->same[v][w] && bits(s->x[v]) == bits(s->y[w]);
      if ((open_y >> w & 1U) && alike == (pass == 0)) try_image(s, v, w, used, cost);
    }
  try_image(s, v, none, used, cost);
}

static void read_rows(uint32_t *rows, const sotto_graph *graph) {
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) rows[v] |= 1U << graph->targets[e];
}

double sotto_i_gw_edits(const sotto_i_gw_collection *c, size_t x, size_t y, double seconds, bool *bound) {
  const size_t width = c->rows[x].cols * sizeof(float);
  search s = {.n = (int)c->graph[x].nodes, .m = (int)c->graph[y].nodes, .until = sotto_i_seconds() + seconds};
  SOTTO_I_CHECK(s.n <= most && s.m <= most);
  read_rows(s.x, &c->graph[x]);
  read_rows(s.y, &c->graph[y]);
  for (int v = 0; v < s.n; v++)
    for (int w = 0; w < s.m; w++)
      s.same[v][w] = width == 0 || memcmp(c->rows[x].data + (size_t)v * c->rows[x].cols,
                                          c->rows[y].data + (size_t)w * c->rows[y].cols, width) == 0;
  /* All of x deleted, all of y inserted. */
  s.best = s.n + s.m + (int)(c->graph[x].entries + c->graph[y].entries) / 2;
  place(&s, 0, 0, 0);
  *bound = s.bound;
  return s.best;
}
