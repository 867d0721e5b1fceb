/* Methods on graphs that are larger than a batch: the accuracy of a training on whole parts, the same bytes
 * for any number of threads, and memory that is bounded by the graph, its features and one release. */
#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "nn/rows/batch.h"
#include "plain_files.h"
#include "sotto/methods.h"

static const char *const methods[] = {"gap", "caribou", "best", "vesper", "mlp"};
enum { method_count = sizeof methods / sizeof *methods };

static sotto_dataset make_data(uint64_t nodes) {
  const sotto_sbm_options sbm = {.nodes = nodes,
                                 .classes = 3,
                                 .features = 16,
                                 .degree_inside = 9,
                                 .degree_outside = 3,
                                 .feature_signal = 2};
  return check_communities(&sbm);
}

static sotto_result run(const char *method, const char *folder, const sotto_dataset *data,
                        const char *const *settings) {
  sotto_options o = check_options(method, folder);
  check_set(&o, "insecure-seed", "7");
  check_set_own(&o, settings);
  return check_run(&o, data);
}

static void batches_lead_to_the_accuracy_of_whole_parts(void **state) {
  (void)state;
  static const char *const settings[] = {"hidden", "16", "epochs", "20", "encoder-epochs", "20", NULL};
  sotto_dataset data = make_data(1500);
  for (size_t i = 0; i < method_count; i++) {
    char folder[64];
    (void)snprintf(folder, sizeof folder, "whole-%s", methods[i]);
    sotto_result whole = run(methods[i], folder, &data, settings);
    sotto_i_batch_rows_set(128);
    (void)snprintf(folder, sizeof folder, "batched-%s", methods[i]);
    sotto_result batched = run(methods[i], folder, &data, settings);
    sotto_i_batch_rows_set(0);
    CHECK_NEAR(batched.seeds[0].test.of[SOTTO_MEASURE_ACCURACY],
               whole.seeds[0].test.of[SOTTO_MEASURE_ACCURACY], 0.03);
    CHECK_NEAR(batched.seeds[0].baseline_test.of[SOTTO_MEASURE_ACCURACY],
               whole.seeds[0].baseline_test.of[SOTTO_MEASURE_ACCURACY], 0.03);
    assert_int_equal(batched.spent.charges - whole.spent.charges, batched.cost.count);
    sotto_result_free(&whole);
    sotto_result_free(&batched);
  }
  sotto_dataset_free(&data);
}

static void same_model(const char *a, const char *b) {
  char path[2][128];
  (void)snprintf(path[0], sizeof path[0], "%s/model.safetensors", check_path(a));
  (void)snprintf(path[1], sizeof path[1], "%s/model.safetensors", check_path(b));
  check_same_files(path[0], path[1]);
}

static void batches_give_the_same_bytes_for_any_number_of_threads(void **state) {
  (void)state;
  static const char *const settings[] = {"hidden", "16", "epochs", "3", "encoder-epochs", "3", NULL};
  sotto_dataset data = make_data(1500);
  sotto_i_batch_rows_set(128);
  for (size_t i = 0; i < method_count; i++) {
    char folder[2][64];
    for (unsigned threads = 1; threads <= 2; threads++) {
      CHECK_OK(sotto_threads_set(threads, &err));
      (void)snprintf(folder[threads - 1], sizeof folder[0], "%s-%u", methods[i], threads);
      sotto_result result = run(methods[i], folder[threads - 1], &data, settings);
      sotto_result_free(&result);
    }
    same_model(folder[0], folder[1]);
  }
  sotto_i_batch_rows_set(0);
  CHECK_OK(sotto_threads_set(0, &err));
  sotto_dataset_free(&data);
}

/* What is counted: all that the library allocates, the dataset with it. The release of a method that releases
 * no layers is counts of neighbours, or nothing: it may hold nine tables of a number a class for each node;
 * with two parties in one process both may hold the one that passes between them, and the label party holds
 * 16 projections of each node's embedding. */
static void memory_is_bounded_by_the_graph_and_one_release(void **state) {
  (void)state;
  enum { nodes = 60000, hidden = 64, classes = 3, tables = 9 };
  static const char *const settings[] = {"hidden", "64", "epochs", "1", "encoder-epochs", "1", NULL};
  CHECK_OK(sotto_threads_set(1, &err)); /* what is held does not depend on who runs when */
  (void)sotto_i_memory_peak();
  sotto_dataset data = make_data(nodes);
  const uint64_t graph = (data.graph.nodes + 1) * 8 + data.graph.entries * 4,
                 features = data.features.rows * data.features.cols * 4;
  sotto_i_batch_rows_set(512);
  for (size_t i = 0; i < method_count; i++) {
    char folder[64];
    const bool layers = strcmp(methods[i], "gap") == 0 || strcmp(methods[i], "caribou") == 0;
    const uint64_t release = layers ? (uint64_t)nodes * 4 * hidden : 0,
                   passing = strcmp(methods[i], "vesper") == 0 ? 1 : 0,
                   projected = passing * nodes * 4 * (16 + 2 * (8 - classes)),
                   others = layers ? 0 : (uint64_t)nodes * 4 * classes * (tables + passing) + projected;
    const uint64_t bound = (graph + features + release) * 3 / 2 + others;
    (void)snprintf(folder, sizeof folder, "bound-%s", methods[i]);
    (void)sotto_i_memory_peak();
    sotto_result result = run(methods[i], folder, &data, settings);
    const uint64_t peak = sotto_i_memory_peak();
    print_message("%s: %.1f MB of %.1f MB\n", methods[i], (double)peak / 1e6, (double)bound / 1e6);
    if (peak > bound)
      fail_msg("%s: %llu bytes at the peak, and the bound is %llu", methods[i], (unsigned long long)peak,
               (unsigned long long)bound);
    sotto_result_free(&result);
  }
  CHECK_OK(sotto_threads_set(0, &err));
  sotto_i_batch_rows_set(0);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_lead_to_the_accuracy_of_whole_parts),
      cmocka_unit_test(batches_give_the_same_bytes_for_any_number_of_threads),
      cmocka_unit_test(memory_is_bounded_by_the_graph_and_one_release),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
