/* Answers night after night: one charge for all of them, and nothing that is drawn twice. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "hostile_numbers.h"
#include "ledgers.h"
#include "made_run.h"
#include "run/storage/night_log.h"
#include "run_files.h"
#include "sotto/generate.h"
#include "sotto/model.h"
#include "sotto/nn.h"

enum { first = 1200, last = 1260, nights = 3 };

/* The first nodes of one graph, with one edge less where `without` says so. */
static sotto_dataset first_nodes(uint64_t nodes, bool without) {
  const sotto_transactions_options options = {.nodes = last};
  sotto_dataset all, out;
  sotto_key key;
  uint64_t count = 0;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_generate_transactions(&all, &options, &key, &err));
  uint32_t *sources = calloc(all.graph.entries, 4), *targets = calloc(all.graph.entries, 4);
  assert_true(sources != NULL && targets != NULL);
  for (uint64_t v = 0; v < nodes; v++)
    for (uint64_t e = all.graph.offsets[v]; e < all.graph.offsets[v + 1]; e++)
      if (all.graph.targets[e] < v) {
        sources[count] = (uint32_t)v;
        targets[count++] = all.graph.targets[e];
      }
  const uint64_t edges = without ? count - 1 : count;
  const sotto_arrays arrays = {.name = "made",
                               .nodes = nodes,
                               .sources = {sources, edges, SOTTO_INDEX_U32},
                               .targets = {targets, edges, SOTTO_INDEX_U32},
                               .features = all.features.data,
                               .feature_columns = all.features.cols,
                               .labels = all.labels,
                               .classes = 2};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  free(sources);
  free(targets);
  sotto_dataset_free(&all);
  return out;
}

/* Further settings are key, value, ... up to NULL. */
static sotto_options train_as(const char *method, const char *folder, const char *epsilon,
                              const char *const *settings) {
  sotto_options o = check_options(method, folder);
  char data[80], ledger[80];
  (void)snprintf(data, sizeof data, "%.60s.sotto", folder);
  (void)snprintf(ledger, sizeof ledger, "%.60s.db", folder);
  check_set(&o, "ledger", check_new_ledger(check_path(ledger)));
  sotto_dataset own = first_nodes(first, false);
  CHECK_OK(sotto_dataset_save(&own, check_path(data), &err));
  check_set(&o, "data", check_path(data));
  check_set(&o, "epsilon", epsilon);
  check_set(&o, "layers", "1");
  check_set(&o, "select-by", "auc");
  check_set(&o, "encoder-epochs", "40");
  check_set(&o, "epochs", "40");
  for (size_t i = 0; settings[i] != NULL; i += 2) check_set(&o, settings[i], settings[i + 1]);
  sotto_result r = check_run(&o, &own);
  sotto_result_free(&r);
  sotto_dataset_free(&own);
  return o;
}

static sotto_options train(const char *folder, const char *epsilon) {
  return train_as("best", folder, epsilon, (const char *const[]){NULL});
}

static sotto_model_options tonight(double epsilon, uint64_t count) {
  return (sotto_model_options){.seed = SOTTO_UNSET, .nightly = true, .epsilon = epsilon, .nights = count};
}

static sotto_model_options night(uint64_t number) {
  return (sotto_model_options){.seed = SOTTO_UNSET, .nightly = true, .night = number};
}

/* All probabilities, in fresh memory. */
static sotto_matrix answers(const sotto_options *o, const sotto_dataset *data,
                            const sotto_model_options *as) {
  sotto_model *model;
  sotto_matrix out;
  CHECK_OK(sotto_model_open(&model, o->out, data, as, &err));
  CHECK_OK(sotto_model_query(&out, model, &(sotto_query){.wanted = NULL}, &err));
  sotto_model_free(model);
  return out;
}

static void refused(sotto_status wanted, const char *words, const sotto_options *o, const sotto_dataset *data,
                    const sotto_model_options *as) {
  sotto_model *model;
  CHECK_FAILS(wanted, words, sotto_model_open(&model, o->out, data, as, &err));
  assert_null(model);
}

static double spent(const sotto_options *o) {
  sotto_dataset own = first_nodes(first, false);
  sotto_ledger *ledger = check_ledger_at(o->ledger);
  sotto_spent out;
  CHECK_OK(sotto_ledger_spent(ledger, &out, own.account, "edge", &err));
  sotto_ledger_close(ledger);
  sotto_dataset_free(&own);
  return out.epsilon;
}

static const char *in(const sotto_options *o, const char *name) {
  static char path[8][1400];
  static int next;
  char *out = path[next++ % 8];
  (void)snprintf(out, sizeof path[0], "%s/nights/%s", o->out, name);
  return out;
}

static void same(const sotto_matrix *a, const sotto_matrix *b) {
  assert_true(a->rows == b->rows && a->cols == b->cols);
  assert_memory_equal(a->data, b->data, a->rows * a->cols * sizeof(float));
}

static void all_nights_are_charged_once_and_compose_with_the_training_to_what_was_asked(void **state) {
  const sotto_options o = train("charge", "1");
  const uint64_t trained = check_ledger_rows(o.ledger);
  const sotto_model_options begin = tonight(8, nights), then = tonight(0, 0);
  (void)state;
  for (uint64_t number = 1; number <= nights; number++) {
    const sotto_model_options repeat = night(number);
    sotto_dataset data = first_nodes(first + 10 * number, false),
                  less = first_nodes(first + 10 * number, true);
    sotto_matrix now = answers(&o, &data, number == 1 ? &begin : &then), again = answers(&o, &data, &repeat);
    same(&now, &again);
    sotto_matrix_free(&again);
    again = answers(&o, &less, &repeat); /* its edges are not read */
    same(&now, &again);
    sotto_matrix_free(&now);
    sotto_matrix_free(&again);
    sotto_dataset_free(&data);
    sotto_dataset_free(&less);
    assert_int_equal(check_ledger_rows(o.ledger), trained + 1 + number); /* an entry without a cost each */
    CHECK_NEAR(spent(&o), 8, 1e-3);
  }
  assert_true(spent(&o) <= 8);
  sotto_dataset data = first_nodes(last, false);
  refused(SOTTO_REFUSED, "all 3 nights", &o, &data, &then);
  assert_int_equal(check_ledger_rows(o.ledger), trained + 1 + nights);
  sotto_dataset_free(&data);
  assert_true(access(in(&o, "statement.json"), R_OK) == 0);
}

/* Two releases of as many numbers. */
static void check_differ(const char *one, const char *other) {
  sotto_i_map a, b;
  CHECK_OK(sotto_i_map_open(&a, one, &err));
  CHECK_OK(sotto_i_map_open(&b, other, &err));
  assert_true(a.size == b.size && memcmp(a.data, b.data, a.size) != 0);
  sotto_i_map_close(&a);
  sotto_i_map_close(&b);
}

/* The same graph twice, and a graph with an edge less: in both worlds there are two nights. */
static void every_call_is_a_night_whatever_its_edges_are(void **state) {
  const sotto_model_options begin = tonight(8, nights), then = tonight(0, 0);
  (void)state;
  for (int world = 0; world < 2; world++) {
    const sotto_options o = train(world == 0 ? "same" : "edge", "1");
    const uint64_t trained = check_ledger_rows(o.ledger);
    sotto_dataset one = first_nodes(first + 5, false), two = first_nodes(first + 5, world == 1);
    sotto_matrix now = answers(&o, &one, &begin), next = answers(&o, &two, &then);
    check_differ(in(&o, "1/counts.sotto"), in(&o, "2/counts.sotto"));
    assert_true(access(in(&o, "3"), F_OK) != 0);
    assert_int_equal(check_ledger_rows(o.ledger), trained + 1 + 2);
    sotto_matrix_free(&now);
    sotto_matrix_free(&next);
    sotto_dataset_free(&one);
    sotto_dataset_free(&two);
  }
}

/* From the releases up to it alone: what came later has no part. */
static void an_earlier_night_is_repeated_with_its_answers(void **state) {
  const sotto_options o = train("earlier", "1");
  const sotto_model_options begin = tonight(8, nights), then = tonight(0, 0), repeat = night(1),
                            none = night(3);
  sotto_dataset one = first_nodes(first, false), two = first_nodes(first + 9, false);
  (void)state;
  sotto_matrix now = answers(&o, &one, &begin), next = answers(&o, &two, &then);
  sotto_matrix again = answers(&o, &one, &repeat);
  same(&now, &again);
  refused(SOTTO_INVALID, "has 1209 nodes, and night 1 had 1200", &o, &two, &repeat);
  refused(SOTTO_INVALID, "3 was not made yet, the latest is 2", &o, &two, &none);
  sotto_matrix_free(&now);
  sotto_matrix_free(&next);
  sotto_matrix_free(&again);
  sotto_dataset_free(&one);
  sotto_dataset_free(&two);
}

static void only_the_owner_may_read_what_takes_the_noise_out(void **state) {
  const sotto_options o = train("private", "1");
  const sotto_model_options begin = tonight(8, nights);
  sotto_dataset data = first_nodes(first, false);
  sotto_matrix now = answers(&o, &data, &begin);
  (void)state;
  for (int i = 0; i < 3; i++) {
    static const char *const files[] = {"owner-only/noise.key", "owner-only/edges.bin",
                                        "owner-only/trained-on.sotto"};
    struct stat info;
    assert_true(stat(in(&o, files[i]), &info) == 0);
    assert_int_equal(info.st_mode & 0777, 0600);
  }
  sotto_matrix_free(&now);
  sotto_dataset_free(&data);
}

/* A process that was killed after it wrote down tonight's edges; and one after which the next night came. */
static void a_night_that_was_killed_is_made_again_with_the_same_bytes(void **state) {
  const sotto_options o = train("killed", "1");
  const sotto_model_options begin = tonight(8, nights), then = tonight(0, 0), repeat = night(2);
  sotto_dataset one = first_nodes(first, false), two = first_nodes(first + 9, false),
                three = first_nodes(first + 20, false);
  sotto_i_map before;
  (void)state;
  sotto_matrix now = answers(&o, &one, &begin);
  sotto_matrix_free(&now);
  now = answers(&o, &two, &then);
  CHECK_OK(sotto_i_map_open(&before, in(&o, "2/counts.sotto"), &err));
  assert_int_equal(unlink(in(&o, "2/counts.sotto")), 0);
  sotto_matrix again = answers(&o, &two, &repeat);
  same(&now, &again);
  check_same_file(in(&o, "2/counts.sotto"), &before);
  assert_int_equal(unlink(in(&o, "2/counts.sotto")), 0);
  sotto_matrix_free(&again);
  again = answers(&o, &three, &then);
  check_same_file(in(&o, "2/counts.sotto"), &before);
  sotto_i_map_close(&before);
  sotto_matrix_free(&again);
  sotto_matrix_free(&now);
  sotto_dataset_free(&one);
  sotto_dataset_free(&two);
  sotto_dataset_free(&three);
}

/* Of two releases of a night, for two graphs, nobody would know. The same data is refused as other data is.
 */
static void an_old_copy_of_the_folder_makes_no_night_again(void **state) {
  sotto_options o = train("copied", "1");
  const sotto_model_options begin = tonight(8, nights), then = tonight(0, 0), repeat = night(2);
  sotto_dataset one = first_nodes(first, false), two = first_nodes(first + 9, false),
                other = first_nodes(first + 9, true);
  (void)state;
  sotto_matrix now = answers(&o, &one, &begin);
  sotto_matrix_free(&now);
  check_copy_folder(o.out, check_path("copy"));
  now = answers(&o, &two, &then);
  (void)snprintf(o.out, sizeof o.out, "%s", check_path("copy"));
  refused(SOTTO_REFUSED, "is an old copy", &o, &other, &then);
  refused(SOTTO_REFUSED, "is an old copy", &o, &two, &then);
  refused(SOTTO_INVALID, "was not made yet", &o, &two, &repeat);
  assert_true(access(in(&o, "2"), F_OK) != 0);
  sotto_matrix_free(&now);
  sotto_dataset_free(&one);
  sotto_dataset_free(&two);
  sotto_dataset_free(&other);
}

/* Killed before the ledger had its entry, which the copy then entered: there is one night 2, in one folder.
 */
static void a_night_without_its_entry_is_not_released_in_two_folders(void **state) {
  sotto_options o = train("apart", "1"), copy = o;
  const sotto_model_options begin = tonight(8, nights), then = tonight(0, 0), repeat = night(2);
  sotto_dataset one = first_nodes(first, false), two = first_nodes(first + 9, false),
                three = first_nodes(first + 20, false);
  sotto_i_night_log log;
  (void)state;
  sotto_matrix now = answers(&o, &one, &begin);
  sotto_matrix_free(&now);
  (void)snprintf(copy.out, sizeof copy.out, "%s", check_path("apart-copy"));
  check_copy_folder(o.out, copy.out);
  CHECK_OK(sotto_i_night_log_load(&log, in(&o, "owner-only/edges.bin"), &err));
  CHECK_OK(sotto_i_night_log_advance(&log, &two, 1, &err));
  CHECK_OK(sotto_i_night_log_save(&log, in(&o, "owner-only/edges.bin"), &err));
  sotto_i_night_log_free(&log);
  now = answers(&copy, &two, &then);
  refused(SOTTO_REFUSED, "is an old copy", &o, &two, &repeat);
  refused(SOTTO_REFUSED, "is an old copy", &o, &three, &then);
  assert_true(access(in(&o, "2"), F_OK) != 0);
  sotto_matrix_free(&now);
  sotto_dataset_free(&one);
  sotto_dataset_free(&two);
  sotto_dataset_free(&three);
}

/* The latest night of the folder's log. */
static uint32_t latest(const sotto_options *o) {
  sotto_i_night_log log;
  CHECK_OK(sotto_i_night_log_load(&log, in(o, "owner-only/edges.bin"), &err));
  const uint32_t out = log.night;
  sotto_i_night_log_free(&log);
  return out;
}

/* Its log has the edges of its data, each once. */
static void check_log(const sotto_options *o, const sotto_dataset *data) {
  sotto_i_night_log log;
  CHECK_OK(sotto_i_night_log_load(&log, in(o, "owner-only/edges.bin"), &err));
  assert_int_equal(log.nodes[log.night], data->graph.nodes);
  assert_int_equal(log.edge_count, data->graph.entries / 2);
  sotto_i_night_log_free(&log);
}

/* Wherever it ends, and however often: there is one night 2, of its data, with one entry and one release. */
static void a_night_that_ends_for_want_of_memory_is_repeated_to_its_end(void **state) {
  const sotto_options o = train("memory", "1");
  const sotto_model_options begin = tonight(8, nights), then = tonight(0, 0), repeat = night(2);
  sotto_i_random random = check_random();
  sotto_dataset one = first_nodes(first, false), two = first_nodes(first + 9, false);
  sotto_model *model;
  sotto_i_map before;
  int failed = 0;
  (void)state;
  (void)sotto_i_memory_fail_at(0);
  sotto_matrix now = answers(&o, &one, &begin);
  const uint64_t all = sotto_i_memory_fail_at(0);
  sotto_matrix_free(&now);
  for (int trial = 0; trial < 40; trial++) {
    sotto_error err = {0};
    const sotto_model_options *as = latest(&o) == 1 ? &then : &repeat;
    (void)sotto_i_memory_fail_at(1 + sotto_i_random_below(&random, trial % 2 == 0 ? all : 300));
    const sotto_status status = sotto_model_open(&model, o.out, &two, as, &err);
    (void)sotto_i_memory_fail_at(0);
    if (status != SOTTO_OK && status != SOTTO_NOMEM) fail_msg("%s", err.text);
    failed += status == SOTTO_NOMEM;
    sotto_model_free(model);
  }
  assert_true(failed > 10 && latest(&o) == 2);
  check_log(&o, &two);
  now = answers(&o, &two, &repeat);
  CHECK_OK(sotto_i_map_open(&before, in(&o, "2/counts.sotto"), &err));
  assert_int_equal(unlink(in(&o, "2/counts.sotto")), 0);
  sotto_matrix again = answers(&o, &two, &repeat);
  same(&now, &again);
  check_same_file(in(&o, "2/counts.sotto"), &before);
  assert_int_equal(check_ledger_rows(o.ledger), 2 + 2);
  sotto_i_map_close(&before);
  sotto_matrix_free(&now);
  sotto_matrix_free(&again);
  sotto_dataset_free(&one);
  sotto_dataset_free(&two);
}

static void what_is_not_a_next_night_is_refused_by_its_name(void **state) {
  const sotto_options o = train("order", "1");
  const sotto_model_options begin = tonight(8, nights), then = tonight(0, 0), other = tonight(4, nights);
  sotto_dataset one = first_nodes(first + 5, false), fewer = first_nodes(first, false),
                two = first_nodes(first + 10, false);
  sotto_i_map before;
  (void)state;
  refused(SOTTO_INVALID, "no plan yet", &o, &one, &then);
  assert_int_equal(check_ledger_rows(o.ledger), 1);
  sotto_matrix now = answers(&o, &one, &begin);
  CHECK_OK(sotto_i_map_open(&before, in(&o, "owner-only/edges.bin"), &err));
  refused(SOTTO_INVALID, "a plan cannot change", &o, &one, &other);
  refused(SOTTO_INVALID, "nodes of a next night", &o, &fewer, &then);
  const float feature = two.features.data[3];
  two.features.data[3] = feature + 1;
  refused(SOTTO_INVALID, "Features of a node stay", &o, &two, &then);
  two.features.data[3] = feature;
  check_turn_a_bit(in(&o, "../seed-1/model.safetensors"));
  refused(SOTTO_CORRUPT, "is not the file of the training", &o, &two, &then);
  assert_int_equal(unlink(in(&o, "../evidence.json")), 0); /* without it, the plan knows its model */
  refused(SOTTO_INVALID, "is another model", &o, &two, &then);
  check_turn_a_bit(in(&o, "../seed-1/model.safetensors"));
  check_same_file(in(&o, "owner-only/edges.bin"), &before);
  sotto_i_map_close(&before);
  assert_int_equal(unlink(in(&o, "owner-only/noise.key")), 0);
  refused(SOTTO_NOT_FOUND, "noise.key", &o, &two, &then);
  sotto_matrix_free(&now);
  sotto_dataset_free(&one);
  sotto_dataset_free(&fewer);
  sotto_dataset_free(&two);
}

static void runs_that_cannot_answer_by_nights_say_why(void **state) {
  const sotto_options other = train_as("gap", "gap", "4", (const char *const[]){NULL});
  const sotto_options clear = train("clear", "inf");
  const sotto_options scaled =
      train_as("best", "scaled", "4", (const char *const[]){"feature-scale", "standard", NULL});
  const sotto_model_options begin = tonight(8, nights);
  sotto_dataset one = first_nodes(first, false);
  sotto_model *model;
  char path[4200];
  (void)state;
  refused(SOTTO_UNSUPPORTED, "models of gap do not answer night after night", &other, &one, &begin);
  refused(SOTTO_UNSUPPORTED, "trained without noise", &clear, &one, &begin);
  /* The folder keeps the statistics of the training. */
  CHECK_OK(sotto_model_open(&model, scaled.out, &one, &begin, &err));
  sotto_model_free(model);
  (void)snprintf(path, sizeof path, "%s/schema.yaml", scaled.out);
  assert_int_equal(unlink(path), 0);
  refused(SOTTO_UNSUPPORTED, "train with l2 or none", &scaled, &one, &begin);
  sotto_dataset_free(&one);
}

static void a_budget_that_the_training_or_the_ledger_does_not_leave_is_refused(void **state) {
  const sotto_options o = train("budget", "2");
  const sotto_model_options less = tonight(2, nights), begin = tonight(8, nights);
  sotto_dataset one = first_nodes(first, false);
  sotto_ledger *ledger = check_ledger_at(o.ledger);
  (void)state;
  refused(SOTTO_REFUSED, "the training has spent 2", &o, &one, &less);
  CHECK_OK(sotto_ledger_set_budget(ledger, one.account, "made", "edge",
                                   &(sotto_budget){.epsilon = 7, .delta = 1e-6}, "a test", &err));
  sotto_ledger_close(ledger);
  refused(SOTTO_REFUSED, "7", &o, &one, &begin);
  assert_int_equal(check_ledger_rows(o.ledger), 1);
  assert_true(access(in(&o, "plan.json"), F_OK) != 0);
  sotto_dataset_free(&one);
}

/* A night on which new customers have hostile numbers: all answers are numbers. Returns the ledger's rows. */
static uint64_t hostile_night(const char *folder, check_hostile how, bool without) {
  enum { fresh = 9 };
  const sotto_options o = train_as("best", folder, "1", (const char *const[]){"feature-scale", "none", NULL});
  const sotto_model_options begin = tonight(8, nights);
  sotto_dataset data = first_nodes(first + fresh, without);
  const size_t cols = data.features.cols;
  float *numbers = (float *)(uintptr_t)data.features.data + first * cols; /* the test's own */
  for (size_t i = 0; i < fresh * cols; i++) numbers[i] = check_hostile_number(how, fresh, cols, i);
  sotto_matrix out = answers(&o, &data, &begin);
  for (size_t i = 0; i < out.rows * out.cols; i++) assert_true(isfinite(out.data[i]));
  const uint64_t charges = check_ledger_rows(o.ledger);
  sotto_matrix_free(&out);
  sotto_dataset_free(&data);
  return charges;
}

static void hostile_features_of_new_nodes_end_alike_in_both_worlds(void **state) {
  static const check_hostile forms[] = {CHECK_SUBNORMAL, CHECK_LARGEST};
  (void)state;
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    char folder[40];
    uint64_t charges[2];
    for (int world = 0; world < 2; world++) {
      (void)snprintf(folder, sizeof folder, "hostile-%zu-%d", i, world);
      charges[world] = hostile_night(folder, forms[i], world == 1);
    }
    assert_int_equal(charges[0], charges[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_nights_are_charged_once_and_compose_with_the_training_to_what_was_asked),
      cmocka_unit_test(every_call_is_a_night_whatever_its_edges_are),
      cmocka_unit_test(an_earlier_night_is_repeated_with_its_answers),
      cmocka_unit_test(only_the_owner_may_read_what_takes_the_noise_out),
      cmocka_unit_test(a_night_that_was_killed_is_made_again_with_the_same_bytes),
      cmocka_unit_test(an_old_copy_of_the_folder_makes_no_night_again),
      cmocka_unit_test(a_night_without_its_entry_is_not_released_in_two_folders),
      cmocka_unit_test(a_night_that_ends_for_want_of_memory_is_repeated_to_its_end),
      cmocka_unit_test(what_is_not_a_next_night_is_refused_by_its_name),
      cmocka_unit_test(hostile_features_of_new_nodes_end_alike_in_both_worlds),
      cmocka_unit_test(runs_that_cannot_answer_by_nights_say_why),
      cmocka_unit_test(a_budget_that_the_training_or_the_ledger_does_not_leave_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
