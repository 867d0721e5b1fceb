/* The graphs of a collection as the nodes of a dataset. */
#include "graph_items.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "graph/dataset.h"

enum { most_graphs = 1 << 24 };

sotto_status sotto_i_graph_items_check(const sotto_dataset *data, sotto_error *err) {
  if (data->graph_count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is one graph; this run answers about collections of graphs",
                        data->name);
  if (data->graph_count >= most_graphs)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: has %llu graphs; ask about fewer than %d at once", data->name,
                        (unsigned long long)data->graph_count, most_graphs);
  return SOTTO_OK;
}

static sotto_status fill(sotto_i_parts *parts, const uint32_t *values, const sotto_dataset *data,
                         sotto_error *err) {
  const size_t graphs = parts->nodes;
  sotto_status status;
  SOTTO_TRY(sotto_i_strdup(&parts->name, data->name, err));
  SOTTO_TRY(sotto_i_new(&parts->offsets, graphs + 1, sizeof *parts->offsets, err));
  SOTTO_TRY(sotto_i_new(&parts->features, graphs, sizeof *parts->features, err));
  for (size_t g = 0; g < graphs; g++) parts->features[g] = (float)values[g];
  if (data->graph_labels == NULL) goto done;
  SOTTO_TRY(sotto_i_new(&parts->labels, graphs, sizeof *parts->labels, err));
  memcpy(parts->labels, data->graph_labels, graphs * sizeof *parts->labels);
done:
  return status;
}

sotto_status sotto_i_graph_items(sotto_dataset *out, const uint32_t *values, const sotto_dataset *data,
                                 sotto_error *err) {
  sotto_i_parts parts = {.nodes = data->graph_count,
                         .width = 1,
                         .classes = data->graph_classes,
                         .classes_from = data->graph_classes_from};
  sotto_status status;
  SOTTO_TRY(sotto_i_graph_items_check(data, err));
  SOTTO_TRY(fill(&parts, values, data, err));
  SOTTO_TRY(sotto_i_dataset_assemble(out, &parts, err));
done:
  sotto_i_free(parts.name);
  sotto_i_free(parts.offsets);
  sotto_i_free(parts.features);
  sotto_i_free(parts.labels);
  return status;
}
