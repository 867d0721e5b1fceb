/* Every method in every variant, in two worlds that differ in one edge: what leaves is the same. Number,
 * order, names and sizes of files, messages, charges, log lines and how each call ends; values under noise
 * are left out, and the noise of both worlds is the same, so that no choice after it differs by chance. */
#include "check.h"
#include "noise_stream.h"
#include "registry_cases.h"
#include "run_files.h"
#include "small_graph.h"
#include "sotto/model.h"
#include "trace.h"

/* The data of a world, and that of both: training data, of a run whose answers are about the world's data. */
typedef struct world {
  const sotto_dataset *trained, *asked;
  const check_case *of;
  const check_case_data *data;
  const char *further[2]; /* an option and its value, or NULL */
  uint64_t noise;
  bool loses_a_seed; /* after the training, which is then resumed */
} world;

enum { most_trials = 3 };

static void query(check_trace *t, const char *what, const sotto_options *o, const sotto_dataset *data,
                  sotto_model_options as) {
  const sotto_observer observer = check_trace_observer(t);
  sotto_error err = {0};
  sotto_model *model = NULL;
  sotto_matrix rows = {0};
  as.seed = SOTTO_UNSET;
  as.observer = &observer;
  sotto_status status = sotto_model_open(&model, o->out, data, &as, &err);
  if (status == SOTTO_OK) status = sotto_model_query(&rows, model, &(sotto_query){.wanted = NULL}, &err);
  check_trace_end(t, what, status, &err);
  check_trace_add(t, "answers: %zu x %zu, release in %s", rows.rows, rows.cols,
                  model == NULL || sotto_model_release_folder(model) == NULL
                      ? "none"
                      : sotto_model_release_folder(model));
  sotto_matrix_free(&rows);
  sotto_model_free(model);
}

static void train(check_trace *t, const char *what, const sotto_options *o, const sotto_dataset *data) {
  const sotto_observer observer = check_trace_observer(t);
  sotto_error err = {0};
  sotto_result result = {0};
  const sotto_status status = sotto_train(&result, o, data, &observer, NULL, &err);
  check_trace_end(t, what, status, &err);
  sotto_result_free(&result);
}

static sotto_options options_of(const world *w) {
  sotto_options o = check_case_options(w->of, w->data, "world");
  sotto_ledger *ledger;
  if (w->further[0] != NULL) check_set(&o, w->further[0], w->further[1]);
  CHECK_OK(sotto_ledger_open(&ledger, o.ledger, &err));
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", "a test", &err));
  sotto_ledger_close(ledger);
  check_set(&o, "account", "customers");
  return o;
}

/* Training, all answers, and the training once more: of the whole run, and after its last seed was lost. */
static check_trace live(const world *w) {
  static uint64_t lives = 1000;
  check_trace t = {0};
  check_stream_begin(lives++); /* each ledger has a name of its own */
  const sotto_options o = options_of(w);
  check_stream_begin(w->noise);
  sotto_options again = o;
  train(&t, "train", &o, w->trained);
  query(&t, "predict", &o, w->asked, (sotto_model_options){0});
  query(&t, "predict, epsilon", &o, w->trained, (sotto_model_options){.epsilon = 2});
  query(&t, "predict, epsilon", &o, w->asked, (sotto_model_options){.epsilon = 2});
  query(&t, "predict, again", &o, w->asked, (sotto_model_options){.again = 1});
  query(&t, "first night", &o, w->trained,
        (sotto_model_options){.nightly = true, .epsilon = 20, .nights = 3});
  query(&t, "next night", &o, w->asked, (sotto_model_options){.nightly = true});
  query(&t, "night again", &o, w->asked, (sotto_model_options){.nightly = true, .night = 1});
  check_set(&again, "resume", "true");
  train(&t, "resume", &again, w->asked);
  if (w->loses_a_seed) {
    (void)remove(check_path("world/seed-1/result.json"));
    train(&t, "resume a seed", &again, w->asked);
  }
  check_trace_folder(&t, o.out);
  check_trace_ledger(&t, o.ledger);
  check_remove_folder(o.out);
  assert_int_equal(remove(o.ledger), 0);
  return t;
}

static void compare(const check_case *c, const char *what, world one, world other) {
  char line[2][400];
  bool differ = true;
  for (uint64_t trial = 1; differ && trial <= most_trials; trial++) {
    one.noise = other.noise = trial;
    check_trace a = live(&one), b = live(&other);
    differ = check_trace_differ(line, &a, &b);
    check_trace_free(&a);
    check_trace_free(&b);
  }
  if (differ) fail_msg("%s, %s: the worlds differ:\n  %s\n  %s", c->name, what, line[0], line[1]);
}

/* An edge that is there, or is not, from the training on; and one that goes after the training. */
static void check_worlds(const check_case *c, const check_case_data *data, const sotto_dataset *less,
                         const char *key, const char *value) {
  const sotto_dataset *all = check_data_of(c, data);
  world with = {.trained = all, .asked = all, .of = c, .data = data, .further = {key, value}};
  world without = with, later = with;
  without.trained = without.asked = later.asked = less;
  with.loses_a_seed = without.loses_a_seed = true;
  compare(c, "in all data", with, without);
  /* Clients in one process have accounts by their own parts of the data: other parts are refused, as damage.
   */
  with.loses_a_seed = later.loses_a_seed = !check_case_has(c, "clients");
  compare(c, "in later data", with, later);
}

static void what_leaves_is_the_same_in_two_worlds_that_differ_in_an_edge(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  sotto_dataset graph = check_without_edge(&data.graph), collection = check_without_edge(&data.collection),
                transfers = check_with_transfers(&data.graph, true);
  (void)state;
  for (size_t i = 0; i < count; i++) {
    const sotto_dataset *less = cases[i].collection ? &collection : cases[i].transfers ? &transfers : &graph;
    if (strcmp(cases[i].adjacency, "none") == 0) continue; /* nothing is protected */
    check_worlds(&cases[i], &data, less, NULL, NULL);
    for (size_t k = 0; k < CHECK_FURTHER; k++)
      if (check_case_takes(&cases[i], check_further[k]))
        check_worlds(&cases[i], &data, less, check_further[k][0], check_further[k][1]);
  }
  sotto_dataset_free(&graph);
  sotto_dataset_free(&collection);
  sotto_dataset_free(&transfers);
  check_case_data_free(&data);
}

int main(void) {
  if (!check_stream_install()) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_leaves_is_the_same_in_two_worlds_that_differ_in_an_edge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
