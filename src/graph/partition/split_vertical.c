/* Vertical partition: holders have the same nodes, but different columns and edges. One holder has the
 * labels, or a party of labels alone. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "graph/features.h"
#include "graph/generate/generate.h"
#include "sotto/split.h"

sotto_status sotto_vertical_shares(double *out, size_t holders, const char *text, sotto_error *err) {
  double total = 0;
  sotto_status status = sotto_i_parse_doubles(out, holders, text, "partition", err);
  if (status != SOTTO_OK) return status;
  for (size_t i = 0; i < holders; i++) {
    if (!(out[i] > 0 && out[i] <= 1e9))
      return sotto_i_fail(err, SOTTO_RANGE, "partition: %g is outside 0 (not itself) to 1e9", out[i]);
    total += out[i];
  }
  for (size_t i = 0; i < holders; i++) out[i] /= total;
  return SOTTO_OK;
}

static sotto_status check_arguments(const sotto_dataset *data, const sotto_vertical *how, sotto_error *err) {
  double total = 0;
  const size_t apart = how->label_holder == how->holders;
  if (how->holders + apart < 2 || how->holders + apart > SOTTO_MOST_HOLDERS)
    return sotto_i_fail(err, SOTTO_RANGE, "%zu holders; 2 to %d are possible", how->holders,
                        SOTTO_MOST_HOLDERS);
  if (how->label_holder > how->holders)
    return sotto_i_fail(err, SOTTO_RANGE, "the label holder is number %zu of %zu", how->label_holder + 1,
                        how->holders);
  for (size_t i = 0; i < how->holders; i++) {
    if (!(how->share[i] > 0))
      return sotto_i_fail(err, SOTTO_RANGE, "holder %zu has a share of 0; every share must be above 0",
                          i + 1);
    total += how->share[i];
  }
  if (!(total > 1 - 1e-9 && total < 1 + 1e-9))
    return sotto_i_fail(err, SOTTO_RANGE, "the shares add up to %g, not 1", total);
  if (data->graph_count > 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED,
                        "a collection of graphs has no vertical partition; use a single graph");
  if (how->features && data->features.cols < how->holders)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%zu columns of features for %zu holders: each needs at least one",
                        data->features.cols, how->holders);
  return SOTTO_OK;
}

/* Holder i gets columns [borders[i], borders[i + 1]) of the shuffled ones, at least one. */
static void cut_columns(size_t *borders, size_t cols, const sotto_vertical *how) {
  double cumulative = 0;
  borders[0] = 0;
  for (size_t i = 0; i < how->holders; i++) {
    size_t most = cols - (how->holders - 1 - i), least = borders[i] + 1;
    cumulative += how->share[i];
    size_t border = i + 1 == how->holders ? cols : (size_t)(cumulative * (double)cols + 0.5);
    borders[i + 1] = border < least ? least : border > most ? most : border;
  }
}

static sotto_status assign_columns(uint32_t *owner, const sotto_dataset *data, const sotto_vertical *how,
                                   const sotto_key *key, sotto_error *err) {
  size_t cols = data->features.cols, borders[SOTTO_MOST_HOLDERS + 1];
  uint32_t *order = NULL;
  sotto_i_random random;
  sotto_status status = sotto_i_new_raw(&order, cols, sizeof *order, err);
  if (status != SOTTO_OK) return status;
  for (size_t j = 0; j < cols; j++) order[j] = (uint32_t)j;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_DEAL_COLUMNS, 0);
  sotto_i_random_shuffle(&random, order, cols);
  cut_columns(borders, cols, how);
  for (size_t i = 0; i < how->holders; i++)
    for (size_t j = borders[i]; j < borders[i + 1]; j++) owner[order[j]] = (uint32_t)i;
  sotto_i_free(order);
  return SOTTO_OK;
}

/* The holder of edge (u, v), u < v. It depends only on the edge and the key: each edge is assigned
 * independently, so that graphs that differ in one edge get the same assignment of all others. */
static size_t edge_owner(uint64_t u, uint64_t v, const sotto_vertical *how, const sotto_key *key) {
  sotto_i_random random;
  double cumulative = 0;
  sotto_i_random_init(&random, key, SOTTO_I_PURPOSE_GENERATE, SOTTO_I_GENERATE_DEAL_EDGES, u << 32 | v);
  double drawn = sotto_i_random_double(&random);
  for (size_t i = 0; i + 1 < how->holders; i++) {
    cumulative += how->share[i];
    if (drawn < cumulative) return i;
  }
  return how->holders - 1;
}

/* Copies the columns of one holder, and their names. */
static sotto_status fill_features(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *owner,
                                  size_t holder, sotto_error *err) {
  uint32_t *chosen = NULL;
  size_t count = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&chosen, data->features.cols, sizeof *chosen, err));
  for (size_t j = 0; j < data->features.cols; j++)
    if (owner == NULL || owner[j] == holder) chosen[count++] = (uint32_t)j;
  SOTTO_TRY(sotto_i_features_of_columns(parts, data, chosen, count, err));
  if (data->feature_names.count > 0)
    status =
        sotto_i_names_take(&parts->names[SOTTO_I_NAMES_FEATURES], &data->feature_names, chosen, count, err);
done:
  sotto_i_free(chosen);
  return status;
}

static sotto_status fill_labels(sotto_i_parts *parts, const sotto_dataset *data, sotto_error *err) {
  uint64_t n = data->graph.nodes;
  sotto_status status = SOTTO_OK;
  parts->classes = data->classes;
  parts->classes_from = data->classes_from;
  if (data->labels != NULL) {
    SOTTO_TRY(sotto_i_new_raw(&parts->labels, n, sizeof *parts->labels, err));
    memcpy(parts->labels, data->labels, n * sizeof *parts->labels);
  }
  SOTTO_TRY(sotto_i_parts_numbers(parts, data->numbers, NULL, n, err));
  SOTTO_TRY(
      sotto_i_names_take(&parts->names[SOTTO_I_NAMES_CLASSES], &data->class_names, NULL, data->classes, err));
  if (data->split != NULL) {
    SOTTO_TRY(sotto_i_new_raw(&parts->split, n, 1, err));
    memcpy(parts->split, data->split, n);
  }
done:
  return status;
}

/* Edges of one holder as CSR; both directions of an edge have one owner. `owners` lists the owner of each
 * edge u < v in row order; NULL: the holder has all edges. */
static sotto_status holder_edges(sotto_i_edge_arrays *out, const sotto_dataset *data, const uint8_t *owners,
                                 size_t holder, sotto_error *err) {
  uint64_t at = 0, chosen = 0;
  const sotto_graph *g = &data->graph;
  sotto_status status = sotto_i_edge_arrays_new(out, g->entries / 2, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t u = 0; u < g->nodes; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) {
      if (g->targets[e] < u) continue;
      if (owners == NULL || owners[at] == holder) {
        out->sources[chosen] = (uint32_t)u;
        out->targets[chosen++] = g->targets[e];
      }
      at++;
    }
  out->count = chosen;
  return SOTTO_OK;
}

static sotto_status make_holder(sotto_dataset *out, const sotto_dataset *data, const sotto_vertical *how,
                                size_t holder, const uint32_t *columns, const uint8_t *edges,
                                sotto_error *err) {
  char name[256];
  sotto_status status;
  sotto_i_parts parts = {.nodes = data->graph.nodes};
  sotto_i_edge_arrays pairs = {0};
  (void)snprintf(name, sizeof name, "%.*s.holder-%zu", sotto_i_fitting(data->name, 200), data->name,
                 holder + 1);
  SOTTO_TRY(sotto_i_strdup(&parts.name, name, err));
  if (holder < how->holders) SOTTO_TRY(fill_features(&parts, data, columns, holder, err));
  SOTTO_TRY(sotto_i_names_take(&parts.names[SOTTO_I_NAMES_NODES], &data->node_ids, NULL, parts.nodes, err));
  if (holder == how->label_holder) SOTTO_TRY(fill_labels(&parts, data, err));
  SOTTO_TRY(holder < how->holders ? holder_edges(&pairs, data, edges, holder, err)
                                  : sotto_i_edge_arrays_new(&pairs, 0, err));
  SOTTO_TRY(sotto_i_generate_finish(out, &parts, &pairs, err));
done:
  sotto_i_edge_arrays_free(&pairs);
  sotto_i_parts_free(&parts);
  return status;
}

static sotto_status assign_edges(uint8_t **out, const sotto_dataset *data, const sotto_vertical *how,
                                 const sotto_key *key, sotto_error *err) {
  const sotto_graph *g = &data->graph;
  uint64_t at = 0;
  sotto_status status = sotto_i_new_raw(out, g->entries / 2, 1, err);
  for (uint64_t u = 0; status == SOTTO_OK && u < g->nodes; u++)
    for (uint64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++)
      if (g->targets[e] > u) (*out)[at++] = (uint8_t)edge_owner(u, g->targets[e], how, key);
  return status;
}

sotto_status sotto_split_vertical(sotto_dataset *out, const sotto_dataset *data, const sotto_vertical *how,
                                  const sotto_key *key, sotto_error *err) {
  uint32_t *columns = NULL;
  uint8_t *edges = NULL;
  sotto_status status;
  if (key->origin == SOTTO_KEY_NONE) return sotto_i_fail(err, SOTTO_INVALID, "the key is empty");
  status = check_arguments(data, how, err);
  if (status != SOTTO_OK) return status;
  const size_t parts = how->holders + (how->label_holder == how->holders);
  for (size_t i = 0; i < parts; i++) out[i] = (sotto_dataset){0};
  if (how->features) {
    SOTTO_TRY(sotto_i_new(&columns, data->features.cols, sizeof *columns, err));
    SOTTO_TRY(assign_columns(columns, data, how, key, err));
  }
  if (how->edges) SOTTO_TRY(assign_edges(&edges, data, how, key, err));
  for (size_t i = 0; status == SOTTO_OK && i < parts; i++)
    SOTTO_TRY(make_holder(&out[i], data, how, i, columns, edges, err));
done:
  sotto_i_free(columns);
  sotto_i_free(edges);
  for (size_t i = 0; status != SOTTO_OK && i < parts; i++) sotto_dataset_free(&out[i]);
  return status;
}
