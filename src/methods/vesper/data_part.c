/* One dataset parted into what the data party and the label party of a run hold. */
#include <string.h>

#include "base/error.h"
#include "label_edges.h"

static sotto_status save_data_party(const char *path, const sotto_dataset *data, const sotto_graph *graph,
                                    size_t columns, sotto_error *err) {
  sotto_dataset own = {.name = data->name, .graph = *graph};
  sotto_status status = sotto_i_take_columns(&own.features, &data->features, 0, columns, err);
  if (status == SOTTO_OK) status = sotto_dataset_save(&own, path, err);
  sotto_matrix_free(&own.features);
  return status;
}

static sotto_status save_label_party(const char *path, const sotto_dataset *data, const sotto_graph *graph,
                                     size_t first, sotto_error *err) {
  sotto_dataset own = {.name = data->name,
                       .graph = *graph,
                       .labels = data->labels,
                       .classes = data->classes,
                       .split = data->split};
  sotto_status status = sotto_i_take_columns(&own.features, &data->features, first, data->features.cols, err);
  if (status == SOTTO_OK) status = sotto_dataset_save(&own, path, err);
  sotto_matrix_free(&own.features);
  return status;
}

sotto_status sotto_dataset_save_parts(const char *data_path, const char *label_path,
                                      const sotto_dataset *data, double label_features, double label_edges,
                                      sotto_error *err) {
  const double most = 0.99;
  sotto_status status;
  sotto_graph graphs[2] = {{0}};
  if (!(label_features >= 0 && label_features <= most && label_edges >= 0 && label_edges <= most))
    return sotto_i_fail(err, SOTTO_RANGE, "label-features, label-edges: a share is 0 to %g", most);
  if (data->graph_count > 0 || data->labels == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is no graph with labels of its nodes", data->name);
  size_t own = sotto_i_label_columns(label_features, data->features.cols);
  SOTTO_TRY(sotto_i_label_edges_part(&graphs[0], &graphs[1], &data->graph, label_edges, err));
  SOTTO_TRY(save_data_party(data_path, data, &graphs[0], data->features.cols - own, err));
  SOTTO_TRY(save_label_party(label_path, data, &graphs[1], data->features.cols - own, err));
done:
  for (int i = 0; i < 2; i++) sotto_graph_free(&graphs[i]);
  return status;
}
