/* Ego graphs: a collection of the nodes within some hops of each centre, with all edges among them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "graph/features.h"
#include "sotto/split.h"

typedef struct work {
  const sotto_dataset *data;
  uint32_t hops;
  uint32_t *place; /* index of each node in the current ego graph, or UINT32_MAX */
  uint32_t *found; /* nodes of the current ego graph */
} work;

static int compare_ids(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Finds the nodes around a centre, ascending, and their indices; returns their number. */
static uint32_t find_ego(work *w, uint32_t centre) {
  const sotto_graph *g = &w->data->graph;
  uint32_t size = 1, begin = 0;
  w->found[0] = centre;
  w->place[centre] = 0;
  for (uint32_t hop = 0; hop < w->hops; hop++) {
    const uint32_t end = size;
    for (; begin < end; begin++)
      for (uint64_t e = g->offsets[w->found[begin]]; e < g->offsets[w->found[begin] + 1]; e++) {
        const uint32_t u = g->targets[e];
        if (w->place[u] != UINT32_MAX) continue;
        w->place[u] = 0;
        w->found[size++] = u;
      }
  }
  qsort(w->found, size, sizeof *w->found, compare_ids);
  for (uint32_t i = 0; i < size; i++) w->place[w->found[i]] = i;
  return size;
}

static void clear_ego(work *w, uint32_t size) {
  for (uint32_t i = 0; i < size; i++) w->place[w->found[i]] = UINT32_MAX;
}

/* Counts the entries of the current ego graph. Writes them to targets, numbered from `first`, and to
 * offsets[1..] unless these are NULL. */
static uint64_t list_edges(uint32_t *targets, uint64_t *offsets, uint64_t at, const work *w, uint32_t size,
                           uint64_t first) {
  const sotto_graph *g = &w->data->graph;
  for (uint32_t i = 0; i < size; i++) {
    for (uint64_t e = g->offsets[w->found[i]]; e < g->offsets[w->found[i] + 1]; e++) {
      const uint32_t place = w->place[g->targets[e]];
      if (place == UINT32_MAX) continue;
      if (targets != NULL) targets[at] = (uint32_t)first + place;
      at++;
    }
    if (offsets != NULL) offsets[first + i + 1] = at;
  }
  return at;
}

/* Chooses `count` of the labelled nodes, ascending; all of them when it is 0. */
static sotto_status choose_centres(uint32_t **out, size_t *count, const sotto_dataset *data,
                                   const sotto_key *key, sotto_error *err) {
  sotto_i_random random;
  size_t there = 0;
  sotto_status status = sotto_i_new_raw(out, data->graph.nodes, sizeof **out, err);
  if (status != SOTTO_OK) return status;
  for (uint32_t v = 0; v < data->graph.nodes; v++)
    if (data->labels[v] >= 0) (*out)[there++] = v;
  if (*count == 0) *count = there;
  if (*count > there || there == 0)
    return sotto_i_fail(err, SOTTO_RANGE,
                        "%zu ego graphs were requested, but there are %zu labelled nodes in %s", *count,
                        there, data->name);
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_SPLIT, 0, 0);
  if (*count < there) sotto_i_random_shuffle(&random, *out, there);
  qsort(*out, *count, sizeof **out, compare_ids);
  return SOTTO_OK;
}

static sotto_status measure_egos(sotto_i_parts *parts, uint64_t *entries, work *w, const uint32_t *centres,
                                 size_t count, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new(&parts->graph_first, count + 1, sizeof *parts->graph_first, err));
  SOTTO_TRY(sotto_i_new(&parts->graph_labels, count, sizeof *parts->graph_labels, err));
  for (size_t g = 0; g < count; g++) {
    const uint32_t size = find_ego(w, centres[g]);
    parts->graph_first[g + 1] = parts->graph_first[g] + size;
    parts->graph_labels[g] = w->data->labels[centres[g]];
    *entries = list_edges(NULL, NULL, *entries, w, size, 0);
    clear_ego(w, size);
  }
  parts->graph_count = count;
  parts->graph_classes = w->data->classes;
  parts->graph_classes_from = w->data->classes_from;
  parts->nodes = parts->graph_first[count];
  if (parts->nodes >= UINT32_MAX)
    status =
        sotto_i_fail(err, SOTTO_RANGE, "%llu nodes around the centres are too many; request fewer graphs",
                     (unsigned long long)parts->nodes);
done:
  return status;
}

static sotto_status fill_egos(sotto_i_parts *parts, uint64_t entries, work *w, const uint32_t *centres,
                              sotto_error *err) {
  const sotto_dataset *data = w->data;
  uint64_t at = 0;
  uint32_t *members = NULL; /* the original node of each member */
  sotto_status status;
  parts->classes = data->classes;
  parts->classes_from = data->classes_from;
  SOTTO_TRY(sotto_i_new(&parts->offsets, parts->nodes + 1, sizeof *parts->offsets, err));
  SOTTO_TRY(sotto_i_new_raw(&parts->targets, entries, sizeof *parts->targets, err));
  SOTTO_TRY(sotto_i_new_raw(&parts->labels, parts->nodes, sizeof *parts->labels, err));
  SOTTO_TRY(sotto_i_names_take(&parts->names[SOTTO_I_NAMES_FEATURES], &data->feature_names, NULL, 0, err));
  SOTTO_TRY(sotto_i_names_take(&parts->names[SOTTO_I_NAMES_CLASSES], &data->class_names, NULL, 0, err));
  SOTTO_TRY(sotto_i_schema_copy(&parts->schema, data->schema, err));
  SOTTO_TRY(sotto_i_names_take(&parts->names[SOTTO_I_NAMES_GRAPH_CLASSES], &data->class_names, NULL, 0, err));
  SOTTO_TRY(sotto_i_new_raw(&members, parts->nodes, sizeof *members, err));
  for (size_t g = 0; g < parts->graph_count; g++) {
    const uint64_t first = parts->graph_first[g];
    const uint32_t size = find_ego(w, centres[g]);
    memcpy(members + first, w->found, size * sizeof *members);
    at = list_edges(parts->targets, parts->offsets, at, w, size, first);
    for (uint32_t i = 0; i < size; i++) parts->labels[first + i] = data->labels[w->found[i]];
    clear_ego(w, size);
  }
  SOTTO_TRY(sotto_i_features_of_rows(parts, data, members, parts->nodes, err));
  status =
      sotto_i_names_take(&parts->names[SOTTO_I_NAMES_NODES], &data->node_ids, members, parts->nodes, err);
done:
  sotto_i_free(members);
  return status;
}

sotto_status sotto_split_ego(sotto_dataset *out, const sotto_dataset *data, uint32_t hops, size_t count,
                             const sotto_key *key, sotto_error *err) {
  work w = {.data = data, .hops = hops};
  sotto_i_parts parts = {0};
  uint32_t *centres = NULL;
  uint64_t entries = 0;
  char name[256];
  sotto_status status;
  *out = (sotto_dataset){0};
  if (data->graph_count > 0 || data->labels == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s is not a single graph with labels of nodes", data->name);
  if (hops < 1 || hops > 100)
    return sotto_i_fail(err, SOTTO_RANGE, "%u hops are outside 1 to 100", (unsigned)hops);
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key is empty");
  (void)snprintf(name, sizeof name, "%.*s.ego-%u", sotto_i_fitting(data->name, 200), data->name,
                 (unsigned)hops);
  SOTTO_TRY(choose_centres(&centres, &count, data, key, err));
  SOTTO_TRY(sotto_i_new_raw(&w.place, data->graph.nodes, sizeof *w.place, err));
  SOTTO_TRY(sotto_i_new_raw(&w.found, data->graph.nodes, sizeof *w.found, err));
  memset(w.place, 0xff, data->graph.nodes * sizeof *w.place);
  SOTTO_TRY(sotto_i_strdup(&parts.name, name, err));
  SOTTO_TRY(measure_egos(&parts, &entries, &w, centres, count, err));
  SOTTO_TRY(fill_egos(&parts, entries, &w, centres, err));
  SOTTO_TRY(sotto_i_dataset_assemble(out, &parts, err));
done:
  sotto_i_free(centres);
  sotto_i_free(w.place);
  sotto_i_free(w.found);
  sotto_i_parts_free(&parts);
  return status;
}
