/* What arrays in an .npz say of nodes: features, classes or numbers to learn, and masks of a split. */
#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "bundle.h"

const char *const sotto_i_bundle_features[] = {"x", "attr_matrix", "features", "node_features", NULL};
const char *const sotto_i_bundle_labels[] = {"y", "labels", "node_labels", NULL};

/* Those that export.c writes of sparse features. */
static sotto_status add_sparse_features(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_csr rows = {.name = "the features", .rows = parts->nodes};
  sotto_i_array shape;
  const char *name;
  int64_t cols = 0;
  sotto_status status;
  SOTTO_TRY(sotto_i_bundle_array(b, &rows.starts, &name, "feature_indptr", NULL, err));
  if (rows.starts.data == NULL) goto done;
  SOTTO_TRY(sotto_i_bundle_array(b, &rows.indices, &name, "feature_indices", NULL, err));
  SOTTO_TRY(sotto_i_bundle_array(b, &rows.values, &name, "feature_data", NULL, err));
  SOTTO_TRY(sotto_i_bundle_array(b, &shape, &name, "shape", NULL, err));
  if (rows.indices.data == NULL || rows.values.data == NULL || shape.count != 2 ||
      !sotto_i_array_integer(&shape, 1, &cols) || cols <= 0 || cols > UINT32_MAX)
    return sotto_i_fail(err, SOTTO_PARSE,
                        "%s: has feature_indptr, and no feature_indices, feature_data or shape beside it",
                        b->file);
  rows.cols = parts->width = (uint64_t)cols;
  SOTTO_TRY(sotto_i_sparse_check(&rows, b->file, err));
  const sotto_i_feature_reader from = {&rows, sotto_i_csr_row, sotto_i_csr_entries};
  SOTTO_TRY(sotto_i_features_read(parts, rows.values.count, &from, b->file, b->size, err));
done:
  return status;
}

static sotto_status add_features(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_array x;
  const char *name;
  sotto_status status = sotto_i_bundle_any(b, &x, &name, sotto_i_bundle_features, err);
  if (status != SOTTO_OK || x.data == NULL) return status;
  const uint64_t width = x.dims == 2 ? x.shape[1] : 1;
  if (x.shape[0] != parts->nodes)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s has %llu rows for %llu nodes", b->file, name,
                        (unsigned long long)x.shape[0], (unsigned long long)parts->nodes);
  SOTTO_TRY(sotto_i_features_new(&parts->features, parts->nodes, width, b->file, b->size, err));
  parts->width = width;
  for (uint64_t i = 0; i < x.count; i++) {
    const double value = sotto_i_array_double(&x, i);
    if (!(fabs(value) <= FLT_MAX))
      return sotto_i_fail(err, SOTTO_NUMERIC, "%s: array %s: row %llu, column %llu is not a finite float32",
                          b->file, name, (unsigned long long)(i / width), (unsigned long long)(i % width));
    parts->features[i] = (float)value;
  }
done:
  return status;
}

static sotto_status add_labels(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_array y;
  const char *name;
  sotto_status status = sotto_i_bundle_any(b, &y, &name, sotto_i_bundle_labels, err);
  if (status != SOTTO_OK || y.data == NULL) return status;
  if (y.dims == 2 && y.shape[1] == 1) y.dims = 1;
  return sotto_i_labels_of_array(parts, &y, b->file, err);
}

/* Numbers to learn: a column of floats. An array of this name and another type is not read. */
static sotto_status add_numbers(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_i_array y;
  const char *name;
  sotto_status status;
  SOTTO_TRY(sotto_i_bundle_array(b, &y, &name, "targets", NULL, err));
  if (y.data == NULL) return SOTTO_OK;
  if (y.kind != 'f') {
    b->used[b->count - 1] = "";
    return SOTTO_OK;
  }
  if ((y.dims == 2 && y.shape[1] != 1) || y.count != parts->nodes)
    return sotto_i_fail(
        err, SOTTO_PARSE,
        "%s: array targets has %llu numbers for %llu nodes; give one a node, NaN where unknown", b->file,
        (unsigned long long)y.count, (unsigned long long)parts->nodes);
  SOTTO_TRY(sotto_i_new_raw(&parts->numbers, parts->nodes, sizeof *parts->numbers, err));
  for (uint64_t v = 0; v < parts->nodes; v++) {
    const double value = sotto_i_array_double(&y, v);
    parts->numbers[v] = isnan(value) ? NAN : (float)value;
    if (!isnan(value) && !(fabs(value) <= FLT_MAX))
      return sotto_i_fail(err, SOTTO_NUMERIC, "%s: array targets: element %llu is not a finite float32",
                          b->file, (unsigned long long)v);
  }
done:
  return status;
}

static sotto_status take_mask(sotto_i_parts *parts, const sotto_i_array *array, const char *mask,
                              uint8_t part, const char *file, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (parts->split == NULL) SOTTO_TRY(sotto_i_new(&parts->split, parts->nodes, 1, err));
  for (uint64_t v = 0; v < parts->nodes; v++) {
    if (sotto_i_array_double(array, v) == 0) continue;
    if (parts->split[v] != SOTTO_PART_NONE)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s: node %llu is in another part too", file, mask,
                          (unsigned long long)v);
    parts->split[v] = part;
  }
done:
  return status;
}

static sotto_status add_mask(sotto_i_bundle *b, sotto_i_parts *parts, const char *mask, uint8_t part,
                             sotto_error *err) {
  sotto_i_array array;
  const char *name;
  sotto_status status;
  SOTTO_TRY(sotto_i_bundle_array(b, &array, &name, mask, NULL, err));
  if (array.data == NULL) return SOTTO_OK;
  if (array.dims != 1 || array.count != parts->nodes)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s does not have one element for each of the %llu nodes",
                        b->file, name, (unsigned long long)parts->nodes);
  SOTTO_TRY(take_mask(parts, &array, mask, part, b->file, err));
done:
  return status;
}

/* Masks of several splits, as many rows: the first split. */
static sotto_status add_first_masks(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  static const char *const masks[] = {"train_masks", "val_masks", "test_masks"};
  sotto_status status = SOTTO_OK;
  for (uint8_t k = 0; k < 3; k++) {
    sotto_i_array array;
    const char *name;
    SOTTO_TRY(sotto_i_bundle_array(b, &array, &name, masks[k], NULL, err));
    if (array.data == NULL) continue;
    if (array.dims != 2 || array.shape[0] == 0 || array.shape[1] != parts->nodes)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s is not splits x %llu nodes", b->file, masks[k],
                          (unsigned long long)parts->nodes);
    if (k == 0)
      SOTTO_TRY(sotto_i_reading_form(parts, err, "%s, the first of %llu splits", parts->reading.view.form,
                                     (unsigned long long)array.shape[0]));
    array.dims = 1;
    array.count = parts->nodes;
    SOTTO_TRY(take_mask(parts, &array, masks[k], (uint8_t)(SOTTO_PART_TRAIN + k), b->file, err));
  }
done:
  return status;
}

sotto_status sotto_i_bundle_nodes(sotto_i_bundle *b, sotto_i_parts *parts, sotto_error *err) {
  sotto_status status;
  SOTTO_TRY(add_features(b, parts, err));
  SOTTO_TRY(add_sparse_features(b, parts, err));
  SOTTO_TRY(add_labels(b, parts, err));
  SOTTO_TRY(add_numbers(b, parts, err));
  SOTTO_TRY(add_mask(b, parts, "train_mask", SOTTO_PART_TRAIN, err));
  SOTTO_TRY(add_mask(b, parts, "val_mask", SOTTO_PART_VALIDATION, err));
  SOTTO_TRY(add_mask(b, parts, "test_mask", SOTTO_PART_TEST, err));
  SOTTO_TRY(add_first_masks(b, parts, err));
done:
  return status;
}
