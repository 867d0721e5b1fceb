/* Fuzzes the native format behind its checksums: they are made right before each try. */
#include "graph/io/native.h"

#include <string.h>

#include "base/memory.h"
#include "samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The arrays lie in the copy, as they would in a map: so only the name is freed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_i_parts parts = {0};
  sotto_dataset dataset = {0};
  uint8_t *copy = NULL;
  if (sotto_i_new_raw(&copy, size, 1, NULL) != SOTTO_OK) return 0;
  if (size > 0) memcpy(copy, data, size);
  sample_seal(copy, size, true);
  const sotto_i_source file = {"fuzz.sotto", copy, size};
  if (sotto_i_read_native(&parts, &file, NULL) == SOTTO_OK &&
      sotto_i_dataset_assemble(&dataset, &parts, NULL) == SOTTO_OK) {
    parts = *(sotto_i_parts *)dataset.storage;
    sotto_i_free(dataset.storage);
  }
  sotto_i_free(parts.name);
  sotto_schema_free(parts.schema);
  sotto_i_free(copy);
  return 0;
}
