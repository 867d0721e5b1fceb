/* Fuzzes the readers of other programs' forms: the first byte says which. */
#include "base/memory.h"
#include "format_samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static sotto_status read_one(sotto_i_parts *parts, const uint8_t *data, size_t size, uint8_t which) {
  static const sotto_import_options fill = {.missing = SOTTO_MISSING_ZERO,
                                            .types = "x=category,age=category"};
  const sotto_i_source file = {"fuzz", data, size};
  sotto_i_source files[SOTTO_I_OGB_FILES];
  sotto_error err = {0};
  if (which % 16 < FORMAT_SAMPLES)
    return format_samples[which % 16].read(parts, &file, which < 128 ? NULL : &fill, &err);
  sample_unbundle(files, SOTTO_I_OGB_FILES, data, size);
  for (size_t i = 0; i < SOTTO_I_OGB_FEATURES; i++)
    if (files[i].data == NULL) files[i] = (sotto_i_source){"none", (const uint8_t *)"", 0};
  return sotto_i_read_ogb(parts, files, &err);
}

/* Whatever is accepted must hold every promise of a dataset. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_i_parts parts = {0};
  sotto_dataset dataset;
  if (size == 0) return 0;
  if (read_one(&parts, data + 1, size - 1, data[0]) == SOTTO_OK &&
      sotto_i_dataset_assemble(&dataset, &parts, NULL) == SOTTO_OK)
    sotto_dataset_free(&dataset);
  sotto_i_parts_free(&parts);
  return 0;
}
