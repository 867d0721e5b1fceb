/* A validator for a subset of JSON Schema. */
#include "schema.h"

#include "check.h"

enum { path_size = 256 };

/* Where the first fault goes. */
typedef struct report {
  char *text;
  size_t size;
} report;

static bool fault(const report *r, const char *path, const char *what, const char *name) {
  (void)snprintf(r->text, r->size, "%s: %s%s", path, what, name);
  return false;
}

static const char *kind_of(const json_t *value) {
  switch (json_typeof(value)) {
  case JSON_OBJECT:
    return "object";
  case JSON_ARRAY:
    return "array";
  case JSON_STRING:
    return "string";
  case JSON_INTEGER:
    return "integer";
  case JSON_REAL:
    return "number";
  case JSON_TRUE:
  case JSON_FALSE:
    return "boolean";
  default:
    return "null";
  }
}

static bool is_of_type(const json_t *value, const char *type) {
  return strcmp(kind_of(value), type) == 0 || (strcmp(type, "number") == 0 && json_is_integer(value));
}

static bool check_type(const report *r, const json_t *type, const json_t *value, const char *path) {
  char words[80];
  if (type == NULL || (json_is_string(type) && is_of_type(value, json_string_value(type)))) return true;
  for (size_t i = 0; i < json_array_size(type); i++)
    if (is_of_type(value, json_string_value(json_array_get(type, i)))) return true;
  (void)snprintf(words, sizeof words, "has the wrong type, %s", kind_of(value));
  return fault(r, path, words, "");
}

static bool check_enum(const report *r, const json_t *all, const json_t *value, const char *path) {
  if (all == NULL) return true;
  for (size_t i = 0; i < json_array_size(all); i++)
    if (json_equal(value, json_array_get(all, i))) return true;
  return fault(r, path, "is none of the values in the enum", "");
}

static bool check_minimum(const report *r, const json_t *least, const json_t *value, const char *path) {
  if (least == NULL || !json_is_number(value) || json_number_value(value) >= json_number_value(least))
    return true;
  return fault(r, path, "is below the minimum", "");
}

static bool fits(const report *r, json_t *schema, json_t *value, const char *path);

static bool check_object(const report *r, json_t *schema, json_t *value, const char *path) {
  const json_t *required = json_object_get(schema, "required");
  json_t *properties = json_object_get(schema, "properties"), *member;
  const bool closed = json_is_false(json_object_get(schema, "additionalProperties"));
  const char *key;
  if (!json_is_object(value)) return true;
  for (size_t i = 0; i < json_array_size(required); i++) {
    const char *name = json_string_value(json_array_get(required, i));
    if (json_object_get(value, name) == NULL) return fault(r, path, "lacks ", name);
  }
  json_object_foreach(value, key, member) {
    char place[path_size];
    json_t *inner = json_object_get(properties, key);
    if (inner == NULL && closed) return fault(r, path, "has, and the schema does not have, ", key);
    (void)snprintf(place, sizeof place, "%.120s.%.100s", path, key);
    if (inner != NULL && !fits(r, inner, member, place)) return false;
  }
  return true;
}

static bool check_array(const report *r, json_t *items, const json_t *value, const char *path) {
  if (items == NULL || !json_is_array(value)) return true;
  for (size_t i = 0; i < json_array_size(value); i++) {
    char place[path_size];
    (void)snprintf(place, sizeof place, "%.200s[%zu]", path, i);
    if (!fits(r, items, json_array_get(value, i), place)) return false;
  }
  return true;
}

static bool check_keywords(const report *r, json_t *schema, const char *path) {
  static const char *const known[] = {
      "$schema",  "title",      "description",          "type", "enum", "minimum",
      "required", "properties", "additionalProperties", "items"};
  const char *key;
  json_t *member;
  if (!json_is_object(schema)) return fault(r, path, "has a schema that is not an object", "");
  json_object_foreach(schema, key, member) {
    size_t i = 0;
    while (i < sizeof known / sizeof *known && strcmp(known[i], key) != 0) i++;
    if (i == sizeof known / sizeof *known)
      return fault(r, path, "has an unknown keyword in its schema, ", key);
  }
  return true;
}

static bool fits(const report *r, json_t *schema, json_t *value, const char *path) {
  return check_keywords(r, schema, path) && check_type(r, json_object_get(schema, "type"), value, path) &&
         check_enum(r, json_object_get(schema, "enum"), value, path) &&
         check_minimum(r, json_object_get(schema, "minimum"), value, path) &&
         check_object(r, schema, value, path) &&
         check_array(r, json_object_get(schema, "items"), value, path);
}

bool check_schema_fits(char *finding, size_t size, json_t *schema, json_t *value) {
  const report r = {finding, size};
  finding[0] = '\0';
  return fits(&r, schema, value, "$");
}

json_t *check_json_document(const char *path) {
  char file[1200];
  json_error_t error;
  const char *source = getenv("SOTTO_SOURCE");
  if (source == NULL) fail_msg("SOTTO_SOURCE is not set: run this test with ctest");
  (void)snprintf(file, sizeof file, "%s/%s", source, path);
  json_t *document = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
  if (document == NULL) fail_msg("%s, line %d: %s", file, error.line, error.text);
  return document;
}
