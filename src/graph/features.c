/* Features of a dataset, dense or sparse. */
#include "features.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"

enum { sparse_share = 8, usual_bytes = 32 << 20 }; /* sparse when at most one cell in this many is nonzero */
static _Atomic bool always_sparse;

bool sotto_i_features_sparse(uint64_t nodes, uint64_t width, uint64_t entries) {
  uint64_t cells;
  if (width == 0 || width > UINT32_MAX || __builtin_mul_overflow(nodes, width, &cells)) return false;
  return atomic_load(&always_sparse) ||
         (cells >= usual_bytes / sizeof(float) && entries <= cells / sparse_share);
}

void sotto_i_features_sparse_always(bool set) {
  atomic_store(&always_sparse, set);
}

/* The first nonzero column from j on, or the end of the row; tests many cells at a time. */
static inline size_t next_nonzero(const float *cells, size_t j, size_t width) {
  enum { many = 32 };
  for (; width - j >= many; j += many) {
    uint32_t bits[many], any = 0;
    memcpy(bits, cells + j, sizeof bits);
    for (size_t k = 0; k < many; k++) any |= bits[k];
    if (any != 0) break;
  }
  while (j < width && sotto_i_is_zero(cells[j])) j++;
  return j;
}

/* Appends the nonzero cells of a row at columns[at] and values[at]; returns the position of the next row. */
static uint64_t append_cells(sotto_i_entries *to, uint64_t at, uint64_t most, const float *cells,
                             size_t width) {
  for (size_t j = next_nonzero(cells, 0, width); j < width; j = next_nonzero(cells, j + 1, width)) {
    SOTTO_I_CHECK(at < most);
    to->columns[at] = (uint32_t)j;
    to->values[at++] = cells[j];
  }
  return at;
}

static sotto_status fill_entries(sotto_i_parts *parts, uint64_t most, const sotto_i_feature_reader *rows,
                                 sotto_error *err) {
  sotto_i_entries *to = &parts->entries;
  sotto_status status;
  float *cells = NULL;
  uint64_t at = 0;
  SOTTO_TRY(sotto_i_new_raw(&cells, parts->width, sizeof *cells, err));
  SOTTO_TRY(sotto_i_new(&to->offsets, parts->nodes + 1, sizeof *to->offsets, err));
  SOTTO_TRY(sotto_i_new_raw(&to->columns, most, sizeof *to->columns, err));
  SOTTO_TRY(sotto_i_new_raw(&to->values, most, sizeof *to->values, err));
  for (uint64_t v = 0; v < parts->nodes; v++) {
    size_t count = SIZE_MAX;
    if (rows->entries != NULL) count = rows->entries(rows->context, v, to->columns + at, to->values + at);
    if (count == SIZE_MAX) {
      memset(cells, 0, parts->width * sizeof *cells);
      rows->add(rows->context, v, cells);
      at = append_cells(to, at, most, cells, parts->width);
    } else {
      at += count;
    }
    to->offsets[v + 1] = at;
  }
done:
  sotto_i_free(cells);
  return status;
}

sotto_status sotto_i_features_fill(sotto_i_parts *parts, bool sparse, uint64_t most,
                                   const sotto_i_feature_reader *rows, sotto_error *err) {
  if (parts->width == 0) return SOTTO_OK;
  if (sparse) return fill_entries(parts, most, rows, err);
  uint64_t cells;
  if (__builtin_mul_overflow(parts->nodes, parts->width, &cells)) cells = UINT64_MAX;
  sotto_status status = sotto_i_new_raw(&parts->features, cells, sizeof *parts->features, err);
  for (uint64_t v = 0; status == SOTTO_OK && v < parts->nodes; v++) {
    float *row = parts->features + v * parts->width; /* zeroed here, so that it is in the cache */
    memset(row, 0, parts->width * sizeof *row);
    rows->add(rows->context, v, row);
  }
  return status;
}

sotto_status sotto_i_features_check_size(uint64_t nodes, uint64_t width, bool sparse, const char *file,
                                         size_t bytes, sotto_error *err) {
  enum { always = 64 << 20 };
  const uint64_t most_expansion = sparse ? 2048 : 256;
  uint64_t count;
  if (!__builtin_mul_overflow(nodes, width, &count) &&
      (count <= always / sizeof(float) || count / (most_expansion / sizeof(float)) <= bytes))
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE,
                      "%s: %llu nodes with %llu features each are not plausible for a file of %zu bytes",
                      file, (unsigned long long)nodes, (unsigned long long)width, bytes);
}

sotto_status sotto_i_features_read(sotto_i_parts *parts, uint64_t most, const sotto_i_feature_reader *rows,
                                   const char *file, size_t bytes, sotto_error *err) {
  const bool sparse = sotto_i_features_sparse(parts->nodes, parts->width, most);
  const sotto_status status =
      sotto_i_features_check_size(parts->nodes, parts->width, sparse, file, bytes, err);
  return status == SOTTO_OK ? sotto_i_features_fill(parts, sparse, most, rows, err) : status;
}

/* Selection of rows or columns of a dataset. */
typedef struct selection {
  const sotto_dataset *data;
  const uint32_t *rows, *columns; /* NULL: all */
  float *row;                     /* one whole row, for selections of columns */
  size_t count;                   /* number of selected columns */
} selection;

static void select_row(const void *context, uint64_t v, float *out) {
  const selection *t = context;
  const uint64_t from = t->rows == NULL ? v : t->rows[v];
  sotto_dataset_rows(t->columns == NULL ? out : t->row, t->data, from, 1);
  for (size_t j = 0; t->columns != NULL && j < t->count; j++)
    out[j] = t->columns[j] == UINT32_MAX ? 0 : t->row[t->columns[j]];
}

sotto_status sotto_i_features_of_rows(sotto_i_parts *parts, const sotto_dataset *data, const uint32_t *rows,
                                      uint64_t count, sotto_error *err) {
  const selection t = {.data = data, .rows = rows};
  const uint64_t *offsets = data->entries.offsets;
  uint64_t most = 0;
  for (uint64_t i = 0; offsets != NULL && i < count; i++) most += offsets[rows[i] + 1] - offsets[rows[i]];
  parts->width = data->features.cols;
  return sotto_i_features_fill(parts, offsets != NULL, most, &(sotto_i_feature_reader){&t, select_row, NULL},
                               err);
}

sotto_status sotto_i_features_of_columns(sotto_i_parts *parts, const sotto_dataset *data,
                                         const uint32_t *columns, size_t count, sotto_error *err) {
  const uint64_t *offsets = data->entries.offsets;
  selection t = {.data = data, .columns = columns, .count = count};
  sotto_status status = sotto_i_new_raw(&t.row, data->features.cols, sizeof *t.row, err);
  if (status != SOTTO_OK) return status;
  parts->width = count;
  status = sotto_i_features_fill(parts, offsets != NULL, offsets == NULL ? 0 : offsets[data->graph.nodes],
                                 &(sotto_i_feature_reader){&t, select_row, NULL}, err);
  sotto_i_free(t.row);
  return status;
}

void sotto_dataset_rows(float *out, const sotto_dataset *dataset, uint64_t first, uint64_t count) {
  const sotto_entries *e = &dataset->entries;
  const size_t width = dataset->features.cols;
  if (width == 0 || count == 0) return;
  if (e->offsets == NULL) {
    memcpy(out, dataset->features.data + first * width, count * width * sizeof *out);
    return;
  }
  sotto_i_entries_expand(out, e, width, first * width, count * width);
}

sotto_status sotto_i_features_dense(const sotto_matrix **out, sotto_matrix *made, const sotto_dataset *data,
                                    sotto_error *err) {
  *made = (sotto_matrix){0};
  *out = data->entries.offsets == NULL ? &data->features : made;
  if (*out != made) return SOTTO_OK;
  const sotto_status status = sotto_matrix_new(made, data->features.rows, data->features.cols, err);
  if (status == SOTTO_OK) sotto_dataset_rows(made->data, data, 0, made->rows);
  return status;
}
