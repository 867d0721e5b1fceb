/* Accuracy that is published as a noisy count: what it costs, where it stands, how far one node moves it, and
 * where it is refused. */
#include <dirent.h>
#include <math.h>

#include "base/random.h"
#include "check.h"
#include "graph/csr.h"
#include "ledgers.h"
#include "registry_cases.h"
#include "run/statement/statement.h"
#include "run_files.h"
#include "spending.h"

static const char key[] = "publish-accuracy";

/* By how much one node moves the count. */
static double moved_by(const check_case *c, const check_case_data *data) {
  sotto_options o = check_case_options(c, data, "unused");
  sotto_options_resolve(&o);
  return (double)c->variant->answers_moved(&o);
}

/* Epsilon of the count is so much for each answer that one node moves: noise is as wide for all methods. */
static sotto_options options_of(const check_case *c, const check_case_data *data, const char *folder,
                                double each) {
  char epsilon[40];
  sotto_options o = check_case_options(c, data, folder);
  (void)snprintf(epsilon, sizeof epsilon, "%.17g", each * moved_by(c, data));
  check_set(&o, key, epsilon);
  check_set_own(&o, (const char *const[]){"fan-out", "0", NULL}); /* samples are costly to account for */
  return o;
}

static json_t *load(const sotto_options *o, const char *name) {
  char path[1300];
  (void)snprintf(path, sizeof path, "%.1000s/%s", o->out, name);
  json_t *root = json_load_file(path, 0, NULL);
  if (root == NULL) fail_msg("%s is not there, or is no JSON", path);
  return root;
}

static double number(const json_t *object, const char *name) {
  return json_number_value(json_object_get(object, name));
}

/* The mechanism of the statement that is the count. */
static const json_t *stated_count(const json_t *statement) {
  const json_t *m;
  size_t i;
  json_array_foreach(json_object_get(statement, "mechanisms"), i,
                     m) if (strstr(json_string_value(json_object_get(m, "what")), key) != NULL) return m;
  return NULL;
}

/* What the training alone is planned for. */
static double epsilon_of_training(const sotto_options *options) {
  sotto_options resolved = *options;
  sotto_options_resolve(&resolved);
  return resolved.epsilon;
}

/* How often discrete Laplace noise of this scale is more than `most` on either side, by adding up its law. */
static double share_beyond(double scale, double most) {
  double inside = 0;
  for (double k = -most; k <= most; k++) inside += exp(-fabs(k) / scale);
  return 1 - inside * tanh(0.5 / scale); /* (1 - q) / (1 + q), q = exp(-1 / scale) */
}

/* What it says of its own noise: as wide as 95 of 100 draws, and no answer wider. */
static void check_width(const json_t *file, double scale) {
  const double answers = nearbyint(number(file, "half_width_95") * number(file, "test_nodes"));
  if (share_beyond(scale, answers) > 0.05 * (1 + 1e-9) ||
      (answers > 0 && share_beyond(scale, answers - 1) <= 0.05 * (1 - 1e-9)))
    fail_msg("noise of scale %g is said to be %g answers wide: more in %g of all draws", scale, answers,
             share_beyond(scale, answers));
}

static void a_count_is_charged_and_stated_and_anyone_may_read_it(void **state) {
  size_t count, runs = 0;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  sotto_i_random random = check_random();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    if (!check_case_has(&cases[i], key)) continue;
    const double each = 0.35 + 3 * sotto_i_random_double(&random);
    const sotto_options with = options_of(&cases[i], &data, cases[i].name, each);
    const double epsilon = with.publish_accuracy;
    sotto_result result = check_run(&with, &data.graph);
    const double right = result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY],
                 more = result.total_epsilon - epsilon_of_training(&with);
    if (!(more > 0.01 && more <= epsilon * (1 + 1e-6)))
      fail_msg("%s: a count of epsilon %g makes the run's larger by %g", cases[i].name, epsilon, more);
    json_t *statement = load(&with, "statement.json"), *file = load(&with, "seed-1/accuracy.json");
    const json_t *m = stated_count(statement);
    assert_non_null(m);
    assert_string_equal(json_string_value(json_object_get(m, "mechanism")), "laplace");
    assert_int_equal(number(m, "releases_made"), 1);
    assert_true(number(m, "sensitivity") == number(file, "sensitivity"));
    assert_true(number(m, "noise") >= number(m, "sensitivity") / epsilon);
    CHECK_NEAR(number(file, "epsilon"), epsilon, 1e-12);
    check_width(file, number(m, "noise"));
    const json_t *stated = json_object_get(statement, "published");
    assert_int_equal(json_array_size(stated), 1);
    assert_true(number(json_array_get(stated, 0), "right") == number(file, "right"));
    CHECK_NEAR(number(json_array_get(stated, 0), "half_width_95"), number(file, "half_width_95"), 1e-9);
    const double off = fabs(number(file, "right") - right * number(file, "test_nodes"));
    assert_true(off == nearbyint(off) || fabs(off - nearbyint(off)) < 1e-6);
    assert_true(off < 30 * number(m, "noise")); /* wrong once in 1e13 */
    assert_true(number(file, "accuracy") >= 0 && number(file, "accuracy") <= 1);
    sotto_statement_check check;
    CHECK_OK(sotto_statement_verify(&check, with.out, &(sotto_statement_ask){.ledger = with.ledger}, &err));
    assert_true(check.charges_checked);
    json_decref(statement);
    json_decref(file);
    sotto_result_free(&result);
    runs++;
  }
  assert_true(runs >= 9); /* a method that publishes its accuracy loses no test here */
  check_case_data_free(&data);
}

/* All that the run released, and nothing else. */
static void copy_releases(const char *to, const char *from) {
  char one[1300], other[1300];
  DIR *folder = opendir(from);
  assert_non_null(folder);
  for (const struct dirent *e = readdir(folder); e != NULL; e = readdir(folder)) {
    const char *end = strstr(e->d_name, ".made");
    if (end == NULL || end[5] != '\0' || strncmp(e->d_name, "accuracy", 8) == 0) continue;
    (void)snprintf(one, sizeof one, "%.1000s/%.*s", from, (int)(end - e->d_name), e->d_name);
    (void)snprintf(other, sizeof other, "%.1000s/%.*s", to, (int)(end - e->d_name), e->d_name);
    check_copy_artifact(one, other);
  }
  (void)closedir(folder);
}

/* Right answers about test nodes, by the releases of `from` where it is not NULL. */
static double right_answers(const check_case *c, const check_case_data *data, const sotto_dataset *of,
                            const char *folder, const char *from) {
  char to[1300];
  sotto_options o = options_of(c, data, folder, 1);
  check_set(&o, "epsilon", "100"); /* a model whose answers follow from what it reads */
  check_set_own(&o, (const char *const[]){"hidden", "8", "steps", "80", NULL});
  CHECK_OK(sotto_i_make_folder(o.out, &err));
  (void)snprintf(to, sizeof to, "%.1000s/seed-1", o.out);
  CHECK_OK(sotto_i_make_folder(to, &err));
  if (from != NULL) copy_releases(to, from);
  sotto_result result = check_run(&o, of);
  json_t *file = load(&o, "seed-1/accuracy.json");
  const double right = result.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] * number(file, "test_nodes");
  json_decref(file);
  sotto_result_free(&result);
  if (from != NULL) check_remove_folder(o.out);
  return nearbyint(right);
}

/* Another node in the place of one: the row of some other node or its opposite, another label, and as many
 * other neighbours as may be. */
typedef struct world {
  sotto_dataset data;
  sotto_matrix features;
  int32_t *labels;
} world;

static void world_free(world *w) {
  sotto_graph_free(&w->data.graph);
  sotto_matrix_free(&w->features);
  free(w->labels);
}

static world replace(const sotto_dataset *data, uint32_t node, uint64_t most, sotto_i_random *random) {
  const sotto_graph *g = &data->graph;
  const uint64_t nodes = g->nodes;
  uint32_t *from = calloc(g->entries + nodes, sizeof *from), *to = calloc(g->entries + nodes, sizeof *to);
  uint64_t count = 0, *degree = calloc(nodes, sizeof *degree);
  world w = {.data = *data, .labels = malloc(nodes * sizeof *w.labels)};
  CHECK_OK(sotto_matrix_new(&w.features, data->features.rows, data->features.cols, &err));
  memcpy(w.features.data, data->features.data, nodes * w.features.cols * sizeof(float));
  memcpy(w.labels, data->labels, nodes * sizeof *w.labels);
  for (uint32_t v = 0; v < nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
      if (g->targets[e] > v && v != node && g->targets[e] != node) {
        from[count] = v;
        to[count++] = g->targets[e];
        degree[v]++;
        degree[g->targets[e]]++;
      }
  for (uint32_t tries = 0; degree[node] < most && tries < 4 * nodes; tries++) {
    const uint32_t v = (uint32_t)sotto_i_random_below(random, nodes);
    bool known = v == node || degree[v] >= most;
    for (uint64_t k = 0; k < count && !known; k++) known = from[k] == node && to[k] == v;
    if (known) continue;
    from[count] = node;
    to[count++] = v;
    degree[node]++;
    degree[v]++;
  }
  w.data.graph = (sotto_graph){0};
  CHECK_OK(sotto_graph_from_pairs(&w.data.graph, nodes, from, to, count, &err));
  const float sign = sotto_i_random_below(random, 2) == 0 ? 1 : -1;
  const float *other = data->features.data + sotto_i_random_below(random, nodes) * w.features.cols;
  for (size_t j = 0; j < w.features.cols; j++)
    w.features.data[node * w.features.cols + j] = sign * 5 * other[j];
  w.labels[node] = (w.labels[node] + 1) % (int32_t)data->classes;
  w.data.features = w.features;
  w.data.labels = w.labels;
  free(from);
  free(to);
  free(degree);
  return w;
}

/* Releases stay as they are; a node is replaced. The count moves by no more than its sensitivity. Where
 * answers read neighbours the search finds more than one, so it is not blind. */
static void no_node_moves_the_count_by_more_than_its_sensitivity(void **state) {
  enum { tries = 2, more_tries = 30 };
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  const uint64_t most = strtoull(data.max_degree, NULL, 10);
  sotto_i_random random = check_random();
  double farthest = 0;
  (void)state;
  for (size_t i = 0; i < count; i++) {
    char from[1300];
    if (!check_case_has(&cases[i], key)) continue;
    const double moved = moved_by(&cases[i], &data);
    assert_true(moved == 1 || moved == 1 + 2 * (double)most);
    const double before = right_answers(&cases[i], &data, &data.graph, "kept", NULL);
    (void)snprintf(from, sizeof from, "%.1000s/seed-1", check_path("kept"));
    for (int k = 0; k < tries || (moved > 1 && farthest <= 1 && k < more_tries); k++) {
      world w = replace(&data.graph, (uint32_t)sotto_i_random_below(&random, data.graph.graph.nodes), most,
                        &random);
      const double by = fabs(right_answers(&cases[i], &data, &w.data, "search", from) - before);
      world_free(&w);
      if (by > moved) fail_msg("%s: a node moves the count by %g, stated %g", cases[i].name, by, moved);
      if (moved > 1) farthest = fmax(farthest, by);
    }
    check_remove_folder(check_path("kept"));
  }
  assert_true(farthest > 1);
  check_case_data_free(&data);
}

static void what_has_no_bound_is_refused_and_says_why(void **state) {
  static const struct {
    const char *settings[9], *why;
  } rows[] = {
      {{"method", "best", "adjacency", "edge"}, "result.json has them"},
      {{"method", "vesper", "adjacency", "node", "max-degree", "40"}, "the label party measures"},
      {{"method", "fedavg", "adjacency", "node"}, "each client measures"},
      {{"method", "fedavg", "adjacency", "client"}, "each client measures"},
      {{"method", "best", "adjacency", "node", "max-degree", "40", "degree-cut", "true"}, "degree-cut"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o;
    sotto_options_default(&o);
    check_set(&o, "data", "made");
    for (size_t k = 0; rows[i].settings[k] != NULL; k += 2)
      check_set(&o, rows[i].settings[k], rows[i].settings[k + 1]);
    check_set(&o, key, "0.5");
    sotto_options_resolve(&o);
    CHECK_FAILS(SOTTO_UNSUPPORTED, rows[i].why, sotto_options_check(&o, &err));
  }
}

static void too_little_epsilon_is_refused(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    sotto_result none;
    if (!check_case_has(&cases[i], key)) continue;
    const sotto_options o = options_of(&cases[i], &data, "little", 1e-4);
    CHECK_FAILS(SOTTO_RANGE, "give at least", sotto_train(&none, &o, &data.graph, NULL, NULL, &err));
  }
  check_case_data_free(&data);
}

/* How exact the accuracy will be, as the observer hears it. */
typedef struct heard {
  char width[200];
} heard;

static void hear(void *context, sotto_log_level level, const char *text) {
  heard *h = context;
  (void)level;
  if (strstr(text, key) != NULL) (void)snprintf(h->width, sizeof h->width, "%s", text);
}

/* A count that says next to nothing is refused before its charge. The ways out that the error names are
 * accepted, and what is a little less is not. */
static void a_count_that_says_nothing_is_refused_with_the_ways_out(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    sotto_result none;
    sotto_error why = {0};
    double way_out = 0;
    if (!check_case_has(&cases[i], key)) continue;
    sotto_options o = options_of(&cases[i], &data, "wide", 0.2);
    const uint64_t rows = check_ledger_rows(o.ledger);
    assert_int_equal(sotto_train(&none, &o, &data.graph, NULL, NULL, &why), SOTTO_RANGE);
    const char *said = strstr(why.text, "Give epsilon ");
    if (said == NULL || sscanf(said, "Give epsilon %lf", &way_out) != 1 ||
        strstr(why.text, "test nodes or more") == NULL)
      fail_msg("%s: no way out: %s", cases[i].name, why.text);
    assert_int_equal(check_ledger_rows(o.ledger), rows);
    o.publish_accuracy = way_out * 0.9;
    CHECK_FAILS(SOTTO_RANGE, "Nothing was charged", sotto_train(&none, &o, &data.graph, NULL, NULL, &err));
    heard h = {""};
    const sotto_observer observer = {.context = &h, .log = hear};
    o.publish_accuracy = way_out;
    CHECK_OK(sotto_train(&none, &o, &data.graph, &observer, NULL, &err));
    if (strstr(h.width, "+- 0.") == NULL) fail_msg("%s: no width: '%s'", cases[i].name, h.width);
    sotto_result_free(&none);
    check_remove_folder(o.out);
  }
  check_case_data_free(&data);
}

/* What a finished run published stays as it is: a lost accuracy.json is written again from the release, and a
 * lost release is not drawn again. */
static void a_finished_run_draws_no_count_again(void **state) {
  size_t count;
  const check_case *cases = check_cases(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < count; i++) {
    sotto_result result;
    if (!check_case_has(&cases[i], key)) continue;
    sotto_options o = options_of(&cases[i], &data, "kept", 1);
    result = check_run(&o, &data.graph);
    const sotto_published before = result.seeds[0].published;
    const uint64_t rows = check_ledger_rows(o.ledger);
    sotto_result_free(&result);
    o.resume = true;
    assert_int_equal(remove(check_in(&o, "seed-1/accuracy.json")), 0);
    result = check_run(&o, &data.graph);
    assert_true(before.right == result.seeds[0].published.right && before.nodes > 0);
    sotto_result_free(&result);
    json_t *file = load(&o, "seed-1/accuracy.json"), *statement = load(&o, "statement.json");
    assert_true(number(file, "right") == before.right);
    assert_int_equal(json_array_size(json_object_get(statement, "published")), 1);
    assert_int_equal(remove(check_in(&o, "seed-1/accuracy.sotto")), 0);
    CHECK_FAILS(SOTTO_NOT_FOUND, "accuracy.sotto", sotto_train(&result, &o, &data.graph, NULL, NULL, &err));
    assert_int_equal(check_ledger_rows(o.ledger), rows);
    json_decref(file);
    json_decref(statement);
    check_remove_folder(o.out);
  }
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_count_is_charged_and_stated_and_anyone_may_read_it),
      cmocka_unit_test(no_node_moves_the_count_by_more_than_its_sensitivity),
      cmocka_unit_test(what_has_no_bound_is_refused_and_says_why),
      cmocka_unit_test(too_little_epsilon_is_refused),
      cmocka_unit_test(a_count_that_says_nothing_is_refused_with_the_ways_out),
      cmocka_unit_test(a_finished_run_draws_no_count_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
