/* Datasets from the caller's own arrays (sotto_dataset_from_arrays): edges, features, labels, split,
 * graphs. */
#include "arrays.h"

#include <string.h>

#include "base/memory.h"
#include "inside/graph.h"

/* Wraps the caller's array in the array type of the readers; the data is not copied. */
static sotto_i_array index_array(const sotto_index_array *from) {
  const bool is_signed = from->type == SOTTO_INDEX_I32 || from->type == SOTTO_INDEX_I64;
  const bool is_short = from->type == SOTTO_INDEX_U32 || from->type == SOTTO_INDEX_I32;
  return (sotto_i_array){.data = from->data,
                         .kind = is_signed ? 'i' : 'u',
                         .item = is_short ? 4 : 8,
                         .dims = 1,
                         .shape = {from->count, 1},
                         .count = from->count};
}

/* Element i as an integer; INT64_MAX for larger values. */
static int64_t index_at(const sotto_i_array *array, uint64_t i) {
  int64_t value;
  return sotto_i_array_integer(array, i, &value) ? value : INT64_MAX;
}

/* Whether the data exists and is aligned to `size`. */
static bool is_aligned(const void *data, size_t size) {
  return data != NULL && (uintptr_t)data % size == 0;
}

static sotto_status check_starts(const sotto_i_csr_index *index, uint64_t rows, sotto_error *err) {
  const unsigned long long entries = index->indices.count;
  int64_t before = 0;
  if (index->starts.count != rows + 1)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: has %llu elements, but %llu nodes need %llu",
                        index->start_name, (unsigned long long)index->starts.count, (unsigned long long)rows,
                        (unsigned long long)rows + 1);
  for (uint64_t v = 0; v <= rows; v++) {
    const int64_t start = index_at(&index->starts, v);
    if (start < before || (v == 0 && start != 0))
      return sotto_i_fail(err, SOTTO_RANGE, "%s: element %llu is %lld; they must start at 0 and ascend",
                          index->start_name, (unsigned long long)v, (long long)start);
    before = start;
  }
  if ((uint64_t)before != entries)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: end at %lld, but %s has %llu elements", index->start_name,
                        (long long)before, index->index_name, entries);
  return SOTTO_OK;
}

/* Checks rows + 1 starts that ascend from 0 to the number of indices, and every index below `limit`.
 * Errors: INVALID, RANGE, naming the array and the element. */
static sotto_status csr_index_check(const sotto_i_csr_index *index, uint64_t rows, uint64_t limit,
                                    sotto_error *err) {
  if (index->indices.count > 0 && index->indices.data == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is NULL, but has %llu elements", index->index_name,
                        (unsigned long long)index->indices.count);
  sotto_status status = check_starts(index, rows, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < rows; v++) {
    const uint64_t end = (uint64_t)index_at(&index->starts, v + 1);
    for (uint64_t i = (uint64_t)index_at(&index->starts, v); i < end; i++) {
      const int64_t id = index_at(&index->indices, i);
      if (id < 0 || (uint64_t)id >= limit)
        return sotto_i_fail(err, SOTTO_RANGE, "%s: element %llu, of node %llu, is %lld, not 0 to %llu",
                            index->index_name, (unsigned long long)i, (unsigned long long)v, (long long)id,
                            (unsigned long long)limit - 1);
    }
  }
  return SOTTO_OK;
}

static sotto_status alloc_no_edges(sotto_i_parts *parts, sotto_error *err) {
  sotto_status status = sotto_i_new(&parts->offsets, parts->nodes + 1, sizeof *parts->offsets, err);
  if (status == SOTTO_OK) status = sotto_i_new(&parts->targets, 0, sizeof *parts->targets, err);
  return status;
}

/* Views the arrays as a graph if they have its types; its conditions are not checked yet. */
static bool view_as_graph(sotto_graph *out, const sotto_arrays *arrays) {
  *out = (sotto_graph){.nodes = arrays->nodes,
                       .entries = arrays->neighbours.count,
                       .offsets = arrays->offsets.data,
                       .targets = arrays->neighbours.data};
  return arrays->offsets.type == SOTTO_INDEX_U64 && arrays->neighbours.type == SOTTO_INDEX_U32 &&
         arrays->offsets.count == arrays->nodes + 1 && is_aligned(out->offsets, sizeof *out->offsets) &&
         (out->entries == 0 || is_aligned(out->targets, sizeof *out->targets));
}

static sotto_status copy_graph(sotto_i_parts *parts, const sotto_graph *graph, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(sotto_i_new_raw(&parts->offsets, graph->nodes + 1, sizeof *parts->offsets, err));
  SOTTO_TRY(sotto_i_new_raw(&parts->targets, graph->entries, sizeof *parts->targets, err));
  memcpy(parts->offsets, graph->offsets, (graph->nodes + 1) * sizeof *parts->offsets);
  if (graph->entries > 0) memcpy(parts->targets, graph->targets, graph->entries * sizeof *parts->targets);
done:
  return status;
}

/* Rows in any order, one-way, with loops or repeats: converts them to pairs and builds the graph again. */
static sotto_status rebuild_graph(sotto_i_parts *parts, const sotto_arrays *arrays, sotto_error *err) {
  sotto_status status;
  sotto_i_edge_list pairs = {0};
  const sotto_i_csr_index index = {.start_name = "offsets",
                                   .index_name = "neighbours",
                                   .starts = index_array(&arrays->offsets),
                                   .indices = index_array(&arrays->neighbours)};
  SOTTO_TRY(csr_index_check(&index, parts->nodes, parts->nodes, err));
  SOTTO_TRY(sotto_i_edge_list_room(&pairs, index.indices.count, err));
  for (uint64_t v = 0; v < parts->nodes; v++)
    for (uint64_t end = (uint64_t)index_at(&index.starts, v + 1); pairs.count < end; pairs.count++) {
      pairs.from[pairs.count] = (uint32_t)v;
      pairs.to[pairs.count] = (uint32_t)index_at(&index.indices, pairs.count);
    }
  SOTTO_TRY(sotto_i_parts_edges(parts, parts->nodes, &pairs, "offsets, neighbours", err));
done:
  sotto_i_edge_list_free(&pairs);
  return status;
}

static sotto_status borrow_graph(sotto_i_parts *parts, const sotto_arrays *arrays, const sotto_graph *graph,
                                 sotto_error *err) {
  if (graph->offsets[graph->nodes] != graph->entries)
    return sotto_i_fail(err, SOTTO_INVALID, "offsets: end at %llu, but neighbours has %llu elements",
                        (unsigned long long)graph->offsets[graph->nodes],
                        (unsigned long long)arrays->neighbours.count);
  parts->offsets = (uint64_t *)(uintptr_t)graph->offsets;
  parts->borrowed |= 1U << SOTTO_I_SUM_OFFSETS;
  if (graph->entries == 0) return sotto_i_new(&parts->targets, 0, sizeof *parts->targets, err);
  parts->targets = (uint32_t *)(uintptr_t)graph->targets;
  parts->borrowed |= 1U << SOTTO_I_SUM_TARGETS;
  return SOTTO_OK;
}

static sotto_status read_csr(sotto_i_parts *parts, const sotto_arrays *arrays, sotto_error *err) {
  sotto_graph graph;
  const bool typed = view_as_graph(&graph, arrays);
  if (arrays->borrow && !typed)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "offsets, neighbours: only aligned 64-bit offsets (%llu of them) and 32-bit "
                        "neighbours can be borrowed; set borrow to false for a copy",
                        (unsigned long long)arrays->nodes + 1);
  if (arrays->borrow) return borrow_graph(parts, arrays, &graph, err);
  const sotto_status kept = typed ? sotto_graph_check(&graph, NULL) : SOTTO_CORRUPT;
  if (kept == SOTTO_OK) return copy_graph(parts, &graph, err);
  if (kept == SOTTO_NOMEM) return sotto_i_fail(err, kept, "offsets, neighbours: no memory to check them");
  return rebuild_graph(parts, arrays, err);
}

/* Ids unchanged if they have 32 bits, else converted into new memory (*owned). */
static sotto_status to_u32(const uint32_t **out, uint32_t **owned, const sotto_index_array *from,
                           uint64_t nodes, const char *name, sotto_error *err) {
  const sotto_i_array ids = index_array(from);
  for (uint64_t i = 0; i < ids.count; i++) {
    const int64_t id = index_at(&ids, i);
    if (id < 0 || (uint64_t)id >= nodes)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: edge %llu has node %lld, not 0 to %llu", name,
                          (unsigned long long)i, (long long)id, (unsigned long long)nodes - 1);
  }
  if (ids.item == sizeof(uint32_t) && is_aligned(from->data, sizeof(uint32_t))) {
    *out = from->data;
    return SOTTO_OK;
  }
  sotto_status status = sotto_i_new_raw(owned, ids.count, sizeof **owned, err);
  for (uint64_t i = 0; status == SOTTO_OK && i < ids.count; i++) (*owned)[i] = (uint32_t)index_at(&ids, i);
  *out = *owned;
  return status;
}

static sotto_status read_transfers(sotto_i_transfers *out, const sotto_arrays *a,
                                   const sotto_i_edge_list *pairs, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_transfers rows = {.count = pairs->count,
                          .sources = pairs->from,
                          .targets = pairs->to,
                          .amounts = a->amounts,
                          .times = a->times,
                          .kinds = a->kinds};
  if (a->amounts == NULL && a->times == NULL && a->kinds == NULL && !a->directed) return SOTTO_OK;
  if (a->kind_names != NULL) rows.kind_names = *a->kind_names;
  if (a->kinds != NULL && rows.kind_names.count == 0)
    return sotto_i_fail(err, SOTTO_INVALID, "kinds: have no names; declare them in kind_names");
  SOTTO_TRY(sotto_i_transfers_like(out, &rows, err));
  for (uint64_t i = 0; i < rows.count; i++)
    SOTTO_TRY(sotto_i_transfers_add(out, sotto_i_transfers_row(&rows, i), err));
  SOTTO_TRY(sotto_i_transfers_sort(out, err));
done:
  return status;
}

static sotto_status read_pairs(sotto_i_parts *parts, const sotto_arrays *arrays, sotto_error *err) {
  sotto_status status;
  const uint32_t *sources = NULL, *targets = NULL;
  uint32_t *owned[2] = {NULL, NULL};
  const uint64_t count = arrays->sources.count;
  if (arrays->borrow)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "sources, targets: pairs cannot be borrowed; give CSR, or set borrow to false");
  if (count != arrays->targets.count)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "sources, targets: %llu and %llu elements; an edge has one of each",
                        (unsigned long long)count, (unsigned long long)arrays->targets.count);
  if (count > 0 && (arrays->sources.data == NULL || arrays->targets.data == NULL))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is NULL, but has %llu elements",
                        arrays->sources.data == NULL ? "sources" : "targets", (unsigned long long)count);
  SOTTO_TRY(to_u32(&sources, &owned[0], &arrays->sources, parts->nodes, "sources", err));
  SOTTO_TRY(to_u32(&targets, &owned[1], &arrays->targets, parts->nodes, "targets", err));
  const sotto_i_edge_list pairs = {
      .from = (uint32_t *)(uintptr_t)sources, .to = (uint32_t *)(uintptr_t)targets, .count = count};
  SOTTO_TRY(sotto_i_parts_edges(parts, parts->nodes, &pairs, "sources, targets", err));
  SOTTO_TRY(read_transfers(&parts->transfers, arrays, &pairs, err));
done:
  sotto_i_free(owned[0]);
  sotto_i_free(owned[1]);
  return status;
}

static sotto_status check_type(const sotto_index_array *array, const char *name, sotto_error *err) {
  if ((unsigned)array->type <= SOTTO_INDEX_I64) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: type %u is not a sotto_index_type", name,
                      (unsigned)array->type);
}

static bool is_given(const sotto_index_array *array) {
  return array->data != NULL || array->count > 0;
}

/* Fills parts->offsets and parts->targets; parts->nodes is set. */
static sotto_status arrays_edges(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  sotto_status status;
  const bool csr = is_given(&a->offsets) || is_given(&a->neighbours);
  const bool pairs = is_given(&a->sources) || is_given(&a->targets);
  SOTTO_TRY(check_type(&a->offsets, "offsets", err));
  SOTTO_TRY(check_type(&a->neighbours, "neighbours", err));
  SOTTO_TRY(check_type(&a->sources, "sources", err));
  SOTTO_TRY(check_type(&a->targets, "targets", err));
  if (csr && pairs)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "offsets, sources: give the edges as CSR or as pairs, not as both");
  if (!pairs && (a->amounts != NULL || a->times != NULL || a->kinds != NULL || a->directed))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "amounts, times, kinds: are of pairs; give the edges as sources and targets");
  if (csr && a->offsets.data == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "offsets: is NULL, but neighbours need them");
  status = csr ? read_csr(parts, a, err) : pairs ? read_pairs(parts, a, err) : alloc_no_edges(parts, err);
done:
  return status;
}

/* Copies or borrows `count` items of `size` bytes. `array` is a SOTTO_I_SUM_ number; *out is a T **. */
static sotto_status copy_or_borrow(void *out, sotto_i_parts *parts, unsigned array, const void *from,
                                   uint64_t count, size_t size, const char *name, bool borrow,
                                   sotto_error *err) {
  if (borrow && !is_aligned(from, size))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is not aligned to %zu bytes; set borrow to false for a copy",
                        name, size);
  if (borrow) {
    *(void **)out = (void *)(uintptr_t)from;
    parts->borrowed |= 1U << array;
    return SOTTO_OK;
  }
  sotto_status status = sotto_i_new_raw(out, count, size, err);
  if (status == SOTTO_OK && count > 0) memcpy(*(void **)out, from, count * size);
  return status;
}

static sotto_status read_sparse_features(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  const sotto_i_array values = {.data = (const uint8_t *)a->feature_values,
                                .kind = 'f',
                                .item = sizeof(float),
                                .dims = 1,
                                .shape = {a->feature_indices.count, 1},
                                .count = a->feature_indices.count};
  const sotto_i_csr_index index = {.start_name = "feature_indptr",
                                   .index_name = "feature_indices",
                                   .starts = index_array(&a->feature_indptr),
                                   .indices = index_array(&a->feature_indices)};
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
  SOTTO_TRY(csr_index_check(&index, a->nodes, a->feature_columns, err));
  const bool sparse = (a->keep_entries && a->feature_columns <= UINT32_MAX) ||
                      sotto_i_features_sparse(a->nodes, a->feature_columns, values.count);
  const sotto_i_feature_reader from = {&rows, sotto_i_csr_row, sotto_i_csr_entries};
  SOTTO_TRY(sotto_i_features_fill(parts, sparse, values.count, &from, err));
done:
  return status;
}

static sotto_status read_features(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
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
                        "feature_indptr, feature_indices: a type that is not a "
                        "sotto_index_type");
  if (__builtin_mul_overflow(a->nodes, a->feature_columns, &cells))
    return sotto_i_fail(err, SOTTO_NOMEM, "features: %llu x %zu are more than memory can hold",
                        (unsigned long long)a->nodes, a->feature_columns);
  parts->width = a->feature_columns;
  if (csr) return read_sparse_features(parts, a, err);
  return copy_or_borrow(&parts->features, parts, SOTTO_I_SUM_FEATURES, a->features, cells, sizeof(float),
                        "features", a->borrow || a->borrow_features, err);
}

/* If the number of classes is not given, at most `most` classes are accepted: a larger label is a mistake,
 * not a class. */
static sotto_status find_classes(uint32_t *classes, const void *labels, uint64_t count, uint64_t most,
                                 const char *name, sotto_error *err) {
  const sotto_i_array from = {.data = labels, .kind = 'i', .item = sizeof(int32_t), .count = count};
  for (uint64_t i = 0; i < count; i++) {
    const int64_t label = index_at(&from, i);
    if (label < -1 || label >= (int64_t)most)
      return sotto_i_fail(err, SOTTO_RANGE,
                          "%s: element %llu is %lld, not -1 to %llu; set the number of classes if that is "
                          "meant",
                          name, (unsigned long long)i, (long long)label, (unsigned long long)most - 1);
    if (label >= (int64_t)*classes) *classes = (uint32_t)label + 1;
  }
  return SOTTO_OK;
}

static sotto_status read_labels(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (a->labels == NULL) return SOTTO_OK;
  parts->classes = a->classes;
  if (a->classes == 0) parts->classes_from = SOTTO_CLASSES_LARGEST;
  if (a->classes == 0) SOTTO_TRY(find_classes(&parts->classes, a->labels, a->nodes, a->nodes, "labels", err));
  SOTTO_TRY(copy_or_borrow(&parts->labels, parts, SOTTO_I_SUM_LABELS, a->labels, a->nodes, sizeof *a->labels,
                           "labels", a->borrow, err));
done:
  return status;
}

static sotto_status read_split(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
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

static sotto_status read_graphs(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (a->graph_count == 0 && a->graph_first == NULL && a->graph_labels == NULL) return SOTTO_OK;
  if (a->graph_count == 0 || a->graph_first == NULL || a->graph_count == UINT64_MAX)
    return sotto_i_fail(err, SOTTO_INVALID,
                        "graph_first: a collection has graph_count (%llu) + 1 elements here",
                        (unsigned long long)a->graph_count);
  parts->graph_count = a->graph_count;
  SOTTO_TRY(copy_or_borrow(&parts->graph_first, parts, SOTTO_I_SUM_GRAPH_FIRST, a->graph_first,
                           a->graph_count + 1, sizeof *a->graph_first, "graph_first", a->borrow, err));
  if (a->graph_labels == NULL) return SOTTO_OK;
  parts->graph_classes = a->graph_classes;
  if (a->graph_classes == 0) parts->graph_classes_from = SOTTO_CLASSES_LARGEST;
  if (a->graph_classes == 0)
    SOTTO_TRY(find_classes(&parts->graph_classes, a->graph_labels, a->graph_count, a->graph_count,
                           "graph_labels", err));
  SOTTO_TRY(copy_or_borrow(&parts->graph_labels, parts, SOTTO_I_SUM_GRAPH_LABELS, a->graph_labels,
                           a->graph_count, sizeof *a->graph_labels, "graph_labels", a->borrow, err));
done:
  return status;
}

static sotto_status name_classes(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  const sotto_names *names = &a->schema->classes;
  if (a->labels == NULL) return SOTTO_OK;
  if (a->schema_found) parts->classes_from = SOTTO_CLASSES_FOUND;
  if (names->count == 0) return SOTTO_OK;
  if (a->classes == 0 && parts->classes < names->count) parts->classes = (uint32_t)names->count;
  if (names->count > parts->classes)
    return sotto_i_fail(err, SOTTO_RANGE, "schema: names %llu classes, and classes is %u",
                        (unsigned long long)names->count, (unsigned)parts->classes);
  if (a->classes == 0 && names->count < parts->classes)
    return sotto_i_fail(
        err, SOTTO_RANGE,
        "schema: names %llu classes, and a label is %u; labels are the numbers of these classes",
        (unsigned long long)names->count, (unsigned)parts->classes - 1);
  if (!a->schema_found) parts->classes_from = SOTTO_CLASSES_DECLARED;
  return sotto_i_names_pad(&parts->names[SOTTO_I_NAMES_CLASSES], names, parts->classes, err);
}

static sotto_status read_schema(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
  static const sotto_names no_names = {0};
  const sotto_schema *schema = a->schema;
  sotto_status status;
  if (schema == NULL) return SOTTO_OK;
  if (schema->feature_count > 0 && schema->feature_count != a->feature_columns)
    return sotto_i_fail(err, SOTTO_INVALID, "schema: has %llu features, and feature_columns is %zu",
                        (unsigned long long)schema->feature_count, a->feature_columns);
  SOTTO_TRY(name_classes(parts, a, err));
  if (a->schema_found) SOTTO_TRY(sotto_i_reading_form(parts, err, "arrays with names"));
  if (schema->feature_count == 0) goto done;
  SOTTO_TRY(sotto_i_schema_features(&parts->names[SOTTO_I_NAMES_FEATURES], schema, err));
  SOTTO_TRY(sotto_i_schema_copy(&parts->schema, schema, err));
  sotto_i_free((void *)(uintptr_t)parts->schema->moments); /* of another training */
  parts->schema->moments = NULL;
  SOTTO_TRY(sotto_i_schema_set_classes(parts->schema, &no_names, err));
  status = sotto_i_schema_set_kinds(parts->schema, &no_names, err); /* transfers have their own */
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
  SOTTO_TRY(arrays_edges(parts, a, err));
  SOTTO_TRY(read_features(parts, a, err));
  SOTTO_TRY(read_labels(parts, a, err));
  SOTTO_TRY(sotto_i_parts_numbers(parts, a->numbers, NULL, a->nodes, err));
  SOTTO_TRY(read_split(parts, a, err));
  SOTTO_TRY(read_graphs(parts, a, err));
  SOTTO_TRY(read_schema(parts, a, err));
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
