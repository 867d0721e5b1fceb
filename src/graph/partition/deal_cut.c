/* A partition of the nodes into parts of one size with few edges between them, by a multilevel method
 * (Karypis and Kumar 1998): nodes are paired into ever smaller graphs, the smallest is partitioned, and the
 * parts are refined on the way back. Then again from these parts: pairs within them are moved as one. */
#include <string.h>

#include "base/memory.h"
#include "cut_parts.h"
#include "graph/generate/generate.h"
#include "inside/graph.h"
#include "sotto/split.h"

enum { most_levels = 64, tries = 4, cycles = 8, nodes_a_part = 20 };

/* One level, the node of the next, coarser one that each of its nodes is part of, and the part that it has.
 */
typedef struct step {
  sotto_i_coarse level;
  uint64_t *size;
  uint32_t *parent, *part;
} step;

static void steps_free(step *steps, size_t count) {
  for (size_t i = 0; steps != NULL && i < count; i++) {
    sotto_i_coarse_free(&steps[i].level);
    sotto_i_free(steps[i].size);
    sotto_i_free(steps[i].parent);
    sotto_i_free(steps[i].part);
  }
  sotto_i_free(steps);
}

typedef struct pairing {
  const step *at;
  uint64_t most; /* that two nodes of a pair may stand for together */
  uint32_t *order, *waiting, count;
} pairing;

/* In one part, and together not too large. */
static bool fits(const pairing *p, uint32_t v, uint32_t u) {
  const step *at = p->at;
  return at->parent[u] == UINT32_MAX && at->part[u] == at->part[v] && at->size[u] + at->size[v] <= p->most;
}

static void join(pairing *p, uint32_t v, uint32_t u) {
  p->at->parent[v] = p->at->parent[u] = p->count++;
}

/* v and its single neighbour with the heaviest edge, of equals the first. Without one v waits at its heaviest
 * neighbour for another node that does (nodes without an edge at a place of their own): leaves of a star
 * would stay single otherwise. */
static void pair_up(pairing *p, uint32_t v) {
  const sotto_i_coarse *l = &p->at->level;
  uint32_t best = UINT32_MAX, host = (uint32_t)l->nodes;
  uint64_t best_weight = 0, host_weight = 0;
  if (p->at->parent[v] != UINT32_MAX) return;
  for (uint64_t e = l->first[v]; e < l->first[v + 1]; e++) {
    uint32_t u = l->target[e];
    if (l->weight[e] > host_weight) {
      host_weight = l->weight[e];
      host = u;
    }
    if (l->weight[e] <= best_weight || !fits(p, v, u)) continue;
    best_weight = l->weight[e];
    best = u;
  }
  if (best != UINT32_MAX) {
    join(p, v, best);
    return;
  }
  uint32_t other = p->waiting[host];
  if (other != UINT32_MAX && fits(p, v, other)) {
    join(p, v, other);
    p->waiting[host] = UINT32_MAX;
    return;
  }
  p->waiting[host] = v;
}

/* Fills at->parent and returns how many nodes the next level has. */
static sotto_status pair_all(uint32_t *count, step *at, uint64_t most, sotto_i_random *random,
                             sotto_error *err) {
  uint64_t nodes = at->level.nodes;
  pairing p = {.at = at, .most = most};
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&at->parent, nodes, sizeof *at->parent, err));
  SOTTO_TRY(sotto_i_new(&p.order, nodes, sizeof *p.order, err));
  SOTTO_TRY(sotto_i_new(&p.waiting, nodes + 1, sizeof *p.waiting, err));
  for (uint32_t v = 0; v < nodes; v++) {
    p.order[v] = v;
    at->parent[v] = p.waiting[v] = UINT32_MAX;
  }
  p.waiting[nodes] = UINT32_MAX;
  sotto_i_random_shuffle(random, p.order, nodes);
  for (uint64_t i = 0; i < nodes; i++) pair_up(&p, p.order[i]);
  for (uint64_t v = 0; v < nodes; v++)
    if (at->parent[v] == UINT32_MAX) at->parent[v] = p.count++;
  *count = p.count;
done:
  sotto_i_free(p.order);
  sotto_i_free(p.waiting);
  return status;
}

static sotto_status coarsen(step *next, const step *at, uint32_t count, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_coarse_contract(&next->level, &at->level, at->parent, count, err));
  SOTTO_TRY(sotto_i_new(&next->size, count, sizeof *next->size, err));
  SOTTO_TRY(sotto_i_new(&next->part, count, sizeof *next->part, err));
  for (uint64_t v = 0; v < at->level.nodes; v++) {
    next->size[at->parent[v]] += at->size[v];
    next->part[at->parent[v]] = at->part[v];
  }
done:
  return status;
}

/* The graph itself, all of it one part. */
static sotto_status begin(step *at, const sotto_graph *graph, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_coarse_of(&at->level, graph, err));
  SOTTO_TRY(sotto_i_new(&at->size, graph->nodes, sizeof *at->size, err));
  SOTTO_TRY(sotto_i_new(&at->part, graph->nodes, sizeof *at->part, err));
  for (uint64_t v = 0; v < graph->nodes; v++) at->size[v] = 1;
done:
  return status;
}

/* A stream of its own for each cycle, level and direction. */
static void stream(sotto_i_random *random, const sotto_key *key, uint32_t cycle, size_t level, bool back) {
  sotto_i_random_init(random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_CUT,
                      2 * ((uint64_t)cycle * most_levels + level) + (back ? 1 : 0));
}

/* From the graph, steps[0], to the level where parts begin; *count levels. */
static sotto_status descend(step *steps, size_t *count, uint32_t parts, const sotto_key *key, uint32_t cycle,
                            sotto_error *err) {
  uint64_t enough = (uint64_t)nodes_a_part * parts, most = 2 * steps[0].level.nodes / enough;
  sotto_status status = SOTTO_OK;
  *count = 1;
  while (*count < most_levels && steps[*count - 1].level.nodes > enough) {
    step *at = &steps[*count - 1];
    uint32_t nodes;
    sotto_i_random random;
    stream(&random, key, cycle, *count - 1, false);
    SOTTO_TRY(pair_all(&nodes, at, most, &random, err));
    if (nodes < parts || (double)nodes > 0.95 * (double)at->level.nodes) break;
    ++*count;
    SOTTO_TRY(coarsen(at + 1, at, nodes, err));
  }
done:
  return status;
}

/* Parts may be a twentieth above their share, and on coarse levels another node. */
static uint64_t most_of(const step *at, uint64_t nodes, uint32_t parts) {
  uint64_t share = (nodes + parts - 1) / parts, most = nodes + nodes / 20, largest = 1;
  for (uint64_t v = 0; v < at->level.nodes; v++)
    if (at->size[v] > largest) largest = at->size[v];
  return (most / parts > share ? most / parts : share) + largest - 1;
}

/* Several partitions of the smallest graph; the one with the lightest cut stays. */
static sotto_status partition(step *at, uint64_t most, uint32_t parts, sotto_i_random *random,
                              sotto_error *err) {
  const sotto_i_sized_level sized = {&at->level, at->size, parts};
  uint64_t least = UINT64_MAX;
  uint32_t *found = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&found, at->level.nodes, sizeof *found, err));
  for (int i = 0; i < tries; i++) {
    SOTTO_TRY(sotto_i_cut_grow(found, &sized, random, err));
    SOTTO_TRY(sotto_i_cut_refine(found, &sized, most, random, err));
    uint64_t weight = sotto_i_cut_weight(found, &at->level);
    if (weight >= least) continue;
    least = weight;
    memcpy(at->part, found, at->level.nodes * sizeof *found);
  }
done:
  sotto_i_free(found);
  return status;
}

/* Back to the graph; the first cycle begins with parts of the smallest one. */
static sotto_status ascend(step *steps, size_t count, uint32_t parts, const sotto_key *key, uint32_t cycle,
                           sotto_error *err) {
  uint64_t nodes = steps[0].level.nodes;
  sotto_status status = SOTTO_OK;
  for (size_t i = count; i-- > 0;) {
    step *at = &steps[i];
    const sotto_i_sized_level sized = {&at->level, at->size, parts};
    sotto_i_random random;
    stream(&random, key, cycle, i, true);
    if (i + 1 < count)
      for (uint64_t v = 0; v < at->level.nodes; v++) at->part[v] = steps[i + 1].part[at->parent[v]];
    if (i + 1 == count && cycle == 0)
      SOTTO_TRY(partition(at, most_of(at, nodes, parts), parts, &random, err));
    else
      SOTTO_TRY(sotto_i_cut_refine(at->part, &sized, most_of(at, nodes, parts), &random, err));
  }
done:
  return status;
}

/* One way down and back, from the parts in `owner` (all 0 before the first). */
static sotto_status cycle_once(uint32_t *owner, const sotto_graph *graph, uint32_t parts,
                               const sotto_key *key, uint32_t cycle, sotto_error *err) {
  step *steps = NULL;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&steps, most_levels, sizeof *steps, err));
  SOTTO_TRY(begin(&steps[0], graph, err));
  memcpy(steps[0].part, owner, graph->nodes * sizeof *owner);
  SOTTO_TRY(descend(steps, &count, parts, key, cycle, err));
  SOTTO_TRY(ascend(steps, count, parts, key, cycle, err));
  memcpy(owner, steps[0].part, graph->nodes * sizeof *owner);
done:
  steps_free(steps, most_levels);
  return status;
}

sotto_status sotto_deal_cut(uint32_t *owner, const sotto_dataset *data, uint32_t clients,
                            const sotto_key *key, sotto_error *err) {
  sotto_status status = sotto_i_deal_check_nodes(data, clients, key, err);
  if (status != SOTTO_OK) return status;
  memset(owner, 0, data->graph.nodes * sizeof *owner);
  for (uint32_t cycle = 0; cycle < cycles; cycle++)
    SOTTO_TRY(cycle_once(owner, &data->graph, clients, key, cycle, err));
done:
  return status;
}
