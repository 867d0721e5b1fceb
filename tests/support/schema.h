/* A validator for the subset of JSON Schema that the project's documents use: type, enum, minimum, required,
 * properties, additionalProperties (false), items. */
#ifndef SOTTO_TESTS_SUPPORT_SCHEMA_H
#define SOTTO_TESTS_SUPPORT_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* A document of the source tree, such as "docs/statement.schema.json"; fails the test when it cannot be read.
 * To be freed with json_decref. */
json_t *check_json_document(const char *path);
/* Does the value fit the schema? If not, `finding` has the first fault with its place, such as
 * "$.dataset.nodes: has the wrong type, string". A keyword of the schema that is not in the subset is a
 * fault, too. */
bool check_schema_fits(char *finding, size_t size, json_t *schema, json_t *value);

#endif
