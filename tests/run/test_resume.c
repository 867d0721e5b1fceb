/* A training that is interrupted and resumed, in one process: it goes on after the last checkpoint, gives the
 * model and figures of a run that was never interrupted, bit for bit, and leaves no checkpoint behind. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "check.h"
#include "inside/base.h"
#include "ledgers.h"
#include "made_run.h"
#include "sotto/generate.h"

enum { most_epochs = 400 };

/* What a recorder saw; it interrupts the run after `stop_after` epochs (0: never). */
typedef struct log {
  size_t count, stop_after;
  char stage[most_epochs][32];
  uint64_t epoch[most_epochs];
} log;

static void take(void *context, const sotto_epoch *epoch) {
  log *l = context;
  assert_true(l->count < most_epochs);
  (void)snprintf(l->stage[l->count], sizeof l->stage[0], "%s", epoch->stage);
  l->epoch[l->count++] = epoch->epoch;
  if (l->count == l->stop_after) sotto_interrupt();
}

static sotto_status run(sotto_result *result, const sotto_options *options, const sotto_dataset *data, log *l,
                        sotto_error *err) {
  const sotto_recorder recorder = {.context = l, .epoch = take};
  return sotto_train(result, options, data, NULL, &recorder, err);
}

static void check_same_file(const sotto_options *a, const sotto_options *b, const char *name) {
  char path[2][1400];
  sotto_i_map map[2];
  const sotto_options *of[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    (void)snprintf(path[i], sizeof path[i], "%s/%s", of[i]->out, name);
    CHECK_OK(sotto_i_map_open(&map[i], path[i], &err));
  }
  if (map[0].size != map[1].size || memcmp(map[0].data, map[1].data, map[0].size) != 0)
    fail_msg("%s and %s differ", path[0], path[1]);
  for (int i = 0; i < 2; i++) sotto_i_map_close(&map[i]);
}

/* The first epoch of the resumed run comes right after a checkpoint of the stage that was cut. */
static bool went_on(const log *cut, const log *resumed, uint64_t every) {
  const char *stage = cut->stage[cut->count - 1];
  uint64_t last = cut->epoch[cut->count - 1];
  for (size_t i = 0; i < resumed->count; i++)
    if (strcmp(resumed->stage[i], stage) == 0)
      return resumed->epoch[i] % every == 1 && (last < every + 1 || resumed->epoch[i] > 1);
  return false;
}

static sotto_options options_of(const char *settings, const char *folder) {
  char copy[300], *rest = copy;
  (void)snprintf(copy, sizeof copy, "%s", settings);
  const char *method = strtok_r(copy, " ", &rest);
  sotto_options options = check_options(method, folder);
  static const char *const shared[] = {"hidden",           "8", "encoder-epochs", "9", "epochs", "9",
                                       "checkpoint-every", "2", "insecure-seed",  "5", NULL};
  for (const char *key = NULL; (key = strtok_r(NULL, " ", &rest)) != NULL;)
    check_set(&options, key, strtok_r(NULL, " ", &rest));
  check_set_own(&options, shared);
  return options;
}

/* Every method that trains without DP-SGD. */
static const char *const methods[] = {
    "gap hidden 8 encoder-epochs 9 epochs 9",
    "gap adjacency none combine attention hidden 8 encoder-epochs 9 epochs 9",
    "caribou hidden 8 encoder-epochs 9 epochs 9",
    "best hidden 8 encoder-epochs 9 epochs 9",
    "gnn aggregator gcn hidden 8 epochs 9",
    "sage adjacency none hidden 8 epochs 9",
    "pertgraph hidden 8 epochs 9",
    "dpdgc hidden 8 encoder-epochs 9 epochs 9",
    "lpgnet hidden 8 encoder-epochs 9 epochs 9",
    "gnn aggregator gin hidden 8 encoder-epochs 9 epochs 9",
    "mlp hidden 8 encoder-epochs 9",
    "vesper publication counts epsilon 4 hidden 8 encoder-epochs 9 epochs 9",
    "vesper publication layers aggregator gin epsilon 4 hidden 8 encoder-epochs 9 epochs 9",
    ("vesper publication layers aggregator gcn releases 2 layer-weights true label-epsilon 2 label-features "
     "0.4 hidden 8 "
     "encoder-epochs 9 epochs 9"),
    "vesper aggregator gin adjacency node max-degree 60 epsilon 4 hidden 8 epochs 9",
    "vfgnn holders 2 adjacency none hidden 8 epochs 9",
    "vfgnn holders 2 layers 2 hidden 8 encoder-epochs 9 epochs 9",
    "vfgnn holders 2 adjacency none initial individually batch-size 20 hidden 8 epochs 9",
    "fedavg clients 3 rounds 12 hidden 8",
    "fedavg clients 3 rounds 12 fraction 0.5 optimiser adam hidden 8",
};

static void an_interrupted_training_goes_on_and_ends_the_same(void **state) {
  (void)state;
  const sotto_sbm_options sbm = {
      .nodes = 90, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    static log whole, cut, resumed;
    char folder[40];
    sotto_result expected, result;
    (void)snprintf(folder, sizeof folder, "whole-%zu", m);
    const sotto_options reference = options_of(methods[m], folder);
    whole = (log){0};
    CHECK_OK(run(&expected, &reference, &data, &whole, &err));
    for (size_t stop = 1; stop < whole.count; stop += 7) {
      struct stat info;
      char stages[1400];
      (void)snprintf(folder, sizeof folder, "cut-%zu-%zu", m, stop);
      sotto_options options = options_of(methods[m], folder);
      cut = (log){.stop_after = stop};
      resumed = (log){0};
      CHECK_FAILS(SOTTO_INTERRUPTED, "stopped on request", run(&result, &options, &data, &cut, &err));
      sotto_interrupt_clear();
      options.resume = true;
      CHECK_OK(run(&result, &options, &data, &resumed, &err));
      if (!went_on(&cut, &resumed, 2))
        fail_msg("%s, cut after epoch %zu: did not go on from the last checkpoint", methods[m], stop);
      /* One method of this list is at node level: its model is fitted to the label party's labels. */
      const bool of_labels = options.label_epsilon > 0 || options.adjacency == SOTTO_ADJACENCY_NODE;
      check_same_file(&reference, &options,
                      of_labels ? "seed-1/owner-only/model.safetensors" : "seed-1/model.safetensors");
      assert_memory_equal(&expected.seeds[0].test, &result.seeds[0].test, sizeof expected.seeds[0].test);
      assert_memory_equal(&expected.seeds[0].validation, &result.seeds[0].validation, sizeof(sotto_quality));
      assert_memory_equal(&expected.seeds[0].baseline_test, &result.seeds[0].baseline_test,
                          sizeof(sotto_quality));
      (void)snprintf(stages, sizeof stages, "%s/seed-1/owner-only/stages", options.out);
      assert_int_not_equal(stat(stages, &info), 0);
      sotto_result_free(&result);
    }
    sotto_result_free(&expected);
  }
  sotto_dataset_free(&data);
}

/* What is trained before counts are released is not trained again by a start that comes after it; nor is it
 * charged again. */
static void networks_before_counts_are_trained_once(void **state) {
  (void)state;
  const sotto_sbm_options sbm = {
      .nodes = 90, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  static log cut, resumed;
  sotto_result result;
  sotto_options options = options_of("vfgnn holders 2 hidden 8 encoder-epochs 9 epochs 9", "trained-once");
  cut = (log){.stop_after = 12};
  CHECK_FAILS(SOTTO_INTERRUPTED, "stopped on request", run(&result, &options, &data, &cut, &err));
  sotto_interrupt_clear();
  assert_string_equal(cut.stage[11], "network");
  options.resume = true;
  resumed = (log){0};
  CHECK_OK(run(&result, &options, &data, &resumed, &err));
  assert_string_equal(resumed.stage[0], "network");
  assert_int_equal(result.made.charges, 1);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

/* A run that is not resumed begins at the beginning, whatever lies in its folder. */
static void without_resume_nothing_is_taken_over(void **state) {
  (void)state;
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  const sotto_options options = options_of("sage adjacency none hidden 8 epochs 9", "again");
  static log cut, again;
  sotto_result result;
  cut = (log){.stop_after = 5};
  CHECK_FAILS(SOTTO_INTERRUPTED, "stopped on request", run(&result, &options, &data, &cut, &err));
  sotto_interrupt_clear();
  again = (log){0};
  CHECK_OK(run(&result, &options, &data, &again, &err));
  assert_int_equal(again.epoch[0], 1);
  sotto_result_free(&result);
  sotto_dataset_free(&data);
}

/* A decoder whose release was lost is trained again on the one that takes its place; the encoder, which read
 * none, is not. */
static void a_release_made_anew_has_trainings_of_its_own(void **state) {
  (void)state;
  const sotto_sbm_options sbm = {
      .nodes = 60, .classes = 3, .features = 5, .degree_inside = 6, .degree_outside = 1, .feature_signal = 1};
  sotto_dataset data = check_communities(&sbm);
  for (int lost = 0; lost < 2; lost++) {
    static log cut, resumed;
    char path[1400];
    sotto_result result;
    sotto_options options =
        options_of("gap hidden 8 encoder-epochs 9 epochs 9", lost ? "release-lost" : "release-kept");
    options.insecure_seed = SOTTO_UNSET;
    (void)snprintf(options.ledger, sizeof options.ledger, "%s", check_new_ledger(check_path("anew.db")));
    cut = (log){.stop_after = 15};
    CHECK_FAILS(SOTTO_INTERRUPTED, "stopped on request", run(&result, &options, &data, &cut, &err));
    sotto_interrupt_clear();
    assert_string_equal(cut.stage[14], "decoder");
    (void)snprintf(path, sizeof path, "%s/seed-1/release.bin", options.out);
    if (lost) assert_int_equal(unlink(path), 0);
    options.resume = true;
    resumed = (log){0};
    CHECK_OK(run(&result, &options, &data, &resumed, &err));
    assert_string_equal(resumed.stage[0], "encoder"); /* it was kept after epoch 8 of 9 */
    assert_int_equal(resumed.epoch[0], 9);
    assert_string_equal(resumed.stage[1], "decoder");
    assert_int_equal(resumed.epoch[1], lost ? 1 : 7);
    assert_int_equal(result.spent.charges, lost ? 3 : 1); /* of both runs: one ledger */
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_interrupted_training_goes_on_and_ends_the_same),
      cmocka_unit_test(networks_before_counts_are_trained_once),
      cmocka_unit_test(without_resume_nothing_is_taken_over),
      cmocka_unit_test(a_release_made_anew_has_trainings_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
