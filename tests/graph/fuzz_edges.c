/* Fuzzes an edge list, its node table and a split file, bundled. */
#include "base/memory.h"
#include "graph/tables/tables.h"
#include "samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Whatever is accepted must hold every promise of a dataset. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_error err = {0};
  sotto_i_parts parts = {0};
  sotto_i_source files[3];
  const sotto_import_options options = {
      .missing = size % 2 == 0 ? SOTTO_MISSING_MEAN : SOTTO_MISSING_ZERO, .categories = "age", .drop = "x,y"};
  sample_unbundle(files, 3, data, size);
  sotto_status status =
      sotto_i_read_edges(&parts, &files[0], &files[1], size % 3 == 0 ? NULL : &options, &err);
  if (status == SOTTO_OK && files[2].data != NULL) status = sotto_i_read_split(&parts, &files[2], &err);
  sotto_dataset dataset;
  if (status == SOTTO_OK && sotto_i_dataset_assemble(&dataset, &parts, &err) == SOTTO_OK)
    sotto_dataset_free(&dataset);
  sotto_i_parts_free(&parts);
  return 0;
}
