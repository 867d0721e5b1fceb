/* A small file of the native format, as the library saves it. */
#include "check.h"
#include "graph/io/native.h"
#include "samples.h"

sample sample_native(void) {
  sample files[SOTTO_I_TU_FILES], bytes = {0};
  sotto_i_source sources[SOTTO_I_TU_FILES];
  sotto_i_parts parts = {0};
  sotto_dataset data;
  sotto_i_map map;
  sample_tu(files);
  for (size_t i = 0; i < SOTTO_I_TU_FILES; i++)
    sources[i] = (sotto_i_source){"tiny", files[i].data, files[i].size};
  CHECK_OK(sotto_i_read_tu(&parts, sources, &err));
  CHECK_OK(sotto_i_strdup(&parts.name, "tiny", &err));
  CHECK_OK(sotto_i_dataset_assemble(&data, &parts, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path("tiny.sotto"), &err));
  CHECK_OK(sotto_i_map_open(&map, check_path("tiny.sotto"), &err));
  sample_add(&bytes, map.data, map.size);
  sotto_i_map_close(&map);
  sotto_dataset_free(&data);
  sample_free_all(files, SOTTO_I_TU_FILES);
  return bytes;
}
