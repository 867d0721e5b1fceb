/* Fuzzes the YAML of schemas: what is read is written, and read again as the same. */
#include <stdlib.h>
#include <string.h>

#include "graph/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_schema *schema, *again;
  char *text, *second;
  if (sotto_schema_parse(&schema, "fuzz.yaml", data, size, NULL) != SOTTO_OK) return 0;
  if (sotto_schema_yaml(&text, schema, NULL) != SOTTO_OK) abort();
  if (sotto_schema_parse(&again, "again.yaml", text, strlen(text), NULL) != SOTTO_OK) abort();
  if (sotto_schema_yaml(&second, again, NULL) != SOTTO_OK || strcmp(text, second) != 0) abort();
  sotto_schema_free_text(text);
  sotto_schema_free_text(second);
  sotto_schema_free(schema);
  sotto_schema_free(again);
  return 0;
}
