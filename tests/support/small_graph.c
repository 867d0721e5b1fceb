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

/* The first edge whose ends have other edges, so that no node is left alone. */
static void find_edge(uint32_t ends[2], const sotto_graph *g) {
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint32_t u = g->targets[e];
      if (u < v || g->offsets[v + 1] - g->offsets[v] < 2 || g->offsets[u + 1] - g->offsets[u] < 2) continue;
      ends[0] = v;
      ends[1] = u;
      return;
    }
  fail_msg("no edge can go");
}

static uint64_t list_edges(uint32_t *sources, uint32_t *targets, const sotto_graph *g,
                           const uint32_t without[2]) {
  uint64_t count = 0;
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint32_t u = g->targets[e];
      if (u < v || (v == without[0] && u == without[1])) continue;
      sources[count] = v;
      targets[count++] = u;
    }
  return count;
}

sotto_dataset check_without_edge(const sotto_dataset *data) {
  const sotto_graph *g = &data->graph;
  uint32_t ends[2] = {0, 0}, *sources = calloc(g->entries, sizeof *sources),
           *targets = calloc(g->entries, sizeof *targets);
  sotto_dataset out;
  if (sources == NULL || targets == NULL) abort();
  find_edge(ends, g);
  const uint64_t count = list_edges(sources, targets, g, ends);
  assert_int_equal(count, g->entries / 2 - 1);
  const sotto_arrays arrays = {.name = data->name,
                               .nodes = g->nodes,
                               .sources = {sources, count, SOTTO_INDEX_U32},
                               .targets = {targets, count, SOTTO_INDEX_U32},
                               .features = data->features.data,
                               .feature_columns = data->features.cols,
                               .labels = data->labels,
                               .numbers = data->numbers,
                               .classes = data->classes,
                               .graph_count = data->graph_count,
                               .graph_first = data->graph_first,
                               .graph_labels = data->graph_labels,
                               .graph_classes = data->graph_classes};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  free(sources);
  free(targets);
  return out;
}

sotto_dataset check_with_one_edge(const sotto_dataset *data, bool feature) {
  static const uint32_t ends[] = {0, 1};
  const size_t cells = data->features.rows * data->features.cols;
  float *features = malloc(cells * sizeof *features);
  sotto_dataset out;
  assert_non_null(features);
  memcpy(features, data->features.data, cells * sizeof *features);
  if (feature) features[5] += 1;
  const sotto_arrays arrays = {.nodes = data->graph.nodes,
                               .sources = {&ends[0], 1, SOTTO_INDEX_U32},
                               .targets = {&ends[1], 1, SOTTO_INDEX_U32},
                               .features = features,
                               .feature_columns = data->features.cols,
                               .labels = data->labels,
                               .numbers = data->numbers,
                               .classes = data->classes};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  free(features);
  return out;
}
