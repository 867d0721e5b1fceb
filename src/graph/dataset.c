/* Datasets assembled from parts: checked, and identified by the digest of their content. */
#include "dataset.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "inside/graph.h"

void sotto_i_parts_free(sotto_i_parts *parts) {
  void *const arrays[SOTTO_I_SUMS] = {[SOTTO_I_SUM_OFFSETS] = parts->offsets,
                                      [SOTTO_I_SUM_TARGETS] = parts->targets,
                                      [SOTTO_I_SUM_FEATURES] = parts->features,
                                      [SOTTO_I_SUM_LABELS] = parts->labels,
                                      [SOTTO_I_SUM_SPLIT] = parts->split,
                                      [SOTTO_I_SUM_GRAPH_FIRST] = parts->graph_first,
                                      [SOTTO_I_SUM_GRAPH_LABELS] = parts->graph_labels};
  const void *given = parts->given_split;
  if (parts->block != NULL) parts->free_block(parts->block);
  sotto_i_free(parts->name);
  sotto_i_free(parts->path);
  sotto_i_free(parts->given_split);
  sotto_i_reading_free(&parts->reading);
  sotto_schema_free(parts->schema);
  sotto_i_free(parts->fill);
  if (parts->map.data != NULL) {
    sotto_i_map_close(&parts->map);
  } else {
    for (size_t i = 0; i < SOTTO_I_SUMS; i++)
      if ((parts->borrowed >> i & 1U) == 0 && arrays[i] != given) sotto_i_free(arrays[i]);
    for (size_t i = 0; i < SOTTO_I_NAME_LISTS; i++) sotto_i_names_free(&parts->names[i]);
    sotto_i_free(parts->entries.offsets);
    sotto_i_free(parts->entries.columns);
    sotto_i_free(parts->entries.values);
    sotto_i_transfers_free(&parts->transfers);
    sotto_i_foreign_free(&parts->foreign);
    sotto_i_free(parts->numbers);
  }
  *parts = (sotto_i_parts){0};
}

static sotto_status check_labels(const int32_t *labels, uint64_t count, uint32_t classes, const char *what,
                                 sotto_error *err) {
  if (labels == NULL) return SOTTO_OK;
  for (uint64_t i = 0; i < count; i++)
    if (labels[i] < -1 || (labels[i] >= 0 && (uint32_t)labels[i] >= classes))
      return sotto_i_fail(err, SOTTO_RANGE, "label %d of %s %llu is not below the %u classes", (int)labels[i],
                          what, (unsigned long long)i, classes);
  return SOTTO_OK;
}

sotto_status sotto_i_parts_numbers(sotto_i_parts *parts, const float *from, const uint32_t *rows,
                                   uint64_t nodes, sotto_error *err) {
  if (from == NULL) return SOTTO_OK;
  const sotto_status status = sotto_i_new_raw(&parts->numbers, nodes, sizeof *parts->numbers, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < nodes; v++) {
    const bool given = rows == NULL || rows[v] != UINT32_MAX;
    const float number = given ? from[rows == NULL ? v : rows[v]] : NAN;
    parts->numbers[v] = isnan(number) ? NAN : number;
  }
  return SOTTO_OK;
}

/* The digest covers the bits, so only one form of NaN is taken. */
static sotto_status check_numbers(const sotto_i_parts *parts, sotto_error *err) {
  if (parts->numbers == NULL) return SOTTO_OK;
  if (parts->graph_count > 0)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "numbers are of the nodes of a single graph, not of a collection");
  for (uint64_t v = 0; v < parts->nodes; v++) {
    uint32_t bits;
    memcpy(&bits, &parts->numbers[v], sizeof bits);
    if (isfinite(parts->numbers[v]) || bits == 0x7FC00000) continue; /* NAN */
    return sotto_i_fail(err, SOTTO_NUMERIC,
                        "the number of node %llu is neither finite nor the NaN that stands for unknown",
                        (unsigned long long)v);
  }
  return SOTTO_OK;
}

static sotto_status check_features(const sotto_i_parts *parts, sotto_error *err) {
  if (parts->entries.offsets != NULL) return sotto_i_entries_check(parts, err);
  for (uint64_t i = 0; i < parts->nodes && parts->width > 0; i++) {
    const float *row = parts->features + i * parts->width;
    uint32_t others = 0; /* nonzero when a value is not finite (its exponent is all ones) */
    for (size_t j = 0; j < parts->width; j++) {
      uint32_t bits;
      memcpy(&bits, &row[j], sizeof bits);
      others |= (bits & 0x7F800000) == 0x7F800000;
    }
    if (others == 0) continue;
    for (size_t j = 0; j < parts->width; j++)
      if (!isfinite(row[j]))
        return sotto_i_fail(err, SOTTO_NUMERIC, "feature %zu of node %llu is not finite", j,
                            (unsigned long long)i);
  }
  return SOTTO_OK;
}

static sotto_status check_borders(const sotto_i_parts *parts, sotto_error *err) {
  if (parts->graph_count == 0) return SOTTO_OK;
  if (parts->graph_first[0] != 0 || parts->graph_first[parts->graph_count] != parts->nodes)
    return sotto_i_fail(err, SOTTO_CORRUPT, "the graphs of the collection do not cover its nodes");
  for (uint64_t g = 0; g < parts->graph_count; g++) {
    uint64_t begin = parts->graph_first[g], end = parts->graph_first[g + 1];
    if (begin > end || end > parts->nodes)
      return sotto_i_fail(err, SOTTO_CORRUPT, "graph %llu of the collection ends before it begins",
                          (unsigned long long)g);
    for (uint64_t e = parts->offsets[begin]; e < parts->offsets[end]; e++)
      if (parts->targets[e] < begin || parts->targets[e] >= end)
        return sotto_i_fail(err, SOTTO_CORRUPT, "an edge of graph %llu leaves it for node %u",
                            (unsigned long long)g, parts->targets[e]);
  }
  return check_labels(parts->graph_labels, parts->graph_count, parts->graph_classes, "graph", err);
}

static sotto_status check_names(const sotto_i_parts *parts, sotto_error *err) {
  static const char *const what[SOTTO_I_NAME_LISTS] = {"nodes", "features", "classes", "classes of graphs"};
  const uint64_t counts[SOTTO_I_NAME_LISTS] = {parts->nodes, parts->width, parts->classes,
                                               parts->graph_classes};
  for (size_t i = 0; i < SOTTO_I_NAME_LISTS; i++) {
    sotto_status status = sotto_i_names_check(&parts->names[i], counts[i], what[i], err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_dataset_assemble(sotto_dataset *out, sotto_i_parts *parts, sotto_error *err) {
  sotto_status status;
  sotto_i_parts *stored = NULL;
  uint8_t digest[32];
  *out = (sotto_dataset){0};
  sotto_i_parts_fill(parts);
  const sotto_graph graph = {.nodes = parts->nodes,
                             .entries = parts->offsets[parts->nodes],
                             .offsets = parts->offsets,
                             .targets = parts->targets};
  const sotto_transfers transfers = sotto_i_transfers_view(&parts->transfers);
  const sotto_foreign foreign = {parts->foreign.nodes, parts->foreign.ids};
  SOTTO_TRY(sotto_graph_check(&graph, err));
  SOTTO_TRY(sotto_i_transfers_check(&transfers, &graph, err));
  SOTTO_TRY(check_labels(parts->labels, parts->nodes, parts->classes, "node", err));
  SOTTO_TRY(check_numbers(parts, err));
  SOTTO_TRY(check_features(parts, err));
  SOTTO_TRY(check_borders(parts, err));
  SOTTO_TRY(check_names(parts, err));
  SOTTO_TRY(sotto_i_foreign_check(&foreign, parts->nodes, &parts->names[SOTTO_I_NAMES_NODES], err));
  if (parts->split != NULL)
    for (uint64_t i = 0; i < parts->nodes; i++)
      if (parts->split[i] > SOTTO_PART_TEST)
        return sotto_i_fail(err, SOTTO_RANGE, "node %llu is in part %u of the split; 0 to 3 exist",
                            (unsigned long long)i, parts->split[i]);
  SOTTO_TRY(sotto_i_parts_digest(digest, parts, err));
  SOTTO_TRY(sotto_i_new(&stored, 1, sizeof *stored, err));
  if (parts->name != NULL) sotto_text_clean(parts->name, false); /* it is shown in terminals and reports */
  *out = (sotto_dataset){.name = parts->name,
                         .path = parts->path,
                         .graph = graph,
                         .transfers = transfers,
                         .foreign = foreign,
                         .features = {parts->features, parts->nodes, parts->width},
                         .entries = {parts->entries.offsets, parts->entries.columns, parts->entries.values},
                         .labels = parts->labels,
                         .classes = parts->classes,
                         .classes_from = parts->classes_from,
                         .numbers = parts->numbers,
                         .split = parts->split,
                         .graph_count = parts->graph_count,
                         .graph_first = parts->graph_first,
                         .graph_labels = parts->graph_labels,
                         .graph_classes = parts->graph_classes,
                         .graph_classes_from = parts->graph_classes_from,
                         .node_ids = parts->names[SOTTO_I_NAMES_NODES],
                         .feature_names = parts->names[SOTTO_I_NAMES_FEATURES],
                         .class_names = parts->names[SOTTO_I_NAMES_CLASSES],
                         .graph_class_names = parts->names[SOTTO_I_NAMES_GRAPH_CLASSES],
                         .schema = parts->schema};
  memcpy(out->digest, digest, sizeof digest);
  sotto_i_parts_account(out->account, digest, parts);
  sotto_i_parts_features(out->features_digest, parts);
  *stored = *parts;
  *parts = (sotto_i_parts){0};
  out->reading = stored->reading.view.form == NULL ? NULL : &stored->reading.view;
  out->storage = stored;
done:
  return status;
}

sotto_status sotto_i_dataset_counted(sotto_dataset *out, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_parts *stored = NULL;
  sotto_status status;
  *out = (sotto_dataset){0};
  SOTTO_TRY(sotto_i_parts_digest(out->digest, parts, err));
  SOTTO_TRY(sotto_i_new(&stored, 1, sizeof *stored, err));
  out->name = parts->name;
  out->path = parts->path;
  out->graph = (sotto_graph){.nodes = parts->nodes, .entries = parts->edge_entries};
  out->features = (sotto_matrix){NULL, parts->nodes, parts->width};
  out->labels = parts->labels;
  out->classes = parts->classes;
  out->classes_from = parts->classes_from;
  out->split = parts->split;
  out->node_ids = parts->names[SOTTO_I_NAMES_NODES];
  out->feature_names = parts->names[SOTTO_I_NAMES_FEATURES];
  out->class_names = parts->names[SOTTO_I_NAMES_CLASSES];
  out->schema = parts->schema;
  sotto_i_parts_account(out->account, out->digest, parts);
  sotto_i_parts_features(out->features_digest, parts);
  *stored = *parts;
  *parts = (sotto_i_parts){0};
  out->reading = stored->reading.view.form == NULL ? NULL : &stored->reading.view;
  out->storage = stored;
done:
  return status;
}

void sotto_dataset_free(sotto_dataset *dataset) {
  if (dataset->storage != NULL) {
    sotto_i_parts_free(dataset->storage);
    sotto_i_free(dataset->storage);
  }
  *dataset = (sotto_dataset){0};
}
