/* Seeds of the fuzz targets: the samples, bundled where a reader takes several files. SOTTO_SEEDS=FOLDER
 * writes them there, as FOLDER/fuzz_NAME/sample; otherwise they are compared with the ones that are kept. */
#include "graph/io/native.h"
#include "samples.h"

#include "check.h"

#include <sys/stat.h>

static void keep_or_compare(const char *name, sample *seed) {
  const char *wanted = getenv("SOTTO_SEEDS"), *source = getenv("SOTTO_SOURCE");
  char path[1024];
  if (wanted != NULL) {
    (void)snprintf(path, sizeof path, "%s/%s", wanted, name);
    (void)mkdir(path, 0755);
    (void)snprintf(path, sizeof path, "%s/%s/sample", wanted, name);
    CHECK_OK(sotto_i_write_file(path, seed->data, seed->size, &err));
  } else if (source != NULL) {
    sotto_i_map map;
    (void)snprintf(path, sizeof path, "%s/tests/graph/corpus/%s/sample", source, name);
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
  keep_or_compare(name, &seed);
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
  keep_or_compare("fuzz_npz", &seed);
  sample_mat(&seed, false);
  keep_or_compare("fuzz_mat", &seed);
}

static void the_kept_native_seed_is_what_is_saved_now(void **state) {
  (void)state;
  sample seed = sample_native();
  keep_or_compare("fuzz_native", &seed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_kept_seeds_are_the_samples),
      cmocka_unit_test(the_kept_native_seed_is_what_is_saved_now),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
