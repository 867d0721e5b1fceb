/* Federations at graph and at client level: what a graph, and what a client, adds to a sum; what is charged
 * and stated. */
#include <math.h>

#include <jansson.h>

#include "check.h"
#include "federation.h"
#include "ledgers.h"
#include "registry_cases.h"
#include "run_files.h"
#include "spending.h"

static sotto_options options_of(const char *level, const char *folder) {
  char ledger[60];
  sotto_options o = check_options("fedavg", folder);
  (void)snprintf(ledger, sizeof ledger, "%.40s.db", folder);
  check_set(&o, "adjacency", level);
  check_set(&o, "noise", "central");
  check_set(&o, "epsilon", "4");
  check_set(&o, "hidden", "4");
  check_set(&o, "clients", "4");
  check_set(&o, "rounds", "5");
  check_set(&o, "ledger", check_new_ledger(check_path(ledger)));
  return o;
}

/* The clients of a federation whose sums have no noise. */
typedef struct clients {
  sotto_options options;
  check_case_data data;
  check_clients all;
} clients;

static void clients_new(clients *c, const char *level, const char *folder) {
  *c = (clients){.options = options_of(level, folder), .data = check_case_data_new()};
  if (strncmp(folder, "poison", 6) == 0) check_set(&c->options, "layers", "2");
  check_clients_new(&c->all, &c->options, strcmp(level, "graph") == 0 ? &c->data.collection : &c->data.graph);
}

static void clients_free(clients *c) {
  check_clients_free(&c->all);
  check_case_data_free(&c->data);
}

/* As the server sends it: what it holds at first. */
static void give_model(sotto_i_fed_client *c) {
  sotto_i_fed_model_pack(c->global.data, &c->model);
}

static int64_t *sum_of(sotto_i_fed_client *c, uint64_t round) {
  int64_t *sum = calloc(c->model.size, sizeof *sum);
  assert_non_null(sum);
  sotto_i_fed_model_unpack(&c->model, c->global.data);
  CHECK_OK(sotto_i_fed_noisy_sum(sum, c, round, &err));
  return sum;
}

static double apart(const int64_t *a, const int64_t *b, size_t size) {
  double square = 0;
  for (size_t j = 0; j < size; j++) square += pow((double)a[j] - (b == NULL ? 0 : (double)b[j]), 2);
  return sqrt(square);
}

/* Leaves out one training graph after the other; `clip` makes it shorter than most gradients, or longer. */
static void search_graphs(double clip, double least) {
  clients c;
  clients_new(&c, "graph", clip < 1 ? "graph-short" : "graph-long");
  sotto_i_federation *f = check_clients_shared(&c.all);
  f->noise.rate = 1; /* all are in the sample */
  f->noise.grid.most = (uint64_t)(clip / f->noise.grid.step);
  const double most = (double)f->noise.grid.most;
  double found = 0;
  for (uint32_t i = 0; i < c.all.count; i++) {
    sotto_i_fed_client *of = &c.all.of[i];
    give_model(of);
    for (size_t left = 0; left < of->count[SOTTO_PART_TRAIN]; left++) {
      int64_t *all = sum_of(of, 1);
      uint32_t *rows = of->rows[SOTTO_PART_TRAIN], kept = rows[left];
      rows[left] = rows[--of->count[SOTTO_PART_TRAIN]];
      int64_t *less = sum_of(of, 1);
      rows[left] = kept;
      of->count[SOTTO_PART_TRAIN]++;
      found = fmax(found, apart(all, less, of->model.size) / most);
      free(all);
      free(less);
    }
  }
  if (!(found <= 1 && found >= least)) fail_msg("clip %g: a graph moves a sum by %g of it", clip, found);
  clients_free(&c);
}

static void a_graph_moves_a_sum_by_no_more_than_the_clip(void **state) {
  (void)state;
  search_graphs(1e-3, 0.99);
  search_graphs(1, 1e-3);
}

/* Whatever it has: its own data, and features a thousand times as large. */
static void a_client_adds_no_more_than_the_clip(void **state) {
  clients c;
  (void)state;
  clients_new(&c, "client", "client");
  const sotto_i_federation *f = check_clients_shared(&c.all);
  double found = 0;
  assert_true(f->noise.rate == 1);
  for (uint32_t i = 0; i < c.all.count; i++) {
    sotto_i_fed_client *of = &c.all.of[i];
    give_model(of);
    for (int large = 0; large < 2; large++) {
      for (size_t j = 0; large && j < of->features.rows * of->features.cols; j++)
        of->features.data[j] *= 1e3F;
      int64_t *sum = sum_of(of, 1), *again = sum_of(of, 1);
      assert_memory_equal(sum, again, of->model.size * sizeof *sum);
      found = fmax(found, apart(sum, NULL, of->model.size) / (double)f->noise.grid.most);
      free(sum);
      free(again);
    }
    assert_int_equal(sotto_i_fed_record_count(of), 1); /* how much it has is its own */
  }
  assert_true(found <= 1 && found > 0.99);
  clients_free(&c);
}

/* A model that overflows exactly where a node has feature 0: its row of the first layer, and all that
 * follows. */
static void poison(sotto_i_fed_client *c) {
  const size_t first = c->federation->inputs * 4, row = 4;
  for (size_t j = 0; j < c->model.size; j++) c->global.data[j] = j < row || j >= first ? 1e25F : 0;
}

/* With the feature in one record, and without that record: the same sum, and no failure. Clients have no
 * feature 0 but for that. */
static void a_poisoned_model_shows_no_record(void **state) {
  static const char *const levels[] = {"node", "graph", "client"};
  (void)state;
  for (int k = 0; k < 3; k++) {
    clients c;
    char folder[24];
    (void)snprintf(folder, sizeof folder, "poison-%s", levels[k]);
    clients_new(&c, levels[k], folder);
    sotto_i_federation *f = check_clients_shared(&c.all);
    sotto_i_fed_client *of = &c.all.of[0];
    const sotto_matrix *data = f->graphs ? &of->data.features : &of->features;
    f->noise.rate = 1;
    for (size_t v = 0; v < data->rows; v++) data->data[v * data->cols] = 0;
    poison(of);
    int64_t *without = sum_of(of, 1);
    for (size_t v = 0; v < data->rows; v++) data->data[v * data->cols] = 1;
    int64_t *with = sum_of(of, 1);
    for (size_t j = 0; j < of->model.size; j++)
      if (with[j] != 0) fail_msg("%s: value %zu is %lld", levels[k], j, (long long)with[j]);
    free(with);
    for (size_t v = 0; v < data->rows; v++) data->data[v * data->cols] = 0;
    int64_t *again = sum_of(of, 1);
    assert_memory_equal(without, again, of->model.size * sizeof *again);
    free(without);
    free(again);
    clients_free(&c);
  }
}

/* Digests are kept before any work: a round that was aborted is not done again with another model. */
static void an_aborted_round_takes_no_other_model(void **state) {
  clients c;
  (void)state;
  clients_new(&c, "node", "aborted");
  sotto_i_fed_client *of = &c.all.of[0];
  sotto_i_job job = c.all.job;
  job.folder = c.options.out;
  check_clients_shared(&c.all)->job = &job;
  give_model(of);
  uint32_t taking[4] = {0, 1, 2, 3};
  double *rate = &check_clients_shared(&c.all)->noise.rate, kept = *rate;
  *rate = 2; /* the work fails */
  CHECK_FAILS(SOTTO_RANGE, "sampling rate", sotto_i_fed_noisy_turn(of, 1, taking, &err));
  *rate = kept;
  of->global.data[0] += 1;
  CHECK_FAILS(SOTTO_PROTOCOL, "another model", sotto_i_fed_noisy_turn(of, 1, taking, &err));
  clients_free(&c);
}

static void check_statement(const char *level, const char *noise, const char *means) {
  char folder[40];
  check_case_data data = check_case_data_new();
  (void)snprintf(folder, sizeof folder, "%s-%s", level, noise);
  sotto_options o = options_of(level, folder);
  check_set(&o, "noise", noise);
  if (strcmp(noise, "distributed") == 0) check_set(&o, "secure-aggregation", "true");
  const sotto_dataset *of = strcmp(level, "graph") == 0 ? &data.collection : &data.graph;
  sotto_result r = check_run(&o, of);
  if (!(r.epsilon <= 4 && r.epsilon > 3.98)) fail_msg("%s, %s: epsilon %g", level, noise, r.epsilon);
  assert_int_equal(r.cost.count, 1);
  assert_int_equal(check_charges_in(&o), 5); /* each client's, and the whole's */
  assert_int_equal(r.exposure_count, strcmp(noise, "central") == 0 ? 1 : 0);
  json_t *s = json_load_file(check_in(&o, "statement.json"), 0, NULL);
  assert_string_equal(json_string_value(json_object_get(s, "adjacency")), level);
  if (strstr(json_string_value(json_object_get(s, "adjacency_means")), means) == NULL)
    fail_msg("%s: %s", level, json_string_value(json_object_get(s, "adjacency_means")));
  json_decref(s);
  sotto_result_free(&r);
  check_case_data_free(&data);
}

static void each_level_is_charged_and_stated(void **state) {
  static const char *const noises[] = {"distributed", "central", "local"};
  (void)state;
  for (int k = 0; k < 3; k++) {
    check_statement("graph", noises[k], "one graph, with its label, is another one");
    check_statement("client", noises[k], "all data of one client are others");
  }
}

static void refuse(const char *level, const char *key, const char *value, bool collection,
                   sotto_status status, const char *words) {
  sotto_result r;
  check_case_data data = check_case_data_new();
  sotto_options o = options_of(level, "refused");
  check_set(&o, key, value);
  const sotto_dataset *of = collection ? &data.collection : &data.graph;
  CHECK_FAILS(status, words, sotto_train(&r, &o, of, NULL, NULL, &err));
  assert_int_equal(check_charges_in(&o), 0);
  check_case_data_free(&data);
}

static void what_does_not_fit_is_refused(void **state) {
  (void)state;
  refuse("graph", "seeds", "1", false, SOTTO_UNSUPPORTED, "take node");
  refuse("node", "seeds", "1", true, SOTTO_UNSUPPORTED, "take graph");
  refuse("client", "optimiser", "adam", false, SOTTO_INVALID, "keeps no moments");
  refuse("client", "delta", "0.5", false, SOTTO_RANGE, "number of clients");
  refuse("graph", "epochs", "2", true, SOTTO_INVALID, "epochs");
  refuse("client", "batch-rate", "0.5", false, SOTTO_INVALID, "batch-rate");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_graph_moves_a_sum_by_no_more_than_the_clip),
      cmocka_unit_test(a_client_adds_no_more_than_the_clip),
      cmocka_unit_test(a_poisoned_model_shows_no_record),
      cmocka_unit_test(an_aborted_round_takes_no_other_model),
      cmocka_unit_test(each_level_is_charged_and_stated),
      cmocka_unit_test(what_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
