/* Random graphs by drawing pairs. */
#include "small_graph.h"

#include "check.h"
#include "sotto/generate.h"

static sotto_graph graph_of(sotto_i_random *random, uint32_t nodes, uint32_t edges, bool hubs) {
  uint32_t *sources = calloc(edges + 1, sizeof *sources), *targets = calloc(edges + 1, sizeof *targets);
  sotto_graph graph;
  if (sources == NULL || targets == NULL) abort();
  for (uint32_t i = 0; i < edges; i++) {
    sources[i] = (uint32_t)sotto_i_random_below(random, nodes);
    targets[i] =
        (uint32_t)sotto_i_random_below(random, hubs ? 1 + sotto_i_random_below(random, nodes) : nodes);
  }
  CHECK_OK(sotto_graph_from_pairs(&graph, nodes, sources, targets, edges, &err));
  free(sources);
  free(targets);
  return graph;
}

sotto_graph check_random_graph(sotto_i_random *random, uint32_t nodes, uint32_t edges) {
  return graph_of(random, nodes, edges, false);
}

sotto_graph check_hub_graph(sotto_i_random *random, uint32_t nodes, uint32_t edges) {
  return graph_of(random, nodes, edges, true);
}

sotto_matrix check_random_matrix(sotto_i_random *random, size_t rows, size_t cols) {
  sotto_matrix matrix;
  CHECK_OK(sotto_matrix_new(&matrix, rows, cols, &err));
  for (size_t i = 0; i < rows * cols; i++) matrix.data[i] = (float)sotto_i_random_normal(random);
  return matrix;
}

bool check_has_edge(const sotto_graph *graph, uint32_t u, uint32_t v) {
  for (uint64_t e = graph->offsets[u]; e < graph->offsets[u + 1]; e++)
    if (graph->targets[e] == v) return true;
  return false;
}

sotto_dataset check_labelled_graph(void) {
  sotto_dataset data;
  sotto_key key;
  const sotto_sbm_options options = {.nodes = 120,
                                     .classes = 3,
                                     .features = 8,
                                     .degree_inside = 6,
                                     .degree_outside = 2,
                                     .feature_signal = 2};
  sotto_key_public(&key, 4);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

sotto_dataset check_plain_blocks(uint64_t nodes, uint32_t classes, double inside, double outside,
                                 uint64_t seed) {
  const sotto_sbm_options options = {
      .nodes = nodes, .classes = classes, .degree_inside = inside, .degree_outside = outside};
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, seed);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}
