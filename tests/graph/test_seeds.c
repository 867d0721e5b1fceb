/* Seeds of the fuzz targets: the samples, bundled where a reader takes several files. SOTTO_SEEDS=FOLDER
 * writes them there, as FOLDER/fuzz_NAME/FILE; otherwise they are compared with the ones that are kept. */
#include "format_samples.h"
#include "graph/io/native.h"
#include "samples.h"

#include "check.h"

#include <sys/stat.h>

static void keep_or_compare(const char *name, const char *file, sample *seed) {
  const char *wanted = getenv("SOTTO_SEEDS"), *source = getenv("SOTTO_SOURCE");
  char path[1024];
  if (wanted != NULL) {
    (void)snprintf(path, sizeof path, "%s/%s", wanted, name);
    (void)mkdir(path, 0755);
    (void)snprintf(path, sizeof path, "%s/%s/%s", wanted, name, file);
    CHECK_OK(sotto_i_write_file(path, seed->data, seed->size, &err));
  } else if (source != NULL) {
    sotto_i_map map;
    (void)snprintf(path, sizeof path, "%s/tests/graph/corpus/%s/%s", source, name, file);
    CHECK_OK(sotto_i_map_open(&map, path, &err));
    assert_int_equal(map.size, seed->size);
    assert_memory_equal(map.data, seed->data, seed->size);
    sotto_i_map_close(&map);
  }
  sample_free(seed);
}

static void keep_bundle(const char *name, sample *files, size_t count) {
  sample seed;
  sample_bundle(&seed, files, count);
  for (size_t i = 0; i < count; i++) sample_free(&files[i]);
  keep_or_compare(name, "sample", &seed);
}

static void the_kept_seeds_are_the_samples(void **state) {
  (void)state;
  sample files[SAMPLE_ARRAYS], seed;
  sample_planetoid(files);
  keep_bundle("fuzz_planetoid", files, SOTTO_I_PLANETOID_FILES);
  sample_tu(files);
  keep_bundle("fuzz_tu", files, SOTTO_I_TU_FILES);
  sample_edges(&files[0], &files[1]);
  keep_bundle("fuzz_edges", files, 2);
  sample_npz_arrays(files);
  sample_npz(&seed, files, false);
  for (size_t i = 0; i < SAMPLE_ARRAYS; i++) sample_free(&files[i]);
  keep_or_compare("fuzz_npz", "sample", &seed);
  sample_mat(&seed, false);
  keep_or_compare("fuzz_mat", "sample", &seed);
}

static void the_kept_native_seed_is_what_is_saved_now(void **state) {
  (void)state;
  sample seed = sample_native();
  keep_or_compare("fuzz_native", "sample", &seed);
  sample sparse = sample_native_sparse();
  keep_or_compare("fuzz_native", "sparse", &sparse);
  sample numbers = sample_native_numbers();
  keep_or_compare("fuzz_native", "numbers", &numbers);
  sample foreign = sample_native_foreign();
  keep_or_compare("fuzz_native", "foreign", &foreign);
  sample kinds = sample_native_kinds();
  keep_or_compare("fuzz_native", "kinds", &kinds);
}

/* What is packed may differ with the library that packs it, and is not compared. */
static void the_kept_seeds_of_other_forms_are_the_samples(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMAT_SAMPLES; i++) {
    if (strstr(format_samples[i].name, ".npz") != NULL && getenv("SOTTO_SEEDS") == NULL) continue;
    sample bytes = format_sample_bytes(i), seed = {0};
    sample_add(&seed, &(uint8_t){(uint8_t)i}, 1);
    sample_add(&seed, bytes.data, bytes.size);
    sample_free(&bytes);
    keep_or_compare("fuzz_formats", format_samples[i].name, &seed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_kept_seeds_are_the_samples),
      cmocka_unit_test(the_kept_native_seed_is_what_is_saved_now),
      cmocka_unit_test(the_kept_seeds_of_other_forms_are_the_samples),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
