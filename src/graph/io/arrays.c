/* A dataset from the caller's own arrays (sotto_dataset_from_arrays): features, labels, split, graphs. */
#include "arrays.h"

#include <string.h>

#include "base/memory.h"

/* Copies or borrows `count` items of `size` bytes. `array` is a SOTTO_I_SUM_ number; *out is a T **. */
static sotto_status take(void *out, sotto_i_parts *parts, unsigned array, const void *from, uint64_t count,
                         size_t size, const char *name, bool borrow, sotto_error *err) {
  if (borrow && !sotto_i_is_aligned(from, size))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: does not lie at a multiple of %zu bytes; set borrow to false for a copy", name,
                        size);
  if (borrow) {
    *(void **)out = (void *)(uintptr_t)from;
    parts->borrowed |= 1U << array;
    return SOTTO_OK;
  }
  sotto_status status = sotto_i_new_raw(out, count, size, err);
  if (status == SOTTO_OK && count > 0) memcpy(*(void **)out, from, count * size);
  return status;
}

static sotto_status take_entries(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  const sotto_i_array values = {.data = (const uint8_t *)a->feature_values,
                                .kind = 'f',
                                .item = sizeof(float),
                                .dims = 1,
                                .shape = {a->feature_indices.count, 1},
                                .count = a->feature_indices.count};
  const sotto_i_csr_index index = {.start_name = "feature_indptr",
                                   .index_name = "feature_indices",
                                   .starts = sotto_i_index_array(&a->feature_indptr),
                                   .indices = sotto_i_index_array(&a->feature_indices)};
  const sotto_i_csr rows = {.rows = a->nodes,
                            .cols = a->feature_columns,
                            .starts = index.starts,
                            .indices = index.indices,
                            .values = values};
  sotto_status status;
  if (a->borrow || a->borrow_features)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "feature_indptr: CSR features cannot be borrowed; give them dense, or set borrow to "
                        "false");
  if (values.count > 0 && values.data == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "feature_values: is NULL, with %llu feature_indices",
                        (unsigned long long)values.count);
  SOTTO_TRY(sotto_i_csr_index_check(&index, a->nodes, a->feature_columns, err));
  const bool sparse = (a->keep_entries && a->feature_columns <= UINT32_MAX) ||
                      sotto_i_features_sparse(a->nodes, a->feature_columns, values.count);
  const sotto_i_feature_reader from = {&rows, sotto_i_csr_row, sotto_i_csr_entries};
  SOTTO_TRY(sotto_i_features_fill(parts, sparse, values.count, &from, err));
done:
  return status;
}

static sotto_status take_features(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  const bool csr = a->feature_indptr.data != NULL;
  uint64_t cells;
  if ((a->features != NULL || csr) != (a->feature_columns > 0))
    return sotto_i_fail(err, SOTTO_INVALID, "features: %s, and feature_columns is %zu",
                        a->features != NULL || csr ? "are given" : "are NULL", a->feature_columns);
  if (a->feature_columns == 0) return SOTTO_OK;
  if (a->features != NULL && csr)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "features, feature_indptr: give features dense or as CSR, not as both");
  if ((unsigned)a->feature_indptr.type > SOTTO_INDEX_I64 ||
      (unsigned)a->feature_indices.type > SOTTO_INDEX_I64)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "feature_indptr, feature_indices: a type that is none of "
                        "sotto_index_type");
  if (__builtin_mul_overflow(a->nodes, a->feature_columns, &cells))
    return sotto_i_fail(err, SOTTO_NOMEM, "features: %llu x %zu are more than memory can hold",
                        (unsigned long long)a->nodes, a->feature_columns);
  parts->width = a->feature_columns;
  if (csr) return take_entries(parts, a, err);
  return take(&parts->features, parts, SOTTO_I_SUM_FEATURES, a->features, cells, sizeof(float), "features",
              a->borrow || a->borrow_features, err);
}

/* `most` classes are believed when their number is not given: a larger label is a mistake, not a class. */
static sotto_status find_classes(uint32_t *classes, const void *labels, uint64_t count, uint64_t most,
                                 const char *name, sotto_error *err) {
  const sotto_i_array from = {.data = labels, .kind = 'i', .item = sizeof(int32_t), .count = count};
  for (uint64_t i = 0; i < count; i++) {
    const int64_t label = sotto_i_index_at(&from, i);
    if (label < -1 || label >= (int64_t)most)
      return sotto_i_fail(err, SOTTO_RANGE,
                          "%s: element %llu is %lld, not -1 to %llu; set the number of classes if that is "
                          "meant",
                          name, (unsigned long long)i, (long long)label, (unsigned long long)most - 1);
    if (label >= (int64_t)*classes) *classes = (uint32_t)label + 1;
  }
  return SOTTO_OK;
}

static sotto_status take_labels(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (a->labels == NULL) return SOTTO_OK;
  parts->classes = a->classes;
  if (a->classes == 0) parts->classes_from = SOTTO_CLASSES_LARGEST;
  if (a->classes == 0) SOTTO_TRY(find_classes(&parts->classes, a->labels, a->nodes, a->nodes, "labels", err));
  SOTTO_TRY(take(&parts->labels, parts, SOTTO_I_SUM_LABELS, a->labels, a->nodes, sizeof *a->labels, "labels",
                 a->borrow, err));
done:
  return status;
}

static sotto_status take_split(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  static const char *const names[] = {"no part", "train", "validation", "test"};
  const uint8_t *const masks[] = {NULL, a->train, a->validation, a->test};
  if (a->train == NULL && a->validation == NULL && a->test == NULL) return SOTTO_OK;
  sotto_status status = sotto_i_new(&parts->split, a->nodes, sizeof *parts->split, err);
  for (uint8_t part = SOTTO_PART_TRAIN; status == SOTTO_OK && part <= SOTTO_PART_TEST; part++) {
    if (masks[part] == NULL) continue;
    for (uint64_t v = 0; v < a->nodes; v++) {
      if (masks[part][v] == 0) continue;
      if (parts->split[v] != SOTTO_PART_NONE)
        return sotto_i_fail(err, SOTTO_RANGE, "%s, %s: node %llu is in both parts", names[parts->split[v]],
                            names[part], (unsigned long long)v);
      parts->split[v] = part;
    }
  }
  return status;
}

static sotto_status take_graphs(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (a->graph_count == 0 && a->graph_first == NULL && a->graph_labels == NULL) return SOTTO_OK;
  if (a->graph_count == 0 || a->graph_first == NULL || a->graph_count == UINT64_MAX)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "graph_first: a collection has graph_count (%llu) + 1 elements here",
                        (unsigned long long)a->graph_count);
  parts->graph_count = a->graph_count;
  SOTTO_TRY(take(&parts->graph_first, parts, SOTTO_I_SUM_GRAPH_FIRST, a->graph_first, a->graph_count + 1,
                 sizeof *a->graph_first, "graph_first", a->borrow, err));
  if (a->graph_labels == NULL) return SOTTO_OK;
  parts->graph_classes = a->graph_classes;
  if (a->graph_classes == 0) parts->graph_classes_from = SOTTO_CLASSES_LARGEST;
  if (a->graph_classes == 0)
    SOTTO_TRY(find_classes(&parts->graph_classes, a->graph_labels, a->graph_count, a->graph_count,
                           "graph_labels", err));
  SOTTO_TRY(take(&parts->graph_labels, parts, SOTTO_I_SUM_GRAPH_LABELS, a->graph_labels, a->graph_count,
                 sizeof *a->graph_labels, "graph_labels", a->borrow, err));
done:
  return status;
}

static sotto_status read_arrays(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  sotto_status status;
  if (a->nodes < 1 || a->nodes >= UINT32_MAX)
    return sotto_i_fail(err, SOTTO_RANGE, "nodes: %llu; a dataset has 1 to 2^32 - 2",
                        (unsigned long long)a->nodes);
  parts->nodes = a->nodes;
  SOTTO_TRY(sotto_i_strdup(&parts->name, a->name == NULL ? "arrays" : a->name, err));
  SOTTO_TRY(sotto_i_arrays_edges(parts, a, err));
  SOTTO_TRY(take_features(parts, a, err));
  SOTTO_TRY(take_labels(parts, a, err));
  SOTTO_TRY(take_split(parts, a, err));
  SOTTO_TRY(take_graphs(parts, a, err));
done:
  return status;
}

sotto_status sotto_dataset_from_arrays(sotto_dataset *out, const sotto_arrays *arrays, sotto_error *err) {
  sotto_i_parts parts = {0};
  *out = (sotto_dataset){0};
  sotto_status status = read_arrays(&parts, arrays, err);
  if (status == SOTTO_OK) status = sotto_i_dataset_assemble(out, &parts, err);
  sotto_i_parts_free(&parts);
  return status;
}
