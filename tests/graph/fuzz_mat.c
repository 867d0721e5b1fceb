/* Fuzzes the MATLAB reader, with every column as target. */
#include "base/memory.h"
#include "graph/io/read.h"
#include "samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever is accepted must hold every promise of a dataset. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_error err = {0};
  sotto_i_parts parts = {0};
  static const char *const targets[] = {"status", "gender", "major", "minor", "housing", "year", "school"};
  const sotto_i_source file = {"fuzz.mat", data, size};
  const sotto_import_options options = {.target = targets[size % 7]};
  sotto_status status = sotto_i_read_facebook(&parts, &file, &options, &err);
  sotto_dataset dataset;
  if (status == SOTTO_OK && sotto_i_dataset_assemble(&dataset, &parts, &err) == SOTTO_OK)
    sotto_dataset_free(&dataset);
  sotto_i_parts_free(&parts);
  return 0;
}
