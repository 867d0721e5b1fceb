/* Data of two worlds. */
#include "party_worlds.h"

#include <string.h>

#include "check.h"
#include "ledgers.h"
#include "run/parties/party_roles.h"

check_change check_change_of(const check_case *c, const check_party *p) {
  const char *level = c->adjacency;
  if (!sotto_i_party_has_data(&p->party)) return CHECK_NO_CHANGE;
  if (sotto_i_party_is_apart(&p->party, &p->options)) {
    if (check_case_has(c, "label-edges") && p->options.label_edges > 0 && strcmp(level, "edge") == 0)
      return CHECK_AN_EDGE;
    return p->options.label_epsilon > 0 ? CHECK_A_LABEL : CHECK_NO_CHANGE;
  }
  if (p->party.role == SOTTO_ROLE_CLIENT && p->party.number > 1) return CHECK_NO_CHANGE; /* as the first */
  return strcmp(level, "transfer") == 0 ? CHECK_A_TRANSFER
         : strcmp(level, "node") == 0   ? CHECK_A_NODE
         : strcmp(level, "graph") == 0  ? (c->variant->covered ? CHECK_A_GRAPH : CHECK_A_GRAPH_ALIKE)
         : strcmp(level, "client") == 0 ? CHECK_A_CLIENT
                                        : CHECK_AN_EDGE;
}

/* The nodes that change: of a node or a label the first, of a graph its own, of a client all. Sizes are
 * private too at the last two levels: the last of these nodes is missing. */
typedef struct extent {
  uint64_t changed, missing; /* UINT64_MAX: none is missing */
} extent;

static bool is_of_a_graph(check_change how) {
  return how == CHECK_A_GRAPH || how == CHECK_A_GRAPH_ALIKE;
}

static extent extent_of(const sotto_dataset *data, check_change how) {
  const uint64_t changed = how == CHECK_A_CLIENT                         ? data->graph.nodes
                           : is_of_a_graph(how)                          ? data->graph_first[1]
                           : how == CHECK_A_NODE || how == CHECK_A_LABEL ? 1
                                                                         : 0;
  return (extent){changed, how == CHECK_A_CLIENT || how == CHECK_A_GRAPH ? changed - 1 : UINT64_MAX};
}

static int32_t other_label(int32_t label) {
  return label < 0 ? label : label == 0 ? 1 : 0;
}

/* A world in arrays of its own. */
typedef struct arrays {
  uint32_t *sources, *targets;
  float *features;
  int32_t *labels, *kinds;
  float *numbers;
  uint64_t *first, nodes, edges;
  float *amounts; /* of transfers; NULL: there are edges alone */
  double *times;
  uint8_t *of_kinds;
} arrays;

static void arrays_new(arrays *a, const sotto_dataset *data) {
  const sotto_graph *g = &data->graph;
  const uint64_t rows = g->entries + data->transfers.count + 1;
  *a = (arrays){.sources = calloc(rows, sizeof(uint32_t)),
                .targets = calloc(rows, sizeof(uint32_t)),
                .features = calloc(data->features.rows * data->features.cols + 1, sizeof(float)),
                .labels = calloc(g->nodes + 1, sizeof(int32_t)),
                .kinds = calloc(data->graph_count + 1, sizeof(int32_t)),
                .numbers = calloc(g->nodes + 1, sizeof(float)),
                .first = calloc(data->graph_count + 1, sizeof(uint64_t))};
  if (data->transfers.sources != NULL) {
    a->amounts = calloc(rows, sizeof *a->amounts);
    a->times = calloc(rows, sizeof *a->times);
    a->of_kinds = calloc(rows, sizeof *a->of_kinds);
    assert_true(a->amounts != NULL && a->times != NULL && a->of_kinds != NULL);
  }
  assert_true(a->sources != NULL && a->targets != NULL && a->features != NULL && a->labels != NULL &&
              a->kinds != NULL && a->numbers != NULL && a->first != NULL);
}

static void arrays_free(arrays *a) {
  free(a->sources);
  free(a->targets);
  free(a->features);
  free(a->labels);
  free(a->kinds);
  free(a->numbers);
  free(a->amounts);
  free(a->times);
  free(a->of_kinds);
  free(a->first);
}

/* Column j of a node. */
static float feature_of(const float *row, size_t cols, size_t j, check_change how, bool has, bool changed) {
  if (j == 0 && (how == CHECK_NO_FEATURE || how == CHECK_A_FEATURE)) return how == CHECK_A_FEATURE && has;
  return changed && how != CHECK_A_LABEL ? -row[(j + 1) % cols] : row[j];
}

/* The first is missing. It is of a pair with another one, so that the graph is the same. */
static void fill_transfers(arrays *a, const sotto_transfers *t, check_change how) {
  for (uint64_t i = how == CHECK_A_TRANSFER; i < t->count; i++) {
    a->sources[a->edges] = t->sources[i];
    a->targets[a->edges] = t->targets[i];
    a->amounts[a->edges] = t->amounts[i];
    a->of_kinds[a->edges] = t->kinds[i];
    a->times[a->edges++] = t->times[i];
  }
}

/* Of changed nodes no edge is left, but where their labels alone change. */
static void fill_edges(arrays *a, const sotto_graph *g, check_change how, extent at) {
  uint64_t seen = 0;
  for (uint64_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint64_t to = g->targets[e];
      if (to < v || (how != CHECK_A_LABEL && v < at.changed)) continue;
      if (how == CHECK_AN_EDGE && seen++ == 0) continue;
      a->sources[a->edges] = (uint32_t)(v - (v > at.missing));
      a->targets[a->edges++] = (uint32_t)(to - (to > at.missing));
    }
}

/* The node with the feature is one that its party trains on: methods/test_hostile_party.c sees faults by it.
 */
static void fill_nodes(arrays *a, const sotto_dataset *data, check_change how, extent at) {
  const uint64_t with_feature = data->graph_count > 0 ? 0 : 1;
  const size_t cols = data->features.cols;
  for (uint64_t v = 0; v < data->graph.nodes; v++) {
    const float *row = cols == 0 ? NULL : data->features.data + v * cols;
    const bool changed = v < at.changed;
    if (v == at.missing) continue;
    for (size_t j = 0; j < cols; j++)
      a->features[a->nodes * cols + j] = feature_of(row, cols, j, how, v == with_feature, changed);
    if (data->labels != NULL) a->labels[a->nodes] = changed ? other_label(data->labels[v]) : data->labels[v];
    if (data->numbers != NULL) a->numbers[a->nodes] = data->numbers[v] * (changed ? -1 : 1);
    a->nodes++;
  }
}

static void fill_graphs(arrays *a, const sotto_dataset *data, check_change how, extent at) {
  for (uint64_t i = 0; i < data->graph_count; i++) {
    const bool other = how == CHECK_A_CLIENT || (is_of_a_graph(how) && i == 0);
    a->kinds[i] = other ? other_label(data->graph_labels[i]) : data->graph_labels[i];
  }
  for (uint64_t i = 0; i <= data->graph_count && data->graph_count > 0; i++)
    a->first[i] = data->graph_first[i] - (data->graph_first[i] > at.missing);
}

/* Without the first edge to others. The new list of ids is freed with the worlds. */
static void take_first(sotto_foreign *f) {
  const uint64_t count = f->ids.count - 1, size = f->ids.starts[f->ids.count] - f->ids.starts[1];
  assert_true(f->ids.count > 1);
  uint64_t *block = calloc(1, (count + 1) * sizeof *block + size);
  assert_non_null(block);
  for (uint64_t i = 0; i <= count; i++) block[i] = f->ids.starts[i + 1] - f->ids.starts[1];
  memcpy(block + count + 1, f->ids.text + f->ids.starts[1], size);
  *f = (sotto_foreign){f->nodes + 1, {count, block, (const char *)(block + count + 1)}};
}

/* The data of a world: rebuilt for both, so that they differ in the item alone. */
static sotto_dataset world_of(const sotto_dataset *data, check_change how) {
  const extent at = extent_of(data, how);
  const bool foreign = data->foreign.nodes != NULL && how == CHECK_AN_EDGE;
  arrays a;
  sotto_dataset out;
  arrays_new(&a, data);
  if (a.amounts != NULL)
    fill_transfers(&a, &data->transfers, how);
  else
    fill_edges(&a, &data->graph, foreign ? CHECK_NO_CHANGE : how, at);
  fill_nodes(&a, data, how, at);
  fill_graphs(&a, data, how, at);
  const bool collection = data->graph_count > 0;
  const sotto_arrays all = {.name = data->name,
                            .nodes = a.nodes,
                            .sources = {a.sources, a.edges, SOTTO_INDEX_U32},
                            .targets = {a.targets, a.edges, SOTTO_INDEX_U32},
                            .amounts = a.amounts,
                            .times = a.times,
                            .kinds = a.of_kinds,
                            .kind_names = &data->transfers.kind_names,
                            .features = data->features.cols == 0 ? NULL : a.features,
                            .feature_columns = data->features.cols,
                            .labels = data->labels == NULL ? NULL : a.labels,
                            .classes = data->classes,
                            .numbers = data->numbers == NULL ? NULL : a.numbers,
                            .graph_count = data->graph_count,
                            .graph_first = collection ? a.first : NULL,
                            .graph_labels = collection ? a.kinds : NULL,
                            .graph_classes = data->graph_classes};
  CHECK_OK(sotto_dataset_from_arrays(&out, &all, &err));
  arrays_free(&a);
  out.node_ids = data->node_ids; /* lent, as are the edges to others */
  out.foreign = data->foreign;
  if (foreign) take_first(&out.foreign);
  return out;
}

void check_worlds_new(check_worlds *w, const check_case *c, const sotto_options *o,
                      const check_case_data *data, bool features) {
  const sotto_dataset *all = check_data_of(c, data);
  const uint64_t count = sotto_deal_items(all);
  const uint64_t members = sotto_i_party_members(o), clients = members == 0 ? 1 : members;
  uint32_t *owner = calloc(count, sizeof *owner);
  assert_non_null(owner);
  for (uint64_t i = 0; i < count; i++) owner[i] = (uint32_t)(i % clients);
  *w = (check_worlds){.c = c};
  check_placement_new(&w->parties, o, all, owner);
  free(owner);
  for (size_t i = 0; i < w->parties.count; i++) {
    const check_party *p = &w->parties.of[i];
    sotto_dataset *had = &w->had[i];
    w->change[i] = check_change_of(c, p);
    if (!sotto_i_party_has_data(&p->party)) continue;
    const bool of_features = features && w->change[i] != CHECK_AN_EDGE && w->change[i] != CHECK_A_TRANSFER &&
                             w->change[i] != CHECK_A_LABEL;
    CHECK_OK(sotto_dataset_open(had, p->options.data, NULL, &err));
    w->data[i][0] = world_of(had, of_features ? CHECK_NO_FEATURE : CHECK_NO_CHANGE);
    w->data[i][1] = world_of(had, of_features ? CHECK_A_FEATURE : w->change[i]);
  }
}

void check_worlds_enter(const check_worlds *w, size_t changed) {
  for (size_t i = 0; i < w->parties.count; i++) {
    const check_party *p = &w->parties.of[i];
    char mark[1100]; /* by which the data know the ledger of the world before */
    (void)snprintf(mark, sizeof mark, "%.1000s.ledger", p->options.data);
    (void)remove(mark);
    (void)check_new_ledger(p->options.ledger);
    if (sotto_i_party_has_data(&p->party))
      CHECK_OK(sotto_dataset_save(&w->data[i][i == changed], p->options.data, &err));
  }
}

void check_worlds_free(check_worlds *w) {
  for (size_t i = 0; i < w->parties.count; i++) {
    const uint64_t *lent = w->had[i].foreign.ids.starts;
    for (int k = 0; k < 2; k++) {
      const uint64_t *starts = w->data[i][k].foreign.ids.starts;
      if (starts != lent) free((void *)(uintptr_t)starts);
      sotto_dataset_free(&w->data[i][k]);
    }
    sotto_dataset_free(&w->had[i]);
  }
}
