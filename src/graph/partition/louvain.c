/* Communities of a graph by the Louvain method (Blondel et al. 2008): nodes move to the neighbouring
 * community that gains most modularity, until none does; then communities become the nodes of a smaller
 * graph. Weights are whole numbers, so that no sum depends on its order. */
#include <string.h>

#include "base/memory.h"
#include "graph/generate/generate.h"

/* One level: each node is a community of the level below. An edge inside a node stands in `inner`, counted
 * from both of its ends. */
typedef struct level {
  uint64_t nodes, *first;
  uint32_t *target;
  uint64_t *weight, *inner;
  uint64_t total; /* of all weights, from both ends */
} level;

static void level_free(level *l) {
  sotto_i_free(l->first);
  sotto_i_free(l->target);
  sotto_i_free(l->weight);
  sotto_i_free(l->inner);
  *l = (level){0};
}

static sotto_status level_new(level *out, uint64_t nodes, uint64_t entries, sotto_error *err) {
  sotto_status status;
  *out = (level){.nodes = nodes};
  SOTTO_TRY(sotto_i_new(&out->first, nodes + 1, sizeof *out->first, err));
  SOTTO_TRY(sotto_i_new(&out->target, entries, sizeof *out->target, err));
  SOTTO_TRY(sotto_i_new(&out->weight, entries, sizeof *out->weight, err));
  SOTTO_TRY(sotto_i_new(&out->inner, nodes, sizeof *out->inner, err));
done:
  if (status != SOTTO_OK) level_free(out);
  return status;
}

static sotto_status from_graph(level *out, const sotto_graph *graph, sotto_error *err) {
  sotto_status status = level_new(out, graph->nodes, graph->entries, err);
  if (status != SOTTO_OK) return status;
  memcpy(out->first, graph->offsets, (graph->nodes + 1) * sizeof *out->first);
  for (uint64_t e = 0; e < graph->entries; e++) {
    out->target[e] = graph->targets[e];
    out->weight[e] = 1;
  }
  out->total = graph->entries;
  return SOTTO_OK;
}

/* What moving needs: all by community but `order` and `degree`, which are by node. */
typedef struct moves {
  uint32_t *order, *touched;
  uint64_t *degree, *tied, *links;
} moves;

static void moves_free(moves *m) {
  sotto_i_free(m->order);
  sotto_i_free(m->touched);
  sotto_i_free(m->degree);
  sotto_i_free(m->tied);
  sotto_i_free(m->links);
}

static sotto_status moves_new(moves *m, const level *l, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&m->order, l->nodes, sizeof *m->order, err));
  SOTTO_TRY(sotto_i_new(&m->touched, l->nodes, sizeof *m->touched, err));
  SOTTO_TRY(sotto_i_new(&m->degree, l->nodes, sizeof *m->degree, err));
  SOTTO_TRY(sotto_i_new(&m->tied, l->nodes, sizeof *m->tied, err));
  SOTTO_TRY(sotto_i_new(&m->links, l->nodes, sizeof *m->links, err));
done:
  return status;
}

/* Twice the total times the gain of joining a community with `links` edges to v and a weight of `tied`. */
static double gain(const level *l, uint64_t links, uint64_t tied, uint64_t degree) {
  return (double)links * (double)l->total - (double)tied * (double)degree;
}

/* Moves v to where it gains most, of equals to the lowest number; true when that is elsewhere. */
static bool move(uint32_t *community, moves *m, const level *l, uint32_t v) {
  size_t count = 0;
  uint32_t home = community[v], best = home;
  m->tied[home] -= m->degree[v];
  for (uint64_t e = l->first[v]; e < l->first[v + 1]; e++) {
    uint32_t c = community[l->target[e]];
    if (m->links[c] == 0) m->touched[count++] = c;
    m->links[c] += l->weight[e];
  }
  double most = gain(l, m->links[home], m->tied[home], m->degree[v]);
  for (size_t i = 0; i < count; i++) {
    uint32_t c = m->touched[i];
    double here = gain(l, m->links[c], m->tied[c], m->degree[v]);
    if (here > most || (here == most && best != home && c < best)) {
      most = here;
      best = c;
    }
  }
  for (size_t i = 0; i < count; i++) m->links[m->touched[i]] = 0;
  m->tied[best] += m->degree[v];
  community[v] = best;
  return best != home;
}

/* Moves nodes in a random order until few of them move. */
static sotto_status settle(uint32_t *community, const level *l, uint32_t depth, const sotto_key *key,
                           sotto_error *err) {
  enum { most_passes = 100 };
  moves m = {NULL, NULL, NULL, NULL, NULL};
  sotto_i_random random;
  sotto_status status;
  SOTTO_TRY(moves_new(&m, l, err));
  for (uint32_t v = 0; v < l->nodes; v++) {
    community[v] = m.order[v] = v;
    m.degree[v] = l->inner[v];
    for (uint64_t e = l->first[v]; e < l->first[v + 1]; e++) m.degree[v] += l->weight[e];
    m.tied[v] = m.degree[v];
  }
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_COMMUNITIES, depth);
  sotto_i_random_shuffle(&random, m.order, l->nodes);
  for (int pass = 0; pass < most_passes; pass++) {
    uint64_t moved = 0;
    for (uint64_t i = 0; i < l->nodes; i++) moved += move(community, &m, l, m.order[i]);
    if (moved == 0) break;
  }
done:
  moves_free(&m);
  return status;
}

/* Numbers communities from 0 in the order of their first node; returns how many there are. `number` has a
 * place for each node. */
static uint32_t renumber(uint32_t *community, uint32_t *number, uint64_t nodes) {
  uint32_t count = 0;
  for (uint64_t v = 0; v < nodes; v++) number[v] = UINT32_MAX;
  for (uint64_t v = 0; v < nodes; v++) {
    if (number[community[v]] == UINT32_MAX) number[community[v]] = count++;
    community[v] = number[community[v]];
  }
  return count;
}

/* Adds the entries of one node to the row of its community; `place` says where each target stands in it. */
static void add_entries(level *out, uint64_t *place, uint64_t *end, const level *l, const uint32_t *community,
                        uint32_t v) {
  uint32_t c = community[v];
  out->inner[c] += l->inner[v];
  for (uint64_t e = l->first[v]; e < l->first[v + 1]; e++) {
    uint32_t other = community[l->target[e]];
    if (other == c) {
      out->inner[c] += l->weight[e];
      continue;
    }
    if (place[other] < out->first[c] || place[other] >= *end) {
      place[other] = (*end)++;
      out->target[place[other]] = other;
      out->weight[place[other]] = 0;
    }
    out->weight[place[other]] += l->weight[e];
  }
}

/* The graph of `count` communities. */
static sotto_status contract(level *out, const level *l, const uint32_t *community, uint32_t count,
                             sotto_error *err) {
  uint32_t *order = NULL;
  uint64_t *start = NULL, *place = NULL;
  sotto_status status;
  SOTTO_TRY(level_new(out, count, l->first[l->nodes], err));
  SOTTO_TRY(sotto_i_new(&order, l->nodes, sizeof *order, err));
  SOTTO_TRY(sotto_i_new(&start, (size_t)count + 1, sizeof *start, err));
  SOTTO_TRY(sotto_i_new(&place, count, sizeof *place, err));
  for (uint64_t v = 0; v < l->nodes; v++) start[community[v] + 1]++;
  for (uint32_t c = 0; c < count; c++) start[c + 1] += start[c];
  for (uint64_t v = 0; v < l->nodes; v++) order[start[community[v]]++] = (uint32_t)v;
  for (uint32_t c = 0; c < count; c++) place[c] = UINT64_MAX;
  uint64_t end = 0, at = 0;
  for (uint32_t c = 0; c < count; c++) {
    out->first[c] = end;
    for (; at < l->nodes && community[order[at]] == c; at++)
      add_entries(out, place, &end, l, community, order[at]);
  }
  out->first[count] = end;
  out->total = l->total;
done:
  sotto_i_free(order);
  sotto_i_free(start);
  sotto_i_free(place);
  return status;
}

sotto_status sotto_graph_communities(uint32_t *community, uint32_t *count, const sotto_graph *graph,
                                     const sotto_key *key, sotto_error *err) {
  level now = {0}, next = {0};
  uint32_t *here = NULL, *number = NULL;
  sotto_status status;
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key is empty");
  *count = (uint32_t)graph->nodes;
  for (uint64_t v = 0; v < graph->nodes; v++) community[v] = (uint32_t)v;
  SOTTO_TRY(from_graph(&now, graph, err));
  SOTTO_TRY(sotto_i_new(&here, graph->nodes, sizeof *here, err));
  SOTTO_TRY(sotto_i_new(&number, graph->nodes, sizeof *number, err));
  for (uint32_t depth = 0;; depth++) {
    SOTTO_TRY(settle(here, &now, depth, key, err));
    uint32_t found = renumber(here, number, now.nodes);
    if (found == now.nodes) break;
    for (uint64_t v = 0; v < graph->nodes; v++) community[v] = here[community[v]];
    *count = found;
    SOTTO_TRY(contract(&next, &now, here, found, err));
    level_free(&now);
    now = next;
    next = (level){0};
  }
done:
  level_free(&now);
  level_free(&next);
  sotto_i_free(here);
  sotto_i_free(number);
  return status;
}

sotto_status sotto_graph_modularity(double *out, const sotto_graph *graph, const uint32_t *community,
                                    sotto_error *err) {
  uint64_t inside = 0, *tied = NULL;
  double squares = 0, all = (double)graph->entries;
  *out = 0;
  if (graph->entries == 0) return SOTTO_OK;
  for (uint64_t v = 0; v < graph->nodes; v++)
    if (community[v] >= graph->nodes)
      return sotto_i_fail(err, SOTTO_RANGE, "node %llu is in community %u; numbers are below that of nodes",
                          (unsigned long long)v, (unsigned)community[v]);
  sotto_status status = sotto_i_new(&tied, graph->nodes, sizeof *tied, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < graph->nodes; v++) {
    tied[community[v]] += sotto_graph_degree(graph, v);
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
      inside += community[graph->targets[e]] == community[v];
  }
  for (uint64_t c = 0; c < graph->nodes; c++) squares += (double)tied[c] / all * ((double)tied[c] / all);
  *out = (double)inside / all - squares;
  sotto_i_free(tied);
  return SOTTO_OK;
}
