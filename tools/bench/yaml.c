/* Nested YAML by libyaml's documents. */
#include "yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

enum { largest_file = 1 << 20, longest_key = 64, most_fields = 32 };

sotto_status app_yaml_open(app_yaml *out, const uint8_t *data, size_t size, sotto_error *err) {
  yaml_parser_t parser;
  if (size > largest_file) return sotto_i_fail(err, SOTTO_PARSE, "is larger than such a file can be (1 MB)");
  if (!yaml_parser_initialize(&parser))
    return sotto_i_fail(err, SOTTO_NOMEM, "no memory for the YAML parser");
  yaml_parser_set_input_string(&parser, data == NULL ? (const uint8_t *)"" : data, size);
  sotto_status status = SOTTO_OK;
  if (!yaml_parser_load(&parser, &out->document))
    status = sotto_i_fail(err, SOTTO_PARSE, "line %zu: %s", parser.problem_mark.line + 1,
                          parser.problem == NULL ? "not YAML" : parser.problem);
  yaml_parser_delete(&parser);
  return status;
}

void app_yaml_close(app_yaml *yaml) {
  yaml_document_delete(&yaml->document);
}

const yaml_node_t *app_yaml_root(app_yaml *yaml) {
  return yaml_document_get_root_node(&yaml->document);
}

sotto_status app_yaml_fail(const yaml_node_t *at, sotto_status status, sotto_error *err, const char *format,
                           ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return sotto_i_fail(err, status, "line %zu: %s", at->start_mark.line + 1, text);
}

sotto_status app_yaml_text(char *out, size_t size, const yaml_node_t *node, const char *what,
                           sotto_error *err) {
  if (node->type != YAML_SCALAR_NODE)
    return app_yaml_fail(node, SOTTO_PARSE, err, "%s: takes one value", what);
  size_t length = node->data.scalar.length;
  if (strlen((const char *)node->data.scalar.value) != length)
    return app_yaml_fail(node, SOTTO_PARSE, err, "%s: a zero byte inside of text", what);
  if (length >= size)
    return app_yaml_fail(node, SOTTO_PARSE, err, "%s: longer than %zu bytes", what, size - 1);
  memcpy(out, node->data.scalar.value, length + 1);
  return SOTTO_OK;
}

static sotto_status unknown_key(const yaml_node_t *at, const char *key, const app_yaml_field *fields,
                                size_t count, sotto_error *err) {
  const char *names[most_fields];
  for (size_t i = 0; i < count; i++) names[i] = fields[i].key;
  const char *nearest = sotto_i_nearest(key, names, count);
  return app_yaml_fail(at, SOTTO_NOT_FOUND, err, "unknown key '%s'%s%s%s", key,
                       nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                       nearest == NULL ? "" : "'?");
}

typedef struct table {
  char *target;
  const app_yaml_field *fields;
  size_t count;
  bool seen[most_fields];
} table;

static sotto_status take_field(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                               sotto_error *err) {
  table *t = target;
  for (size_t i = 0; i < t->count; i++) {
    if (strcmp(t->fields[i].key, key) != 0) continue;
    if (t->seen[i]) return app_yaml_fail(value, SOTTO_PARSE, err, "'%s' stands twice", key);
    t->seen[i] = true;
    return t->fields[i].take(t->target + t->fields[i].offset, yaml, value, key, err);
  }
  return unknown_key(value, key, t->fields, t->count, err);
}

sotto_status app_yaml_mapping(void *target, app_yaml *yaml, const yaml_node_t *node,
                              const app_yaml_field *fields, size_t count, sotto_error *err) {
  SOTTO_I_CHECK(count <= most_fields);
  table t = {.target = target, .fields = fields, .count = count};
  return app_yaml_pairs(&t, yaml, node, take_field, err);
}

sotto_status app_yaml_pairs(void *target, app_yaml *yaml, const yaml_node_t *node, app_yaml_take take,
                            sotto_error *err) {
  if (node->type != YAML_MAPPING_NODE)
    return app_yaml_fail(node, SOTTO_PARSE, err, "`key: value` lines belong here");
  for (yaml_node_pair_t *p = node->data.mapping.pairs.start; p < node->data.mapping.pairs.top; p++) {
    char key[longest_key];
    const yaml_node_t *name = yaml_document_get_node(&yaml->document, p->key);
    const yaml_node_t *value = yaml_document_get_node(&yaml->document, p->value);
    sotto_status status = app_yaml_text(key, sizeof key, name, "a key", err);
    if (status == SOTTO_OK) status = take(target, yaml, value, key, err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}

sotto_status app_yaml_items(void *target, app_yaml *yaml, const yaml_node_t *node, app_yaml_take take,
                            sotto_error *err) {
  if (node->type != YAML_SEQUENCE_NODE) return app_yaml_fail(node, SOTTO_PARSE, err, "a list belongs here");
  for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++) {
    sotto_status status = take(target, yaml, yaml_document_get_node(&yaml->document, *i), "", err);
    if (status != SOTTO_OK) return status;
  }
  return SOTTO_OK;
}
