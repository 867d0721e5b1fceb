/* numpy arrays that form a graph, in one .npz: a scipy sparse adjacency, or edge_index as in PyTorch
 * Geometric, with features (x or attr_matrix), class numbers (y or labels) and masks of a split. Or
 * edge_index alone in .npy. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "bundle.h"
#include "formats.h"
#include "graph/tables/transfer_values.h"

sotto_status sotto_i_bundle_array(sotto_i_bundle *b, sotto_i_array *out, const char **name, const char *first,
                                  const char *second, sotto_error *err) {
  *out = (sotto_i_array){0};
  *name = sotto_i_npz_has(&b->npz, first) ? first : second;
  if (*name == NULL || !sotto_i_npz_has(&b->npz, *name)) return SOTTO_OK;
  SOTTO_I_CHECK(b->count < SOTTO_I_BUNDLE_ARRAYS);
  b->used[b->count] = *name;
  return sotto_i_npz_array(&b->npz, out, &b->bytes[b->count++], *name, err);
}

sotto_status sotto_i_bundle_any(sotto_i_bundle *b, sotto_i_array *out, const char **name,
                                const char *const *names, sotto_error *err) {
  *out = (sotto_i_array){0};
  for (*name = *names; *names != NULL; names++)
    if (sotto_i_npz_has(&b->npz, *names)) return sotto_i_bundle_array(b, out, name, *names, NULL, err);
  return SOTTO_OK;
}

static const char *const edge_names[] = {"edge_index", "edges", NULL};

static sotto_status check_square(int64_t *rows, const sotto_i_array *shape, const char *file,
                                 sotto_error *err) {
  int64_t columns = 0;
  if (shape->count != 2 || !sotto_i_array_integer(shape, 0, rows) ||
      !sotto_i_array_integer(shape, 1, &columns) || *rows < 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array shape is not two sizes", file);
  if (*rows == columns) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE, "%s: the matrix is %lld x %lld; an adjacency is square", file,
                      (long long)*rows, (long long)columns);
}

/* Its shape is that of the features, of which there may be none. */
static bool is_export(const sotto_i_bundle *b, const sotto_i_array *shape) {
  int64_t columns;
  const bool none = shape->count == 2 && sotto_i_array_integer(shape, 1, &columns) && columns == 0;
  return none || sotto_i_npz_has(&b->npz, "features") || sotto_i_npz_has(&b->npz, "feature_indptr") ||
         sotto_i_npz_has(&b->npz, "split");
}

/* A matrix by rows or by columns: both give the same edges. */
static sotto_status read_compressed(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_csr adj = {.name = "the adjacency"};
  sotto_i_array shape;
  const char *name;
  int64_t rows = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_bundle_array(b, &adj.starts, &name, "indptr", "adj_indptr", err));
  SOTTO_TRY(sotto_i_bundle_array(b, &adj.indices, &name, "indices", "adj_indices", err));
  SOTTO_TRY(sotto_i_bundle_array(b, &adj.values, &name, "data", "adj_data", err));
  SOTTO_TRY(sotto_i_bundle_array(b, &shape, &name, "shape", "adj_shape", err));
  /* scipy writes the values and the matrix's shape, export.c no values and the shape of the features */
  const bool exported = shape.data != NULL && adj.values.data == NULL && is_export(b, &shape);
  if (shape.data != NULL && !exported) SOTTO_TRY(check_square(&rows, &shape, b->file, err));
  if (shape.data == NULL || exported) rows = (int64_t)(adj.starts.count == 0 ? 0 : adj.starts.count - 1);
  adj.rows = adj.cols = (uint64_t)rows;
  if (adj.indices.data == NULL)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: has indptr, and no array indices", b->file);
  SOTTO_TRY(sotto_i_sparse_check(&adj, b->file, err));
  SOTTO_TRY(sotto_i_reading_form(parts, err, "npz, a sparse adjacency"));
  SOTTO_TRY(sotto_i_sparse_edges(parts, &adj, b->file, err));
done:
  return status;
}

/* Ends of edges: edge i has elements from_first + i * step and to_first + i * step of their arrays. */
typedef struct ends {
  const sotto_i_array *from, *to;
  const sotto_i_array *values; /* NULL: all are 1; edges of value 0 are none */
  uint64_t from_first, to_first, step, count;
  const char *name;
} ends;

static sotto_status make_edges(sotto_i_parts *parts, const ends *e, uint64_t nodes, const char *file,
                               size_t bytes, sotto_error *err) {
  sotto_i_edge_list pairs = {0};
  int64_t most = -1;
  bool weighted = false;
  sotto_status status = SOTTO_OK;
  for (uint64_t i = 0; i < e->count; i++) {
    int64_t from, to;
    if (!sotto_i_array_integer(e->from, e->from_first + i * e->step, &from) ||
        !sotto_i_array_integer(e->to, e->to_first + i * e->step, &to) || from < 0 || to < 0 ||
        from >= UINT32_MAX || to >= UINT32_MAX ||
        (nodes > 0 && ((uint64_t)from >= nodes || (uint64_t)to >= nodes))) {
      status =
          sotto_i_fail(err, SOTTO_RANGE, "%s: array %s: edge %llu has an end that is no node number%s", file,
                       e->name, (unsigned long long)i, nodes > 0 ? " below the number of nodes" : "");
      goto done;
    }
    const double value = e->values == NULL ? 1 : sotto_i_array_double(e->values, i);
    if (value == 0) continue;
    weighted = weighted || value != 1;
    most = from > most ? from : most;
    most = to > most ? to : most;
    SOTTO_TRY(sotto_i_edge_list_add(&pairs, (uint32_t)from, (uint32_t)to, err));
  }
  if (nodes == 0) nodes = (uint64_t)(most + 1);
  SOTTO_TRY(sotto_i_check_nodes(nodes, file, bytes, err));
  SOTTO_TRY(sotto_i_parts_edges(parts, nodes, &pairs, file, err));
  if (weighted) SOTTO_TRY(sotto_i_reading_weights(parts, err));
done:
  sotto_i_edge_list_free(&pairs);
  return status;
}

/* Two edges of `edge_index` are 2 x edges; `edges` has one a row. */
static sotto_status split_index(ends *out, const sotto_i_array *index, const char *name, const char *file,
                                sotto_error *err) {
  const bool rows_alone = strcmp(name, "edges") == 0;
  *out = (ends){.from = index, .to = index, .step = 1, .name = name};
  if (index->dims == 2 && index->shape[0] == 2 && !rows_alone) {
    out->count = out->to_first = index->shape[1];
    return SOTTO_OK;
  }
  if (index->dims == 2 && index->shape[1] == 2) {
    *out =
        (ends){.from = index, .to = index, .to_first = 1, .step = 2, .count = index->shape[0], .name = name};
    return SOTTO_OK;
  }
  return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s is %s", file, name,
                      rows_alone ? "not edges x 2" : "neither 2 x edges nor edges x 2");
}

static sotto_status read_coordinates(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_array row, col, shape, values;
  const char *name;
  int64_t rows = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_bundle_array(b, &row, &name, "row", NULL, err));
  SOTTO_TRY(sotto_i_bundle_array(b, &col, &name, "col", NULL, err));
  SOTTO_TRY(sotto_i_bundle_array(b, &shape, &name, "shape", NULL, err));
  SOTTO_TRY(sotto_i_bundle_array(b, &values, &name, "data", NULL, err));
  SOTTO_TRY(check_square(&rows, &shape, b->file, err));
  if (row.count != col.count)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %llu elements in row, but %llu in col", b->file,
                        (unsigned long long)row.count, (unsigned long long)col.count);
  if (row.count > 0 && rows == 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: a matrix of no rows has entries", b->file);
  if (values.data != NULL && values.count != row.count)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %llu elements in row, but %llu in data", b->file,
                        (unsigned long long)row.count, (unsigned long long)values.count);
  const ends e = {.from = &row,
                  .to = &col,
                  .values = values.data == NULL ? NULL : &values,
                  .step = 1,
                  .count = row.count,
                  .name = "row or col"};
  SOTTO_TRY(sotto_i_reading_form(parts, err, "npz, a sparse adjacency of coordinates"));
  SOTTO_TRY(make_edges(parts, &e, (uint64_t)rows, b->file, b->size, err));
done:
  return status;
}

static sotto_status check_per_edge(const sotto_i_array *array, const char *name, uint64_t count,
                                   const char *file, sotto_error *err) {
  if (array->data == NULL || array->count == count) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s has %llu elements for %llu edges", file, name,
                      (unsigned long long)array->count, (unsigned long long)count);
}

/* Arrays of what transfers have, by their names; data NULL: they have it not. */
typedef struct transfer_arrays {
  const char *amount, *time, *kind;
  sotto_i_array amounts, times, kinds;
} transfer_arrays;

/* Numbers of kinds are read where a schema says what they stand for. */
static sotto_status read_transfer_arrays(sotto_i_bundle *b, transfer_arrays *a, uint64_t edges,
                                         sotto_error *err) {
  const char *name;
  sotto_status status;
  SOTTO_TRY(sotto_i_bundle_array(b, &a->amounts, &name, a->amount, NULL, err));
  SOTTO_TRY(sotto_i_bundle_array(b, &a->times, &name, a->time, NULL, err));
  a->kinds = (sotto_i_array){0};
  if (b->kinds != NULL) SOTTO_TRY(sotto_i_bundle_array(b, &a->kinds, &name, a->kind, NULL, err));
  SOTTO_TRY(check_per_edge(&a->amounts, a->amount, edges, b->file, err));
  SOTTO_TRY(check_per_edge(&a->times, a->time, edges, b->file, err));
  SOTTO_TRY(check_per_edge(&a->kinds, a->kind, edges, b->file, err));
done:
  return status;
}

static sotto_status read_transfer(sotto_i_transfer *out, const sotto_i_bundle *b, const transfer_arrays *a,
                                  uint64_t i, sotto_error *err) {
  int64_t kind = 0;
  out->amount = a->amounts.data == NULL ? 0 : sotto_i_array_double(&a->amounts, i);
  out->time = a->times.data == NULL ? 0 : sotto_i_array_double(&a->times, i);
  if (a->kinds.data != NULL &&
      (!sotto_i_array_integer(&a->kinds, i, &kind) || kind < 0 || (uint64_t)kind >= b->kinds->count))
    return sotto_i_fail(err, SOTTO_RANGE,
                        "%s: array %s: transfer %llu is of none of the %llu kinds that the "
                        "schema declares",
                        b->file, a->kind, (unsigned long long)i, (unsigned long long)b->kinds->count);
  out->kind = (uint8_t)kind;
  return SOTTO_OK;
}

/* Edges with amounts, times or kinds are transfers from their first end to the second; so are all that
 * `directed` says. */
static sotto_status add_transfers(sotto_i_bundle *b, sotto_i_parts *parts, const ends *e, bool directed,
                                  transfer_arrays a, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(read_transfer_arrays(b, &a, e->count, err));
  if (a.amounts.data == NULL && a.times.data == NULL && a.kinds.data == NULL && !directed) goto done;
  parts->transfers =
      (sotto_i_transfers){.has_amounts = a.amounts.data != NULL, .has_times = a.times.data != NULL};
  if (a.kinds.data != NULL)
    SOTTO_TRY(sotto_i_names_take(&parts->transfers.kind_names, b->kinds, NULL, 0, err));
  for (uint64_t i = 0; i < e->count; i++) {
    sotto_i_transfer transfer;
    int64_t from, to;
    if (!sotto_i_array_integer(e->from, e->from_first + i * e->step, &from) ||
        !sotto_i_array_integer(e->to, e->to_first + i * e->step, &to) || from < 0 || to < 0 ||
        (uint64_t)from >= parts->nodes || (uint64_t)to >= parts->nodes)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: array %s: transfer %llu has an end that is no node number",
                          b->file, e->name, (unsigned long long)i);
    transfer.source = (uint32_t)from;
    transfer.target = (uint32_t)to;
    SOTTO_TRY(read_transfer(&transfer, b, &a, i, err));
    SOTTO_TRY(sotto_i_transfers_add(&parts->transfers, transfer, err));
  }
  SOTTO_TRY(sotto_i_transfers_sort(&parts->transfers, err));
done:
  return status;
}

/* Number of nodes: num_nodes if given, else the rows of x or the elements of y, else what the edges need
 * (0). */
static sotto_status count_nodes(sotto_i_bundle *b, uint64_t *out, sotto_error *err) {
  static const char *const of_nodes[] = {"x", "attr_matrix", "features",   "node_features",
                                         "y", "labels",      "node_labels"};
  sotto_i_array array;
  const char *name;
  int64_t number = 0;
  *out = 0;
  sotto_status status = sotto_i_bundle_array(b, &array, &name, "num_nodes", NULL, err);
  if (status != SOTTO_OK) return status;
  if (array.data != NULL) {
    if (array.count != 1 || !sotto_i_array_integer(&array, 0, &number) || number < 1)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: array num_nodes is not one number above 0", b->file);
    *out = (uint64_t)number;
    return SOTTO_OK;
  }
  for (size_t i = 0; i < sizeof of_nodes / sizeof *of_nodes && *out == 0; i++) {
    if (!sotto_i_npz_has(&b->npz, of_nodes[i])) continue;
    status = sotto_i_npz_shape(&b->npz, &array, of_nodes[i], err);
    if (status != SOTTO_OK) return status;
    *out = array.shape[0];
  }
  return SOTTO_OK;
}

static sotto_status read_index(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_array index;
  const char *name;
  uint64_t nodes;
  ends e;
  sotto_status status;
  SOTTO_TRY(count_nodes(b, &nodes, err));
  SOTTO_TRY(sotto_i_bundle_any(b, &index, &name, edge_names, err));
  SOTTO_TRY(split_index(&e, &index, name, b->file, err));
  SOTTO_TRY(sotto_i_reading_form(parts, err, "npz, %s", name));
  SOTTO_TRY(make_edges(parts, &e, nodes, b->file, b->size, err));
  SOTTO_TRY(add_transfers(
      b, parts, &e, false,
      (transfer_arrays){.amount = "edge_amount", .time = "edge_time", .kind = "edge_kind"}, err));
done:
  return status;
}

/* What export.c writes beside the adjacency: the split, and transfers. */
static sotto_status add_exported(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_array split, from, to;
  const char *name;
  sotto_status status;
  SOTTO_TRY(sotto_i_bundle_array(b, &split, &name, "split", NULL, err));
  if (split.data != NULL && (split.count != parts->nodes || parts->split != NULL))
    return sotto_i_fail(err, SOTTO_PARSE,
                        "%s: array split has %llu elements for %llu nodes, or masks beside it", b->file,
                        (unsigned long long)split.count, (unsigned long long)parts->nodes);
  if (split.data != NULL) SOTTO_TRY(sotto_i_new(&parts->split, parts->nodes, 1, err));
  for (uint64_t v = 0; split.data != NULL && v < parts->nodes; v++) {
    const double part = sotto_i_array_double(&split, v);
    parts->split[v] = part >= 0 && part <= UINT8_MAX ? (uint8_t)part : UINT8_MAX;
  }
  SOTTO_TRY(sotto_i_bundle_array(b, &from, &name, "transfer_sources", NULL, err));
  SOTTO_TRY(sotto_i_bundle_array(b, &to, &name, "transfer_targets", NULL, err));
  if (from.data == NULL && to.data == NULL) goto done;
  if (from.data == NULL || to.data == NULL || from.count != to.count)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "%s: arrays transfer_sources and transfer_targets have %llu and %llu elements",
                        b->file, (unsigned long long)from.count, (unsigned long long)to.count);
  const ends e = {.from = &from, .to = &to, .step = 1, .count = from.count, .name = "transfer_sources"};
  SOTTO_TRY(add_transfers(
      b, parts, &e, true,
      (transfer_arrays){.amount = "transfer_amounts", .time = "transfer_times", .kind = "transfer_kinds"},
      err));
done:
  return status;
}

/* Is it an array that is read: one of the bundle's, of the "pitfalls" benchmark's, or the name of a format?
 */
static bool is_used(const sotto_i_bundle *b, const char *entry) {
  static const char *const pitfalls[] = {"adj_indices.npy", "adj_indptr.npy",   "adj_data.npy",
                                         "adj_shape.npy",   "attr_indices.npy", "attr_indptr.npy",
                                         "attr_data.npy",   "attr_shape.npy",   "labels.npy"};
  if (strcmp(entry, "format.npy") == 0) return true;
  for (size_t i = 0; b->count == 0 && i < sizeof pitfalls / sizeof *pitfalls; i++)
    if (strcmp(entry, pitfalls[i]) == 0) return true;
  for (size_t i = 0; i < b->count; i++) {
    const size_t length = strlen(b->used[i]);
    if (strncmp(entry, b->used[i], length) == 0 && strcmp(entry + length, ".npy") == 0) return true;
  }
  return false;
}

/* Names the arrays that are not read. */
static sotto_status report_unused(const sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  const char *entry;
  for (uint64_t i = 0; (entry = sotto_i_npz_entry(&b->npz, i)) != NULL; i++) {
    char name[100];
    if (is_used(b, entry)) continue;
    (void)snprintf(name, sizeof name, "array %.80s", entry);
    const sotto_column unused = {.name = name, .kind = SOTTO_COLUMN_UNUSED};
    const sotto_status status = sotto_i_reading_column(parts, &unused, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status read_bundle(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_status status;
  if (sotto_i_npz_has(&b->npz, "edge_index") || sotto_i_npz_has(&b->npz, "edges")) {
    SOTTO_TRY(read_index(b, parts, err));
  } else if (sotto_i_npz_has(&b->npz, "indptr") || sotto_i_npz_has(&b->npz, "adj_indptr")) {
    SOTTO_TRY(read_compressed(b, parts, err));
  } else if (sotto_i_npz_has(&b->npz, "row") && sotto_i_npz_has(&b->npz, "col")) {
    SOTTO_TRY(read_coordinates(b, parts, err));
  } else {
    return sotto_i_fail(
        err, SOTTO_PARSE,
        "%s: has no array edge_index, indptr (scipy) or adj_indptr, so it is not read as a graph; "
        "save edge_index, x and y with numpy.savez",
        b->file);
  }
  if (sotto_i_npz_has(&b->npz, "graph_first"))
    return sotto_i_fail(
        err, SOTTO_UNSUPPORTED,
        "%s: is an export of a collection of graphs, which is not read back; open the dataset that "
        "it was made of",
        b->file);
  SOTTO_TRY(sotto_i_bundle_nodes(b, parts, err));
  SOTTO_TRY(add_exported(b, parts, err));
done:
  return status;
}

static sotto_status read_npy(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err) {
  sotto_i_array index;
  uint8_t *made = NULL;
  size_t begin;
  ends e;
  sotto_status status;
  const size_t head = file->size < SOTTO_I_NPY_HEAD ? file->size : SOTTO_I_NPY_HEAD;
  SOTTO_TRY(sotto_i_npy_head(&index, &begin, file->data, head, file->size, file->file, "edge_index", err));
  index.data = file->data + begin;
  SOTTO_TRY(sotto_i_npy_settle(&index, &made, err));
  SOTTO_TRY(split_index(&e, &index, "edge_index", file->file, err));
  SOTTO_TRY(sotto_i_reading_form(parts, err, "npy, edge_index"));
  SOTTO_TRY(make_edges(parts, &e, 0, file->file, file->size, err));
done:
  sotto_i_free(made);
  return status;
}

sotto_status sotto_i_read_arrays(sotto_i_parts *parts, const sotto_i_source *file,
                                 const sotto_import_options *options, sotto_error *err) {
  sotto_i_bundle b = {.file = file->file, .size = file->size, .kinds = sotto_i_transfer_kinds(options)};
  sotto_status status;
  if (file->size > 6 && memcmp(file->data, "\x93NUMPY", 6) == 0) return read_npy(parts, file, err);
  SOTTO_TRY(sotto_i_npz_open(&b.npz, file, err));
  if (sotto_i_npz_has(&b.npz, "adj_indptr") && sotto_i_npz_has(&b.npz, "attr_indptr")) {
    SOTTO_TRY(sotto_i_reading_form(parts, err, "npz, sparse adjacency and attributes"));
    SOTTO_TRY(sotto_i_read_npz(parts, file, err));
  } else {
    SOTTO_TRY(read_bundle(&b, parts, err));
  }
  SOTTO_TRY(report_unused(&b, parts, err));
done:
  sotto_i_npz_close(&b.npz);
  for (size_t i = 0; i < b.count; i++) sotto_i_free(b.bytes[i]);
  return status;
}
