/* Fuzzes the native format behind its checksums: they are made right before each try. */
#include "graph/native.h"

#include <sodium.h>
#include <string.h>

#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void seal(uint8_t *bytes, size_t size) {
  sotto_i_native_header h;
  if (size < sizeof h || sodium_init() < 0) return;
  memcpy(&h, bytes, sizeof h);
  memcpy(h.magic, SOTTO_I_NATIVE_MAGIC, sizeof h.magic);
  h.version = SOTTO_I_NATIVE_VERSION;
  h.file_size = size;
  for (size_t k = 0; k < SOTTO_I_NATIVE_KINDS; k++) {
    sotto_i_native_section *s = &h.table[k];
    if (s->offset <= size && s->size <= size - s->offset && s->offset > 0)
      (void)sotto_i_checksum(s->checksum, bytes + s->offset, s->size, NULL);
  }
  crypto_generichash(h.checksum, sizeof h.checksum, (const uint8_t *)&h,
                     offsetof(sotto_i_native_header, checksum), NULL, 0);
  memcpy(bytes, &h, sizeof h);
}

/* The arrays lie in the copy, as they would in a map: so only the name is freed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_i_parts parts = {0};
  sotto_dataset dataset = {0};
  uint8_t *copy = NULL;
  if (sotto_i_new_raw(&copy, size, 1, NULL) != SOTTO_OK) return 0;
  if (size > 0) memcpy(copy, data, size);
  seal(copy, size);
  const sotto_i_source file = {"fuzz.sotto", copy, size};
  if (sotto_i_read_native(&parts, &file, NULL) == SOTTO_OK &&
      sotto_i_dataset_assemble(&dataset, &parts, NULL) == SOTTO_OK) {
    parts = *(sotto_i_parts *)dataset.storage;
    sotto_i_free(dataset.storage);
  }
  sotto_i_free(parts.name);
  sotto_i_free(copy);
  return 0;
}
