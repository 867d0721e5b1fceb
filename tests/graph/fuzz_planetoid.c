/* Fuzzes the eight files of a Planetoid dataset, bundled. */
#include "base/memory.h"
#include "graph/io/read.h"
#include "samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever is accepted must hold every promise of a dataset. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_error err = {0};
  sotto_i_parts parts = {0};
  sotto_i_source files[SOTTO_I_PLANETOID_FILES];
  sample_unbundle(files, SOTTO_I_PLANETOID_FILES, data, size);
  sotto_status status = sotto_i_read_planetoid(&parts, files, &err);
  sotto_dataset dataset;
  if (status == SOTTO_OK && sotto_i_dataset_assemble(&dataset, &parts, &err) == SOTTO_OK)
    sotto_dataset_free(&dataset);
  sotto_i_parts_free(&parts);
  return 0;
}
