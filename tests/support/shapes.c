#include "shapes.h"

#include "check.h"
#include "graph/dataset.h"

void make_shapes(sotto_dataset *out) {
  uint32_t from[400], to[400];
  size_t edges = 0;
  sotto_graph graph;
  sotto_i_parts parts = {.graph_count = graphs, .graph_classes = 2, .width = 1};
  CHECK_OK(sotto_i_new(&parts.graph_first, graphs + 1, sizeof(uint64_t), &err));
  CHECK_OK(sotto_i_new(&parts.graph_labels, graphs, sizeof(int32_t), &err));
  CHECK_OK(sotto_i_strdup(&parts.name, "shapes", &err));
  for (uint32_t g = 0; g < graphs; g++) {
    const uint32_t first = (uint32_t)parts.nodes, size = 7 + g / 2 % 3;
    parts.graph_labels[g] = (int32_t)(g % 2);
    for (uint32_t v = 1; v < size; v++) {
      from[edges] = first + v;
      to[edges++] = g % 2 == 0 ? first + v - 1 : first;
    }
    parts.nodes += size;
    parts.graph_first[g + 1] = parts.nodes;
  }
  CHECK_OK(sotto_graph_from_pairs(&graph, parts.nodes, from, to, edges, &err));
  parts.offsets = (uint64_t *)(uintptr_t)graph.offsets;
  parts.targets = (uint32_t *)(uintptr_t)graph.targets;
  CHECK_OK(sotto_i_new(&parts.features, parts.nodes, sizeof(float), &err));
  for (uint64_t v = 0; v < parts.nodes; v++) parts.features[v] = (float)(v % 3);
  CHECK_OK(sotto_i_dataset_assemble(out, &parts, &err));
}
