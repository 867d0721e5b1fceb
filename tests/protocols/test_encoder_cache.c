/* A run with a cache of encoders is the run without it, to the last bit. */
#include <dirent.h>
#include <stdlib.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "sotto/generate.h"
#include "sotto/methods.h"

static sotto_dataset data;

static int make_data(void **state) {
  const sotto_sbm_options sbm = {
      .nodes = 80, .classes = 3, .features = 6, .degree_inside = 6, .degree_outside = 1, .feature_signal = 2};
  sotto_key key;
  (void)state;
  sotto_key_public(&key, 1);
  return sotto_generate_sbm(&data, &sbm, &key, NULL) == SOTTO_OK ? 0 : -1;
}

static int free_data(void **state) {
  (void)state;
  sotto_dataset_free(&data);
  return 0;
}

typedef struct outcome {
  sotto_seed_result seed;
  sotto_i_map model;
} outcome;

/* One run; `settings` are key, value pairs, NULL at the end. */
static outcome run(const char *name, const char *cache, const char *const *settings) {
  outcome o;
  sotto_options options;
  sotto_result result;
  char model[1024];
  static const char *const common[] = {
      "data", "made", "epochs", "4", "encoder-epochs", "5", "hidden", "4", "insecure-seed", "3", NULL};
  sotto_options_default(&options);
  for (size_t i = 0; common[i] != NULL; i += 2)
    CHECK_OK(sotto_options_set(&options, common[i], common[i + 1], &err));
  for (size_t i = 0; settings[i] != NULL; i += 2)
    CHECK_OK(sotto_options_set(&options, settings[i], settings[i + 1], &err));
  CHECK_OK(sotto_options_set(&options, "out", check_path(name), &err));
  CHECK_OK(sotto_options_set(&options, "ledger", check_new_ledger(check_path("ledger.db")), &err));
  if (cache != NULL) CHECK_OK(sotto_options_set(&options, "encoder-cache", check_path(cache), &err));
  CHECK_OK(sotto_i_make_folder(options.out, &err));
  CHECK_OK(sotto_train(&result, &options, &data, NULL, NULL, &err));
  o.seed = result.seeds[0];
  (void)snprintf(model, sizeof model, "%s", result.model);
  sotto_result_free(&result);
  CHECK_OK(sotto_i_map_open(&o.model, model, &err));
  return o;
}

static void check_equal(outcome a, outcome b) {
  assert_memory_equal(&a.seed.baseline_test, &b.seed.baseline_test, sizeof a.seed.baseline_test);
  assert_memory_equal(&a.seed.baseline_validation, &b.seed.baseline_validation, sizeof a.seed.baseline_test);
  assert_memory_equal(&a.seed.test, &b.seed.test, sizeof a.seed.test);
  assert_true(a.model.size == b.model.size && memcmp(a.model.data, b.model.data, a.model.size) == 0);
  sotto_i_map_close(&a.model);
  sotto_i_map_close(&b.model);
}

/* The encoder of gap at epsilon 4 serves the other runs, of both methods; each is compared with its like. */
static void one_encoder_serves_methods_epsilons_and_layers(void **state) {
  static const char *const runs[][9] = {
      {"method", "gap", "epsilon", "4", NULL},
      {"method", "gap", "epsilon", "1", "layers", "3", NULL},
      {"method", "gap", "adjacency", "none", NULL},
      {"method", "caribou", "feature-scale", "l2", "epochs", "4", NULL},
  };
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char with[32], without[32];
    (void)snprintf(with, sizeof with, "with%zu", i);
    (void)snprintf(without, sizeof without, "without%zu", i);
    check_equal(run(with, "shared", runs[i]), run(without, NULL, runs[i]));
  }
}

/* Each of these changes the encoder: another's must not be taken. */
static void another_encoder_is_not_taken(void **state) {
  static const char *const runs[][7] = {
      {"method", "gap", "seed", "2", NULL},          {"method", "gap", "dropout", "0.1", NULL},
      {"method", "gap", "activation", "tanh", NULL}, {"method", "gap", "encoder-epochs", "6", NULL},
      {"method", "gap", "train-share", "0.5", NULL}, {"method", "gap", "feature-scale", "none", NULL},
      {"method", "gap", "hidden", "5", NULL},        {"method", "gap", "learning-rate", "0.02", NULL},
      {"method", "gap", "split", "kfold", NULL},     {"method", "gap", "weight-decay", "0.1", NULL},
      {"method", "gap", "patience", "2", NULL},      {"method", "gap", "select-by", "auc", NULL},
  };
  static const char *const first[] = {"method", "gap", NULL};
  (void)state;
  outcome o = run("first", "shared", first);
  sotto_i_map_close(&o.model);
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    char with[32], without[32];
    (void)snprintf(with, sizeof with, "other%zu", i);
    (void)snprintf(without, sizeof without, "alone%zu", i);
    check_equal(run(with, "shared", runs[i]), run(without, NULL, runs[i]));
  }
}

/* Names of all files of a folder. */
static size_t names_in(char names[][256], size_t most, const char *folder) {
  size_t count = 0;
  DIR *open = opendir(folder);
  assert_non_null(open);
  for (struct dirent *entry = NULL; (entry = readdir(open)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    assert_true(count < most);
    (void)snprintf(names[count++], 256, "%s", entry->d_name);
  }
  (void)closedir(open);
  return count;
}

/* Whoever sees the cache's names must not be able to try edges: the same features, labels and split with one
 * edge less, or none, have the same name; other features have another. */
static void names_do_not_depend_on_edges(void **state) {
  static const char *const settings[] = {"method", "gap", NULL};
  const sotto_dataset kept = data;
  const uint32_t *targets = kept.graph.targets;
  char names[3][256];
  (void)state;
  outcome o = run("edges", "names", settings);
  sotto_i_map_close(&o.model);
  assert_int_equal(names_in(names, 3, check_path("names")), 1);
  for (int round = 0; round < 2; round++) { /* fewer edges, then other features */
    float *other = malloc(kept.features.rows * kept.features.cols * sizeof *other);
    assert_non_null(other);
    memcpy(other, kept.features.data, kept.features.rows * kept.features.cols * sizeof *other);
    if (round == 1) other[7] += 1;
    const sotto_arrays arrays = {.nodes = kept.graph.nodes,
                                 .sources = {&targets[0], 1, SOTTO_INDEX_U32},
                                 .targets = {&targets[1], 1, SOTTO_INDEX_U32},
                                 .features = other,
                                 .feature_columns = kept.features.cols,
                                 .labels = kept.labels,
                                 .classes = kept.classes};
    CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
    o = run(round == 0 ? "fewer" : "other", "names", settings);
    sotto_i_map_close(&o.model);
    assert_int_equal(names_in(names, 3, check_path("names")), round + 1);
    sotto_dataset_free(&data);
    free(other);
  }
  data = kept;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_encoder_serves_methods_epsilons_and_layers),
      cmocka_unit_test(another_encoder_is_not_taken),
      cmocka_unit_test(names_do_not_depend_on_edges),
  };
  return cmocka_run_group_tests(tests, make_data, free_data);
}
