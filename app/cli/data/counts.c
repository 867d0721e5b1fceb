/* Degrees, classes, parts and homophily of a dataset. */
#include "counts.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"

static void count_degrees(sotto_figures *f, const sotto_graph *graph) {
  for (uint64_t v = 0; v < graph->nodes; v++) {
    const uint64_t degree = sotto_graph_degree(graph, v);
    if (degree > f->largest) f->largest = degree;
    if (degree == 0) f->isolated++;
  }
}

static void count_alike(sotto_figures *f, const sotto_dataset *data) {
  const sotto_graph *g = &data->graph;
  if (data->labels == NULL) return;
  for (uint64_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint32_t u = g->targets[e];
      if (u <= v || data->labels[v] < 0 || data->labels[u] < 0) continue;
      f->labelled_edges++;
      f->alike_edges += data->labels[v] == data->labels[u];
    }
}

/* In two passes, since numbers far from zero lose their spread in a sum of squares. */
static void count_numbers(data_counts *out, const sotto_dataset *data) {
  const float *numbers = data->numbers;
  double sum = 0, squares = 0;
  for (uint64_t v = 0; numbers != NULL && v < data->graph.nodes; v++) {
    if (isnan(numbers[v])) continue;
    const bool first = out->known_numbers++ == 0;
    if (first || numbers[v] < out->least_number) out->least_number = numbers[v];
    if (first || numbers[v] > out->largest_number) out->largest_number = numbers[v];
    sum += numbers[v];
  }
  if (out->known_numbers == 0) return;
  out->number_mean = sum / (double)out->known_numbers;
  for (uint64_t v = 0; v < data->graph.nodes; v++)
    if (!isnan(numbers[v])) squares += (numbers[v] - out->number_mean) * (numbers[v] - out->number_mean);
  out->number_deviation = sqrt(squares / (double)out->known_numbers);
}

sotto_status data_count(data_counts *out, const sotto_dataset *data, const sotto_figures *figures,
                        sotto_error *err) {
  sotto_figures counted = {0};
  const bool graphs = data->graph_count > 0;
  const int32_t *labels = graphs ? data->graph_labels : data->labels;
  const uint64_t items = graphs ? data->graph_count : data->graph.nodes;
  *out = (data_counts){.of_graphs = graphs,
                       .classes = graphs ? data->graph_classes : data->classes,
                       .names = graphs ? &data->graph_class_names : &data->class_names};
  sotto_status status = app_new(&out->members, out->classes, sizeof *out->members, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t i = 0; i < items; i++)
    if (labels == NULL || labels[i] < 0)
      out->unlabelled++;
    else
      out->members[labels[i]]++;
  for (uint64_t v = 0; data->split != NULL && v < data->graph.nodes; v++) out->parts[data->split[v]]++;
  if (figures == NULL) {
    count_degrees(&counted, &data->graph);
    count_alike(&counted, data);
    figures = &counted;
  }
  count_numbers(out, data);
  out->largest = figures->largest;
  out->isolated = figures->isolated;
  out->labelled_edges = figures->labelled_edges;
  out->mean = data->graph.nodes == 0 ? 0 : (double)data->graph.entries / (double)data->graph.nodes;
  out->homophily =
      figures->labelled_edges == 0 ? NAN : (double)figures->alike_edges / (double)figures->labelled_edges;
  return SOTTO_OK;
}

void data_counts_free(data_counts *counts) {
  free(counts->members);
  counts->members = NULL;
}
