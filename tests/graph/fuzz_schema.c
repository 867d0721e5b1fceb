/* Fuzzes the YAML of schemas: what is read is written, and read again as the same; and what the quick reader
 * takes is what libyaml reads. */
#include <stdlib.h>
#include <string.h>

#include "graph/io/schema_nodes.h"
#include "graph/schema.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const char *a, const char *b) {
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void compare(const uint8_t *data, size_t size) {
  sotto_i_yaml quick, slow;
  bool done;
  if (sotto_i_yaml_read_plain(&done, &quick, (const char *)data, size, NULL) != SOTTO_OK || !done) return;
  if (sotto_i_yaml_read_any(&slow, "fuzz.yaml", (const char *)data, size, NULL) != SOTTO_OK) abort();
  if (quick.count != slow.count) abort();
  for (size_t i = 1; i < quick.count; i++) {
    const sotto_i_yaml_node *a = &quick.nodes[i], *b = &slow.nodes[i];
    if (a->kind != b->kind || a->first != b->first || a->next != b->next || !same(a->text, b->text) ||
        !same(a->key, b->key) || a->line != b->line)
      abort();
  }
  sotto_i_yaml_free(&quick);
  sotto_i_yaml_free(&slow);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_schema *schema, *again;
  char *text, *second;
  compare(data, size);
  if (sotto_schema_parse(&schema, "fuzz.yaml", data, size, NULL) != SOTTO_OK) return 0;
  if (sotto_schema_yaml(&text, schema, NULL) != SOTTO_OK) abort();
  if (sotto_schema_parse(&again, "again.yaml", text, strlen(text), NULL) != SOTTO_OK) abort();
  if (sotto_schema_yaml(&second, again, NULL) != SOTTO_OK || strcmp(text, second) != 0) abort();
  sotto_text_free(text);
  sotto_text_free(second);
  sotto_schema_free(schema);
  sotto_schema_free(again);
  return 0;
}
