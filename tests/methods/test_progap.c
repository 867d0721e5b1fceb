/* Method progap: what its stages gain, runs that stop and go on, threads, memory that runs out.
 */
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "inside/base.h"
#include "ledgers.h"
#include "made_run.h"
#include "plain_files.h"
#include "progap_runs.h"

static bool same_bytes(const sotto_options *a, const sotto_options *b, const char *file) {
  char path[CHECK_PROGAP_PATH];
  sotto_i_map map[2];
  const sotto_options *of[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    check_progap_path(path, of[i], file);
    CHECK_OK(sotto_i_map_open(&map[i], path, &err));
  }
  bool same = map[0].size == map[1].size && memcmp(map[0].data, map[1].data, map[0].size) == 0;
  for (int i = 0; i < 2; i++) sotto_i_map_close(&map[i]);
  return same;
}

/* What a recorder counted; it interrupts the run after `stop` epochs (0: never). */
typedef struct counter {
  size_t count, stop;
} counter;

static void neighbours_lift_weak_features_at_every_combination(void **state) {
  (void)state;
  static const char *const combinations[] = {"cat", "sum", "max", "mean", "attention"};
  sotto_dataset data = check_progap_data(300, 1);
  for (int i = 0; i < 5; i++) {
    sotto_options o = check_progap_options(combinations[i], "2");
    check_set(&o, "adjacency", "none");
    check_set(&o, "combine", combinations[i]);
    check_set(&o, "epochs", "40");
    sotto_result result = check_run(&o, &data);
    const sotto_seed_result *seed = &result.seeds[0];
    if (!(seed->test.of[SOTTO_MEASURE_ACCURACY] > seed->baseline_test.of[SOTTO_MEASURE_ACCURACY] + 0.1))
      fail_msg("%s: %.3f, without edges %.3f", combinations[i], seed->test.of[SOTTO_MEASURE_ACCURACY],
               seed->baseline_test.of[SOTTO_MEASURE_ACCURACY]);
    assert_true(!result.private_edges && result.cost.count == 0 && result.spent.charges == 0);
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

static void a_resumed_run_releases_the_same_bytes(void **state) {
  (void)state;
  static const char *const kept[2][3] = {{"aggregate-1.sotto", "aggregate-2.sotto", "model.safetensors"},
                                         {"aggregate-1.sotto", "aggregate-2.sotto", "stage1.safetensors"}};
  sotto_dataset data = check_progap_data(60, 1);
  for (int node = 0; node < 2; node++) {
    char before[3][CHECK_PROGAP_PATH], path[CHECK_PROGAP_PATH];
    sotto_options o =
        node ? check_progap_node_options("same-node", "2") : check_progap_options("same-edge", "2");
    sotto_result result = check_run(&o, &data);
    const uint64_t charges = result.spent.charges;
    sotto_result_free(&result);
    for (int k = 0; k < 3; k++) {
      check_progap_path(path, &o, kept[node][k]);
      (void)snprintf(before[k], sizeof before[k], "%.1300s.before", path);
      assert_int_equal(link(path, before[k]), 0);
    }
    check_forget_result(&o);
    if (!node) check_progap_remove(&o, "model.safetensors");
    o.resume = true;
    result = check_run(&o, &data);
    assert_int_equal(result.spent.charges, charges);
    sotto_result_free(&result);
    for (int k = 0; k < 3; k++) {
      check_progap_path(path, &o, kept[node][k]);
      check_same_files(before[k], path);
    }
  }
  sotto_dataset_free(&data);
}

static void count_epoch(void *context, const sotto_epoch *epoch) {
  counter *c = context;
  (void)epoch;
  if (++c->count == c->stop) sotto_interrupt();
}

static void an_interrupted_run_ends_as_one_that_was_not(void **state) {
  (void)state;
  sotto_dataset data = check_progap_data(60, 1);
  sotto_options whole = check_progap_options("whole", "2");
  check_set(&whole, "insecure-seed", "5");
  check_set(&whole, "checkpoint-every", "3");
  counter epochs = {0};
  sotto_recorder recorder = {.context = &epochs, .epoch = count_epoch};
  sotto_result result;
  CHECK_OK(sotto_train(&result, &whole, &data, NULL, &recorder, &err));
  sotto_result_free(&result);
  assert_int_equal(epochs.count, 3 * 12);
  for (size_t stop = 2; stop < 3 * 12; stop += 5) {
    char folder[32];
    (void)snprintf(folder, sizeof folder, "cut-%zu", stop);
    sotto_options cut = check_progap_options(folder, "2");
    check_set(&cut, "insecure-seed", "5");
    check_set(&cut, "checkpoint-every", "3");
    epochs = (counter){.stop = stop};
    CHECK_FAILS(SOTTO_INTERRUPTED, "stopped on request",
                sotto_train(&result, &cut, &data, NULL, &recorder, &err));
    sotto_interrupt_clear();
    epochs = (counter){0};
    cut.resume = true;
    CHECK_OK(sotto_train(&result, &cut, &data, NULL, &recorder, &err));
    assert_int_equal(result.spent.charges, 2);
    assert_true(epochs.count < 3 * 12 || stop < 3);
    sotto_result_free(&result);
    assert_true(same_bytes(&whole, &cut, "model.safetensors"));
  }
  sotto_dataset_free(&data);
}

static void threads_do_not_matter(void **state) {
  (void)state;
  sotto_dataset data = check_progap_data(60, 1);
  for (int node = 0; node < 2; node++) {
    sotto_options o[2];
    for (int i = 0; i < 2; i++) {
      char folder[32];
      (void)snprintf(folder, sizeof folder, "threads-%d-%d", node, i + 1);
      o[i] = node ? check_progap_node_options(folder, "2") : check_progap_options(folder, "2");
      check_set(&o[i], "insecure-seed", "3");
      CHECK_OK(sotto_threads_set((unsigned)i + 1, &err));
      sotto_result result = check_run(&o[i], &data);
      assert_true(result.insecure);
      sotto_result_free(&result);
    }
    assert_true(same_bytes(&o[0], &o[1], "model.safetensors"));
    assert_true(same_bytes(&o[0], &o[1], "aggregate-2.sotto"));
  }
  CHECK_OK(sotto_threads_set(1, &err));
  sotto_dataset_free(&data);
}

static void run_with_failures(const char *folder, const char *adjacency, uint64_t thinning) {
  sotto_dataset data = check_progap_data(40, 1);
  sotto_options o = check_progap_options(folder, "2");
  sotto_status status = SOTTO_NOMEM;
  sotto_result result = {0};
  check_set(&o, "adjacency", adjacency);
  check_set(&o, "max-degree", "39");
  check_set(&o, "hidden", "4");
  check_set(&o, "epochs", "1");
  check_set(&o, "encoder-epochs", "1");
  check_set(&o, "resume", "true");
  if (strcmp(adjacency, "node") == 0) check_set(&o, "steps", "1");
  for (uint64_t nth = 1; status == SOTTO_NOMEM && nth < 40000; nth += 1 + nth / thinning) {
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_train(&result, &o, &data, NULL, NULL, NULL);
  }
  (void)sotto_i_memory_fail_at(0);
  if (status != SOTTO_OK) fail_msg("%s: '%s', not out of memory", folder, sotto_status_text(status));
  /* However often it was stopped, each of its releases was charged once. */
  assert_int_equal(result.spent.charges, result.cost.count);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  CHECK_OK(sotto_threads_set(1, &err));
  run_with_failures("fail-edge", "edge", UINT64_MAX);
  run_with_failures("fail-node", "node", 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(neighbours_lift_weak_features_at_every_combination),
      cmocka_unit_test(a_resumed_run_releases_the_same_bytes),
      cmocka_unit_test(an_interrupted_run_ends_as_one_that_was_not),
      cmocka_unit_test(threads_do_not_matter),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
