/* Methods on sparse features: the models of dense ones, byte for byte, and memory without a dense table. */
#include "base/file.h"
#include "check.h"
#include "made_run.h"
#include "nn/rows/batch.h"
#include "sotto/methods.h"

enum { most_each = 8 };

typedef struct case_of {
  const char *method, *settings[10];
} case_of;

/* What reads features by rows or by products, and some of the others. */
static const case_of cases[] = {{"gap", {NULL}},
                                {"caribou", {NULL}},
                                {"best", {NULL}},
                                {"vesper", {NULL}},
                                {"vesper", {"label-features", "0.3", NULL}},
                                {"mlp", {NULL}},
                                {"mlp", {"feature-scale", "none", NULL}},
                                {"mlp", {"feature-scale", "standard", NULL}},
                                {"gnn", {"aggregator", "gcn", NULL}},
                                {"gnn", {"aggregator", "gin", NULL}},
                                {"sage", {NULL}},
                                {"progap", {NULL}},
                                {"feddep", {"partition", "alike", NULL}},
                                {"feddep", {"generate", "features", NULL}},
                                {"feddep", {"adjacency", "edge", NULL}},
                                {"fedsage", {"feature-scale", "none", NULL}}};
static const char *const small[] = {"hidden",        "8",  "epochs",  "2", "encoder-epochs",   "2",
                                    "rounds",        "2",  "clients", "3", "generator-epochs", "2",
                                    "feature-scale", "l2", NULL};

/* `words` words in each row of `columns`, of which one in three is typical of the node's class. */
static sotto_dataset make(uint64_t nodes, size_t columns, unsigned words, bool sparse) {
  sotto_i_random random;
  sotto_key key;
  sotto_arrays a = {.name = "words", .nodes = nodes, .feature_columns = columns, .classes = 3};
  uint64_t *starts = calloc(nodes + 1, sizeof *starts);
  uint32_t *indices = calloc(nodes * most_each, sizeof *indices), *ends[2];
  float *values = calloc(nodes * most_each, sizeof *values);
  float *dense = sparse ? NULL : calloc(nodes * columns, sizeof *dense);
  int32_t *labels = calloc(nodes, sizeof *labels);
  assert_true(words <= most_each);
  for (int i = 0; i < 2; i++) ends[i] = calloc(nodes * 3, sizeof *ends[i]);
  sotto_key_public(&key, 4);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_GENERATE, 0, 0);
  for (uint64_t v = 0; v < nodes; v++) {
    labels[v] = (int32_t)(v % 3);
    for (unsigned i = 0; i < words; i++) {
      const size_t group = columns / 4, first = i % 3 == 0 ? group * (size_t)(1 + labels[v]) : 0;
      const size_t column = first + sotto_i_random_below(&random, (uint32_t)group);
      const float value = 0.5F + (float)sotto_i_random_below(&random, 8) / 4;
      indices[v * words + i] = (uint32_t)column;
      values[v * words + i] = value;
      if (!sparse) dense[v * columns + column] += value;
    }
    starts[v + 1] = (v + 1) * words;
    for (int k = 0; k < 3; k++) {
      ends[0][v * 3 + (size_t)k] = (uint32_t)v;
      ends[1][v * 3 + (size_t)k] = (uint32_t)((v + 3 * (1 + sotto_i_random_below(&random, 20))) % nodes);
    }
  }
  a.sources = (sotto_index_array){ends[0], nodes * 3, SOTTO_INDEX_U32};
  a.targets = (sotto_index_array){ends[1], nodes * 3, SOTTO_INDEX_U32};
  a.labels = labels;
  a.features = dense;
  a.keep_entries = sparse;
  if (sparse) {
    a.feature_indptr = (sotto_index_array){starts, nodes + 1, SOTTO_INDEX_U64};
    a.feature_indices = (sotto_index_array){indices, nodes * words, SOTTO_INDEX_U32};
    a.feature_values = values;
  }
  sotto_dataset out;
  CHECK_OK(sotto_dataset_from_arrays(&out, &a, &err));
  assert_int_equal(out.entries.offsets != NULL, sparse);
  free(starts);
  free(indices);
  free(values);
  free(dense);
  free(labels);
  for (int i = 0; i < 2; i++) free(ends[i]);
  return out;
}

static void train(const case_of *c, const sotto_dataset *data, const char *folder) {
  sotto_options o = check_options(c->method, folder);
  check_set(&o, "insecure-seed", "7");
  for (size_t i = 0; c->settings[i] != NULL; i += 2)
    if (strcmp(c->settings[i], "adjacency") == 0) check_set(&o, "adjacency", c->settings[i + 1]);
  check_set_own(&o, small);
  check_set_own(&o, c->settings);
  sotto_result result = check_run(&o, data);
  sotto_result_free(&result);
}

static void models_of_sparse_features_are_those_of_dense_ones(void **state) {
  (void)state;
  sotto_dataset data[2] = {make(240, 96, 6, false), make(240, 96, 6, true)};
  assert_memory_equal(data[0].digest, data[1].digest, 32);
  for (size_t batches = 0; batches < 2; batches++) {
    sotto_i_batch_rows_set(batches > 0 ? 64 : 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      sotto_i_map model[2];
      for (int k = 0; k < 2; k++) {
        char folder[64], path[256];
        (void)snprintf(folder, sizeof folder, "%s-%zu-%zu-%d", cases[i].method, i, batches, k);
        train(&cases[i], &data[k], folder);
        (void)snprintf(path, sizeof path, "%s/model.safetensors", check_path(folder));
        CHECK_OK(sotto_i_map_open(&model[k], path, &err));
      }
      if (model[0].size != model[1].size || memcmp(model[0].data, model[1].data, model[0].size) != 0)
        fail_msg("%s, case %zu: another model of sparse features", cases[i].method, i);
      for (int k = 0; k < 2; k++) sotto_i_map_close(&model[k]);
    }
  }
  sotto_i_batch_rows_set(0);
  for (int k = 0; k < 2; k++) sotto_dataset_free(&data[k]);
}

/* A dense table would take 128 MB. */
static void no_dense_table_is_made(void **state) {
  (void)state;
  static const case_of lean[] = {{"gap", {NULL}},  {"caribou", {NULL}},
                                 {"best", {NULL}}, {"vesper", {NULL}},
                                 {"mlp", {NULL}},  {"gnn", {"aggregator", "gcn", NULL}},
                                 {"sage", {NULL}}, {"feddep", {NULL}}};
  enum { nodes = 2000, columns = 16000 };
  (void)sotto_i_memory_peak();
  sotto_dataset data = make(nodes, columns, 6, true);
  for (size_t i = 0; i < sizeof lean / sizeof *lean; i++) {
    char folder[64];
    (void)snprintf(folder, sizeof folder, "lean-%s", lean[i].method);
    (void)sotto_i_memory_peak();
    train(&lean[i], &data, folder);
    const uint64_t peak = sotto_i_memory_peak(), table = (uint64_t)nodes * columns * sizeof(float);
    print_message("%s: %.1f MB\n", lean[i].method, (double)peak / 1e6);
    if (peak > table / 3)
      fail_msg("%s: %llu bytes at the peak, and a dense table has %llu", lean[i].method,
               (unsigned long long)peak, (unsigned long long)table);
  }
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_of_sparse_features_are_those_of_dense_ones),
      cmocka_unit_test(no_dense_table_is_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
