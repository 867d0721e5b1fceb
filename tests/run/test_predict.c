/* Models that answer: the run's own quality again, and what a query moves. */
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/run.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/generate.h"
#include "sotto/model.h"

enum { most_settings = 12 };

static sotto_dataset blocks(uint64_t nodes) {
  const sotto_sbm_options options = {.nodes = nodes,
                                     .classes = 3,
                                     .features = 12,
                                     .degree_inside = 5,
                                     .degree_outside = 1,
                                     .feature_signal = 2};
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

typedef struct kind {
  const char *name;
  bool fixed;
  const char *settings[most_settings]; /* key, value, ... */
} kind;

/* What no variant has by default; all variants are looked at in methods/test_conformance_predict.c. */
static const kind kinds[] = {
    {"mean", false, {"method", "gnn", "aggregator", "mean", "layers", "1"}},
    {"gin", false, {"method", "gnn", "aggregator", "gin"}},
    {"gap-attention", true, {"method", "gap", "epsilon", "8", "combine", "attention"}},
    {"best", true, {"method", "best", "epsilon", "16", "layers", "2"}},
    {"lpgnet", true, {"method", "lpgnet", "epsilon", "16", "layers", "2"}},
    {"vesper",
     true,
     {"method", "vesper", "epsilon", "8", "publication", "layers", "combine", "gru", "layer-weights",
      "true"}},
    {"vesper-two",
     true,
     {"method", "vesper", "epsilon", "8", "publication", "layers", "releases", "2", "constant", "1"}},
};

static double trained(const kind *k, const char *folder, const sotto_dataset *data) {
  static const char *const shared[] = {"encoder-epochs", "12",   "epochs", "12", "hidden", "8",
                                       "delta",          "1e-4", NULL};
  sotto_options options;
  sotto_result result;
  sotto_options_default(&options);
  check_set(&options, "data", "blocks");
  for (size_t i = 0; i + 1 < most_settings && k->settings[i] != NULL; i += 2)
    check_set(&options, k->settings[i], k->settings[i + 1]);
  check_set_own(&options, shared);
  CHECK_OK(sotto_options_set(&options, "out", folder, &err));
  CHECK_OK(sotto_options_set(&options, "ledger", check_new_ledger(check_path("ledger.db")), &err));
  sotto_options_resolve(&options);
  char path[1200];
  (void)snprintf(path, sizeof path, "%s/run.yaml", folder);
  CHECK_OK(sotto_i_make_folder(folder, &err));
  CHECK_OK(sotto_options_write(&options, path, &err));
  CHECK_OK(sotto_train(&result, &options, data, NULL, NULL, &err));
  double accuracy = result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY];
  sotto_result_free(&result);
  return accuracy;
}

static sotto_model *opened(const char *folder, const sotto_dataset *data, bool fresh) {
  const sotto_model_options options = {.seed = SOTTO_UNSET, .fresh = fresh};
  sotto_model *model;
  CHECK_OK(sotto_model_open(&model, folder, data, &options, &err));
  return model;
}

static sotto_matrix asked(sotto_model *model, const sotto_query *query) {
  sotto_matrix out;
  CHECK_OK(sotto_model_query(&out, model, query, &err));
  return out;
}

static double test_accuracy(const sotto_model *model, const sotto_matrix *answers, const int32_t *labels) {
  size_t count, right = 0;
  const uint32_t *rows = sotto_model_part(model, SOTTO_PART_TEST, &count);
  for (size_t i = 0; i < count; i++) {
    const float *row = answers->data + rows[i] * answers->cols;
    size_t best = 0;
    for (size_t j = 1; j < answers->cols; j++)
      if (row[j] > row[best]) best = j;
    if ((int32_t)best == labels[rows[i]]) right++;
  }
  return (double)right / (double)count;
}

/* How many nodes answer otherwise when the features of `node` are doubled. */
static size_t moved_by(sotto_model *model, const sotto_matrix *before, uint32_t node) {
  const sotto_matrix *features = sotto_model_features(model);
  sotto_matrix x;
  size_t moved = 0;
  CHECK_OK(sotto_matrix_new(&x, 1, features->cols, &err));
  for (size_t j = 0; j < x.cols; j++) x.data[j] = 2 * features->data[node * x.cols + j];
  const sotto_query query = {.changed = &node, .changed_count = 1, .x = &x};
  sotto_matrix after = asked(model, &query), again = asked(model, &(sotto_query){0});
  for (size_t v = 0; v < after.rows; v++) {
    size_t row = after.cols * sizeof(float);
    if (memcmp(after.data + v * after.cols, before->data + v * after.cols, row) != 0) moved++;
  }
  assert_memory_equal(again.data, before->data, again.rows * again.cols * sizeof(float));
  sotto_matrix_free(&after);
  sotto_matrix_free(&again);
  sotto_matrix_free(&x);
  return moved;
}

static void check_kind(const kind *k, const sotto_dataset *data) {
  const char *folder = check_path(k->name);
  double said = trained(k, folder, data);
  sotto_model *model = opened(folder, data, false);
  sotto_matrix answers = asked(model, &(sotto_query){0});
  double found = test_accuracy(model, &answers, data->labels);
  size_t moved = moved_by(model, &answers, 7);
  (void)printf("  %-14s test accuracy %.4f, by queries %.4f; a node's features move %zu answers\n", k->name,
               said, found, moved);
  assert_true(said == found);
  assert_true(sotto_model_is_fixed(model) == k->fixed);
  assert_true(k->fixed ? moved == 1 : moved > 1);
  assert_int_equal(sotto_model_embeddings(model)->rows, data->graph.nodes);
  assert_true(sotto_model_embeddings(model)->cols > 0);
  if (strcmp(k->name, "lpgnet") == 0) /* its first network reads features beside counts */
    assert_memory_equal(sotto_model_embeddings(model)->data, sotto_model_features(model)->data,
                        data->graph.nodes * sotto_model_features(model)->cols * sizeof(float));
  const uint32_t wanted[] = {9, 2};
  sotto_matrix some = asked(model, &(sotto_query){.wanted = wanted, .wanted_count = 2});
  for (size_t j = 0; j < some.cols; j++) {
    CHECK_NEAR((double)some.data[j], (double)answers.data[9 * some.cols + j], 1e-6);
    CHECK_NEAR((double)some.data[some.cols + j], (double)answers.data[2 * some.cols + j], 1e-6);
  }
  sotto_matrix_free(&some);
  sotto_matrix_free(&answers);
  sotto_model_free(model);
}

static void a_model_answers_with_the_quality_its_run_reported(void **state) {
  (void)state;
  sotto_dataset data = blocks(300);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) check_kind(&kinds[i], &data);
  sotto_dataset_free(&data);
}

static void check_fresh(const kind *k, const sotto_dataset *data) {
  const char *folder = check_path(k->name);
  (void)trained(k, folder, data);
  sotto_model *model = opened(folder, data, true);
  sotto_matrix one = asked(model, &(sotto_query){0}), two = asked(model, &(sotto_query){0});
  assert_false(sotto_model_is_fixed(model));
  assert_memory_not_equal(one.data, two.data, one.rows * one.cols * sizeof(float));
  sotto_matrix_free(&one);
  sotto_matrix_free(&two);
  sotto_model_free(model);
}

static void fresh_releases_differ_from_answer_to_answer(void **state) {
  (void)state;
  sotto_dataset data = blocks(300);
  const kind kinds_of[] = {{"fresh", true, {"method", "gap", "epsilon", "8"}},
                           {"fresh-sums", true, {"method", "dpdgc", "epsilon", "8"}}};
  for (size_t i = 0; i < sizeof kinds_of / sizeof *kinds_of; i++) check_fresh(&kinds_of[i], &data);
  sotto_dataset_free(&data);
}

static void other_data_is_answered_unless_noise_would_be_needed(void **state) {
  (void)state;
  sotto_dataset data = blocks(300), other = blocks(200);
  const sotto_model_options options = {.seed = SOTTO_UNSET};
  const kind clear = {"other-gcn", false, {"method", "gnn", "aggregator", "gcn"}},
             noisy = {"other-gap", true, {"method", "gap", "epsilon", "8"}},
             sums = {"other-dpdgc", true, {"method", "dpdgc", "epsilon", "8"}},
             perturbed = {"other-graph", false, {"method", "pertgraph", "epsilon", "8"}};
  (void)trained(&clear, check_path(clear.name), &data);
  (void)trained(&noisy, check_path(noisy.name), &data);
  sotto_model *model = opened(check_path(clear.name), &other, false);
  sotto_matrix answers = asked(model, &(sotto_query){0});
  assert_int_equal(answers.rows, 200);
  sotto_matrix_free(&answers);
  sotto_model_free(model);
  const kind *const held[] = {&noisy, &sums, &perturbed};
  for (size_t i = 0; i < sizeof held / sizeof *held; i++) {
    if (i > 0) (void)trained(held[i], check_path(held[i]->name), &data);
    CHECK_FAILS(SOTTO_INVALID, "another release",
                sotto_model_open(&model, check_path(held[i]->name), &other, &options, &err));
  }
  sotto_dataset_free(&data);
  sotto_dataset_free(&other);
}

static void what_cannot_be_answered_is_refused_by_name(void **state) {
  (void)state;
  sotto_dataset data = blocks(300);
  const kind counts = {"refuse-counts", true, {"method", "lpgnet", "epsilon", "8"}},
             noisy = {"refuse-graph", false, {"method", "pertgraph", "epsilon", "8"}},
             gcn = {"refuse-gcn", false, {"method", "gnn", "aggregator", "gcn"}};
  sotto_model_options options = {.seed = SOTTO_UNSET};
  sotto_model *model;
  (void)trained(&gcn, check_path(gcn.name), &data);
  const sotto_model_options fresh = {.seed = SOTTO_UNSET, .fresh = true};
  (void)trained(&counts, check_path(counts.name), &data);
  (void)trained(&noisy, check_path(noisy.name), &data);
  CHECK_FAILS(SOTTO_UNSUPPORTED, "fresh: lpgnet",
              sotto_model_open(&model, check_path(counts.name), &data, &fresh, &err));
  CHECK_FAILS(SOTTO_UNSUPPORTED, "fresh: answers come from the perturbed graph",
              sotto_model_open(&model, check_path(noisy.name), &data, &fresh, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "run.yaml", sotto_model_open(&model, check_path("no"), &data, &options, &err));
  options.seed = 17;
  CHECK_FAILS(SOTTO_RANGE, "seed", sotto_model_open(&model, check_path(gcn.name), &data, &options, &err));
  model = opened(check_path(gcn.name), &data, false);
  const uint32_t far = 300;
  sotto_matrix out;
  CHECK_FAILS(SOTTO_RANGE, "no node 300",
              sotto_model_query(&out, model, &(sotto_query){.wanted = &far, .wanted_count = 1}, &err));
  sotto_model_free(model);
  sotto_dataset_free(&data);
}

static void answers_go_into_the_callers_memory(void **state) {
  (void)state;
  enum { nodes = 300, classes = 3 };
  static float all[nodes * classes], some[2 * classes + 1];
  static const uint32_t wanted[] = {9, 2}, far[] = {9, nodes};
  const kind k = {"memory", true, {"method", "gap", "epsilon", "8"}};
  sotto_dataset data = blocks(nodes);
  (void)trained(&k, check_path(k.name), &data);
  sotto_model *model = opened(check_path(k.name), &data, false);
  assert_int_equal(sotto_model_classes(model), classes);
  assert_ptr_equal(sotto_model_data(model), &data);
  sotto_matrix answers = asked(model, &(sotto_query){0});
  CHECK_OK(sotto_model_predict(model, all, nodes * classes, NULL, nodes, &err));
  assert_memory_equal(all, answers.data, sizeof all);
  some[2 * classes] = 5;
  CHECK_OK(sotto_model_predict(model, some, 2 * classes, wanted, 2, &err));
  for (size_t j = 0; j < classes; j++) {
    CHECK_NEAR((double)some[j], (double)all[9 * classes + j], 1e-6);
    CHECK_NEAR((double)some[classes + j], (double)all[2 * classes + j], 1e-6);
  }
  assert_true(some[2 * classes] == 5);
  CHECK_OK(sotto_model_predict(model, NULL, 0, wanted, 0, &err));
  some[0] = 7;
  CHECK_FAILS(SOTTO_RANGE, "nodes: element 1 is 300", sotto_model_predict(model, some, 6, far, 2, &err));
  CHECK_FAILS(SOTTO_INVALID, "room: 5", sotto_model_predict(model, some, 5, wanted, 2, &err));
  CHECK_FAILS(SOTTO_INVALID, "count: 299", sotto_model_predict(model, all, nodes * classes, NULL, 299, &err));
  assert_true(some[0] == 7);
  sotto_matrix_free(&answers);
  sotto_model_free(model);
  sotto_dataset_free(&data);
}

static void a_model_opens_the_data_of_its_run(void **state) {
  (void)state;
  static float given[300 * 3], own[300 * 3];
  sotto_dataset data = blocks(300);
  sotto_model *model;
  CHECK_OK(sotto_dataset_save(&data, check_path("own.sotto"), &err));
  const kind k = {"own", false, {"method", "gnn", "aggregator", "gcn", "data", check_path("own.sotto")}};
  (void)trained(&k, check_path(k.name), &data);
  model = opened(check_path(k.name), &data, false);
  CHECK_OK(sotto_model_predict(model, given, 900, NULL, 300, &err));
  sotto_model_free(model);
  CHECK_OK(sotto_model_open(&model, check_path(k.name), NULL, NULL, &err));
  assert_memory_equal(sotto_model_data(model)->digest, data.digest, sizeof data.digest);
  CHECK_OK(sotto_model_predict(model, own, 900, NULL, 300, &err));
  assert_memory_equal(own, given, sizeof own);
  sotto_model_free(model);
  assert_int_equal(remove(check_path("own.sotto")), 0);
  CHECK_FAILS(SOTTO_NOT_FOUND, "own.sotto", sotto_model_open(&model, check_path(k.name), NULL, NULL, &err));
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_model_answers_with_the_quality_its_run_reported),
      cmocka_unit_test(fresh_releases_differ_from_answer_to_answer),
      cmocka_unit_test(other_data_is_answered_unless_noise_would_be_needed),
      cmocka_unit_test(what_cannot_be_answered_is_refused_by_name),
      cmocka_unit_test(answers_go_into_the_callers_memory),
      cmocka_unit_test(a_model_opens_the_data_of_its_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
