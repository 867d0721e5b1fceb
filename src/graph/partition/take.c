/* Subsets of a dataset: some nodes and the edges among them, or some graphs of a collection. */
#include <string.h>

#include "base/memory.h"
#include "graph/features.h"
#include "inside/graph.h"
#include "sotto/split.h"
#include "take.h"

/* The selected nodes in order, and the new number of each node, or UINT32_MAX. */
typedef struct chosen {
  uint32_t *nodes, *number;
  uint64_t count;
} chosen;

static void chosen_free(chosen *c) {
  sotto_i_free(c->nodes);
  sotto_i_free(c->number);
}

static sotto_status check_item(const sotto_dataset *data, const uint32_t *items, size_t i, sotto_error *err) {
  const uint64_t all = data->graph_count > 0 ? data->graph_count : data->graph.nodes;
  if (items[i] < all) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE, "item %u, number %zu of a subset of %llu, does not exist",
                      (unsigned)items[i], i, (unsigned long long)all);
}

static sotto_status select_nodes(chosen *out, const sotto_dataset *data, const uint32_t *items, size_t count,
                                 sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&out->nodes, data->graph.nodes, sizeof *out->nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&out->number, data->graph.nodes, sizeof *out->number, err));
  for (uint64_t v = 0; v < data->graph.nodes; v++) out->number[v] = UINT32_MAX;
  for (size_t i = 0; i < count; i++) {
    bool collection = data->graph_count > 0;
    SOTTO_TRY(check_item(data, items, i, err));
    uint64_t begin = collection ? data->graph_first[items[i]] : items[i];
    uint64_t end = collection ? data->graph_first[items[i] + 1] : begin + 1;
    for (uint64_t v = begin; v < end; v++) {
      if (out->number[v] != UINT32_MAX) {
        status = sotto_i_fail(err, SOTTO_RANGE, "item %u, number %zu of a subset, is there twice",
                              (unsigned)items[i], i);
        goto done;
      }
      out->number[v] = (uint32_t)out->count;
      out->nodes[out->count++] = (uint32_t)v;
    }
  }
done:
  return status;
}

/* Each row gets its neighbours in the order of their new numbers, so that rows are sorted in any order of
 * nodes: an edge stands in the rows of both ends. */
static sotto_status copy_edges(sotto_i_parts *parts, const sotto_graph *graph, const chosen *c,
                               sotto_error *err) {
  const bool none = graph->offsets == NULL; /* a party's table without edges */
  uint64_t *next = NULL;
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&parts->offsets, c->count + 1, sizeof *parts->offsets, err));
  for (uint64_t i = 0; i < c->count; i++) {
    parts->offsets[i + 1] = parts->offsets[i];
    for (uint64_t e = none ? 0 : graph->offsets[c->nodes[i]]; !none && e < graph->offsets[c->nodes[i] + 1];
         e++)
      parts->offsets[i + 1] += c->number[graph->targets[e]] != UINT32_MAX;
  }
  SOTTO_TRY(sotto_i_new_raw(&parts->targets, parts->offsets[c->count], sizeof *parts->targets, err));
  SOTTO_TRY(sotto_i_new_raw(&next, c->count, sizeof *next, err));
  if (c->count > 0) memcpy(next, parts->offsets, c->count * sizeof *next);
  for (uint64_t i = 0; !none && i < c->count; i++)
    for (uint64_t e = graph->offsets[c->nodes[i]]; e < graph->offsets[c->nodes[i] + 1]; e++) {
      const uint32_t other = c->number[graph->targets[e]];
      if (other != UINT32_MAX) parts->targets[next[other]++] = (uint32_t)i;
    }
done:
  sotto_i_free(next);
  return status;
}

sotto_status sotto_i_take_nodes(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *nodes,
                                uint64_t count, sotto_error *err) {
  size_t width = data->features.cols;
  sotto_status status = SOTTO_OK;
  parts->nodes = count;
  parts->classes = data->classes;
  parts->classes_from = data->classes_from;
  SOTTO_TRY(sotto_i_features_of_rows(parts, data, nodes, count, err));
  if (data->labels != NULL) SOTTO_TRY(sotto_i_new_raw(&parts->labels, count, sizeof *parts->labels, err));
  SOTTO_TRY(sotto_i_parts_numbers(parts, data->numbers, nodes, count, err));
  if (data->split != NULL) SOTTO_TRY(sotto_i_new_raw(&parts->split, count, 1, err));
  SOTTO_TRY(sotto_i_names_take(&parts->names[SOTTO_I_NAMES_NODES], &data->node_ids, nodes, count, err));
  SOTTO_TRY(
      sotto_i_names_take(&parts->names[SOTTO_I_NAMES_FEATURES], &data->feature_names, NULL, width, err));
  SOTTO_TRY(
      sotto_i_names_take(&parts->names[SOTTO_I_NAMES_CLASSES], &data->class_names, NULL, data->classes, err));
  SOTTO_TRY(sotto_i_schema_copy(&parts->schema, data->schema, err));
  for (uint64_t i = 0; i < count; i++) {
    uint32_t v = nodes[i];
    if (data->labels != NULL) parts->labels[i] = data->labels[v];
    if (data->split != NULL) parts->split[i] = data->split[v];
  }
done:
  return status;
}

static sotto_status copy_borders(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *items,
                                 size_t count, sotto_error *err) {
  sotto_status status;
  if (data->graph_count == 0) return SOTTO_OK;
  parts->graph_count = count;
  parts->graph_classes = data->graph_classes;
  parts->graph_classes_from = data->graph_classes_from;
  SOTTO_TRY(sotto_i_names_take(&parts->names[SOTTO_I_NAMES_GRAPH_CLASSES], &data->graph_class_names, NULL,
                               data->graph_classes, err));
  SOTTO_TRY(sotto_i_new(&parts->graph_first, count + 1, sizeof *parts->graph_first, err));
  if (data->graph_labels != NULL)
    SOTTO_TRY(sotto_i_new_raw(&parts->graph_labels, count, sizeof *parts->graph_labels, err));
  for (size_t i = 0; i < count; i++) {
    uint64_t size = data->graph_first[items[i] + 1] - data->graph_first[items[i]];
    parts->graph_first[i + 1] = parts->graph_first[i] + size;
    if (data->graph_labels != NULL) parts->graph_labels[i] = data->graph_labels[items[i]];
  }
done:
  return status;
}

sotto_status sotto_i_take_items(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *items,
                                size_t count, const char *name, sotto_error *err) {
  chosen c = {0};
  sotto_status status;
  SOTTO_TRY(select_nodes(&c, data, items, count, err));
  SOTTO_TRY(sotto_i_strdup(&parts->name, name, err));
  SOTTO_TRY(copy_edges(parts, &data->graph, &c, err));
  SOTTO_TRY(sotto_i_transfers_take(&parts->transfers, &data->transfers, c.number, err));
  SOTTO_TRY(sotto_i_take_nodes(parts, data, c.nodes, c.count, err));
  SOTTO_TRY(copy_borders(parts, data, items, count, err));
done:
  chosen_free(&c);
  return status;
}

sotto_status sotto_dataset_take(sotto_dataset *out, const sotto_dataset *data, const uint32_t *items,
                                size_t count, const char *name, sotto_error *err) {
  sotto_i_parts parts = {0};
  *out = (sotto_dataset){0};
  sotto_status status = sotto_i_take_items(&parts, data, items, count, name, err);
  if (status == SOTTO_OK) status = sotto_i_dataset_assemble(out, &parts, err);
  sotto_i_parts_free(&parts);
  return status;
}
