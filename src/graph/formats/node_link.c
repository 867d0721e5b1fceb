/* JSON in the format of networkx.node_link_data: {"nodes": [{"id": ..., ...}], "links" or "edges":
 * [{"source": ..., "target": ...}]}. Values are numbers, texts, booleans, or lists of numbers (one feature
 * per element). */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "elements.h"

enum { longest_name = 200 };

static sotto_status fail(const sotto_i_source *file, sotto_status status, const char *list, size_t i,
                         const char *what, sotto_error *err) {
  return sotto_i_fail(err, status, "%s: %s %zu (from 0) %s", file->file, list, i, what);
}

/* A value as text, in `room` if it is a number; false for objects and lists. null is a missing value. */
static bool value_as_text(sotto_i_field *out, char room[64], const json_t *value) {
  if (json_is_string(value)) {
    *out = (sotto_i_field){(const uint8_t *)json_string_value(value), json_string_length(value)};
    return true;
  }
  if (json_is_integer(value))
    (void)snprintf(room, 64, "%lld", (long long)json_integer_value(value));
  else if (json_is_real(value))
    (void)snprintf(room, 64, "%.17g", json_real_value(value));
  else if (json_is_boolean(value))
    (void)snprintf(room, 64, "%s", json_is_true(value) ? "true" : "false");
  else if (json_is_null(value))
    room[0] = '\0';
  else
    return false;
  *out = (sotto_i_field){(const uint8_t *)room, strlen(room)};
  return true;
}

static sotto_status add_list(sotto_i_elements *e, const char *key, const json_t *list, size_t node,
                             sotto_error *err) {
  char name[longest_name + 32], room[64];
  for (size_t i = 0; i < json_array_size(list); i++) {
    sotto_i_field value;
    const json_t *item = json_array_get(list, i);
    if (!json_is_number(item) || !value_as_text(&value, room, item))
      return fail(e->columns.file, SOTTO_UNSUPPORTED, "node", node,
                  "has a list that is not of numbers; write each element as its own attribute", err);
    (void)snprintf(name, sizeof name, "%.*s[%zu]", longest_name, key, i);
    const sotto_i_field field = {(const uint8_t *)name, strlen(name)};
    sotto_status status = sotto_i_elements_attribute(e, &field, &value, 0, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

static sotto_status add_node(sotto_i_elements *e, json_t *node, size_t i, sotto_error *err) {
  char room[64];
  sotto_i_field id, value;
  const char *key;
  json_t *item;
  const json_t *given = json_object_get(node, "id");
  if (given == NULL || !value_as_text(&id, room, given))
    return fail(e->columns.file, SOTTO_PARSE, "node", i, "has no id that is a number or a text", err);
  sotto_status status = sotto_i_elements_node(e, &id, 0, err);
  json_object_foreach(node, key, item) {
    if (status != SOTTO_OK) return status;
    const sotto_i_field name = {(const uint8_t *)key, strlen(key)};
    if (item == given) continue;
    if (json_is_array(item))
      status = add_list(e, key, item, i, err);
    else if (value_as_text(&value, room, item))
      status = sotto_i_elements_attribute(e, &name, &value, 0, err);
    else
      status = fail(e->columns.file, SOTTO_UNSUPPORTED, "node", i,
                    "has an attribute that is an object; write its members as attributes", err);
  }
  return status;
}

static sotto_status add_link(sotto_i_elements *e, json_t *link, size_t i, sotto_error *err) {
  char rooms[2][64];
  sotto_i_field from, to;
  const char *key;
  json_t *item;
  const json_t *source = json_object_get(link, "source"), *target = json_object_get(link, "target");
  if (source == NULL || target == NULL || !value_as_text(&from, rooms[0], source) ||
      !value_as_text(&to, rooms[1], target))
    return fail(e->columns.file, SOTTO_PARSE, "edge", i,
                "has no source or no target that is a number or a text", err);
  sotto_status status = sotto_i_elements_edge_add(e, &from, &to, 0, err);
  json_object_foreach(link, key, item) {
    const sotto_i_field name = {(const uint8_t *)key, strlen(key)};
    if (status != SOTTO_OK || item == source || item == target || strcmp(key, "key") == 0) continue;
    if (!value_as_text(&from, rooms[0], item)) from = (sotto_i_field){(const uint8_t *)"", 0};
    status = sotto_i_elements_edge_attribute(e, &name, &from, 0, err);
  }
  return status;
}

static sotto_status read_root(sotto_i_elements *e, const json_t *root, sotto_error *err) {
  const char *file = e->columns.file->file;
  const json_t *nodes = json_object_get(root, "nodes"), *links = json_object_get(root, "links");
  sotto_status status = SOTTO_OK;
  if (links == NULL) links = json_object_get(root, "edges");
  if (!json_is_array(nodes) || !json_is_array(links))
    return sotto_i_fail(err, SOTTO_PARSE,
                        "%s: is not an object with the lists nodes and links (or edges), as "
                        "networkx.node_link_data writes it",
                        file);
  e->undirected = json_is_false(json_object_get(root, "directed"));
  for (size_t i = 0; status == SOTTO_OK && i < json_array_size(nodes); i++)
    status = add_node(e, json_array_get(nodes, i), i, err);
  for (size_t i = 0; status == SOTTO_OK && i < json_array_size(links); i++)
    status = add_link(e, json_array_get(links, i), i, err);
  return status;
}

sotto_status sotto_i_read_node_link(sotto_i_parts *parts, const sotto_i_source *file,
                                    const sotto_import_options *options, sotto_error *err) {
  sotto_i_elements e;
  json_error_t why = {.text = ""};
  sotto_status status;
  sotto_i_elements_init(&e, file, options);
  json_t *root = sotto_i_memory_fails()
                     ? NULL
                     : json_loadb((const char *)file->data, file->size, JSON_REJECT_DUPLICATES, &why);
  if (root == NULL) {
    status = why.text[0] == '\0' ? sotto_i_fail(err, SOTTO_NOMEM, "%s: no memory to read JSON", file->file)
                                 : sotto_i_fail(err, SOTTO_PARSE, "%s: line %d: is not JSON: %s", file->file,
                                                why.line, why.text);
    goto done;
  }
  SOTTO_TRY(read_root(&e, root, err));
  SOTTO_TRY(sotto_i_elements_finish(&e, parts, err));
done:
  json_decref(root);
  sotto_i_elements_free(&e);
  return status;
}
