/* Nested YAML, read by tables: which keys a mapping may have, and what takes each value. */
#ifndef SOTTO_TOOLS_BENCH_YAML_H
#define SOTTO_TOOLS_BENCH_YAML_H

#include <yaml.h>

#include "sotto/base.h"

typedef struct app_yaml {
  yaml_document_t document;
} app_yaml;

/* Loads the one document of the text. Errors: PARSE, naming the line. */
sotto_status app_yaml_open(app_yaml *out, const uint8_t *data, size_t size, sotto_error *err);
void app_yaml_close(app_yaml *yaml);
/* NULL for an empty document. */
const yaml_node_t *app_yaml_root(app_yaml *yaml);

/* Fails with "line N: ..." at a node. */
sotto_status app_yaml_fail(const yaml_node_t *at, sotto_status status, sotto_error *err, const char *format,
                           ...) SOTTO_PRINTF(4, 5);
/* The text of a scalar of at most `size` - 1 bytes, copied. */
sotto_status app_yaml_text(char *out, size_t size, const yaml_node_t *node, const char *what,
                           sotto_error *err);

/* Takes the value of a key into `target`. */
typedef sotto_status (*app_yaml_take)(void *target, app_yaml *yaml, const yaml_node_t *value, const char *key,
                                      sotto_error *err);
typedef struct app_yaml_field {
  const char *key;
  app_yaml_take take;
  size_t offset; /* of the target in the structure that app_yaml_mapping fills */
} app_yaml_field;

/* Reads a mapping whose keys are among the fields'. Errors: PARSE (no mapping, a key twice), NOT_FOUND
 * (unknown key; the nearest is named). */
sotto_status app_yaml_mapping(void *target, app_yaml *yaml, const yaml_node_t *node,
                              const app_yaml_field *fields, size_t count, sotto_error *err);
/* Calls `take` for every pair of a mapping with any keys, or every item of a sequence (key ""). */
sotto_status app_yaml_pairs(void *target, app_yaml *yaml, const yaml_node_t *node, app_yaml_take take,
                            sotto_error *err);
sotto_status app_yaml_items(void *target, app_yaml *yaml, const yaml_node_t *node, app_yaml_take take,
                            sotto_error *err);

#endif
