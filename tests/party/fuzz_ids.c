/* Any bytes as a list of ids, one a line, or as a column of a table: what is taken can be read to its end. */
#include <stdlib.h>

#include "inside/party.h"
#include "party/psi/psi.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_ids *ids = NULL;
  sotto_error err = {0};
  if (size == 0) return 0;
  const sotto_i_source source = {.file = "fuzzed", .data = data + 1, .size = size - 1};
  const sotto_status status = sotto_i_ids_read(&ids, &source, (data[0] & 1) != 0 ? "id" : NULL, &err);
  if (status != SOTTO_OK) {
    if (ids != NULL || err.text[0] == '\0') abort();
    return 0;
  }
  size_t bytes = 0;
  for (size_t i = 0; i < sotto_ids_count(ids); i++) {
    size_t length;
    uint8_t id[SOTTO_MOST_ID_BYTES];
    if (sotto_ids_get(id, &length, ids, i, &err) != SOTTO_OK) abort();
    for (size_t j = 0; j < length; j++) bytes += id[j] != 0;
    bytes += length;
  }
  if (bytes > 2 * size) abort();
  sotto_ids_free(ids);
  return 0;
}
