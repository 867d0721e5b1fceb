/* Sparse features: the values, digests and parts of dense ones, in memory and in files; damaged files. */
#include <math.h>

#include "base/threads.h"
#include "check.h"
#include "graph/features.h"
#include "graph/io/native.h"
#include "inside/graph.h"
#include "samples.h"
#include "sotto/split.h"

/* One graph twice: with features as entries, and dense. */
typedef struct twice {
  sotto_dataset sparse, dense;
} twice;

enum { most_rows = 40 };
static const size_t shapes[][2] = {{1, 1}, {5, 3}, {7, 300}, {40, 70}, {3, 200000}, {2, 600000}};

/* Columns in any order, some twice, some values that add up to 0, some -0. */
static twice make(size_t rows, size_t cols, sotto_i_random *random) {
  twice out;
  int64_t starts[most_rows + 1] = {0};
  enum { each = 6 };
  int32_t columns[most_rows * each], labels[most_rows];
  float values[most_rows * each], *dense = calloc(rows * cols, sizeof *dense);
  uint32_t sources[most_rows], targets[most_rows];
  int64_t at = 0;
  assert_non_null(dense);
  for (size_t v = 0; v < rows; v++) {
    const uint64_t count = sotto_i_random_below(random, each + 1);
    for (uint64_t i = 0; i < count; i++) {
      const size_t column = sotto_i_random_below(random, (uint32_t)cols);
      const float value = i == 2 ? -0.0F : (float)((int)sotto_i_random_below(random, 9) - 4) / 4;
      columns[at] = (int32_t)column;
      values[at++] = value;
      dense[v * cols + column] += value;
    }
    starts[v + 1] = at;
    sources[v] = (uint32_t)v;
    targets[v] = (uint32_t)((v + 1) % rows);
    labels[v] = (int32_t)(v % 2);
  }
  sotto_arrays a = {.name = "twice",
                    .nodes = rows,
                    .sources = {sources, rows, SOTTO_INDEX_U32},
                    .targets = {targets, rows, SOTTO_INDEX_U32},
                    .features = dense,
                    .feature_columns = cols,
                    .labels = labels,
                    .classes = 2};
  CHECK_OK(sotto_dataset_from_arrays(&out.dense, &a, &err));
  a.features = NULL;
  a.feature_indptr = (sotto_index_array){starts, rows + 1, SOTTO_INDEX_I64};
  a.feature_indices = (sotto_index_array){columns, (uint64_t)at, SOTTO_INDEX_I32};
  a.feature_values = values;
  a.keep_entries = true;
  CHECK_OK(sotto_dataset_from_arrays(&out.sparse, &a, &err));
  free(dense);
  return out;
}

static void drop(twice *t) {
  sotto_dataset_free(&t->sparse);
  sotto_dataset_free(&t->dense);
}

static void expect_same(const sotto_dataset *sparse, const sotto_dataset *dense) {
  const size_t cols = dense->features.cols;
  float *row = calloc(2 * cols + 1, sizeof *row);
  assert_non_null(row);
  assert_non_null(sparse->entries.offsets);
  assert_null(sparse->features.data);
  assert_null(dense->entries.offsets);
  assert_int_equal(sparse->features.rows, dense->features.rows);
  assert_int_equal(sparse->features.cols, cols);
  for (size_t v = 0; v < dense->features.rows; v++) {
    sotto_dataset_rows(row, sparse, v, 1);
    sotto_dataset_rows(row + cols, dense, v, 1);
    assert_memory_equal(row, row + cols, cols * sizeof *row);
    for (uint64_t i = sparse->entries.offsets[v]; i < sparse->entries.offsets[v + 1]; i++)
      assert_true(i == sparse->entries.offsets[v] ||
                  sparse->entries.columns[i - 1] < sparse->entries.columns[i]);
  }
  assert_memory_equal(sparse->digest, dense->digest, 32);
  assert_memory_equal(sparse->account, dense->account, 32);
  assert_memory_equal(sparse->features_digest, dense->features_digest, 32);
  free(row);
}

static void entries_have_the_values_and_the_digest_of_dense_rows(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    twice t = make(shapes[i][0], shapes[i][1], &random);
    expect_same(&t.sparse, &t.dense);
    drop(&t);
  }
}

static void files_keep_features_sparse_or_dense(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    twice t = make(shapes[i][0], shapes[i][1], &random), again;
    CHECK_OK(sotto_dataset_save(&t.sparse, check_path("sparse.sotto"), &err));
    CHECK_OK(sotto_dataset_save(&t.dense, check_path("dense.sotto"), &err));
    CHECK_OK(sotto_dataset_open(&again.sparse, check_path("sparse.sotto"), NULL, &err));
    CHECK_OK(sotto_dataset_open(&again.dense, check_path("dense.sotto"), NULL, &err));
    expect_same(&again.sparse, &again.dense);
    assert_memory_equal(again.sparse.digest, t.dense.digest, 32);
    assert_non_null(again.sparse.entries.offsets);
    assert_null(again.dense.entries.offsets);
    drop(&again);
    drop(&t);
  }
}

static void parts_of_sparse_data_are_the_parts_of_dense_data(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  twice t = make(40, 70, &random), part, holders[2], clients[2], ego;
  uint32_t nodes[] = {1, 4, 5, 17, 39}, owner[40];
  const sotto_vertical how = {.holders = 2, .share = {0.5, 0.5}, .features = true};
  sotto_key key;
  sotto_key_public(&key, 3);
  for (uint32_t v = 0; v < 40; v++) owner[v] = v % 2;
  for (int i = 0; i < 2; i++) {
    const sotto_dataset *from = i == 0 ? &t.sparse : &t.dense;
    sotto_dataset of_holders[2], of_clients[2], *slot[2] = {&part.sparse, &part.dense};
    CHECK_OK(sotto_dataset_take(slot[i], from, nodes, 5, "part", &err));
    CHECK_OK(sotto_split_vertical(of_holders, from, &how, &key, &err));
    CHECK_OK(sotto_split_horizontal(of_clients, from, owner, 2, &err));
    CHECK_OK(sotto_split_ego(i == 0 ? &ego.sparse : &ego.dense, from, 2, 3, &key, &err));
    for (int k = 0; k < 2; k++) {
      *(i == 0 ? &holders[k].sparse : &holders[k].dense) = of_holders[k];
      *(i == 0 ? &clients[k].sparse : &clients[k].dense) = of_clients[k];
    }
  }
  expect_same(&part.sparse, &part.dense);
  expect_same(&ego.sparse, &ego.dense);
  for (int k = 0; k < 2; k++) {
    expect_same(&holders[k].sparse, &holders[k].dense);
    expect_same(&clients[k].sparse, &clients[k].dense);
    drop(&holders[k]);
    drop(&clients[k]);
  }
  drop(&part);
  drop(&ego);
  drop(&t);
}

static void readers_of_sparse_forms_give_the_same_data(void **state) {
  (void)state;
  sample arrays[SAMPLE_ARRAYS], archive = {0}, files[SOTTO_I_PLANETOID_FILES];
  sotto_i_source sources[SOTTO_I_PLANETOID_FILES];
  twice npz, planetoid;
  sample_npz_arrays(arrays);
  sample_npz(&archive, arrays, true);
  const char *path = sample_write(&archive, "small.npz");
  sample_planetoid(files);
  sample_sources(sources, files, SOTTO_I_PLANETOID_FILES);
  for (int i = 0; i < 2; i++) {
    sotto_i_parts parts = {0};
    sotto_i_features_sparse_always(i == 0);
    CHECK_OK(sotto_dataset_open(i == 0 ? &npz.sparse : &npz.dense, path, NULL, &err));
    CHECK_OK(sotto_i_read_planetoid(&parts, sources, &err));
    CHECK_OK(sotto_i_dataset_assemble(i == 0 ? &planetoid.sparse : &planetoid.dense, &parts, &err));
  }
  expect_same(&npz.sparse, &npz.dense);
  expect_same(&planetoid.sparse, &planetoid.dense);
  drop(&npz);
  drop(&planetoid);
  sample_free(&archive);
  sample_free_all(arrays, SAMPLE_ARRAYS);
  sample_free_all(files, SOTTO_I_PLANETOID_FILES);
}

#define FIELD(name) offsetof(sotto_i_native_header, name)
#define ENTRY(kind, name)                                                                                    \
  FIELD(table) + (kind) * sizeof(sotto_i_native_section) + offsetof(sotto_i_native_section, name)

static void damaged_entries_are_refused(void **state) {
  (void)state;
  sample whole = sample_native_sparse();
  sotto_i_native_header h = {0};
  sotto_dataset data;
  memcpy(&h, whole.data, sizeof h);
  const size_t offsets = h.table[SOTTO_I_NATIVE_ENTRY_OFFSETS].offset;
  const size_t columns = h.table[SOTTO_I_NATIVE_ENTRY_COLUMNS].offset;
  const size_t values = h.table[SOTTO_I_NATIVE_ENTRY_VALUES].offset;
  const struct {
    size_t at, bytes;
    uint64_t value;
    sotto_status status;
    const char *words;
  } table[] = {
      {FIELD(width), 8, 0, SOTTO_CORRUPT, "sparse features without columns"},
      {FIELD(width), 8, 2, SOTTO_CORRUPT, "features of node 0: entry 1 is 0, not below column 2"},
      {FIELD(width), 8, UINT64_MAX / 32, SOTTO_RANGE, "are not plausible"},
      {ENTRY(SOTTO_I_NATIVE_FEATURES, offset), 8, sizeof h, SOTTO_CORRUPT, "section features has an offset"},
      {ENTRY(SOTTO_I_NATIVE_ENTRY_OFFSETS, size), 8, 16, SOTTO_CORRUPT,
       "section entry_offsets has an offset"},
      {ENTRY(SOTTO_I_NATIVE_ENTRY_COLUMNS, offset), 8, 0, SOTTO_CORRUPT,
       "section entry_columns has an offset"},
      {ENTRY(SOTTO_I_NATIVE_ENTRY_VALUES, size), 8, 8, SOTTO_CORRUPT, "section entry_columns has an offset"},
      {offsets, 8, 1, SOTTO_CORRUPT, "do not begin with the first"},
      {offsets + 8, 8, 4, SOTTO_CORRUPT, "the features of node 1 end before they begin"},
      {offsets + 8, 8, UINT64_MAX, SOTTO_CORRUPT, "the features of node 1 end before they begin"},
      {offsets + 16, 8, 4, SOTTO_CORRUPT, "ends at 4, and there are 3 values"},
      {columns, 4, 2, SOTTO_CORRUPT, "features of node 0: entry 1 is 0, not below column 3, or out of order"},
      {columns + 8, 4, 3, SOTTO_CORRUPT, "features of node 1: entry 0"},
      {values, 4, 0, SOTTO_CORRUPT, "features of node 0: entry 0 is 0"},
      {values + 8, 4, 0x7FC00000, SOTTO_NUMERIC, "feature 1 of node 1 is not finite"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    sample bytes = {0};
    sotto_error err = {0};
    sample_add(&bytes, whole.data, whole.size);
    memcpy(bytes.data + table[i].at, &table[i].value, table[i].bytes);
    sample_seal(bytes.data, bytes.size, false);
    const sotto_status status = sotto_dataset_open(&data, sample_write(&bytes, "damaged.sotto"), NULL, &err);
    if (status != table[i].status || strstr(err.text, table[i].words) == NULL)
      fail_msg("row %zu: status %d: %s", i, (int)status, err.text);
    sample_free(&bytes);
  }
  sample_seal(whole.data, whole.size, false); /* the seal alone harms nothing */
  CHECK_OK(sotto_dataset_open(&data, sample_write(&whole, "sealed.sotto"), NULL, &err));
  sotto_dataset_free(&data);
  sample_free(&whole);
}

static void every_failed_allocation_is_an_error(void **state) {
  (void)state;
  static const uint64_t starts[] = {0, 1, 2};
  static const uint32_t columns[] = {0, 1};
  static const float values[] = {1, 2};
  const sotto_arrays a = {.nodes = 2,
                          .feature_columns = 2,
                          .feature_indptr = {starts, 3, SOTTO_INDEX_U64},
                          .feature_indices = {columns, 2, SOTTO_INDEX_U32},
                          .feature_values = values,
                          .keep_entries = true};
  sotto_dataset data;
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_dataset_from_arrays(&data, &a, NULL);
  }
  (void)sotto_i_memory_fail_at(0);
  assert_int_equal(status, SOTTO_OK);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entries_have_the_values_and_the_digest_of_dense_rows),
      cmocka_unit_test(files_keep_features_sparse_or_dense),
      cmocka_unit_test(parts_of_sparse_data_are_the_parts_of_dense_data),
      cmocka_unit_test(readers_of_sparse_forms_give_the_same_data),
      cmocka_unit_test(damaged_entries_are_refused),
      cmocka_unit_test(every_failed_allocation_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
