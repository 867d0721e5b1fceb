/* The .npz of "Pitfalls of GNN evaluation" (Shchur et al. 2018): CSR adjacency and attributes, labels. The
 * adjacency is directed as published, and is symmetrised. Attributes keep their values. */
#include <string.h>

#include "base/memory.h"
#include "npz.h"

enum {
  ADJ_INDICES,
  ADJ_INDPTR,
  ADJ_DATA,
  ADJ_SHAPE,
  ATTR_INDICES,
  ATTR_INDPTR,
  ATTR_DATA,
  ATTR_SHAPE,
  LABELS,
  ARRAYS
};
static const char *const array_names[ARRAYS] = {"adj_indices", "adj_indptr",   "adj_data",
                                                "adj_shape",   "attr_indices", "attr_indptr",
                                                "attr_data",   "attr_shape",   "labels"};

typedef struct archive {
  uint8_t *bytes[ARRAYS];
  sotto_i_array arrays[ARRAYS];
} archive;

/* Refuses contradicting sizes before anything large is unpacked. */
static sotto_status check_shapes(sotto_i_npz *npz, const char *file, sotto_error *err) {
  sotto_i_array shapes[ARRAYS] = {0};
  for (size_t i = 0; i < ARRAYS; i++) {
    sotto_status status = sotto_i_npz_shape(npz, &shapes[i], array_names[i], err);
    if (status != SOTTO_OK) return status;
  }
  const uint64_t starts = shapes[ADJ_INDPTR].count;
  for (size_t first = ADJ_INDICES; first <= ATTR_INDICES; first += ATTR_INDICES) {
    if (shapes[first + ADJ_SHAPE].count != 2)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s is not two sizes", file,
                          array_names[first + ADJ_SHAPE]);
    if (shapes[first + ADJ_INDPTR].count != starts)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: arrays %s and %s have different numbers of rows", file,
                          array_names[ADJ_INDPTR], array_names[first + ADJ_INDPTR]);
    if (shapes[first + ADJ_DATA].count != shapes[first + ADJ_INDICES].count)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: %llu indices in %s, but %llu values in %s", file,
                          (unsigned long long)shapes[first + ADJ_INDICES].count,
                          array_names[first + ADJ_INDICES],
                          (unsigned long long)shapes[first + ADJ_DATA].count, array_names[first + ADJ_DATA]);
  }
  if (shapes[LABELS].count + 1 != starts)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array labels has %llu elements, but adj_indptr %llu", file,
                        (unsigned long long)shapes[LABELS].count, (unsigned long long)starts);
  return SOTTO_OK;
}

static sotto_status unpack_all(archive *a, const sotto_i_source *file, sotto_error *err) {
  sotto_i_npz npz = {0};
  sotto_status status;
  SOTTO_TRY(sotto_i_npz_open(&npz, file, err));
  SOTTO_TRY(check_shapes(&npz, file->file, err));
  for (size_t i = 0; i < ARRAYS; i++)
    SOTTO_TRY(sotto_i_npz_array(&npz, &a->arrays[i], &a->bytes[i], array_names[i], err));
done:
  sotto_i_npz_close(&npz);
  return status;
}

static sotto_status view_sparse(sotto_i_csr *out, const archive *a, size_t first, const char *name,
                                const char *file, sotto_error *err) {
  const sotto_i_array *shape = &a->arrays[first + ADJ_SHAPE];
  int64_t rows, cols;
  if (shape->count != 2 || !sotto_i_array_integer(shape, 0, &rows) ||
      !sotto_i_array_integer(shape, 1, &cols) || rows < 0 || cols < 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s is not two sizes", file,
                        array_names[first + ADJ_SHAPE]);
  *out = (sotto_i_csr){.name = name,
                       .rows = (uint64_t)rows,
                       .cols = (uint64_t)cols,
                       .starts = a->arrays[first + ADJ_INDPTR],
                       .indices = a->arrays[first + ADJ_INDICES],
                       .values = a->arrays[first + ADJ_DATA]};
  return sotto_i_sparse_check(out, file, err);
}

sotto_status sotto_i_labels_of_array(sotto_i_parts *parts, const sotto_i_array *labels, const char *file,
                                     sotto_error *err) {
  if (labels->dims != 1 || labels->count != parts->nodes)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "%s: array labels does not have one element for each of the %llu nodes", file,
                        (unsigned long long)parts->nodes);
  sotto_status status = sotto_i_new(&parts->labels, parts->nodes, sizeof *parts->labels, err);
  if (status != SOTTO_OK) return status;
  parts->classes_from = SOTTO_CLASSES_LARGEST;
  for (uint64_t v = 0; v < parts->nodes; v++) {
    int64_t label;
    const bool whole = sotto_i_array_integer(labels, v, &label);
    if (!whole && labels->kind == 'f')
      return sotto_i_fail(
          err, SOTTO_RANGE,
          "%s: array labels: element %llu is not a whole number; numbers to learn are in the array "
          "targets: name it so, or give numbers of classes, such as of ranges of the number, and -1 where "
          "unknown",
          file, (unsigned long long)v);
    if (!whole || label < -1 || label >= INT32_MAX || label >= (int64_t)parts->nodes)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: array labels: element %llu is not a class number", file,
                          (unsigned long long)v);
    parts->labels[v] = (int32_t)label;
    if (label >= (int64_t)parts->classes) parts->classes = (uint32_t)label + 1;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_read_npz(sotto_i_parts *parts, const sotto_i_source *file, sotto_error *err) {
  sotto_status status;
  archive a = {0};
  sotto_i_csr adj = {0}, attr = {0};
  SOTTO_TRY(unpack_all(&a, file, err));
  SOTTO_TRY(view_sparse(&adj, &a, ADJ_INDICES, "adj", file->file, err));
  SOTTO_TRY(view_sparse(&attr, &a, ATTR_INDICES, "attr", file->file, err));
  if (adj.rows != adj.cols || attr.rows != adj.rows) {
    status = sotto_i_fail(
        err, SOTTO_PARSE, "%s: adj is %llu x %llu and attr has %llu rows; all three must agree", file->file,
        (unsigned long long)adj.rows, (unsigned long long)adj.cols, (unsigned long long)attr.rows);
    goto done;
  }
  SOTTO_TRY(sotto_i_sparse_edges(parts, &adj, file->file, err));
  SOTTO_TRY(sotto_i_labels_of_array(parts, &a.arrays[LABELS], file->file, err));
  parts->width = attr.cols;
  const sotto_i_feature_reader rows = {&attr, sotto_i_csr_row, sotto_i_csr_entries};
  SOTTO_TRY(sotto_i_features_read(parts, attr.indices.count, &rows, file->file, file->size, err));
done:
  for (size_t i = 0; i < ARRAYS; i++) sotto_i_free(a.bytes[i]);
  return status;
}
