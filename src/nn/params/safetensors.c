/* safetensors files: 8 bytes of header length, a JSON header, then the tensors' bytes. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "inside/nn.h"
#include "params.h"
#include "safetensors.h"

static const char notes_key[] = "__metadata__";

static uint64_t bytes_of(const sotto_matrix *m) {
  return (uint64_t)m->rows * m->cols * sizeof(float);
}

/* Adds `value` (and takes ownership of it) under a new name; jansson refuses names that are not UTF-8. */
static sotto_status put_unique(json_t *object, const char *name, json_t *value, sotto_error *err) {
  if (strcmp(name, notes_key) == 0 || json_object_get(object, name) != NULL) {
    json_decref(value);
    return sotto_i_fail(err, SOTTO_INVALID, "'%s' would be twice in the file", name);
  }
  if (json_object_set_new(object, name, value) == 0) return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_INVALID, "'%s' or its value is not UTF-8 text", name);
}

static sotto_status put_metadata(json_t *root, const char *const *metadata, size_t pairs, sotto_error *err) {
  json_t *notes = json_object();
  sotto_status status = SOTTO_OK;
  for (size_t i = 0; status == SOTTO_OK && i < pairs; i++)
    status = put_unique(notes, metadata[2 * i], json_string(metadata[2 * i + 1]), err);
  if (status == SOTTO_OK && pairs > 0) json_object_set(root, notes_key, notes);
  json_decref(notes);
  return status;
}

static sotto_status fill_header(json_t *root, const sotto_params *const *sets, size_t set_count,
                                const char *const *metadata, size_t pairs, sotto_error *err) {
  uint64_t at = 0;
  sotto_status status = put_metadata(root, metadata, pairs, err);
  for (size_t s = 0; s < set_count; s++)
    for (size_t i = 0; status == SOTTO_OK && i < sets[s]->count; i++) {
      const sotto_i_param *p = sets[s]->items[i];
      uint64_t end = at + bytes_of(&p->value);
      json_t *entry = json_pack("{s:s,s:[I,I],s:[I,I]}", "dtype", "F32", "shape", (json_int_t)p->value.rows,
                                (json_int_t)p->value.cols, "data_offsets", (json_int_t)at, (json_int_t)end);
      status = put_unique(root, p->name, entry, err);
      at = end;
    }
  return status;
}

static sotto_status add_values(sotto_i_writer *writer, const sotto_params *const *sets, size_t set_count,
                               sotto_error *err) {
  for (size_t s = 0; s < set_count; s++)
    for (size_t i = 0; i < sets[s]->count; i++) {
      const sotto_matrix *value = &sets[s]->items[i]->value;
      sotto_status status = sotto_i_writer_add(writer, value->data, bytes_of(value), err);
      if (status != SOTTO_OK) return status;
    }
  return SOTTO_OK;
}

sotto_status sotto_params_save(const sotto_params *const *sets, size_t set_count, const char *path,
                               const char *const *metadata, size_t pairs, sotto_error *err) {
  static const char spaces[8] = "        ";
  sotto_i_writer writer = {.descriptor = -1};
  sotto_status status;
  char *text = NULL;
  json_t *root = json_object();
  SOTTO_TRY(fill_header(root, sets, set_count, metadata, pairs, err));
  text = json_dumps(root, JSON_COMPACT);
  if (text == NULL) {
    status = sotto_i_fail(err, SOTTO_NOMEM, "no memory for the header of %s", path);
    goto done;
  }
  uint64_t length = strlen(text), padding = (8 - length % 8) % 8, total = length + padding;
  SOTTO_TRY(sotto_i_writer_open(&writer, path, err));
  SOTTO_TRY(sotto_i_writer_add(&writer, &total, sizeof total, err));
  SOTTO_TRY(sotto_i_writer_add(&writer, text, length, err));
  SOTTO_TRY(sotto_i_writer_add(&writer, spaces, padding, err));
  SOTTO_TRY(add_values(&writer, sets, set_count, err));
  SOTTO_TRY(sotto_i_writer_commit(&writer, err));
done:
  sotto_i_writer_abandon(&writer);
  free(text);
  json_decref(root);
  return status;
}

static sotto_i_param *find_param(sotto_params *const *sets, size_t set_count, const char *name) {
  for (size_t s = 0; s < set_count; s++)
    for (size_t i = 0; i < sets[s]->count; i++)
      if (strcmp(sets[s]->items[i]->name, name) == 0) return sets[s]->items[i];
  return NULL;
}

/* Reads a list of two non-negative integers. */
static bool two_counts(uint64_t out[2], const json_t *list) {
  if (!json_is_array(list) || json_array_size(list) != 2) return false;
  for (size_t i = 0; i < 2; i++) {
    const json_t *value = json_array_get(list, i);
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    out[i] = (uint64_t)json_integer_value(value);
  }
  return true;
}

/* Checks one entry against the parameter of its name and against the bytes that follow the header. */
static sotto_status check_entry(const char *name, const json_t *entry, const sotto_i_param *param,
                                uint64_t available, uint64_t offsets[2], sotto_error *err) {
  uint64_t shape[2];
  const char *type = json_string_value(json_object_get(entry, "dtype"));
  if (param == NULL)
    return sotto_i_fail(err, SOTTO_INVALID, "holds '%s', which this model does not have", name);
  if (type == NULL || strcmp(type, "F32") != 0)
    return sotto_i_fail(err, SOTTO_PARSE, "'%s' is not of type F32", name);
  if (!two_counts(shape, json_object_get(entry, "shape")) ||
      !two_counts(offsets, json_object_get(entry, "data_offsets")))
    return sotto_i_fail(err, SOTTO_PARSE, "'%s' lacks a shape and offsets of two whole numbers each", name);
  if (shape[0] != param->value.rows || shape[1] != param->value.cols)
    return sotto_i_fail(err, SOTTO_INVALID, "'%s' is %llu x %llu; this model has %zu x %zu", name,
                        (unsigned long long)shape[0], (unsigned long long)shape[1], param->value.rows,
                        param->value.cols);
  if (offsets[1] > available || offsets[0] > offsets[1] || offsets[1] - offsets[0] != bytes_of(&param->value))
    return sotto_i_fail(err, SOTTO_PARSE, "the bytes of '%s' are not within the file", name);
  return SOTTO_OK;
}

typedef struct span {
  uint64_t begin, end;
} span;

static int by_begin(const void *a, const void *b) {
  const span *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end); /* tensors without values come first */
}

/* The format allows neither gaps nor overlaps. */
static sotto_status check_spans(span *spans, size_t count, uint64_t available, sotto_error *err) {
  uint64_t at = 0;
  qsort(spans, count, sizeof *spans, by_begin);
  for (size_t i = 0; i < count; i++) {
    if (spans[i].begin != at) return sotto_i_fail(err, SOTTO_PARSE, "its tensors overlap or leave gaps");
    at = spans[i].end;
  }
  if (at != available) return sotto_i_fail(err, SOTTO_PARSE, "bytes follow its last tensor");
  return SOTTO_OK;
}

static size_t params_in(sotto_params *const *sets, size_t set_count) {
  size_t count = 0;
  for (size_t s = 0; s < set_count; s++) count += sets[s]->count;
  return count;
}

/* Two passes: everything is checked before any parameter changes. `some`: tensors of no parameter are
 * passed over, and then gaps are allowed. */
static sotto_status fill_from(sotto_params *const *sets, size_t set_count, bool some, json_t *root,
                              const uint8_t *values, uint64_t available, sotto_error *err) {
  sotto_status status;
  span *spans = NULL;
  size_t found = 0, wanted = params_in(sets, set_count);
  const char *name;
  json_t *entry;
  uint64_t offsets[2] = {0, 0};
  SOTTO_TRY(sotto_i_new(&spans, wanted, sizeof *spans, err));
  json_object_foreach(root, name, entry) {
    const sotto_i_param *param = find_param(sets, set_count, name);
    if (strcmp(name, notes_key) == 0 || (some && param == NULL)) continue;
    SOTTO_TRY(check_entry(name, entry, param, available, offsets, err));
    spans[found++] = (span){offsets[0], offsets[1]}; /* names are unique on both sides, so found <= wanted */
  }
  if (found != wanted) {
    status = sotto_i_fail(err, SOTTO_INVALID, "holds %zu of the model's %zu parameters", found, wanted);
    goto done;
  }
  if (!some) SOTTO_TRY(check_spans(spans, found, available, err));
  json_object_foreach(root, name, entry) {
    sotto_i_param *param = strcmp(name, notes_key) == 0 ? NULL : find_param(sets, set_count, name);
    if (param == NULL) continue;
    (void)two_counts(offsets, json_object_get(entry, "data_offsets"));
    memcpy(param->value.data, values + offsets[0], bytes_of(&param->value));
  }
done:
  sotto_i_free(spans);
  return status;
}

static sotto_status parse(sotto_params *const *sets, size_t set_count, bool some, const uint8_t *data,
                          size_t size, sotto_error *err) {
  uint64_t length;
  json_error_t problem;
  if (size < sizeof length) return sotto_i_fail(err, SOTTO_PARSE, "is cut short");
  memcpy(&length, data, sizeof length);
  if (length > size - sizeof length)
    return sotto_i_fail(err, SOTTO_PARSE, "claims a header of %llu bytes in a file of %zu",
                        (unsigned long long)length, size);
  const char *header = (const char *)data + sizeof length;
  json_t *root = json_loadb(header, (size_t)length, JSON_REJECT_DUPLICATES, &problem);
  if (!json_is_object(root)) {
    json_decref(root);
    return sotto_i_fail(err, SOTTO_PARSE, "its header is not a JSON object: %s", problem.text);
  }
  sotto_status status = fill_from(sets, set_count, some, root, data + sizeof length + length,
                                  size - sizeof length - length, err);
  json_decref(root);
  return status;
}

sotto_status sotto_i_params_parse(sotto_params *const *sets, size_t set_count, const uint8_t *data,
                                  size_t size, sotto_error *err) {
  return parse(sets, set_count, false, data, size, err);
}

static sotto_status load(sotto_params *const *sets, size_t set_count, bool some, const char *path,
                         sotto_error *err) {
  sotto_i_map map;
  sotto_status status = sotto_i_map_open(&map, path, err);
  if (status != SOTTO_OK) return status;
  status = parse(sets, set_count, some, map.data, map.size, err);
  if (status != SOTTO_OK) sotto_i_error_prefix(err, "%s", path);
  sotto_i_map_close(&map);
  return status;
}

sotto_status sotto_params_load(sotto_params *const *sets, size_t set_count, const char *path,
                               sotto_error *err) {
  return load(sets, set_count, false, path, err);
}

sotto_status sotto_i_params_load_some(sotto_params *const *sets, size_t set_count, const char *path,
                                      sotto_error *err) {
  return load(sets, set_count, true, path, err);
}
