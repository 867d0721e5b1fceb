/* Generated data of a given shape. It contains nothing of the real data but counts. */
#include <string.h>

#include "common/memory.h"
#include "estimate.h"

typedef struct drawing {
  uint64_t state;
} drawing;

/* xorshift64 (Marsaglia 2003): these random numbers are not used as privacy noise. */
static uint64_t draw(drawing *d, uint64_t below) {
  d->state ^= d->state << 13;
  d->state ^= d->state >> 7;
  d->state ^= d->state << 17;
  return d->state % below;
}

typedef struct made {
  uint32_t *sources, *targets, *order;
  uint64_t edges, *first;
  float *features;
  uint64_t *starts; /* row starts of sparse features */
  uint32_t *columns;
  int32_t *labels, *graph_labels;
} made;

uint64_t estimate_items(const sotto_dataset *data) {
  return data->graph_count > 0 ? data->graph_count : data->graph.nodes;
}

static void shuffle(drawing *d, uint32_t *order, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) order[i] = (uint32_t)i;
  for (uint64_t i = count; i > 1; i--) {
    const uint64_t j = draw(d, i);
    const uint32_t kept = order[i - 1];
    order[i - 1] = order[j];
    order[j] = kept;
  }
}

/* Adds cycles through the nodes in a random order, so that no degree is far above the mean. */
static void add_edges(made *m, drawing *d, uint64_t begin, uint64_t nodes, uint64_t wanted) {
  for (uint64_t left = nodes > 1 ? wanted : 0; left > 0;) {
    const uint64_t now = left < nodes ? left : nodes;
    shuffle(d, m->order, nodes);
    for (uint64_t i = 0; i < now; i++) {
      m->sources[m->edges] = (uint32_t)begin + m->order[i];
      m->targets[m->edges++] = (uint32_t)begin + m->order[(i + 1) % nodes];
    }
    left -= now;
  }
}

/* All rows get the same number of entries, up to rounding. Entry i is at a random place in block i of the
 * columns. */
static void draw_entries(made *m, drawing *d, double each, uint64_t nodes, size_t cols) {
  for (uint64_t v = 0; v < nodes; v++) {
    const uint64_t first = m->starts[v], count = (uint64_t)((double)(v + 1) * each) - first;
    for (uint64_t i = 0; i < count; i++) {
      const uint64_t low = i * cols / count, high = (i + 1) * cols / count;
      m->columns[first + i] = (uint32_t)(low + draw(d, high - low));
      m->features[first + i] = 0.1F + (float)draw(d, 1000) / 1000;
    }
    m->starts[v + 1] = first + count;
  }
}

static void draw_features(made *m, drawing *d, const estimate_shape *shape, uint64_t nodes) {
  const size_t cols = shape->data->features.cols;
  const uint64_t scale = 1U << 20, kept = (uint64_t)(shape->density * (double)scale);
  if (m->starts != NULL)
    draw_entries(m, d, shape->density * (double)cols, nodes, cols);
  else
    for (uint64_t i = 0; i < nodes * cols; i++)
      m->features[i] = draw(d, scale) < kept ? 0.1F + (float)draw(d, 1000) / 1000 : 0;
}

static void fill_data(made *m, const estimate_shape *shape, uint64_t nodes) {
  const sotto_dataset *data = shape->data;
  drawing d = {88172645463325252U};
  const uint64_t edges = data->graph.entries / 2;
  if (data->graph_count == 0)
    add_edges(m, &d, 0, nodes, (uint64_t)((double)edges * (double)nodes / (double)data->graph.nodes));
  for (uint64_t g = 0; g < data->graph_count && m->first[g] < nodes; g++) {
    const uint64_t begin = m->first[g], size = data->graph_first[g + 1] - begin;
    const uint64_t entries = data->graph.offsets[begin + size] - data->graph.offsets[begin];
    add_edges(m, &d, begin, size, entries / 2);
    m->graph_labels[g] = (int32_t)draw(&d, data->graph_classes > 0 ? data->graph_classes : 1);
  }
  draw_features(m, &d, shape, nodes);
  for (uint64_t v = 0; v < nodes; v++)
    m->labels[v] = (int32_t)draw(&d, data->classes > 0 ? data->classes : 1);
}

sotto_status estimate_made(sotto_dataset *out, const estimate_shape *shape, uint64_t items,
                           sotto_error *err) {
  const sotto_dataset *data = shape->data;
  const bool graphs = data->graph_count > 0;
  const uint64_t nodes = graphs ? data->graph_first[items] : items;
  const uint64_t room = data->graph.entries / 2 + 1;
  const bool sparse = data->entries.offsets != NULL;
  const size_t cols = data->features.cols;
  const uint64_t cells =
      sparse ? (uint64_t)((double)nodes * shape->density * (double)cols) + 1 : nodes * cols;
  made m = {.sources = NULL};
  sotto_status status;
  SOTTO_TRY(app_new(&m.sources, room, sizeof *m.sources, err));
  SOTTO_TRY(app_new(&m.targets, room, sizeof *m.targets, err));
  SOTTO_TRY(app_new(&m.order, nodes, sizeof *m.order, err));
  SOTTO_TRY(app_new(&m.features, cells, sizeof *m.features, err));
  if (sparse) SOTTO_TRY(app_new(&m.starts, nodes + 1, sizeof *m.starts, err));
  if (sparse) SOTTO_TRY(app_new(&m.columns, cells, sizeof *m.columns, err));
  SOTTO_TRY(app_new(&m.labels, nodes, sizeof *m.labels, err));
  SOTTO_TRY(app_new(&m.first, items + 1, sizeof *m.first, err));
  SOTTO_TRY(app_new(&m.graph_labels, items, sizeof *m.graph_labels, err));
  for (uint64_t g = 0; graphs && g <= items; g++) m.first[g] = data->graph_first[g];
  fill_data(&m, shape, nodes);
  const sotto_arrays arrays = {.name = "made",
                               .nodes = nodes,
                               .sources = {m.sources, m.edges, SOTTO_INDEX_U32},
                               .targets = {m.targets, m.edges, SOTTO_INDEX_U32},
                               .features = cols > 0 && !sparse ? m.features : NULL,
                               .feature_columns = cols,
                               .feature_indptr = {m.starts, sparse ? nodes + 1 : 0, SOTTO_INDEX_U64},
                               .feature_indices = {m.columns, sparse ? m.starts[nodes] : 0, SOTTO_INDEX_U32},
                               .feature_values = sparse ? m.features : NULL,
                               .keep_entries = true,
                               .labels = data->classes > 0 ? m.labels : NULL,
                               .classes = data->classes,
                               .graph_count = graphs ? items : 0,
                               .graph_first = graphs ? m.first : NULL,
                               .graph_labels = graphs && data->graph_classes > 0 ? m.graph_labels : NULL,
                               .graph_classes = graphs ? data->graph_classes : 0};
  SOTTO_TRY(sotto_dataset_from_arrays(out, &arrays, err));
done:
  free(m.sources);
  free(m.targets);
  free(m.order);
  free(m.features);
  free(m.starts);
  free(m.columns);
  free(m.labels);
  free(m.first);
  free(m.graph_labels);
  return status;
}
