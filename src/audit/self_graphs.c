/* A generated collection of graphs: the pieces of one generated graph. */
#include "self_graphs.h"

#include "base/memory.h"

enum { nodes_each = 40, classes = 2 };

static sotto_index_array index_array(const uint64_t *values, uint64_t count) {
  return (sotto_index_array){.data = values, .count = count, .type = SOTTO_INDEX_U64};
}

/* Collects edges within the pieces; edges between pieces are dropped. */
static uint64_t collect_edges(uint64_t *ends[2], const sotto_graph *g) {
  uint64_t kept = 0;
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      if (g->targets[e] < v || g->targets[e] / nodes_each != v / nodes_each) continue;
      ends[0][kept] = v;
      ends[1][kept++] = g->targets[e];
    }
  return kept;
}

sotto_status sotto_i_self_graphs(sotto_dataset *out, const sotto_dataset *data, sotto_error *err) {
  const uint64_t count = data->graph.nodes / nodes_each;
  sotto_status status;
  uint64_t *ends[2] = {NULL, NULL}, *first = NULL;
  int32_t *labels = NULL;
  for (int end = 0; end < 2; end++)
    SOTTO_TRY(sotto_i_new(&ends[end], data->graph.entries + 1, sizeof **ends, err));
  SOTTO_TRY(sotto_i_new(&first, count + 1, sizeof *first, err));
  SOTTO_TRY(sotto_i_new(&labels, count + 1, sizeof *labels, err));
  for (uint64_t i = 0; i <= count; i++) first[i] = i < count ? i * nodes_each : data->graph.nodes;
  for (uint64_t i = 0; i < count; i++) labels[i] = (int32_t)(i % classes);
  const uint64_t kept = collect_edges(ends, &data->graph);
  const sotto_arrays arrays = {.name = "graphs",
                               .nodes = data->graph.nodes,
                               .sources = index_array(ends[0], kept),
                               .targets = index_array(ends[1], kept),
                               .features = data->features.data,
                               .feature_columns = data->features.cols,
                               .labels = data->labels,
                               .classes = data->classes,
                               .graph_count = count,
                               .graph_first = first,
                               .graph_labels = labels,
                               .graph_classes = classes};
  SOTTO_TRY(sotto_dataset_from_arrays(out, &arrays, err));
done:
  for (int end = 0; end < 2; end++) sotto_i_free(ends[end]);
  sotto_i_free(first);
  sotto_i_free(labels);
  return status;
}
