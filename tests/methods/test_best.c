/* Method best: whose labels enter the release, what it gains, and where it falls back to. */
#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "run/method/method.h"
#include "sotto/generate.h"

static sotto_dataset make_data(uint64_t nodes, double signal) {
  const sotto_sbm_options sbm = {.nodes = nodes,
                                 .classes = 3,
                                 .features = 5,
                                 .degree_inside = nodes < 60 ? 3 : 12,
                                 .degree_outside = 3,
                                 .feature_signal = signal};
  return check_communities(&sbm);
}

static sotto_options make_options(const char *folder) {
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", "best");
  check_set(&o, "data", "made");
  check_set(&o, "hidden", "8");
  check_set(&o, "encoder-epochs", "10");
  check_set(&o, "epochs", "20");
  check_set(&o, "out", check_path(folder));
  check_set(&o, "ledger", check_new_ledger(check_path("ledger.db")));
  CHECK_OK(sotto_i_make_folder(o.out, &err));
  return o;
}

static sotto_result run(const sotto_options *o, const sotto_dataset *data) {
  sotto_result result;
  CHECK_OK(sotto_train(&result, o, data, NULL, NULL, &err));
  return result;
}

/* The second released table of a run without noise, whose labels were first moved on by one in one part. */
static sotto_dataset counts_with_moved_labels(const char *folder, sotto_part part) {
  enum { nodes = 120 };
  sotto_dataset data = make_data(nodes, 1), counts;
  sotto_options o = make_options(folder);
  sotto_i_parted parted;
  const int32_t *own = data.labels;
  int32_t moved[nodes];
  check_set(&o, "adjacency", "none");
  check_set(&o, "layers", "2");
  const sotto_i_job job = {.options = &o, .data = &data, .seed = o.seed};
  CHECK_OK(sotto_i_parted_new(&parted, &job, &err));
  memcpy(moved, own, sizeof moved);
  for (size_t i = 0; i < parted.split.count[part]; i++) {
    uint32_t node = parted.split.rows[part][i];
    moved[node] = (moved[node] + 1) % 3;
  }
  data.labels = moved;
  sotto_result result = run(&o, &data);
  char path[1200];
  (void)snprintf(path, sizeof path, "%s/seed-1/counts-1.sotto", o.out);
  CHECK_OK(sotto_dataset_open(&counts, path, NULL, &err));
  sotto_result_free(&result);
  sotto_i_parted_free(&parted);
  data.labels = own;
  sotto_dataset_free(&data);
  return counts;
}

static void labels_of_test_nodes_do_not_enter_what_is_released(void **state) {
  (void)state;
  sotto_dataset as_is = counts_with_moved_labels("as-is", SOTTO_PART_NONE);
  sotto_dataset tested = counts_with_moved_labels("tested", SOTTO_PART_TEST);
  sotto_dataset trained = counts_with_moved_labels("trained", SOTTO_PART_TRAIN);
  size_t size = as_is.features.rows * as_is.features.cols * sizeof(float);
  assert_memory_equal(as_is.features.data, tested.features.data, size);
  assert_memory_not_equal(as_is.features.data, trained.features.data, size); /* the comparison can fail */
  sotto_dataset_free(&as_is);
  sotto_dataset_free(&tested);
  sotto_dataset_free(&trained);
}

static void neighbours_lift_weak_features(void **state) {
  (void)state;
  sotto_dataset data = make_data(600, 1);
  sotto_options o = make_options("lift");
  check_set(&o, "epsilon", "4");
  check_set(&o, "epochs", "60");
  check_set(&o, "layers", "1");
  check_set(&o, "insecure-seed", "1");
  sotto_result result = run(&o, &data);
  const sotto_seed_result *seed = &result.seeds[0];
  assert_true(seed->test.of[SOTTO_MEASURE_ACCURACY] > seed->baseline_test.of[SOTTO_MEASURE_ACCURACY] + 0.1);
  assert_true(result.central && result.private_edges && result.insecure && result.cost.count == o.layers);
  assert_true(result.epsilon <= 4 * (1 + 1e-9) && result.epsilon > 3.99);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

/* At an epsilon where the sums are noise alone, validation decides, and no run ends below features alone. */
static void it_never_validates_below_features_alone(void **state) {
  (void)state;
  sotto_dataset data = make_data(200, 3);
  sotto_options o = make_options("floor");
  check_set(&o, "epsilon", "0.01");
  check_set(&o, "layers", "1");
  check_set(&o, "read-share", "0.7");
  check_set(&o, "seeds", "8");
  check_set(&o, "epochs", "2");
  check_set(&o, "learning-rate", "0.05");
  sotto_result result = run(&o, &data);
  int equal = 0;
  for (size_t i = 0; i < result.seed_count; i++) {
    const sotto_seed_result *seed = &result.seeds[i];
    assert_true(seed->validation.of[SOTTO_MEASURE_ACCURACY] >=
                seed->baseline_validation.of[SOTTO_MEASURE_ACCURACY]);
    if (seed->validation.of[SOTTO_MEASURE_ACCURACY] > seed->baseline_validation.of[SOTTO_MEASURE_ACCURACY])
      continue;
    equal++;
    assert_true(seed->test.of[SOTTO_MEASURE_ACCURACY] == seed->baseline_test.of[SOTTO_MEASURE_ACCURACY]);
  }
  assert_true(equal > 0); /* it did fall back */
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

static void one_training_node_is_too_few(void **state) {
  (void)state;
  sotto_dataset data = make_data(20, 1);
  sotto_options o = make_options("few");
  sotto_result result;
  check_set(&o, "train-share", "0.05");
  CHECK_FAILS(SOTTO_INVALID, "two training nodes", sotto_train(&result, &o, &data, NULL, NULL, &err));
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_of_test_nodes_do_not_enter_what_is_released),
      cmocka_unit_test(neighbours_lift_weak_features),
      cmocka_unit_test(it_never_validates_below_features_alone),
      cmocka_unit_test(one_training_node_is_too_few),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
