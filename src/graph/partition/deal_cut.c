/* Partition of nodes into parts of equal size with few edges between them, by a multilevel method (Karypis
 * and Kumar 1998). Pairs of nodes are merged into ever smaller graphs, the smallest is partitioned, and
 * the parts are refined on the way back. Further cycles start from these parts and merge pairs within
 * them. */
#include <string.h>

#include "base/memory.h"
#include "cut_parts.h"
#include "graph/generate/generate.h"
#include "inside/graph.h"
#include "sotto/split.h"

enum { most_levels = 64, tries = 4, cycles = 8, nodes_a_part = 20 };

/* One level: its graph, the node of the next coarser level that contains each node, and the part of each
 * node. */
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
  uint64_t most; /* maximum number of graph nodes in a pair */
  uint32_t *order, *waiting, count;
} pairing;

/* Whether two nodes are unpaired, in one part, and together small enough. */
static bool can_pair(const pairing *p, uint32_t v, uint32_t u) {
  const step *at = p->at;
  return at->parent[u] == UINT32_MAX && at->part[u] == at->part[v] && at->size[u] + at->size[v] <= p->most;
}

static void make_pair(pairing *p, uint32_t v, uint32_t u) {
  p->at->parent[v] = p->at->parent[u] = p->count++;
}

/* Pairs v with its unpaired neighbour of the heaviest edge; on ties, the first. If there is none, v waits
 * at its heaviest neighbour for another waiting node (nodes without edges at a position of their own).
 * Otherwise the leaves of a star would stay single. */
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
    if (l->weight[e] <= best_weight || !can_pair(p, v, u)) continue;
    best_weight = l->weight[e];
    best = u;
  }
  if (best != UINT32_MAX) {
    make_pair(p, v, best);
    return;
  }
  uint32_t other = p->waiting[host];
  if (other != UINT32_MAX && can_pair(p, v, other)) {
    make_pair(p, v, other);
    p->waiting[host] = UINT32_MAX;
    return;
  }
  p->waiting[host] = v;
}

/* Fills at->parent; *count is the number of nodes of the next level. */
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

/* The graph itself, as one part. */
static sotto_status start_level(step *at, const sotto_graph *graph, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_coarse_of(&at->level, graph, err));
  SOTTO_TRY(sotto_i_new(&at->size, graph->nodes, sizeof *at->size, err));
  SOTTO_TRY(sotto_i_new(&at->part, graph->nodes, sizeof *at->part, err));
  for (uint64_t v = 0; v < graph->nodes; v++) at->size[v] = 1;
done:
  return status;
}

/* The random stream of a cycle, level and direction. */
static void init_stream(sotto_i_random *random, const sotto_key *key, uint32_t cycle, size_t level,
                        bool back) {
  sotto_i_random_init(random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_CUT,
                      2 * ((uint64_t)cycle * most_levels + level) + (back ? 1 : 0));
}

/* Coarsens from the graph, steps[0], to the level that is partitioned; *count levels. */
static sotto_status coarsen_all(step *steps, size_t *count, uint32_t parts, const sotto_key *key,
                                uint32_t cycle, sotto_error *err) {
  uint64_t enough = (uint64_t)nodes_a_part * parts, most = 2 * steps[0].level.nodes / enough;
  sotto_status status = SOTTO_OK;
  *count = 1;
  while (*count < most_levels && steps[*count - 1].level.nodes > enough) {
    step *at = &steps[*count - 1];
    uint32_t nodes;
    sotto_i_random random;
    init_stream(&random, key, cycle, *count - 1, false);
    SOTTO_TRY(pair_all(&nodes, at, most, &random, err));
    if (nodes < parts || (double)nodes > 0.95 * (double)at->level.nodes) break;
    ++*count;
    SOTTO_TRY(coarsen(at + 1, at, nodes, err));
  }
done:
  return status;
}

/* Maximum size of a part: 5% above its share, and on coarse levels one more node. */
static uint64_t max_part_size(const step *at, uint64_t nodes, uint32_t parts) {
  uint64_t share = (nodes + parts - 1) / parts, most = nodes + nodes / 20, largest = 1;
  for (uint64_t v = 0; v < at->level.nodes; v++)
    if (at->size[v] > largest) largest = at->size[v];
  return (most / parts > share ? most / parts : share) + largest - 1;
}

/* Makes several partitions of the smallest graph and keeps the one with the lightest cut. */
static sotto_status partition_smallest(step *at, uint64_t most, uint32_t parts, sotto_i_random *random,
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

/* Refines the parts back to the graph; the first cycle starts by partitioning the smallest level. */
static sotto_status refine_all(step *steps, size_t count, uint32_t parts, const sotto_key *key,
                               uint32_t cycle, sotto_error *err) {
  uint64_t nodes = steps[0].level.nodes;
  sotto_status status = SOTTO_OK;
  for (size_t i = count; i-- > 0;) {
    step *at = &steps[i];
    const sotto_i_sized_level sized = {&at->level, at->size, parts};
    sotto_i_random random;
    init_stream(&random, key, cycle, i, true);
    if (i + 1 < count)
      for (uint64_t v = 0; v < at->level.nodes; v++) at->part[v] = steps[i + 1].part[at->parent[v]];
    if (i + 1 == count && cycle == 0)
      SOTTO_TRY(partition_smallest(at, max_part_size(at, nodes, parts), parts, &random, err));
    else
      SOTTO_TRY(sotto_i_cut_refine(at->part, &sized, max_part_size(at, nodes, parts), &random, err));
  }
done:
  return status;
}

/* One cycle down and back, from the parts in `owner` (all 0 before the first). */
static sotto_status run_cycle(uint32_t *owner, const sotto_graph *graph, uint32_t parts, const sotto_key *key,
                              uint32_t cycle, sotto_error *err) {
  step *steps = NULL;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&steps, most_levels, sizeof *steps, err));
  SOTTO_TRY(start_level(&steps[0], graph, err));
  memcpy(steps[0].part, owner, graph->nodes * sizeof *owner);
  SOTTO_TRY(coarsen_all(steps, &count, parts, key, cycle, err));
  SOTTO_TRY(refine_all(steps, count, parts, key, cycle, err));
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
    SOTTO_TRY(run_cycle(owner, &data->graph, clients, key, cycle, err));
done:
  return status;
}
