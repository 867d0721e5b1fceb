/* Any bytes as a list of clients. */
#include <stdlib.h>

#include "input_file.h"
#include "inside/graph.h"
#include "sotto/split.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { nodes = 6 };
  const sotto_dataset set = {.graph = {.nodes = nodes}};
  uint32_t owner[nodes], clients = 0;
  sotto_error err = {0};
  const char *path = fuzz_put("list.csv", data, size);
  if (sotto_deal_list(owner, &clients, &set, path, &err) == SOTTO_OK) {
    for (int i = 0; i < nodes; i++)
      if (owner[i] >= clients) abort();
  } else if (err.text[0] == '\0') {
    abort();
  }
  return 0;
}
