/* A small file of the native format, as the library saves it. */
#include <math.h>

#include "check.h"
#include "graph/io/native.h"
#include "samples.h"
#include "sotto/split.h"

/* A list of words with blanks between. */
static void add_names(sotto_names *out, const char *words) {
  sotto_i_names_maker maker = {0};
  sotto_i_names_free(out); /* the reader may have some */
  while (*words != '\0') {
    const size_t length = strcspn(words, " ");
    CHECK_OK(sotto_i_names_add(&maker, words, length, &err));
    words += length + (words[length] == ' ');
  }
  CHECK_OK(sotto_i_names_finish(out, &maker, &err));
}

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
  add_names(&parts.names[SOTTO_I_NAMES_NODES], "ann bob \xc3\xa9va dan 5");
  add_names(&parts.names[SOTTO_I_NAMES_FEATURES], "kind=3 kind=5 kind=9 age");
  add_names(&parts.names[SOTTO_I_NAMES_GRAPH_CLASSES], "no yes");
  CHECK_OK(sotto_i_dataset_assemble(&data, &parts, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path("tiny.sotto"), &err));
  CHECK_OK(sotto_i_map_open(&map, check_path("tiny.sotto"), &err));
  sample_add(&bytes, map.data, map.size);
  sotto_i_map_close(&map);
  sotto_dataset_free(&data);
  sample_free_all(files, SOTTO_I_TU_FILES);
  return bytes;
}

static sample save_arrays(const sotto_arrays *arrays, const char *name) {
  sotto_dataset data;
  sotto_i_map map;
  sample bytes = {0};
  CHECK_OK(sotto_dataset_from_arrays(&data, arrays, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path(name), &err));
  CHECK_OK(sotto_i_map_open(&map, check_path(name), &err));
  sample_add(&bytes, map.data, map.size);
  sotto_i_map_close(&map);
  sotto_dataset_free(&data);
  return bytes;
}

sample sample_native_sparse(void) {
  static const uint64_t starts[] = {0, 2, 3};
  static const uint32_t columns[] = {0, 2, 1};
  static const float values[] = {1, 2, 3};
  const sotto_arrays a = {.name = "tiny",
                          .nodes = 2,
                          .feature_columns = 3,
                          .feature_indptr = {starts, 3, SOTTO_INDEX_U64},
                          .feature_indices = {columns, 3, SOTTO_INDEX_U32},
                          .feature_values = values,
                          .keep_entries = true};
  return save_arrays(&a, "sparse.sotto");
}

sample sample_native_numbers(void) {
  static const uint32_t from[] = {0, 2}, to[] = {1, 1};
  static const float amounts[] = {5, 0.5F}, numbers[] = {1.5F, NAN, -2};
  const sotto_arrays a = {.name = "tiny",
                          .nodes = 3,
                          .sources = {from, 2, SOTTO_INDEX_U32},
                          .targets = {to, 2, SOTTO_INDEX_U32},
                          .amounts = amounts,
                          .numbers = numbers};
  return save_arrays(&a, "numbers.sotto");
}

sample sample_native_foreign(void) {
  static const uint32_t from[] = {0, 0, 2}, to[] = {1, 3, 3}, owner[] = {0, 1, 0, 1};
  const sotto_arrays a = {
      .name = "tiny", .nodes = 4, .sources = {from, 3, SOTTO_INDEX_U32}, .targets = {to, 3, SOTTO_INDEX_U32}};
  sotto_dataset whole, parts[2];
  sotto_i_map map;
  sample bytes = {0};
  CHECK_OK(sotto_dataset_from_arrays(&whole, &a, &err));
  CHECK_OK(sotto_split_linked(parts, &whole, owner, 2, &err));
  CHECK_OK(sotto_dataset_save(&parts[0], check_path("foreign.sotto"), &err));
  CHECK_OK(sotto_i_map_open(&map, check_path("foreign.sotto"), &err));
  sample_add(&bytes, map.data, map.size);
  sotto_i_map_close(&map);
  for (int i = 0; i < 2; i++) sotto_dataset_free(&parts[i]);
  sotto_dataset_free(&whole);
  return bytes;
}

sample sample_native_kinds(void) {
  static const uint32_t from[] = {0, 2, 1}, to[] = {1, 1, 0};
  static const float amounts[] = {5, 0.5F, 2};
  static const uint8_t kinds[] = {1, 0, 1};
  static const uint64_t starts[] = {0, 5, 10};
  static const sotto_names names = {2, starts, "cash\0card"};
  const sotto_arrays a = {.name = "tiny",
                          .nodes = 3,
                          .sources = {from, 3, SOTTO_INDEX_U32},
                          .targets = {to, 3, SOTTO_INDEX_U32},
                          .amounts = amounts,
                          .kinds = kinds,
                          .kind_names = &names};
  return save_arrays(&a, "kinds.sotto");
}
