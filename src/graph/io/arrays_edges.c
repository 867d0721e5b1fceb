/* The edges of a dataset in the caller's arrays: CSR or pairs, copied or borrowed. */
#include <string.h>

#include "arrays.h"
#include "base/memory.h"
#include "graph/inside/graph.h"

sotto_i_array sotto_i_index_array(const sotto_index_array *from) {
  const bool is_signed = from->type == SOTTO_INDEX_I32 || from->type == SOTTO_INDEX_I64;
  const bool is_short = from->type == SOTTO_INDEX_U32 || from->type == SOTTO_INDEX_I32;
  return (sotto_i_array){.data = from->data,
                         .kind = is_signed ? 'i' : 'u',
                         .item = is_short ? 4 : 8,
                         .dims = 1,
                         .shape = {from->count, 1},
                         .count = from->count};
}

int64_t sotto_i_index_at(const sotto_i_array *array, uint64_t i) {
  int64_t value;
  return sotto_i_array_integer(array, i, &value) ? value : INT64_MAX;
}

bool sotto_i_is_aligned(const void *data, size_t size) {
  return data != NULL && (uintptr_t)data % size == 0;
}

static sotto_status check_starts(const sotto_i_csr_index *index, uint64_t rows, sotto_error *err) {
  const unsigned long long entries = index->indices.count;
  int64_t before = 0;
  if (index->starts.count != rows + 1)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: %llu elements, and %llu nodes need %llu", index->start_name,
                        (unsigned long long)index->starts.count, (unsigned long long)rows,
                        (unsigned long long)rows + 1);
  for (uint64_t v = 0; v <= rows; v++) {
    const int64_t start = sotto_i_index_at(&index->starts, v);
    if (start < before || (v == 0 && start != 0))
      return sotto_i_fail(err, SOTTO_RANGE, "%s: element %llu is %lld; they start at 0 and never go down",
                          index->start_name, (unsigned long long)v, (long long)start);
    before = start;
  }
  if ((uint64_t)before != entries)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: end at %lld, and %s has %llu elements", index->start_name,
                        (long long)before, index->index_name, entries);
  return SOTTO_OK;
}

sotto_status sotto_i_csr_index_check(const sotto_i_csr_index *index, uint64_t rows, uint64_t limit,
                                     sotto_error *err) {
  if (index->indices.count > 0 && index->indices.data == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is NULL, with %llu elements", index->index_name,
                        (unsigned long long)index->indices.count);
  sotto_status status = check_starts(index, rows, err);
  if (status != SOTTO_OK) return status;
  for (uint64_t v = 0; v < rows; v++) {
    const uint64_t end = (uint64_t)sotto_i_index_at(&index->starts, v + 1);
    for (uint64_t i = (uint64_t)sotto_i_index_at(&index->starts, v); i < end; i++) {
      const int64_t id = sotto_i_index_at(&index->indices, i);
      if (id < 0 || (uint64_t)id >= limit)
        return sotto_i_fail(err, SOTTO_RANGE, "%s: element %llu, of node %llu, is %lld, not 0 to %llu",
                            index->index_name, (unsigned long long)i, (unsigned long long)v, (long long)id,
                            (unsigned long long)limit - 1);
    }
  }
  return SOTTO_OK;
}

static sotto_status no_edges(sotto_i_parts *parts, sotto_error *err) {
  sotto_status status = sotto_i_new(&parts->offsets, parts->nodes + 1, sizeof *parts->offsets, err);
  if (status == SOTTO_OK) status = sotto_i_new(&parts->targets, 0, sizeof *parts->targets, err);
  return status;
}

/* The arrays as a graph, when they have its types; its promises are not checked yet. */
static bool as_graph(sotto_graph *out, const sotto_arrays *arrays) {
  *out = (sotto_graph){.nodes = arrays->nodes,
                       .entries = arrays->neighbours.count,
                       .offsets = arrays->offsets.data,
                       .targets = arrays->neighbours.data};
  return arrays->offsets.type == SOTTO_INDEX_U64 && arrays->neighbours.type == SOTTO_INDEX_U32 &&
         arrays->offsets.count == arrays->nodes + 1 &&
         sotto_i_is_aligned(out->offsets, sizeof *out->offsets) &&
         (out->entries == 0 || sotto_i_is_aligned(out->targets, sizeof *out->targets));
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

/* Rows in any order, one-way, with loops or repeats: taken apart into pairs and put together again. */
static sotto_status rebuild_graph(sotto_i_parts *parts, const sotto_arrays *arrays, sotto_error *err) {
  sotto_status status;
  sotto_i_edge_list pairs = {0};
  const sotto_i_csr_index index = {.start_name = "offsets",
                                   .index_name = "neighbours",
                                   .starts = sotto_i_index_array(&arrays->offsets),
                                   .indices = sotto_i_index_array(&arrays->neighbours)};
  SOTTO_TRY(sotto_i_csr_index_check(&index, parts->nodes, parts->nodes, err));
  SOTTO_TRY(sotto_i_edge_list_room(&pairs, index.indices.count, err));
  for (uint64_t v = 0; v < parts->nodes; v++)
    for (uint64_t end = (uint64_t)sotto_i_index_at(&index.starts, v + 1); pairs.count < end; pairs.count++) {
      pairs.from[pairs.count] = (uint32_t)v;
      pairs.to[pairs.count] = (uint32_t)sotto_i_index_at(&index.indices, pairs.count);
    }
  SOTTO_TRY(sotto_i_parts_edges(parts, parts->nodes, &pairs, "offsets, neighbours", err));
done:
  sotto_i_edge_list_free(&pairs);
  return status;
}

static sotto_status borrow_graph(sotto_i_parts *parts, const sotto_arrays *arrays, const sotto_graph *graph,
                                 sotto_error *err) {
  if (graph->offsets[graph->nodes] != graph->entries)
    return sotto_i_fail(err, SOTTO_INVALID, "offsets: end at %llu, and neighbours has %llu elements",
                        (unsigned long long)graph->offsets[graph->nodes],
                        (unsigned long long)arrays->neighbours.count);
  parts->offsets = (uint64_t *)(uintptr_t)graph->offsets;
  parts->borrowed |= 1U << SOTTO_I_SUM_OFFSETS;
  if (graph->entries == 0) return sotto_i_new(&parts->targets, 0, sizeof *parts->targets, err);
  parts->targets = (uint32_t *)(uintptr_t)graph->targets;
  parts->borrowed |= 1U << SOTTO_I_SUM_TARGETS;
  return SOTTO_OK;
}

static sotto_status take_csr(sotto_i_parts *parts, const sotto_arrays *arrays, sotto_error *err) {
  sotto_graph graph;
  const bool typed = as_graph(&graph, arrays);
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

/* Ids as they are when they have 32 bits, else in fresh memory (*owned). */
static sotto_status narrow(const uint32_t **out, uint32_t **owned, const sotto_index_array *from,
                           uint64_t nodes, const char *name, sotto_error *err) {
  const sotto_i_array ids = sotto_i_index_array(from);
  for (uint64_t i = 0; i < ids.count; i++) {
    const int64_t id = sotto_i_index_at(&ids, i);
    if (id < 0 || (uint64_t)id >= nodes)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: edge %llu has node %lld, not 0 to %llu", name,
                          (unsigned long long)i, (long long)id, (unsigned long long)nodes - 1);
  }
  if (ids.item == sizeof(uint32_t) && sotto_i_is_aligned(from->data, sizeof(uint32_t))) {
    *out = from->data;
    return SOTTO_OK;
  }
  sotto_status status = sotto_i_new_raw(owned, ids.count, sizeof **owned, err);
  for (uint64_t i = 0; status == SOTTO_OK && i < ids.count; i++)
    (*owned)[i] = (uint32_t)sotto_i_index_at(&ids, i);
  *out = *owned;
  return status;
}

static sotto_status take_pairs(sotto_i_parts *parts, const sotto_arrays *arrays, sotto_error *err) {
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
    return sotto_i_fail(err, SOTTO_INVALID, "%s: is NULL, with %llu elements",
                        arrays->sources.data == NULL ? "sources" : "targets", (unsigned long long)count);
  SOTTO_TRY(narrow(&sources, &owned[0], &arrays->sources, parts->nodes, "sources", err));
  SOTTO_TRY(narrow(&targets, &owned[1], &arrays->targets, parts->nodes, "targets", err));
  const sotto_i_edge_list pairs = {
      .from = (uint32_t *)(uintptr_t)sources, .to = (uint32_t *)(uintptr_t)targets, .count = count};
  SOTTO_TRY(sotto_i_parts_edges(parts, parts->nodes, &pairs, "sources, targets", err));
done:
  sotto_i_free(owned[0]);
  sotto_i_free(owned[1]);
  return status;
}

static sotto_status check_type(const sotto_index_array *array, const char *name, sotto_error *err) {
  if ((unsigned)array->type <= SOTTO_INDEX_I64) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "%s: type %u is none of sotto_index_type", name,
                      (unsigned)array->type);
}

static bool is_given(const sotto_index_array *array) {
  return array->data != NULL || array->count > 0;
}

sotto_status sotto_i_arrays_edges(sotto_i_parts *parts, const sotto_arrays *a, sotto_error *err) {
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
  if (csr && a->offsets.data == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "offsets: is NULL, and neighbours need them");
  status = csr ? take_csr(parts, a, err) : pairs ? take_pairs(parts, a, err) : no_edges(parts, err);
done:
  return status;
}
