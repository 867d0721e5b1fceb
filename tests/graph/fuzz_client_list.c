/* Any bytes as a list of clients, and as a table of ids. */
#include <stdlib.h>

#include "graph/io/csv.h"
#include "input_file.h"
#include "sotto/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { nodes = 6 };
  const sotto_dataset set = {.graph = {.nodes = nodes}};
  uint32_t owner[nodes], clients = 0;
  uint8_t digest[32];
  sotto_error err = {0};
  const char *path = fuzz_put("list.csv", data, size);
  if (sotto_deal_list(owner, &clients, &set, path, &err) == SOTTO_OK) {
    for (int i = 0; i < nodes; i++)
      if (owner[i] >= clients) abort();
  } else if (err.text[0] == '\0') {
    abort();
  }
  err = (sotto_error){.status = SOTTO_OK};
  if (sotto_i_table_ids_digest(digest, path, &err) != SOTTO_OK && err.text[0] == '\0') abort();
  return 0;
}
