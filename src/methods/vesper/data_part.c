/* Partition of one dataset into the parts of the data party and the label party. */
#include "base/error.h"
#include "base/memory.h"
#include "graph/features.h"
#include "graph/names.h"
#include "graph/transfers.h"
#include "label_edges.h"

/* Columns first to end - 1 of the features with their names, owned by `parts`. */
static sotto_status copy_columns(sotto_dataset *own, sotto_i_parts *parts, const sotto_dataset *data,
                                 size_t first, size_t end, sotto_error *err) {
  sotto_status status;
  uint32_t *columns = NULL;
  SOTTO_TRY(sotto_i_new_raw(&columns, end - first, sizeof *columns, err));
  for (size_t j = first; j < end; j++) columns[j - first] = (uint32_t)j;
  SOTTO_TRY(sotto_i_features_of_columns(parts, data, columns, end - first, err));
  own->features = (sotto_matrix){parts->features, parts->nodes, parts->width};
  own->entries = (sotto_entries){parts->entries.offsets, parts->entries.columns, parts->entries.values};
  if (data->feature_names.count == 0 || first == end) goto done;
  status = sotto_i_names_take(&own->feature_names, &data->feature_names, columns, end - first, err);
done:
  sotto_i_free(columns);
  return status;
}

static sotto_status save_columns(const char *path, sotto_dataset *own, const sotto_dataset *data,
                                 size_t first, size_t end, sotto_error *err) {
  sotto_i_parts parts = {.nodes = data->graph.nodes};
  sotto_status status = copy_columns(own, &parts, data, first, end, err);
  if (status == SOTTO_OK) status = sotto_dataset_save(own, path, err);
  sotto_i_parts_free(&parts);
  sotto_i_names_free(&own->feature_names);
  return status;
}

static sotto_status save_data_party(const char *path, const sotto_dataset *data, const sotto_graph *graph,
                                    size_t columns, sotto_error *err) {
  sotto_dataset own = {.name = data->name, .graph = *graph, .node_ids = data->node_ids};
  sotto_i_transfers transfers;
  sotto_status status = sotto_i_transfers_of_edges(&transfers, &data->transfers, graph, err);
  own.transfers = sotto_i_transfers_view(&transfers);
  if (status == SOTTO_OK) status = save_columns(path, &own, data, 0, columns, err);
  sotto_i_transfers_free(&transfers);
  return status;
}

static sotto_status save_label_party(const char *path, const sotto_dataset *data, const sotto_graph *graph,
                                     size_t first, sotto_error *err) {
  sotto_dataset own = {.name = data->name,
                       .graph = *graph,
                       .labels = data->labels,
                       .classes = data->classes,
                       .numbers = data->numbers,
                       .split = data->split,
                       .node_ids = data->node_ids,
                       .class_names = data->class_names};
  return save_columns(path, &own, data, first, data->features.cols, err);
}

sotto_status sotto_dataset_save_parts(const char *data_path, const char *label_path,
                                      const sotto_dataset *data, double label_features, double label_edges,
                                      sotto_error *err) {
  const double most = 0.99;
  sotto_status status;
  sotto_graph graphs[2] = {{0}};
  if (!(label_features >= 0 && label_features <= most && label_edges >= 0 && label_edges <= most))
    return sotto_i_fail(err, SOTTO_RANGE, "label-features, label-edges: a share is 0 to %g", most);
  if (data->graph_count > 0 || (data->labels == NULL && data->numbers == NULL))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is no graph with labels of its nodes, or numbers to learn",
                        data->name);
  size_t own = sotto_i_label_columns(label_features, data->features.cols);
  SOTTO_TRY(sotto_i_label_edges_part(&graphs[0], &graphs[1], &data->graph, label_edges, err));
  SOTTO_TRY(save_data_party(data_path, data, &graphs[0], data->features.cols - own, err));
  SOTTO_TRY(save_label_party(label_path, data, &graphs[1], data->features.cols - own, err));
done:
  for (int i = 0; i < 2; i++) sotto_graph_free(&graphs[i]);
  return status;
}
