/* Distance tables as files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "graph/io/npz.h"
#include "sotto/gw.h"

static bool ends_with(const char *path, const char *end) {
  const size_t length = strlen(path), tail = strlen(end);
  return length > tail && strcmp(path + length - tail, end) == 0;
}

static sotto_status save_csv(const sotto_gw_table *t, const char *path, sotto_error *err) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the table %s", path);
  (void)fputs("graph,label,nodes", out);
  for (size_t j = 0; j < t->count; j++) (void)fprintf(out, ",%zu", j);
  for (size_t i = 0; i < t->count; i++) {
    (void)fprintf(out, "\n%zu,%d,%u", i, (int)t->labels[i], t->sizes[i]);
    for (size_t j = 0; j < t->count; j++) (void)fprintf(out, ",%.9g", t->distance[i * t->count + j]);
  }
  (void)fputc('\n', out);
  const bool failed = ferror(out) != 0;
  sotto_status status = SOTTO_OK;
  if (fclose(out) != 0 || failed)
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the table %s", path);
  else
    status = sotto_i_write_file(path, text, size, err);
  free(text);
  return status;
}

sotto_status sotto_gw_table_save(const sotto_gw_table *t, const char *path, sotto_error *err) {
  if (ends_with(path, ".csv")) return save_csv(t, path, err);
  if (!ends_with(path, ".npz"))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: the name of a table must end in .npz or .csv", path);
  const sotto_i_npz_part parts[] = {
      {"distance", "<f8", t->distance, sizeof *t->distance, 2, {t->count, t->count}},
      {"labels", "<i4", t->labels, sizeof *t->labels, 1, {t->count, 1}},
      {"sizes", "<u4", t->sizes, sizeof *t->sizes, 1, {t->count, 1}}};
  return sotto_i_npz_write(path, parts, sizeof parts / sizeof *parts, err);
}

enum { DISTANCE, LABELS, SIZES, ARRAYS };
static const char *const array_names[ARRAYS] = {"distance", "labels", "sizes"};

static sotto_status read_distances(sotto_gw_table *t, const sotto_i_array *a, const char *path,
                                   sotto_error *err) {
  const size_t n = t->count;
  for (size_t k = 0; k < n * n; k++) {
    t->distance[k] = sotto_i_array_double(a, k);
    if (!(t->distance[k] >= 0 && isfinite(t->distance[k])))
      return sotto_i_fail(err, SOTTO_CORRUPT, "%s: the distance of %zu and %zu is %g", path, k / n, k % n,
                          t->distance[k]);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++)
      if (t->distance[i * n + j] != t->distance[j * n + i] || (i == j && t->distance[i * n + i] != 0))
        return sotto_i_fail(err, SOTTO_CORRUPT, "%s: the distances of %zu and %zu are not symmetric", path, i,
                            j);
  return SOTTO_OK;
}

static sotto_status read_table(sotto_gw_table *t, const sotto_i_array *arrays, const char *path,
                               sotto_error *err) {
  const sotto_i_array *d = &arrays[DISTANCE];
  const uint64_t n = d->shape[0];
  sotto_status status;
  if (d->dims != 2 || d->shape[1] != n || n == 0 || arrays[LABELS].count != n || arrays[SIZES].count != n)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: is not a square table with a label and a size a row", path);
  t->count = n;
  SOTTO_TRY(sotto_i_new_raw(&t->distance, n * n, sizeof *t->distance, err));
  SOTTO_TRY(sotto_i_new_raw(&t->labels, n, sizeof *t->labels, err));
  SOTTO_TRY(sotto_i_new_raw(&t->sizes, n, sizeof *t->sizes, err));
  SOTTO_TRY(read_distances(t, d, path, err));
  for (size_t g = 0; g < n; g++) {
    int64_t label, size;
    if (!sotto_i_array_integer(&arrays[LABELS], g, &label) || label < -1 || label > INT32_MAX ||
        !sotto_i_array_integer(&arrays[SIZES], g, &size) || size < 0 || size > UINT32_MAX) {
      status = sotto_i_fail(err, SOTTO_CORRUPT, "%s: label or size of row %llu is out of range", path,
                            (unsigned long long)g);
      goto done;
    }
    t->labels[g] = (int32_t)label;
    t->sizes[g] = (uint32_t)size;
  }
done:
  return status;
}

sotto_status sotto_gw_table_open(sotto_gw_table *out, const char *path, sotto_error *err) {
  sotto_i_map map = {0};
  sotto_i_npz npz = {0};
  uint8_t *bytes[ARRAYS] = {0};
  sotto_i_array arrays[ARRAYS];
  sotto_status status;
  *out = (sotto_gw_table){0};
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  const sotto_i_source source = {path, map.data, map.size};
  SOTTO_TRY(sotto_i_npz_open(&npz, &source, err));
  for (size_t k = 0; k < ARRAYS; k++)
    SOTTO_TRY(sotto_i_npz_array(&npz, &arrays[k], &bytes[k], array_names[k], err));
  SOTTO_TRY(read_table(out, arrays, path, err));
done:
  sotto_i_npz_close(&npz);
  sotto_i_map_close(&map);
  for (size_t k = 0; k < ARRAYS; k++) sotto_i_free(bytes[k]);
  if (status != SOTTO_OK) sotto_gw_table_free(out);
  return status;
}

sotto_status sotto_gw_embeddings_open(sotto_matrix *out, const char *path, const char *name,
                                      sotto_error *err) {
  sotto_i_map map = {0};
  sotto_i_npz npz = {0};
  uint8_t *bytes = NULL;
  sotto_i_array array;
  sotto_status status;
  *out = (sotto_matrix){0};
  SOTTO_TRY(sotto_i_map_open(&map, path, err));
  const sotto_i_source source = {path, map.data, map.size};
  SOTTO_TRY(sotto_i_npz_open(&npz, &source, err));
  SOTTO_TRY(sotto_i_npz_array(&npz, &array, &bytes, name, err));
  if (array.dims != 2 || array.kind != 'f') {
    status = sotto_i_fail(err, SOTTO_PARSE, "%s: array %s is not a matrix of float32 or float64", path, name);
    goto done;
  }
  SOTTO_TRY(sotto_matrix_new(out, array.shape[0], array.shape[1], err));
  for (uint64_t k = 0; k < array.count; k++) out->data[k] = (float)sotto_i_array_double(&array, k);
done:
  sotto_i_npz_close(&npz);
  sotto_i_map_close(&map);
  sotto_i_free(bytes);
  return status;
}

void sotto_gw_table_free(sotto_gw_table *table) {
  sotto_i_free(table->distance);
  sotto_i_free(table->labels);
  sotto_i_free(table->sizes);
  *table = (sotto_gw_table){0};
}
