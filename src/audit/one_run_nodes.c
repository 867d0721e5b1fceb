/* Nodes that the auditor adds to a copy of the data, in pairs: each pair may be an edge. All first ends
 * have one row of features and all second ends another. So an edge has the same effect on each pair, which
 * means over pairs can estimate. These nodes have no label and no other edge. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "one_run.h"

/* The mean row of one class. If no node has this label, that of every `classes`-th node. */
static void add_mean(float *out, const sotto_dataset *data, float *row, uint32_t class, uint32_t classes) {
  const size_t cols = data->features.cols;
  for (int labelled = data->labels != NULL ? 1 : 0; labelled >= 0; labelled--) {
    double count = 0;
    for (uint64_t v = 0; v < data->graph.nodes; v++)
      if (labelled == 1 ? data->labels[v] == (int32_t) class : v % classes == class) count++;
    if (count == 0) continue;
    for (uint64_t v = 0; v < data->graph.nodes; v++) {
      if (labelled == 1 ? data->labels[v] != (int32_t) class : v % classes != class) continue;
      sotto_dataset_rows(row, data, v, 1);
      for (size_t j = 0; j < cols; j++) out[j] += (float)(row[j] / (2 * count));
    }
    return;
  }
}

/* Each row is half-way between two classes: no classifier is confident about it, and counts of neighbours
 * leave out nodes with confident predictions. */
static sotto_status make_end_rows(float *ends[2], const sotto_dataset *data, sotto_error *err) {
  const uint32_t classes = data->classes > 1 ? data->classes : 2, between[2][2] = {{0, 1}, {1, classes - 1}};
  float *row = NULL;
  sotto_status status = sotto_i_new(&row, data->features.cols + 1, sizeof *row, err);
  for (int end = 0; end < 2 && status == SOTTO_OK; end++)
    for (int half = 0; half < 2; half++) add_mean(ends[end], data, row, between[end][half], classes);
  sotto_i_free(row);
  return status;
}

static sotto_status extend_rows(sotto_i_one_run *run, const sotto_dataset *data, sotto_error *err) {
  const uint64_t nodes = data->graph.nodes;
  const size_t cols = data->features.cols;
  float *ends[2] = {NULL, NULL};
  sotto_status status;
  SOTTO_TRY(sotto_matrix_new(&run->rows, nodes + 2 * run->count, cols, err));
  for (int end = 0; end < 2; end++) SOTTO_TRY(sotto_i_new(&ends[end], cols + 1, sizeof **ends, err));
  SOTTO_TRY(make_end_rows(ends, data, err));
  sotto_dataset_rows(run->rows.data, data, 0, nodes);
  for (size_t i = 0; i < 2 * run->count; i++)
    memcpy(run->rows.data + (nodes + i) * cols, ends[i / run->count], cols * sizeof(float));
done:
  for (int end = 0; end < 2; end++) sotto_i_free(ends[end]);
  return status;
}

/* The data with the pairs' nodes; its graph is still without them. */
static sotto_status extend_data(sotto_i_one_run *run, const sotto_dataset *data, sotto_error *err) {
  const uint64_t nodes = data->graph.nodes, all = nodes + 2 * run->count;
  sotto_status status;
  run->data = *data;
  run->data.node_ids = (sotto_names){0};
  run->data.reading = NULL;
  if (data->features.cols > 0) {
    SOTTO_TRY(extend_rows(run, data, err));
    run->data.features = run->rows;
    run->data.entries = (sotto_entries){0};
  }
  if (data->labels != NULL) {
    SOTTO_TRY(sotto_i_new_raw(&run->labels, all, sizeof *run->labels, err));
    memcpy(run->labels, data->labels, nodes * sizeof *run->labels);
    for (uint64_t v = nodes; v < all; v++) run->labels[v] = -1;
    run->data.labels = run->labels;
  }
  if (data->split != NULL) {
    SOTTO_TRY(sotto_i_new(&run->split, all, 1, err));
    memcpy(run->split, data->split, nodes);
    run->data.split = run->split;
  }
  status = SOTTO_OK;
done:
  return status;
}

sotto_status sotto_i_one_run_add_nodes(sotto_i_one_run *run, const sotto_dataset *data, uint64_t pairs,
                                       sotto_error *err) {
  const uint64_t nodes = data->graph.nodes, room = (UINT32_MAX - nodes) / 2;
  sotto_status status;
  run->count = pairs < room ? (size_t)pairs : (size_t)room;
  SOTTO_TRY(sotto_i_new_raw(&run->nodes, run->count + 1, sizeof *run->nodes, err));
  SOTTO_TRY(sotto_i_new_raw(&run->others, run->count + 1, sizeof *run->others, err));
  for (size_t i = 0; i < run->count; i++) {
    run->nodes[i] = (uint32_t)(nodes + i);
    run->others[i] = (uint32_t)(nodes + run->count + i);
  }
  SOTTO_TRY(extend_data(run, data, err));
done:
  return status;
}

void sotto_i_one_run_free(sotto_i_one_run *run) {
  sotto_graph_free(&run->without);
  sotto_graph_free(&run->with);
  sotto_graph_free(&run->drawn);
  sotto_matrix_free(&run->rows);
  sotto_i_free(run->labels);
  sotto_i_free(run->split);
  sotto_i_free(run->nodes);
  sotto_i_free(run->others);
  sotto_i_free(run->members);
  sotto_i_free(run->nobody);
  sotto_i_free(run->scores);
  sotto_i_free(run->likeness);
}
