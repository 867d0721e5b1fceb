/* Degree bounds: checking them, and dropping edges to satisfy them. */
#include "base/memory.h"
#include "base/random.h"
#include "inside/graph.h"
#include "sotto/graph.h"

sotto_status sotto_graph_check_degrees(const sotto_graph *graph, uint64_t most, sotto_error *err) {
  for (uint64_t v = 0; v < graph->nodes; v++)
    if (sotto_graph_degree(graph, v) > most)
      return sotto_i_fail(err, SOTTO_RANGE, "node %llu has %llu neighbours, above the declared bound %llu",
                          (unsigned long long)v, (unsigned long long)sotto_graph_degree(graph, v),
                          (unsigned long long)most);
  return SOTTO_OK;
}

typedef struct edge {
  uint32_t from, to;
} edge;

static size_t list_edges(edge *edges, const sotto_graph *graph) {
  size_t count = 0;
  for (uint64_t v = 0; v < graph->nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
      if (graph->targets[e] > v) edges[count++] = (edge){(uint32_t)v, graph->targets[e]};
  return count;
}

static void shuffle(edge *edges, size_t count, sotto_i_random *random) {
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)sotto_i_random_below(random, i);
    edge swap = edges[j];
    edges[j] = edges[i - 1];
    edges[i - 1] = swap;
  }
}

sotto_status sotto_graph_cut_degrees(sotto_graph *out, const sotto_graph *graph, uint64_t most,
                                     const sotto_key *key, sotto_error *err) {
  sotto_status status;
  edge *edges = NULL;
  uint32_t *sources = NULL, *targets = NULL;
  uint64_t *degrees = NULL;
  size_t kept = 0, all = graph->entries / 2;
  *out = (sotto_graph){0};
  if (most < 1) return sotto_i_fail(err, SOTTO_RANGE, "a bound of 0 neighbours leaves no edge");
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key is empty");
  SOTTO_TRY(sotto_i_new_raw(&edges, all, sizeof *edges, err));
  SOTTO_TRY(sotto_i_new_raw(&sources, all, sizeof *sources, err));
  SOTTO_TRY(sotto_i_new_raw(&targets, all, sizeof *targets, err));
  SOTTO_TRY(sotto_i_new(&degrees, graph->nodes, sizeof *degrees, err));
  sotto_i_random random;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, 0, 0);
  all = list_edges(edges, graph);
  shuffle(edges, all, &random);
  for (size_t i = 0; i < all; i++) {
    if (degrees[edges[i].from] >= most || degrees[edges[i].to] >= most) continue;
    degrees[edges[i].from]++;
    degrees[edges[i].to]++;
    sources[kept] = edges[i].from;
    targets[kept++] = edges[i].to;
  }
  SOTTO_TRY(sotto_graph_from_pairs(out, graph->nodes, sources, targets, kept, err));
done:
  sotto_i_free(edges);
  sotto_i_free(sources);
  sotto_i_free(targets);
  sotto_i_free(degrees);
  return status;
}
