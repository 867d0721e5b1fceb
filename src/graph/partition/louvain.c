/* Communities by the Louvain method (Blondel et al. 2008). Nodes move to the neighbouring community that
 * gains most modularity, until none moves; then communities become the nodes of a smaller graph. Weights
 * are integers, so sums do not depend on their order. */
#include <string.h>

#include "base/memory.h"
#include "coarse.h"
#include "graph/generate/generate.h"
#include "inside/graph.h"

/* Scratch of node moves: `order` and `degree` are by node, the others by community. */
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

static sotto_status moves_new(moves *m, const sotto_i_coarse *l, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&m->order, l->nodes, sizeof *m->order, err));
  SOTTO_TRY(sotto_i_new(&m->touched, l->nodes, sizeof *m->touched, err));
  SOTTO_TRY(sotto_i_new(&m->degree, l->nodes, sizeof *m->degree, err));
  SOTTO_TRY(sotto_i_new(&m->tied, l->nodes, sizeof *m->tied, err));
  SOTTO_TRY(sotto_i_new(&m->links, l->nodes, sizeof *m->links, err));
done:
  return status;
}

/* Twice the total times the gain of joining a community with `links` edges to v and the weight `tied`. */
static double gain(const sotto_i_coarse *l, uint64_t links, uint64_t tied, uint64_t degree) {
  return (double)links * (double)l->total - (double)tied * (double)degree;
}

/* Moves v to the community with the largest gain; on ties, the lowest number. True when v moved. */
static bool move_node(uint32_t *community, moves *m, const sotto_i_coarse *l, uint32_t v) {
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

/* Moves nodes in random order until few of them move. */
static sotto_status move_all(uint32_t *community, const sotto_i_coarse *l, uint32_t depth,
                             const sotto_key *key, sotto_error *err) {
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
    for (uint64_t i = 0; i < l->nodes; i++) moved += move_node(community, &m, l, m.order[i]);
    if (moved == 0) break;
  }
done:
  moves_free(&m);
  return status;
}

sotto_status sotto_graph_communities(uint32_t *community, uint32_t *count, const sotto_graph *graph,
                                     const sotto_key *key, sotto_error *err) {
  sotto_i_coarse now = {0}, next = {0};
  uint32_t *here = NULL, *number = NULL;
  sotto_status status;
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key is empty");
  *count = (uint32_t)graph->nodes;
  for (uint64_t v = 0; v < graph->nodes; v++) community[v] = (uint32_t)v;
  SOTTO_TRY(sotto_i_coarse_of(&now, graph, err));
  SOTTO_TRY(sotto_i_new(&here, graph->nodes, sizeof *here, err));
  SOTTO_TRY(sotto_i_new(&number, graph->nodes, sizeof *number, err));
  for (uint32_t depth = 0;; depth++) {
    SOTTO_TRY(move_all(here, &now, depth, key, err));
    uint32_t found = sotto_i_coarse_number(here, number, now.nodes);
    if (found == now.nodes) break;
    for (uint64_t v = 0; v < graph->nodes; v++) community[v] = here[community[v]];
    *count = found;
    SOTTO_TRY(sotto_i_coarse_contract(&next, &now, here, found, err));
    sotto_i_coarse_free(&now);
    now = next;
    next = (sotto_i_coarse){0};
  }
done:
  sotto_i_coarse_free(&now);
  sotto_i_coarse_free(&next);
  sotto_i_free(here);
  sotto_i_free(number);
  return status;
}
