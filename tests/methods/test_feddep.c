/* Clients that each hold a part of one graph: what they train, show and survive. */
#include <jansson.h>
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "inside/party.h"
#include "inside/run.h"
#include "ledgers.h"
#include "made_run.h"
#include "methods/feddep/feddep.h"
#include "sotto/generate.h"
#include "sotto/model.h"
#include "sotto/split.h"

typedef struct fixture {
  sotto_dataset data;
  sotto_options options;
} fixture;

static fixture make(const char *method, const char *folder) {
  const sotto_sbm_options sbm = {
      .nodes = 90, .classes = 3, .features = 6, .degree_inside = 6, .degree_outside = 1, .feature_signal = 2};
  static const char *const settings[] = {
      "hidden",           "4", "clients",          "3",   "rounds",       "3",   "batch-size", "8",
      "generator-epochs", "3", "prototypes",       "2",   "embed-epochs", "2",   "fan-out",    "2",
      "dropout",          "0", "validation-share", "0.2", "train-share",  "0.5", NULL};
  fixture f = {check_communities(&sbm), check_options(method, folder)};
  check_set_own(&f.options, settings);
  return f;
}

static bool shows(const sotto_result *r, const char *name) {
  for (size_t i = 0; i < r->exposure_count; i++)
    if (strcmp(r->exposures[i].name, name) == 0) return true;
  return false;
}

static void every_method_trains_and_shows_what_it_says(void **state) {
  (void)state;
  static const struct {
    const char *method, *shown, *hidden;
  } rows[] = {{"globsage", "own model", "update"},
              {"locsage", "own model", "update"},
              {"fedsage", "update", "prototypes"},
              {"fedsage+", "generator gradient", "prototypes"},
              {"feddep", "prototypes", "generator"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f = make(rows[i].method, rows[i].method);
    sotto_result r = check_run(&f.options, &f.data);
    assert_true(r.seeds[0].test.of[SOTTO_MEASURE_ACCURACY] > 0.2);
    assert_true(shows(&r, rows[i].shown) && !shows(&r, rows[i].hidden));
    sotto_result_free(&r);
    sotto_dataset_free(&f.data);
  }
}

/* All that clients send: raw bytes. */
static uint64_t sent_by(const char *method, const char *key, const char *value) {
  fixture f = make(method, "bytes");
  if (key != NULL) check_set(&f.options, key, value);
  sotto_result r = check_run(&f.options, &f.data);
  uint64_t bytes = 0;
  for (int kind = 0; kind < SOTTO_WIRE_KINDS; kind++)
    bytes += r.data_party.sent[kind] + r.label_party.sent[kind];
  sotto_result_free(&r);
  sotto_dataset_free(&f.data);
  return bytes;
}

static void prototypes_are_all_that_passes_for_the_generator(void **state) {
  (void)state;
  /* 3 clients, 2 prototypes of 4 columns: each sends its own, and gets those of 2 others. */
  uint64_t without = sent_by("feddep", "prototypes", "0"), with = sent_by("feddep", NULL, NULL);
  assert_int_equal(with - without, 3 * 2 * 4 * 4 + 3 * 2 * 2 * 4 * 4);
  /* By classes: 3 of them, in buckets of 3 classes of neighbours and one of none. */
  uint64_t classes = sent_by("feddep", "prototypes", "classes");
  assert_int_equal(classes - without, 3 * 12 * 4 * 4 + 3 * 2 * 12 * 4 * 4);
  uint64_t plus = sent_by("fedsage+", NULL, NULL) - sent_by("fedsage", NULL, NULL);
  uint64_t each = (4 + 1) * 5 * 6 * 4; /* a layer: hidden + 1, by 5 rows of 6 columns */
  uint64_t inputs = 64 * 4 * 4;
  assert_int_equal(plus, 3 * 3 * ((each + inputs) * 3 + each * 3)); /* epochs, clients */
  assert_true(10 * (with - without) <= plus);
}

/* Loss of the last round that a run wrote. */
static double last_loss(const sotto_options *o) {
  char path[1200], line[1024];
  double loss = NAN;
  (void)snprintf(path, sizeof path, "%.1000s/seed-1/rounds.jsonl", o->out);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(line, sizeof line, file) != NULL) {
    json_t *root = json_loads(line, 0, NULL);
    loss = json_number_value(json_object_get(root, "loss"));
    json_decref(root);
  }
  assert_int_equal(fclose(file), 0);
  return loss;
}

static void ablations_are_flags(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"generate", "features"},        {"prototypes", "0"},
                                         {"generate", "embeddings-once"}, {"cross-fit", "1"},
                                         {"embed-epochs", "0"},           {"prototypes", "classes"}};
  double all[7];
  for (size_t i = 0; i < 7; i++) {
    fixture f = make("feddep", "ablation");
    check_set(&f.options, "generator-epochs", "60"); /* so that some are said to be missing */
    check_set(&f.options, "rounds", "10");
    if (i > 0) check_set(&f.options, pairs[i - 1][0], pairs[i - 1][1]);
    sotto_result r = check_run(&f.options, &f.data);
    all[i] = last_loss(&f.options);
    for (size_t j = 0; j < i; j++) /* each is another training */
      if (all[i] == all[j]) fail_msg("ablations %zu and %zu come to the same loss", i, j);
    sotto_result_free(&r);
    sotto_dataset_free(&f.data);
  }
}

static void sums_that_hide_each_client_train_the_same_model(void **state) {
  (void)state;
  fixture open = make("feddep", "open"), hidden = make("feddep", "hidden");
  check_set(&hidden.options, "secure-aggregation", "true");
  sotto_result a = check_run(&open.options, &open.data), b = check_run(&hidden.options, &hidden.data);
  CHECK_NEAR(b.seeds[0].test.of[SOTTO_MEASURE_AUC], a.seeds[0].test.of[SOTTO_MEASURE_AUC], 0.02);
  assert_true(!shows(&b, "update") && shows(&b, "prototypes"));
  sotto_result_free(&a);
  sotto_result_free(&b);
  sotto_dataset_free(&open.data);
  sotto_dataset_free(&hidden.data);
}

enum { asked_nodes = 90, asked_classes = 3 };

/* Answers of the run about all nodes of `data`. */
static sotto_status ask(float *out, const char *run, const sotto_dataset *data, sotto_error *err) {
  sotto_model *model = NULL;
  uint32_t nodes[asked_nodes];
  const size_t count = data->graph.nodes;
  for (uint32_t v = 0; v < count; v++) nodes[v] = v;
  sotto_status status = sotto_model_open(&model, run, data, NULL, err);
  if (status == SOTTO_OK)
    status = sotto_model_predict(model, out, asked_nodes * asked_classes, nodes, count, err);
  sotto_model_free(model);
  return status;
}

/* Client 1's generator is then client 2's, and client 2 has none. */
static void take_another_generator(const char *run) {
  char one[1200], two[1200];
  (void)snprintf(one, sizeof one, "%.1000s/seed-1/owner-only/generator-1-1.safetensors", run);
  (void)snprintf(two, sizeof two, "%.1000s/seed-1/owner-only/generator-2-1.safetensors", run);
  assert_int_equal(rename(two, one), 0);
}

/* Client 1 asks about its own nodes as about new ones, without their labels: its generator answers as it did
 * in the training, and that of another client otherwise. */
static void a_client_is_answered_about_new_nodes_by_its_own_generator(void **state) {
  (void)state;
  static const char *const methods[] = {"feddep", "fedsage+"};
  for (int m = 0; m < 2; m++) {
    fixture f = make(methods[m], "asked");
    uint32_t owner[asked_nodes];
    sotto_dataset parts[3] = {{0}};
    static float own[asked_nodes * asked_classes], new[asked_nodes * asked_classes];
    char partition[1100];
    sotto_error err = {0};
    for (uint32_t v = 0; v < asked_nodes; v++) owner[v] = v % 3;
    const char *path = check_path("owners");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int v = 0; v < asked_nodes; v++) (void)fprintf(file, "%u\n", (unsigned)owner[v] + 1);
    assert_int_equal(fclose(file), 0);
    (void)snprintf(partition, sizeof partition, "file:%.1000s", path);
    check_set(&f.options, "partition", partition);
    check_set(&f.options, "generator-epochs", "200"); /* so that some are said to be missing */
    check_set(&f.options, "rounds", "40");            /* weights of generated rows begin at 0 */
    if (m == 0) check_set(&f.options, "cross-fit", "1");
    sotto_result r = check_run(&f.options, &f.data);
    assert_int_equal(sotto_split_horizontal(parts, &f.data, owner, 3, &err), SOTTO_OK);
    parts[0].labels = NULL;
    assert_int_equal(ask(own, f.options.out, &f.data, &err), SOTTO_OK);
    if (ask(new, f.options.out, &parts[0], &err) != SOTTO_OK) fail_msg("%s: %s", methods[m], err.text);
    for (size_t i = 0; i < parts[0].graph.nodes * asked_classes; i++)
      CHECK_NEAR(new[i], own[i / asked_classes * 3 * asked_classes + i % asked_classes], 1e-6);
    take_another_generator(f.options.out);
    assert_int_equal(ask(new, f.options.out, &parts[0], &err), SOTTO_CORRUPT);
    assert_non_null(strstr(err.text, "generator-1-1.safetensors: is not the file of the training"));
    (void)snprintf(partition, sizeof partition, "%.1000s/owner-only/digests.json", f.options.out);
    assert_int_equal(remove(partition), 0);
    err = (sotto_error){0};
    assert_int_equal(ask(new, f.options.out, &parts[0], &err), SOTTO_OK);
    double moved = 0;
    for (size_t i = 0; i < parts[0].graph.nodes * asked_classes; i++)
      moved += fabs((double)new[i] - own[i / asked_classes * 3 * asked_classes + i % asked_classes]);
    if (moved <= 1e-4) fail_msg("%s: another's generator gives the same answers", methods[m]);
    (void)snprintf(partition, sizeof partition, "%.1000s/seed-1/owner-only/generator-1-1.safetensors",
                   f.options.out);
    assert_int_equal(remove(partition), 0);
    assert_int_equal(ask(new, f.options.out, &parts[0], &err), SOTTO_NOT_FOUND);
    assert_non_null(strstr(err.text, "need this client's generator"));
    sotto_result_free(&r);
    for (int k = 0; k < 3; k++) sotto_dataset_free(&parts[k]);
    sotto_dataset_free(&f.data);
  }
}

/* Client 1 has one node, client 2 two nodes far apart, client 3 the rest; of client 1 no label is known. */
static void small_clients_take_part(void **state) {
  (void)state;
  static const char *const methods[] = {"locsage", "fedsage", "fedsage+", "feddep"};
  for (int i = 0; i < 4; i++) {
    fixture f = make(methods[i], "small");
    const char *path = check_path("owners");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int v = 0; v < 90; v++) (void)fprintf(file, "%d\n", v == 0 ? 1 : v == 1 || v == 80 ? 2 : 3);
    assert_int_equal(fclose(file), 0);
    ((int32_t *)(uintptr_t)f.data.labels)[0] = -1;
    char partition[1100];
    (void)snprintf(partition, sizeof partition, "file:%.1000s", path);
    check_set(&f.options, "partition", partition);
    sotto_result r = check_run(&f.options, &f.data);
    assert_true(isfinite(r.seeds[0].test.of[SOTTO_MEASURE_ACCURACY]));
    sotto_result_free(&r);
    sotto_dataset_free(&f.data);
  }
}

/* A server whose second client goes away in the phase before the rounds, or in a round: the run ends, and
 * says where. */
static void a_client_that_drops_is_named_with_the_phase(void **state) {
  (void)state;
  static const char *const methods[] = {"feddep", "fedsage+"}, *const words[] = {"prototypes of client 2",
                                                                                 "client 1"};
  for (int i = 0; i < 2; i++) {
    fixture f = make(methods[i], "drops");
    sotto_options_resolve(&f.options);
    const sotto_i_federation shared = {.options = &f.options,
                                       .settings = sotto_i_client_settings_of(&f.options),
                                       .seed = 1,
                                       .clients = 2,
                                       .taking = 2,
                                       .classes = 3,
                                       .inputs = 6};
    sotto_link *links[2], *ends[2];
    const sotto_i_job job = {.options = &f.options, .data = &f.data, .seed = 1, .folder = f.options.out};
    float numbers[2 * 4] = {0};
    const sotto_matrix two = {numbers, 2, 4};
    for (int c = 0; c < 2; c++) CHECK_OK(sotto_link_pair(&links[c], &ends[c], &err));
    if (i == 0) CHECK_OK(sotto_link_send_exposed(ends[0], "prototypes", "a test", &two, &err));
    sotto_link_close(ends[i == 0 ? 1 : 0], "gone");
    sotto_i_fed_server server = {.federation = &shared, .job = &job, .links = links};
    CHECK_FAILS(SOTTO_PROTOCOL, words[i], sotto_i_fed_server_protocol(&server, &err));
    for (int c = 0; c < 2; c++) sotto_link_free(ends[c]);
    server.links = NULL;
    sotto_i_fed_server_free(&server);
    for (int c = 0; c < 2; c++) sotto_link_free(links[c]);
    sotto_dataset_free(&f.data);
  }
}

static void check_noisy(const char *kind, uint64_t rows) {
  fixture f = make("feddep", kind);
  char ledger[40], again_in[40];
  (void)snprintf(ledger, sizeof ledger, "%s.db", kind);
  (void)snprintf(again_in, sizeof again_in, "%s-again", kind);
  if (strcmp(kind, "classes") == 0) check_set(&f.options, "prototypes", kind);
  check_set(&f.options, "prototype-noise", "4");
  check_set(&f.options, "max-degree", "40");
  check_set(&f.options, "ledger", check_new_ledger(check_path(ledger)));
  sotto_result r = check_run(&f.options, &f.data);
  assert_true(!shows(&r, "prototypes"));
  assert_int_equal(r.data_party.sent[SOTTO_WIRE_RELEASE], 3 * rows * 4 * 4);
  sotto_ledger *opened = check_ledger_at(f.options.ledger);
  sotto_spent spent;
  CHECK_OK(sotto_ledger_spent(opened, &spent, f.data.account, "node", &err));
  assert_int_equal(spent.charges, 1);
  CHECK_NEAR(spent.epsilon, 4, 1e-6);
  const sotto_budget budget = {.epsilon = 5, .delta = 1e-6};
  CHECK_OK(sotto_ledger_set_budget(opened, f.data.account, "made", "node", &budget, "", &err));
  sotto_ledger_close(opened);
  sotto_result again; /* the same run would send what it was charged for */
  check_set(&f.options, "out", check_path(again_in));
  CHECK_OK(sotto_i_make_folder(f.options.out, &err));
  CHECK_FAILS(SOTTO_REFUSED, "budget", sotto_train(&again, &f.options, &f.data, NULL, NULL, &err));
  sotto_result_free(&r);
  sotto_dataset_free(&f.data);
}

static void noisy_prototypes_are_charged_before_they_are_sent(void **state) {
  (void)state;
  check_noisy("clusters", 2);
  check_noisy("classes", 3);
}

/* Degrees would stand in for features: a hub that goes moves the rows of all its neighbours, each by sqrt 2,
 * which is 31.6 for 500 of them where 2 is stated. */
static void prototype_noise_is_refused_where_degrees_would_be_features(void **state) {
  (void)state;
  fixture f = make("feddep", "no-features");
  sotto_result r;
  check_set(&f.options, "prototype-noise", "4");
  check_set(&f.options, "max-degree", "40");
  f.data.features.cols = 0;
  CHECK_FAILS(SOTTO_INVALID, "have no features, and degrees in their place",
              sotto_train(&r, &f.options, &f.data, NULL, NULL, &err));
  sotto_dataset_free(&f.data);
}

/* At edge level a partition by edges is public only where the user says so, and then the statement says it.
 */
static void a_partition_by_edges_is_stated_as_public(void **state) {
  (void)state;
  static const char *const deals[] = {"alike", "communities", "cut"};
  for (size_t i = 0; i < 3; i++) {
    fixture f = {check_communities(&(const sotto_sbm_options){
                     .nodes = 90, .classes = 3, .features = 6, .degree_inside = 6, .degree_outside = 1}),
                 check_options("fedsage", deals[i])};
    static const char *const settings[] = {"adjacency", "edge", "epsilon", "4", "clients",        "3",
                                           "rounds",    "2",    "hidden",  "4", "encoder-epochs", "2",
                                           NULL};
    char *text = NULL;
    check_set_own(&f.options, settings);
    check_set(&f.options, "partition", deals[i]);
    sotto_result r = check_run(&f.options, &f.data);
    CHECK_OK(sotto_statement_json(&text, &f.options, &f.data, &r, &err));
    assert_int_equal(strstr(text, "a partition that its edges decide") != NULL, i > 0);
    sotto_statement_free(text);
    sotto_result_free(&r);
    sotto_dataset_free(&f.data);
  }
}

static void options_that_do_not_fit_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *method, *key, *value, *words;
    sotto_status status;
  } rows[] = {{"feddep", "aggregator", "gin", "does not have 'gin', but: mean sage", SOTTO_UNSUPPORTED},
              {"feddep", "prototype-noise", "1", "max-degree", SOTTO_INVALID},
              {"feddep", "prototypes", "clusters", "prototypes", SOTTO_PARSE},
              {"feddep", "prototypes", "100001", "outside 0 to 100000", SOTTO_RANGE},
              {"feddep", "generator-weights", "1:10", "not 3 numbers", SOTTO_INVALID},
              {"fedsage+", "generator-weights", "1:-1:0", "outside 0 to 1e6", SOTTO_RANGE},
              {"fedsage", "prototype-noise", "1", "method fedsage has no such option; these have it: feddep",
               SOTTO_INVALID},
              {"feddep", "update-bound", "2",
               "update-bound: method feddep has no such option; these have it: fedavg", SOTTO_INVALID},
              {"locsage", "secure-aggregation", "true", "method locsage has no such option", SOTTO_INVALID},
              {"fedavg", "fan-out", "5", "fan-out: method fedavg has no such option", SOTTO_INVALID}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    fixture f = make(rows[i].method, "refused");
    sotto_result r;
    check_set(&f.options, rows[i].key, rows[i].value);
    CHECK_FAILS(rows[i].status, rows[i].words, sotto_train(&r, &f.options, &f.data, NULL, NULL, &err));
    sotto_dataset_free(&f.data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_trains_and_shows_what_it_says),
      cmocka_unit_test(prototypes_are_all_that_passes_for_the_generator),
      cmocka_unit_test(ablations_are_flags),
      cmocka_unit_test(sums_that_hide_each_client_train_the_same_model),
      cmocka_unit_test(a_client_is_answered_about_new_nodes_by_its_own_generator),
      cmocka_unit_test(small_clients_take_part),
      cmocka_unit_test(a_client_that_drops_is_named_with_the_phase),
      cmocka_unit_test(noisy_prototypes_are_charged_before_they_are_sent),
      cmocka_unit_test(prototype_noise_is_refused_where_degrees_would_be_features),
      cmocka_unit_test(a_partition_by_edges_is_stated_as_public),
      cmocka_unit_test(options_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
