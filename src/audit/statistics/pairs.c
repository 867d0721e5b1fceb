/* Samples of nodes and pairs. */
#include "pairs.h"

#include <stdlib.h>

#include "base/memory.h"
#include "graph/csr.h"
#include "inside/audit.h"

enum { nodes_stream = 16, edges_stream = 17, others_stream = 18, quarters = 4 };

sotto_link_options sotto_link_options_default(void) {
  return (sotto_link_options){
      .nodes = 500, .degrees = SOTTO_DEGREES_ALL, .belief = 1, .step = 1e-3, .pairs = 5000, .seed = 1};
}

sotto_status sotto_i_link_check(const sotto_link_options *o, sotto_error *err) {
  if (o->nodes < 10 || o->nodes > 5000)
    return sotto_i_fail(err, SOTTO_RANGE, "sample: %llu nodes are outside 10 to 5000",
                        (unsigned long long)o->nodes);
  if (!(o->belief > 0 && o->belief <= 100))
    return sotto_i_fail(err, SOTTO_RANGE, "belief: %g is outside (0, 100]", o->belief);
  if (!(o->step >= 1e-6 && o->step <= 100))
    return sotto_i_fail(err, SOTTO_RANGE, "step: %g is outside 1e-6 to 100", o->step);
  if (o->pairs < 20 || o->pairs > 10000000)
    return sotto_i_fail(err, SOTTO_RANGE, "pairs: %llu are outside 20 to 10000000",
                        (unsigned long long)o->pairs);
  return SOTTO_OK;
}

static void init_stream(sotto_i_random *random, const sotto_link_options *options, uint32_t number) {
  sotto_key key;
  sotto_key_public(&key, options->seed);
  sotto_i_random_init(random, &key, SOTTO_I_PURPOSE_NEGATIVE, number, 0);
}

static int by_degree(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

/* Nodes of the options' degrees, ascending: all, or the quarter with the fewest or the most neighbours
 * among nodes with neighbours. */
static sotto_status find_eligible(uint32_t **nodes, size_t *count, const sotto_graph *graph,
                                  sotto_degrees degrees, sotto_error *err) {
  sotto_status status;
  uint64_t *sorted = NULL;
  size_t linked = 0;
  *count = 0;
  SOTTO_TRY(sotto_i_new_raw(nodes, graph->nodes, sizeof **nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&sorted, graph->nodes, sizeof *sorted, err));
  for (uint64_t v = 0; v < graph->nodes; v++)
    if (sotto_graph_degree(graph, v) > 0) sorted[linked++] = sotto_graph_degree(graph, v);
  qsort(sorted, linked, sizeof *sorted, by_degree);
  for (uint32_t v = 0; v < graph->nodes; v++) {
    uint64_t degree = sotto_graph_degree(graph, v);
    bool take = degrees == SOTTO_DEGREES_ALL;
    if (!take && linked > 0 && degree > 0)
      take = degrees == SOTTO_DEGREES_LOW ? degree <= sorted[linked / quarters]
                                          : degree >= sorted[linked - 1 - linked / quarters];
    if (take) (*nodes)[(*count)++] = v;
  }
done:
  sotto_i_free(sorted);
  return status;
}

sotto_status sotto_i_sample_nodes(uint32_t **nodes, size_t *count, const sotto_graph *graph,
                                  const sotto_link_options *options, sotto_error *err) {
  sotto_i_random random;
  sotto_status status = find_eligible(nodes, count, graph, options->degrees, err);
  if (status != SOTTO_OK) return status;
  init_stream(&random, options, nodes_stream);
  sotto_i_random_shuffle(&random, *nodes, *count);
  if (*count > options->nodes) *count = (size_t)options->nodes;
  return SOTTO_OK;
}

/* Each edge with equal probability, without replacement: reservoir sampling, then a shuffle. */
static size_t draw_edges(sotto_i_pair *pairs, size_t most, const sotto_graph *graph,
                         const sotto_link_options *options) {
  sotto_i_random random;
  size_t seen = 0, kept = 0;
  init_stream(&random, options, edges_stream);
  for (uint32_t u = 0; u < graph->nodes; u++)
    for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++) {
      uint32_t v = graph->targets[e];
      if (v < u) continue;
      size_t place = kept < most ? kept++ : (size_t)sotto_i_random_below(&random, seen + 1);
      seen++;
      if (place < most) pairs[place] = (sotto_i_pair){u, v};
    }
  for (size_t i = kept; i > 1; i--) {
    size_t j = (size_t)sotto_i_random_below(&random, i);
    sotto_i_pair was = pairs[i - 1];
    pairs[i - 1] = pairs[j];
    pairs[j] = was;
  }
  return kept;
}

static bool draw_others(sotto_i_pair *pairs, size_t count, const sotto_graph *graph,
                        const sotto_link_options *options) {
  sotto_i_random random;
  size_t found = 0;
  init_stream(&random, options, others_stream);
  for (size_t attempt = 0; attempt < 100 * count + 1000 && found < count; attempt++) {
    uint32_t u = (uint32_t)sotto_i_random_below(&random, graph->nodes);
    uint32_t v = (uint32_t)sotto_i_random_below(&random, graph->nodes);
    if (u != v && !sotto_i_graph_has(graph, u, v)) pairs[found++] = (sotto_i_pair){u, v};
  }
  return found == count;
}

sotto_status sotto_i_sample_pairs(sotto_i_pair **pairs, size_t *count, const sotto_graph *graph,
                                  const sotto_link_options *options, sotto_error *err) {
  enum { least = 20 };
  size_t edges = (size_t)(graph->entries / 2), most = options->pairs < edges ? (size_t)options->pairs : edges;
  sotto_status status = sotto_i_new_raw(pairs, 2 * most + 1, sizeof **pairs, err);
  if (status != SOTTO_OK) return status;
  if (most < least)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%zu edges are too few to measure an attack on edges; %d are the least", most, least);
  *count = draw_edges(*pairs, most, graph, options);
  if (!draw_others(*pairs + *count, *count, graph, options))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "nearly all pairs of nodes are edges: there are none to compare with");
  return SOTTO_OK;
}
