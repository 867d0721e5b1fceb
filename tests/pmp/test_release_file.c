/* Releases: how they are kept. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/pmp.h"
#include "made_release.h"
#include "plain_files.h"
#include "pmp/release.h"
#include "small_graph.h"
#include "sotto/pmp.h"

static void a_saved_release_comes_back_and_damage_is_noticed(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 30, 60);
  sotto_matrix x = check_random_matrix(&random, 30, 4);
  const sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_MEAN, 2, SOTTO_ACTIVATION_SELU);
  sotto_pmp_plan plan;
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, 30, 4, 3, 1e-6, &err));
  sotto_release *release = check_release(&plan, &graph, &x, 1), *back = NULL;
  const char *path = check_path("release.bin");
  CHECK_OK(sotto_release_save(release, path, &err));
  CHECK_OK(sotto_release_load(&back, path, &err));
  for (uint32_t k = 0; k <= 2; k++)
    assert_memory_equal(sotto_release_layer(release, k)->data, sotto_release_layer(back, k)->data,
                        30 * 4 * 4);
  assert_string_equal(sotto_release_charge(back).id, "id");
  assert_true(sotto_release_charge(back).mu == plan.mu);
  assert_false(sotto_release_paid(back));
  sotto_release_free(back);
  sotto_i_map map;
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  uint8_t *bytes = malloc(map.size);
  assert_non_null(bytes);
  for (int round = 0; round < 50; round++) {
    memcpy(bytes, map.data, map.size);
    size_t size = round % 2 == 0 ? map.size : sotto_i_random_below(&random, map.size);
    bytes[sotto_i_random_below(&random, map.size)] ^= (uint8_t)(1 << sotto_i_random_below(&random, 8));
    CHECK_OK(sotto_i_write_file(check_path("damaged"), bytes, size, &err));
    CHECK_FAILS(SOTTO_CORRUPT, "damaged", sotto_release_load(&back, check_path("damaged"), &err));
  }
  free(bytes);
  sotto_i_map_close(&map);
  sotto_release_free(release);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

/* More rows than the slab of 2^14 that a written release is made in. */
static void a_release_is_written_to_the_bytes_that_are_saved(void **state) {
  (void)state;
  enum { nodes = 16384 + 77, cols = 5 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 40000);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  for (uint32_t layers = 1; layers <= 4; layers++) {
    const sotto_pmp_options options =
        check_release_options((sotto_aggregator)(layers % 3), layers, SOTTO_ACTIVATION_TANH);
    sotto_pmp_plan plan;
    sotto_release *written, *loaded;
    sotto_key key;
    CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 2, 1e-6, &err));
    sotto_release *whole = check_release(&plan, &graph, &x, 5);
    CHECK_OK(sotto_release_save(whole, check_path("saved"), &err));
    sotto_key_insecure(&key, 5);
    CHECK_OK(sotto_release_write(&written, check_path("written"), &plan, &graph, &x, &key, "id", "run",
                                 "a test", NULL, &err));
    check_same_files(check_path("saved"), check_path("written"));
    assert_true(sotto_release_charge(written).mu == plan.mu && sotto_release_charge(written).insecure);
    CHECK_OK(sotto_release_load(&loaded, check_path("written"), &err));
    assert_memory_equal(sotto_release_layer(loaded, layers)->data, sotto_release_layer(whole, layers)->data,
                        sizeof(float) * nodes * cols);
    sotto_release_free(whole);
    sotto_release_free(written);
    sotto_release_free(loaded);
  }
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

static void a_release_is_read_by_rows_as_it_is_in_memory(void **state) {
  (void)state;
  enum { nodes = 300, cols = 5, first = 41, count = 99 };
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, nodes, 900);
  sotto_matrix x = check_random_matrix(&random, nodes, cols);
  const sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, 2, SOTTO_ACTIVATION_NONE);
  const sotto_i_receipt none = {.seal = {0}};
  sotto_pmp_plan plan;
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 2, 1e-6, &err));
  sotto_release *whole = check_release(&plan, &graph, &x, 5), *by_rows;
  const char *path = check_path("by-rows");
  float rows[count * cols];
  CHECK_OK(sotto_release_save(whole, path, &err));
  CHECK_OK(sotto_i_release_load_charged(&by_rows, path, &plan, &none, true, &err));
  for (uint32_t k = 0; k <= 2; k++) {
    const float *expected = sotto_release_layer(whole, k)->data + first * cols;
    CHECK_OK(sotto_i_release_read(by_rows, k, rows, first, count, &err));
    assert_memory_equal(rows, expected, sizeof rows);
    CHECK_OK(sotto_i_release_read(whole, k, rows, first, count, &err));
    assert_memory_equal(rows, expected, sizeof rows);
  }
  assert_false(sotto_release_paid(by_rows));
  sotto_release_free(by_rows);
  /* What is damaged is found when it is opened, not when its rows are read. */
  sotto_i_map map;
  CHECK_OK(sotto_i_map_open(&map, path, &err));
  uint8_t *bytes = malloc(map.size);
  assert_non_null(bytes);
  memcpy(bytes, map.data, map.size);
  bytes[map.size - 40] ^= 1;
  CHECK_OK(sotto_i_write_file(path, bytes, map.size, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "checksum",
              sotto_i_release_load_charged(&by_rows, path, &plan, &none, true, &err));
  free(bytes);
  sotto_i_map_close(&map);
  sotto_release_free(whole);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

/* At node and row level the rows before noise are as private as the rest: a file that may be handed on has
 * none of them, saved or written. */
static void rows_without_noise_are_in_no_file_where_features_are_private(void **state) {
  (void)state;
  static const sotto_level levels[] = {SOTTO_LEVEL_NODE, SOTTO_LEVEL_ROW};
  enum { nodes = 40, cols = 4, bytes = nodes * cols * sizeof(float) };
  sotto_i_random random = check_random();
  for (int l = 0; l < 2; l++) {
    const uint32_t layers = levels[l] == SOTTO_LEVEL_ROW ? 1 : 2;
    sotto_graph graph = check_random_graph(&random, nodes, levels[l] == SOTTO_LEVEL_ROW ? 0 : 60);
    sotto_matrix x = check_random_matrix(&random, nodes, cols);
    sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, layers, SOTTO_ACTIVATION_NONE);
    sotto_pmp_plan plan;
    sotto_release *written, *loaded;
    sotto_key key;
    sotto_i_map map;
    options.protection = (sotto_protection){.level = levels[l], .most = nodes, .row_clip = 1};
    CHECK_OK(sotto_pmp_plan_new(&plan, &options, nodes, cols, 2, 1e-6, &err));
    sotto_release *whole = check_release(&plan, &graph, &x, 5);
    const float *inputs = sotto_release_layer(whole, 0)->data;
    CHECK_OK(sotto_release_save(whole, check_path("saved"), &err));
    sotto_key_insecure(&key, 5);
    CHECK_OK(sotto_release_write(&written, check_path("written"), &plan, &graph, &x, &key, "id", "run",
                                 "a test", NULL, &err));
    check_same_files(check_path("saved"), check_path("written"));
    CHECK_OK(sotto_i_map_open(&map, check_path("saved"), &err));
    for (size_t v = 0; v < nodes; v++)
      if (memmem(map.data, map.size, inputs + v * cols, cols * sizeof(float)) != NULL)
        fail_msg("level %d: the row of node %zu is in the file", (int)levels[l], v);
    sotto_i_map_close(&map);
    CHECK_OK(sotto_release_load(&loaded, check_path("saved"), &err));
    for (size_t i = 0; i < nodes * cols; i++) assert_true(sotto_release_layer(loaded, 0)->data[i] == 0);
    for (uint32_t k = 1; k <= layers; k++)
      assert_memory_equal(sotto_release_layer(loaded, k)->data, sotto_release_layer(whole, k)->data, bytes);
    sotto_release_free(whole);
    sotto_release_free(written);
    sotto_release_free(loaded);
    sotto_matrix_free(&x);
    sotto_graph_free(&graph);
  }
}

static void a_release_that_fails_leaves_no_file(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_graph graph = check_random_graph(&random, 20, 40);
  sotto_matrix x = check_random_matrix(&random, 20, 3);
  const sotto_pmp_options options = check_release_options(SOTTO_AGGREGATOR_SUM, 2, SOTTO_ACTIVATION_NONE);
  sotto_pmp_plan plan;
  sotto_release *release;
  sotto_key key;
  CHECK_OK(sotto_pmp_plan_new(&plan, &options, 20, 3, 2, 1e-6, &err));
  sotto_key_insecure(&key, 5);
  x.data[7] = NAN;
  CHECK_FAILS(SOTTO_NUMERIC, "not finite",
              sotto_release_write(&release, check_path("none"), &plan, &graph, &x, &key, "id", "run",
                                  "a test", NULL, &err));
  assert_false(sotto_i_is_file(check_path("none")));
  x.data[7] = 0;
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    sotto_error err = {0};
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_release_write(&release, check_path("none"), &plan, &graph, &x, &key, "id", "run", "a test",
                                 NULL, &err);
    (void)sotto_i_memory_fail_at(0);
    assert_true(sotto_i_is_file(check_path("none")) == (status == SOTTO_OK));
    assert_true(nth < 100);
  }
  sotto_release_free(release);
  sotto_matrix_free(&x);
  sotto_graph_free(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_saved_release_comes_back_and_damage_is_noticed),
      cmocka_unit_test(a_release_is_written_to_the_bytes_that_are_saved),
      cmocka_unit_test(a_release_is_read_by_rows_as_it_is_in_memory),
      cmocka_unit_test(rows_without_noise_are_in_no_file_where_features_are_private),
      cmocka_unit_test(a_release_that_fails_leaves_no_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
