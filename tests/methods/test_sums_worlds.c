/* Runs of best that release sums of neighbours' features along directions, or of weights of relations, in two
 * worlds that differ in one edge or relation: what leaves has the same form, and nothing follows from an edge
 * but through its charged releases. */
#include "check.h"
#include "made_run.h"
#include "noise_stream.h"
#include "run_files.h"
#include "small_graph.h"
#include "sotto/generate.h"
#include "spending.h"
#include "trace.h"

enum { nodes = 3200, columns = 12, side = 3, edges = 10 * nodes, trials = 3, accounts = 6000 };

/* Pairs of different nodes, each once. */
static uint64_t draw_pairs(uint32_t *from, uint32_t *to, sotto_graph *graph, sotto_i_random *random) {
  uint64_t count = 0;
  for (size_t e = 0; e < edges; e++) {
    from[e] = (uint32_t)sotto_i_random_below(random, nodes);
    to[e] = (uint32_t)((from[e] + 1 + sotto_i_random_below(random, nodes - 1)) % nodes);
  }
  CHECK_OK(sotto_graph_from_pairs(graph, nodes, from, to, edges, &err));
  for (uint32_t v = 0; v < nodes; v++)
    for (uint64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++) {
      if (graph->targets[e] < v) continue;
      from[count] = v;
      to[count++] = graph->targets[e];
    }
  return count;
}

/* A node's class is the side of a plane on which the sum of its neighbours' features lies. No cluster of
 * features tells it, nor do its own features. */
static sotto_dataset planes(void) {
  static uint32_t from[edges], to[edges];
  static float features[nodes * columns];
  static int32_t labels[nodes];
  sotto_key key;
  sotto_i_random random;
  sotto_graph graph;
  sotto_dataset out;
  sotto_key_public(&key, 7);
  sotto_i_random_init(&random, &key, SOTTO_I_PURPOSE_GENERATE, 0, 0);
  for (size_t i = 0; i < (size_t)nodes * columns; i++) features[i] = (float)sotto_i_random_normal(&random);
  const uint64_t count = draw_pairs(from, to, &graph, &random);
  for (uint64_t v = 0; v < nodes; v++) {
    double sum = 0;
    for (uint64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; e++)
      sum += (double)features[graph.targets[e] * columns + side];
    labels[v] = sum > 0;
  }
  const sotto_arrays arrays = {.name = "planes",
                               .nodes = nodes,
                               .sources = {from, count, SOTTO_INDEX_U32},
                               .targets = {to, count, SOTTO_INDEX_U32},
                               .features = features,
                               .feature_columns = columns,
                               .labels = labels,
                               .classes = 2};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  sotto_graph_free(&graph);
  return out;
}

/* Accounts of which mules are told by the amounts and days of their relations. */
static sotto_dataset payments(void) {
  const sotto_payments_options of = {.nodes = accounts, .dial = 1};
  sotto_dataset out;
  sotto_key key;
  sotto_key_public(&key, 7);
  CHECK_OK(sotto_generate_payments(&out, &of, &key, &err));
  return out;
}

/* The same accounts, split by the seed; `less`: without all transfers between the two nodes of the first. */
static sotto_dataset copy_of(const sotto_dataset *data, bool less) {
  const sotto_transfers *t = &data->transfers;
  uint32_t *sources = calloc(t->count, sizeof *sources), *targets = calloc(t->count, sizeof *targets);
  float *amounts = calloc(t->count, sizeof *amounts);
  double *times = calloc(t->count, sizeof *times);
  uint64_t count = 0;
  sotto_dataset out;
  for (uint64_t i = 0; i < t->count; i++) {
    const uint32_t u = t->sources[i], v = t->targets[i], a = t->sources[0], b = t->targets[0];
    if (less && ((u == a && v == b) || (u == b && v == a))) continue;
    sources[count] = u;
    targets[count] = v;
    amounts[count] = t->amounts[i];
    times[count++] = t->times[i];
  }
  const sotto_arrays arrays = {.name = data->name,
                               .nodes = data->graph.nodes,
                               .sources = {sources, count, SOTTO_INDEX_U32},
                               .targets = {targets, count, SOTTO_INDEX_U32},
                               .amounts = amounts,
                               .times = times,
                               .features = data->features.data,
                               .feature_columns = data->features.cols,
                               .labels = data->labels,
                               .classes = 2};
  CHECK_OK(sotto_dataset_from_arrays(&out, &arrays, &err));
  free(sources);
  free(targets);
  free(amounts);
  free(times);
  return out;
}

/* Two worlds, what pilots choose there, and the files of the releases. */
typedef struct worlds {
  sotto_dataset all, less;
  const char *chosen, *releases[4];
} worlds;

static worlds of_planes(void) {
  worlds w = {.all = planes(),
              .chosen = "\"clusters\":\"sums\"",
              .releases = {"world/seed-1/pilots-1.sotto", "world/seed-1/pilots-7.sotto",
                           "world/seed-1/pilots-8.sotto", "world/seed-1/counts-0.sotto"}};
  w.less = check_without_edge(&w.all);
  return w;
}

static worlds of_payments(void) {
  sotto_dataset made = payments();
  worlds w = {.all = copy_of(&made, false),
              .less = copy_of(&made, true),
              .chosen = "\"weighed\":true",
              .releases = {"world/seed-1/pilots-1.sotto", "world/seed-1/pilots-4.sotto",
                           "world/seed-1/pilots-5.sotto", "world/seed-1/counts-0.sotto"}};
  sotto_dataset_free(&made);
  return w;
}

static void free_worlds(worlds *w) {
  sotto_dataset_free(&w->all);
  sotto_dataset_free(&w->less);
}

/* `noise`: number of the stream. */
static sotto_options options(uint64_t noise) {
  sotto_options o = check_options("best", "world");
  sotto_ledger *ledger;
  check_stream_begin(noise);
  CHECK_OK(sotto_ledger_open(&ledger, o.ledger, &err));
  CHECK_OK(sotto_ledger_account_new(ledger, "customers", "a test", &err));
  sotto_ledger_close(ledger);
  check_set(&o, "account", "customers");
  check_set(&o, "epsilon", "16");
  check_set(&o, "layers", "1");
  check_set(&o, "hidden", "8");
  check_set(&o, "encoder-epochs", "8");
  check_set(&o, "epochs", "20");
  check_set(&o, "threads", "1");
  check_set(&o, "select-by", "auc"); /* by accuracy no correction may be kept where one class is rare */
  return o;
}

static void train(check_trace *t, const sotto_options *o, const sotto_dataset *data) {
  const sotto_observer observer = check_trace_observer(t);
  sotto_error err = {0};
  sotto_result result = {0};
  const sotto_status status = sotto_train(&result, o, data, &observer, NULL, &err);
  if (status != SOTTO_OK) fail_msg("%s", err.text);
  check_trace_end(t, "train", status, &err);
  sotto_result_free(&result);
}

static void check_chosen(const worlds *w) {
  sotto_i_map map;
  CHECK_OK(sotto_i_map_open(&map, check_path("world/seed-1/correction.json"), &err));
  if (memmem(map.data, map.size, w->chosen, strlen(w->chosen)) == NULL)
    fail_msg("pilots did not choose %s", w->chosen);
  sotto_i_map_close(&map);
}

/* What is remembered of a ledger too: the next one begins with the same bytes, if in the same second. */
static void forget(const sotto_options *o) {
  check_remove_folder(o->out);
  check_remove_folder(check_path("owner.key.heads"));
  assert_int_equal(remove(o->ledger), 0);
}

/* Log lines, files, sizes and charges of a training, without values that noise decides. */
static check_trace live(const worlds *w, const sotto_dataset *data, uint64_t noise) {
  check_trace t = {0};
  const sotto_options o = options(noise);
  train(&t, &o, data);
  check_chosen(w);
  check_trace_folder(&t, o.out);
  check_trace_ledger(&t, o.ledger);
  forget(&o);
  return t;
}

static void check_forms(worlds w) {
  char line[2][400];
  bool differ = true;
  for (uint64_t noise = 1; differ && noise <= trials; noise++) { /* an edge may decide a choice by chance */
    check_trace a = live(&w, &w.all, noise), b = live(&w, &w.less, noise);
    differ = check_trace_differ(line, &a, &b);
    check_trace_free(&a);
    check_trace_free(&b);
  }
  if (differ) fail_msg("the worlds differ:\n  %s\n  %s", line[0], line[1]);
  free_worlds(&w);
}

static void what_leaves_has_one_form_in_both_worlds(void **state) {
  (void)state;
  check_forms(of_planes());
  check_forms(of_payments());
}

/* All of the first seed that others may read: does it have the bytes of these maps? */
typedef struct shown {
  sotto_i_map model, correction;
} shown;

static shown keep(const sotto_options *o) {
  shown s;
  check_copy_artifact(check_model_in(o), check_path("model.kept"));
  check_copy_artifact(check_in(o, "seed-1/correction.json"), check_path("correction.kept"));
  CHECK_OK(sotto_i_map_open(&s.model, check_path("model.kept"), &err));
  CHECK_OK(sotto_i_map_open(&s.correction, check_path("correction.kept"), &err));
  return s;
}

static bool same(const char *path, const sotto_i_map *before) {
  sotto_i_map now;
  CHECK_OK(sotto_i_map_open(&now, path, &err));
  const bool equal = now.size == before->size && memcmp(now.data, before->data, now.size) == 0;
  sotto_i_map_close(&now);
  return equal;
}

/* Trains the seed again on the world without the edge, with the releases that are kept. */
static void again(const sotto_options *o, const sotto_dataset *less) {
  sotto_options resumed = *o;
  check_trace t = {0};
  check_set(&resumed, "resume", "true");
  check_forget_result(&resumed);
  train(&t, &resumed, less);
  check_trace_free(&t);
}

static void check_reads(worlds w) {
  check_trace t = {0};
  const sotto_options o = options(1);
  train(&t, &o, &w.all);
  check_chosen(&w);
  const uint64_t charged = check_charges_in(&o);
  for (int i = 0; i < 4; i++) assert_true(sotto_i_is_file(check_path(w.releases[i])));
  shown s = keep(&o);
  again(&o, &w.less);
  assert_true(same(check_model_in(&o), &s.model));
  assert_true(same(check_in(&o, "seed-1/correction.json"), &s.correction));
  assert_int_equal(check_charges_in(&o), charged);
  assert_int_equal(remove(check_path(w.releases[3])), 0); /* a new draw is seen, and charged */
  again(&o, &w.less);
  assert_false(same(check_model_in(&o), &s.model));
  assert_true(check_charges_in(&o) > charged);
  sotto_i_map_close(&s.model);
  sotto_i_map_close(&s.correction);
  check_trace_free(&t);
  forget(&o);
  free_worlds(&w);
}

static void after_its_releases_a_run_reads_no_edge(void **state) {
  (void)state;
  check_reads(of_planes());
  check_reads(of_payments());
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_leaves_has_one_form_in_both_worlds),
      cmocka_unit_test(after_its_releases_a_run_reads_no_edge),
  };
  if (!check_stream_install()) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
