/* Partition of one level of a graph: greedy growth (Karypis and Kumar 1998), and moves of single nodes
 * that reduce the cut (after Fiduccia and Mattheyses 1982, without moves that increase it). */
#include "cut_parts.h"

#include "base/memory.h"

uint64_t sotto_i_cut_weight(const uint32_t *part, const sotto_i_coarse *l) {
  uint64_t twice = 0;
  for (uint64_t v = 0; v < l->nodes; v++)
    for (uint64_t e = l->first[v]; e < l->first[v + 1]; e++)
      if (part[v] != part[l->target[e]]) twice += l->weight[e];
  return twice / 2;
}

/* The unassigned node with most edges into the growing part; on ties, the first; without any such edge, a
 * random node. */
static uint32_t next_node(const uint32_t *part, const uint64_t *links, uint64_t nodes, uint64_t left,
                          sotto_i_random *random) {
  uint32_t best = UINT32_MAX;
  for (uint32_t v = 0; v < nodes; v++)
    if (part[v] == UINT32_MAX && links[v] > 0 && (best == UINT32_MAX || links[v] > links[best])) best = v;
  if (best != UINT32_MAX) return best;
  uint64_t skip = sotto_i_random_below(random, left);
  for (uint32_t v = 0; v < nodes; v++)
    if (part[v] == UINT32_MAX && skip-- == 0) return v;
  return 0; /* not reached: `left` nodes are unassigned */
}

sotto_status sotto_i_cut_grow(uint32_t *part, const sotto_i_sized_level *at, sotto_i_random *random,
                              sotto_error *err) {
  const sotto_i_coarse *l = at->level;
  uint64_t *links = NULL, left = l->nodes, size_left = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&links, l->nodes, sizeof *links, err));
  for (uint64_t v = 0; v < l->nodes; v++) {
    part[v] = UINT32_MAX;
    size_left += at->size[v];
  }
  for (uint32_t p = 0; p < at->parts; p++) {
    uint64_t others = at->parts - p - 1, goal = size_left / (others + 1), got = 0;
    for (uint64_t v = 0; v < l->nodes; v++) links[v] = 0;
    while (left > others && (got == 0 || others == 0 || got < goal)) {
      uint32_t v = next_node(part, links, l->nodes, left, random);
      part[v] = p;
      got += at->size[v];
      left--;
      for (uint64_t e = l->first[v]; e < l->first[v + 1]; e++) links[l->target[e]] += l->weight[e];
    }
    size_left -= got;
  }
done:
  sotto_i_free(links);
  return status;
}

typedef struct refinement {
  const sotto_i_sized_level *at;
  uint64_t most;
  uint32_t *part, *order, *touched;
  uint64_t *load, *links; /* by part */
} refinement;

static uint32_t lightest(const refinement *r) {
  uint32_t least = 0;
  for (uint32_t p = 1; p < r->at->parts; p++)
    if (r->load[p] < r->load[least]) least = p;
  return least;
}

/* Among the parts adjacent to v with room, the one with most of its edges; on ties, the lighter one. v's
 * own part when there is none. */
static uint32_t best_part(const refinement *r, size_t count, uint64_t size, uint32_t home) {
  uint32_t best = home;
  for (size_t i = 0; i < count; i++) {
    uint32_t p = r->touched[i];
    if (p == home || r->load[p] + size > r->most) continue;
    bool more = best == home || r->links[p] > r->links[best];
    if (more || (r->links[p] == r->links[best] && r->load[p] < r->load[best])) best = p;
  }
  return best;
}

static bool move_node(refinement *r, uint32_t v) {
  const sotto_i_coarse *l = r->at->level;
  uint32_t home = r->part[v];
  uint64_t size = r->at->size[v];
  size_t count = 0;
  if (r->load[home] == size) return false;
  for (uint64_t e = l->first[v]; e < l->first[v + 1]; e++) {
    uint32_t p = r->part[l->target[e]];
    if (r->links[p] == 0) r->touched[count++] = p;
    r->links[p] += l->weight[e];
  }
  uint32_t best = best_part(r, count, size, home);
  if (r->load[home] > r->most) {
    if (best == home) best = lightest(r);
    if (r->load[best] + size >= r->load[home]) best = home;
  } else if (best != home) {
    bool lighter = r->load[best] + size < r->load[home];
    if (r->links[best] < r->links[home] || (r->links[best] == r->links[home] && !lighter)) best = home;
  }
  for (size_t i = 0; i < count; i++) r->links[r->touched[i]] = 0;
  r->load[home] -= size;
  r->load[best] += size;
  r->part[v] = best;
  return best != home;
}

sotto_status sotto_i_cut_refine(uint32_t *part, const sotto_i_sized_level *at, uint64_t most,
                                sotto_i_random *random, sotto_error *err) {
  enum { most_passes = 30 };
  uint64_t nodes = at->level->nodes;
  refinement r = {.at = at, .most = most, .part = part};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&r.order, nodes, sizeof *r.order, err));
  SOTTO_TRY(sotto_i_new(&r.touched, at->parts, sizeof *r.touched, err));
  SOTTO_TRY(sotto_i_new(&r.load, at->parts, sizeof *r.load, err));
  SOTTO_TRY(sotto_i_new(&r.links, at->parts, sizeof *r.links, err));
  for (uint32_t v = 0; v < nodes; v++) {
    r.order[v] = v;
    r.load[part[v]] += at->size[v];
  }
  for (int pass = 0; pass < most_passes; pass++) {
    uint64_t moved = 0;
    sotto_i_random_shuffle(random, r.order, nodes);
    for (uint64_t i = 0; i < nodes; i++) moved += move_node(&r, r.order[i]);
    if (moved == 0) break;
  }
done:
  sotto_i_free(r.order);
  sotto_i_free(r.touched);
  sotto_i_free(r.load);
  sotto_i_free(r.links);
  return status;
}
