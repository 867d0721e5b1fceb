/* Any arrays in a sound archive, which fuzz_npz, held up by checksums, does not come to. */
#include <stdlib.h>
#include <string.h>

#include "samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sotto_i_source sources[SAMPLE_ARRAYS], file;
  sample arrays[SAMPLE_ARRAYS] = {0}, archive;
  sotto_i_parts parts = {0};
  sotto_dataset set;
  sotto_error err = {0};
  if (size == 0) return 0;
  sample_unbundle(sources, SAMPLE_ARRAYS, data + 1, size - 1);
  for (size_t i = 0; i < SAMPLE_ARRAYS; i++)
    if (sources[i].data != NULL) sample_add(&arrays[i], sources[i].data, sources[i].size);
  sample_npz(&archive, arrays, (data[0] & 1) != 0);
  sample_sources(&file, &archive, 1);
  if (sotto_i_read_npz(&parts, &file, &err) == SOTTO_OK) {
    if (sotto_i_dataset_assemble(&set, &parts, &err) == SOTTO_OK) sotto_dataset_free(&set);
  } else if (err.text[0] == '\0') {
    abort();
  }
  sotto_i_parts_free(&parts);
  sample_free(&archive);
  sample_free_all(arrays, SAMPLE_ARRAYS);
  return 0;
}
