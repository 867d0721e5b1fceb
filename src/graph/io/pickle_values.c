/* Values of decoded pickles: numpy arrays, scipy CSR matrices, dicts of neighbour lists. */
#include <string.h>

#include "base/memory.h"
#include "pickle.h"

/* Iterates over the items of a container: start with a {0, 0} place; false after the last. */
typedef struct pickle_place {
  uint32_t chunk, at;
} pickle_place;
static bool next_item(const sotto_i_pickle *pickle, const sotto_i_pickle_value *container, pickle_place *at,
                      const sotto_i_pickle_value **item) {
  if (at->chunk == 0) {
    at->chunk = container->head;
  } else if (at->at == pickle->chunks[at->chunk].count) {
    at->chunk = pickle->chunks[at->chunk].next;
    at->at = 0;
  }
  if (at->chunk == 0) return false;
  *item = &pickle->values[pickle->items[pickle->chunks[at->chunk].first + at->at++]];
  return true;
}

/* The item at an index of a tuple; None when there is no such index or the value is no tuple. */
static const sotto_i_pickle_value *item_of(const sotto_i_pickle *pickle, const sotto_i_pickle_value *tuple,
                                           uint32_t place) {
  if (tuple->kind != SOTTO_I_PICKLE_TUPLE || place >= tuple->count) return &pickle->values[0];
  return &pickle->values[pickle->items[pickle->chunks[tuple->head].first + place]];
}

bool sotto_i_pickle_is(const sotto_i_pickle *pickle, const sotto_i_pickle_value *value,
                       sotto_i_pickle_global callable) {
  return value->kind == SOTTO_I_PICKLE_OBJECT && pickle->values[value->callable].number == (int64_t)callable;
}

static bool text_is(const sotto_i_pickle_value *value, const char *text) {
  return value->kind == SOTTO_I_PICKLE_STRING && value->size == strlen(text) &&
         memcmp(value->text, text, value->size) == 0;
}

/* The type of a pickled dtype: dtype('i4', 0, 1) with the byte order in its state. */
static bool array_type(const sotto_i_pickle *pickle, const sotto_i_pickle_value *dtype, sotto_i_array *out) {
  if (!sotto_i_pickle_is(pickle, dtype, SOTTO_I_PICKLE_DTYPE)) return false;
  const sotto_i_pickle_value *type = item_of(pickle, &pickle->values[dtype->arguments], 0);
  const sotto_i_pickle_value *order = item_of(pickle, &pickle->values[dtype->state], 1);
  if (!text_is(order, "<") && !text_is(order, "|")) return false;
  return type->kind == SOTTO_I_PICKLE_STRING && sotto_i_array_type(out, (const char *)type->text, type->size);
}

sotto_status sotto_i_pickle_array(const sotto_i_pickle *pickle, const sotto_i_pickle_value *value,
                                  const char *name, sotto_i_array *out, sotto_error *err) {
  const char *file = pickle->source.file;
  *out = (sotto_i_array){.count = 1};
  if (!sotto_i_pickle_is(pickle, value, SOTTO_I_PICKLE_RECONSTRUCT))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: %s is not a numpy array", file, name);
  const sotto_i_pickle_value *state = &pickle->values[value->state];
  const sotto_i_pickle_value *shape = item_of(pickle, state, 1);
  const sotto_i_pickle_value *fortran = item_of(pickle, state, 3);
  const sotto_i_pickle_value *text = item_of(pickle, state, 4);
  if (!array_type(pickle, item_of(pickle, state, 2), out))
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: the type of array %s is not a little-endian number",
                        file, name);
  if (shape->kind != SOTTO_I_PICKLE_TUPLE || shape->count < 1 || shape->count > 2)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s does not have one or two dimensions", file, name);
  if (fortran->kind != SOTTO_I_PICKLE_BOOL || fortran->number != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "%s: array %s is not in C order", file, name);
  out->dims = (uint8_t)shape->count;
  for (uint32_t i = 0; i < shape->count; i++) {
    const sotto_i_pickle_value *extent = item_of(pickle, shape, i);
    if (extent->kind != SOTTO_I_PICKLE_INT || extent->number < 0)
      return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s has an invalid shape", file, name);
    out->shape[i] = (uint64_t)extent->number;
    out->count *= out->shape[i]; /* two factors below 2^31 */
  }
  if (text->kind != SOTTO_I_PICKLE_STRING || text->size / out->item != out->count ||
      text->size % out->item != 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: array %s claims %llu elements but has a different size", file,
                        name, (unsigned long long)out->count);
  out->data = text->text;
  return SOTTO_OK;
}

/* The value of a key in a dict, or None. */
static const sotto_i_pickle_value *lookup(const sotto_i_pickle *pickle, const sotto_i_pickle_value *dict,
                                          const char *key) {
  pickle_place at = {0};
  const sotto_i_pickle_value *name, *value;
  while (dict->kind == SOTTO_I_PICKLE_DICT && next_item(pickle, dict, &at, &name) &&
         next_item(pickle, dict, &at, &value))
    if (text_is(name, key)) return value;
  return &pickle->values[0];
}

sotto_status sotto_i_pickle_csr(const sotto_i_pickle *pickle, const sotto_i_pickle_value *value,
                                sotto_i_csr *out, sotto_error *err) {
  sotto_status status;
  *out = (sotto_i_csr){.name = "the matrix"};
  if (!sotto_i_pickle_is(pickle, value, SOTTO_I_PICKLE_CSR))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: is not a scipy csr_matrix", pickle->source.file);
  const sotto_i_pickle_value *state = &pickle->values[value->state];
  const sotto_i_pickle_value *shape = lookup(pickle, state, "_shape");
  const sotto_i_pickle_value *rows = item_of(pickle, shape, 0);
  const sotto_i_pickle_value *cols = item_of(pickle, shape, 1);
  if (rows->kind != SOTTO_I_PICKLE_INT || cols->kind != SOTTO_I_PICKLE_INT || rows->number < 0 ||
      cols->number < 0)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: the matrix has no shape", pickle->source.file);
  out->rows = (uint64_t)rows->number;
  out->cols = (uint64_t)cols->number;
  SOTTO_TRY(sotto_i_pickle_array(pickle, lookup(pickle, state, "indptr"), "indptr", &out->starts, err));
  SOTTO_TRY(sotto_i_pickle_array(pickle, lookup(pickle, state, "indices"), "indices", &out->indices, err));
  SOTTO_TRY(sotto_i_pickle_array(pickle, lookup(pickle, state, "data"), "data", &out->values, err));
  SOTTO_TRY(sotto_i_sparse_check(out, pickle->source.file, err));
done:
  return status;
}

/* Adds the neighbours of one node. The memo can reference a list many times, so the number of edges is
 * limited here: a neighbour takes at least a byte of the file. */
static sotto_status add_neighbours(const sotto_i_pickle *pickle, uint32_t node,
                                   const sotto_i_pickle_value *list, uint64_t nodes, sotto_i_edge_list *pairs,
                                   sotto_error *err) {
  pickle_place at = {0};
  const sotto_i_pickle_value *item;
  if (list->kind != SOTTO_I_PICKLE_LIST)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: the neighbours of node %u are not a list", pickle->source.file,
                        node);
  if (list->count > pickle->source.size - pairs->count)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: more edges than the file has bytes", pickle->source.file);
  while (next_item(pickle, list, &at, &item)) {
    if (item->kind != SOTTO_I_PICKLE_INT || item->number < 0 || (uint64_t)item->number >= nodes)
      return sotto_i_fail(err, SOTTO_RANGE,
                          "%s: node %u has neighbour %lld, which is not below the %llu nodes",
                          pickle->source.file, node, (long long)item->number, (unsigned long long)nodes);
    sotto_status status = sotto_i_edge_list_add(pairs, node, (uint32_t)item->number, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_pickle_edges(const sotto_i_pickle *pickle, const sotto_i_pickle_value *value,
                                  uint64_t *nodes, sotto_i_edge_list *pairs, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  uint8_t *seen = NULL;
  pickle_place at = {0};
  const sotto_i_pickle_value *key, *list;
  if (value->kind != SOTTO_I_PICKLE_DICT && !sotto_i_pickle_is(pickle, value, SOTTO_I_PICKLE_DEFAULTDICT))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: is not a dict of neighbour lists", pickle->source.file);
  *nodes = value->count / 2;
  SOTTO_TRY(sotto_i_new(&seen, *nodes, 1, err));
  while (next_item(pickle, value, &at, &key) && next_item(pickle, value, &at, &list)) {
    if (key->kind != SOTTO_I_PICKLE_INT || key->number < 0 || (uint64_t)key->number >= *nodes ||
        seen[key->number]++ != 0) {
      status = sotto_i_fail(err, SOTTO_RANGE, "%s: node %lld is not below the %llu nodes, or occurs twice",
                            pickle->source.file, (long long)key->number, (unsigned long long)*nodes);
      goto done;
    }
    SOTTO_TRY(add_neighbours(pickle, (uint32_t)key->number, list, *nodes, pairs, err));
  }
done:
  sotto_i_free(seen);
  return status;
}
