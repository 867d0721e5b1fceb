/* Clients that each hold a part of one graph: what they train, show and survive. */
#include <jansson.h>
#include <math.h>

#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "made_run.h"
#include "methods/feddep/class_prototypes.h"
#include "methods/feddep/feddep.h"
#include "methods/feddep/noisy_prototypes.h"
#include "methods/feddep/prototypes.h"
#include "small_graph.h"
#include "sotto/generate.h"

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
    assert_true(r.seeds[0].test.accuracy > 0.2);
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
  uint64_t classes = sent_by("feddep", "prototype-kind", "classes");
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
  static const char *const pairs[][2] = {{"mend", "features"},  {"prototypes", "0"},
                                         {"fusion", "first"},   {"cross-fit", "1"},
                                         {"embed-epochs", "0"}, {"prototype-kind", "classes"}};
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
  CHECK_NEAR(b.seeds[0].test.auc, a.seeds[0].test.auc, 0.02);
  assert_true(!shows(&b, "update") && shows(&b, "prototypes"));
  sotto_result_free(&a);
  sotto_result_free(&b);
  sotto_dataset_free(&open.data);
  sotto_dataset_free(&hidden.data);
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
    check_set(&f.options, "client-list", path);
    sotto_result r = check_run(&f.options, &f.data);
    assert_true(isfinite(r.seeds[0].test.accuracy));
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
    CHECK_FAILS(SOTTO_PROTOCOL, words[i], sotto_i_fed_server_recipe(&server, &err));
    for (int c = 0; c < 2; c++) sotto_link_free(ends[c]);
    server.links = NULL;
    sotto_i_fed_server_free(&server);
    for (int c = 0; c < 2; c++) sotto_link_free(links[c]);
    sotto_dataset_free(&f.data);
  }
}

static void centres_are_those_of_groups_apart(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  float values[60 * 2], centres[3 * 2];
  const sotto_matrix x = {values, 60, 2};
  sotto_matrix out = {centres, 3, 2};
  sotto_key key;
  sotto_key_public(&key, sotto_i_random_u64(&random));
  for (int v = 0; v < 60; v++) {
    values[2 * v] = 10 * (float)(v % 3) + 0.1F * (float)sotto_i_random_normal(&random);
    values[2 * v + 1] = (float)(v % 3 == 1 ? 10 : 0);
  }
  CHECK_OK(sotto_i_prototypes(&out, &x, &key, &err));
  for (int group = 0; group < 3; group++) {
    const float wanted[2] = {10 * (float)group, group == 1 ? 10 : 0};
    double distance;
    (void)sotto_i_nearest_centre(&distance, &out, 3, wanted);
    assert_true(distance < 0.05);
  }
  const sotto_matrix few = {values, 2, 2}; /* fewer rows than centres: rows are repeated */
  CHECK_OK(sotto_i_prototypes(&out, &few, &key, &err));
  for (int c = 0; c < 3; c++)
    assert_true(memcmp(centres + 2 * c, values, 8) == 0 || memcmp(centres + 2 * c, values + 2, 8) == 0);
}

/* [sums of deep rows | counts] by the sign of own rows, or by label and `buckets` of neighbours' labels. */
static void add_up_groups(double *out, const sotto_matrix *own, const sotto_matrix *deep,
                          const sotto_graph *graph, const int32_t *labels, size_t buckets) {
  size_t cols = deep->cols + 1;
  uint32_t rows[64];
  sotto_matrix sums;
  if (buckets > 0) {
    for (uint32_t v = 0; v < graph->nodes; v++) rows[v] = v;
    const sotto_i_labelled of = {
        .graph = graph, .labels = labels, .rows = rows, .count = graph->nodes, .classes = 2};
    CHECK_OK(sotto_matrix_new(&sums, 2 * buckets, cols, &err));
    CHECK_OK(sotto_i_class_sums(&sums, deep, SOTTO_I_COUNT_WEIGHT, buckets, &of, &err));
    for (size_t i = 0; i < sums.rows * cols; i++) out[i] = sums.data[i];
    sotto_matrix_free(&sums);
    return;
  }
  for (size_t v = 0; v < deep->rows; v++) { /* the rule of the mechanism: by own rows alone */
    size_t home = own->data[v * own->cols] > 0;
    for (size_t j = 0; j < deep->cols; j++) out[home * cols + j] += deep->data[v * deep->cols + j];
    out[home * cols + deep->cols] += SOTTO_I_COUNT_WEIGHT;
  }
}

/* The change of these numbers when one node is another one with another label and other edges. */
static double change_of(sotto_i_random *random, uint64_t layers, uint64_t degree, size_t buckets) {
  enum { nodes = 24, width = 2, most_groups = 6 };
  sotto_dataset data[2] = {{.name = "a"}, {.name = "b"}};
  sotto_options o;
  int32_t labels[2][nodes];
  double sums[2][most_groups * (width + 1)] = {{0}}, change = 0;
  sotto_matrix x[2], own[2], deep[2];
  sotto_graph cut;
  sotto_key key;
  sotto_options_default(&o);
  o.max_degree = degree;
  char text[24];
  (void)snprintf(text, sizeof text, "%u", (unsigned)layers);
  CHECK_OK(sotto_options_set(&o, "embed-layers", text, &err));
  sotto_key_public(&key, sotto_i_random_u64(random));
  sotto_graph whole = check_hub_graph(random, nodes, 60);
  uint32_t from[2][200], to[2][200];
  uint64_t count[2] = {0, 0};
  CHECK_OK(sotto_graph_cut_degrees(&cut, &whole, degree, &key, &err));
  for (uint32_t v = 0; v < nodes; v++)
    for (uint64_t e = cut.offsets[v]; e < cut.offsets[v + 1]; e++)
      for (int g = 0; g < 2; g++)
        if (cut.targets[e] > v && (g == 0 || v != 0)) {
          from[g][count[g]] = v;
          to[g][count[g]++] = cut.targets[e];
        }
  x[0] = check_random_matrix(random, nodes, 3);
  CHECK_OK(sotto_matrix_new(&x[1], nodes, 3, &err));
  memcpy(x[1].data, x[0].data, nodes * 3 * sizeof(float));
  for (int j = 0; j < 3; j++) x[1].data[j] = -x[0].data[j];
  for (int v = 0; v < nodes; v++) labels[0][v] = labels[1][v] = (int32_t)sotto_i_random_below(random, 2);
  labels[1][0] = 1 - labels[0][0];
  for (int g = 0; g < 2; g++) {
    const sotto_i_federation f = {.options = &o, .settings = sotto_i_client_settings_of(&o), .seed = 5};
    CHECK_OK(sotto_graph_from_pairs(&data[g].graph, nodes, from[g], to[g], count[g], &err));
    const sotto_i_fed_client c = {.federation = &f, .data = data[g], .features = x[g]};
    CHECK_OK(sotto_i_public_embed(&own[g], &deep[g], &c, width, &err));
    add_up_groups(sums[g], &own[g], &deep[g], &data[g].graph, labels[g], buckets);
    sotto_graph_free(&data[g].graph);
    sotto_matrix_free(&x[g]);
    sotto_matrix_free(&own[g]);
    sotto_matrix_free(&deep[g]);
  }
  for (int i = 0; i < most_groups * (width + 1); i++) change += pow(sums[0][i] - sums[1][i], 2);
  sotto_graph_free(&cut);
  sotto_graph_free(&whole);
  return sqrt(change);
}

/* Embeddings on the scale of the prototypes do not depend on the units and the origin of any column. */
static void the_common_scale_takes_units_and_origin_away(void **state) {
  (void)state;
  enum { rows = 40, cols = 5 };
  sotto_i_random random = check_random();
  sotto_matrix seen = check_random_matrix(&random, 12, cols), x = check_random_matrix(&random, rows, cols);
  sotto_matrix seen_too = check_random_matrix(&random, 12, cols),
               y = check_random_matrix(&random, rows, cols);
  sotto_i_scale one, two;
  for (size_t i = 0; i < 12; i++) seen.data[i * cols + 4] = 0.5F; /* a column in which all are alike */
  for (size_t i = 0; i < 12 * cols; i++) seen_too.data[i] = 3 * seen.data[i] + (float)(i % cols);
  for (size_t i = 0; i < rows * cols; i++) y.data[i] = 3 * x.data[i] + (float)(i % cols);
  CHECK_OK(sotto_i_scale_new(&one, &seen, &err));
  CHECK_OK(sotto_i_scale_new(&two, &seen_too, &err));
  sotto_i_scale_rows(&x, &one);
  sotto_i_scale_rows(&y, &two);
  for (size_t v = 0; v < rows; v++) {
    double square = 0;
    for (size_t j = 0; j < cols; j++) {
      CHECK_NEAR(y.data[v * cols + j], x.data[v * cols + j], 1e-5);
      square += (double)x.data[v * cols + j] * x.data[v * cols + j];
    }
    CHECK_NEAR(square, 1, 1e-6);
    assert_true(x.data[v * cols + 4] == 0);
  }
  sotto_i_scale_free(&one);
  sotto_i_scale_free(&two);
  for (size_t i = 0; i < 4; i++) sotto_matrix_free((sotto_matrix *[]){&seen, &x, &seen_too, &y}[i]);
}

static void one_node_moves_noisy_sums_by_no_more_than_is_charged(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (size_t buckets = 0; buckets < 2; buckets++) {
    double most = 0, share = 0;
    for (int i = 0; i < 300; i++) {
      uint64_t layers = 1 + sotto_i_random_below(&random, 3), degree = 1 + sotto_i_random_below(&random, 8);
      double change = change_of(&random, layers, degree, buckets);
      assert_true(change <= sotto_i_deep_sensitivity(layers, degree));
      share = fmax(share, change / sotto_i_deep_sensitivity(layers, degree));
      most = fmax(most, change);
    }
    /* The bound adds up the changes of all rows, as if all lay in one direction, and the one of the groups.
     */
    print_message("  sums of embeddings by %s: found %.3f of the bound\n",
                  buckets == 0 ? "clusters" : "classes", share);
    assert_true(most > 1.4); /* a bound of sqrt 2, of the node's own row alone, would be too small */
  }
}

/* A hub whose label is another one moves all its leaves to another bucket, so that with structure counts
 * alone move by more than is charged: such tables are shown without noise or not at all. */
static void one_node_moves_tables_with_structure_by_more_than_is_charged(void **state) {
  (void)state;
  enum { leaves = 40 };
  uint32_t from[leaves], to[leaves], rows[leaves + 1] = {0};
  int32_t labels[leaves + 1] = {0};
  sotto_graph star;
  sotto_matrix x, sums[2];
  double change = 0;
  for (uint32_t i = 0; i < leaves; i++) {
    from[i] = 0;
    to[i] = rows[i + 1] = i + 1;
  }
  CHECK_OK(sotto_graph_from_pairs(&star, leaves + 1, from, to, leaves, &err));
  CHECK_OK(sotto_matrix_new(&x, leaves + 1, 1, &err));
  for (int g = 0; g < 2; g++) {
    const sotto_i_labelled of = {
        .graph = &star, .labels = labels, .rows = rows, .count = leaves + 1, .classes = 2};
    labels[0] = g;
    CHECK_OK(sotto_matrix_new(&sums[g], 6, 2, &err));
    CHECK_OK(sotto_i_class_sums(&sums[g], &x, SOTTO_I_COUNT_WEIGHT, 3, &of, &err));
  }
  for (int i = 0; i < 12; i++) change += pow(sums[0].data[i] - sums[1].data[i], 2);
  double with_structure = sotto_i_deep_sensitivity(2, leaves) + (2 * leaves + 1) * sqrt(2);
  print_message("  with structure counts move by %.1f; charged for classes alone: %.1f\n", sqrt(change),
                sotto_i_deep_sensitivity(2, leaves));
  assert_true(sqrt(change) > sotto_i_deep_sensitivity(2, leaves) && sqrt(change) <= with_structure);
  for (int g = 0; g < 2; g++) sotto_matrix_free(&sums[g]);
  sotto_matrix_free(&x);
  sotto_graph_free(&star);
}

static void check_noisy(const char *kind, uint64_t rows) {
  fixture f = make("feddep", kind);
  char ledger[40], again_in[40];
  (void)snprintf(ledger, sizeof ledger, "%s.db", kind);
  (void)snprintf(again_in, sizeof again_in, "%s-again", kind);
  check_set(&f.options, "prototype-kind", kind);
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
                                           "rounds",    "2",    "hidden",  "4", "cluster-rounds", "2",
                                           NULL};
    char *text = NULL;
    check_set_own(&f.options, settings);
    check_set(&f.options, "deal", deals[i]);
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
  } rows[] = {{"feddep", "aggregator", "gin", "does not have 'gin', but: mean", SOTTO_UNSUPPORTED},
              {"feddep", "prototype-noise", "1", "max-degree", SOTTO_INVALID},
              {"fedsage", "prototype-noise", "1", "method fedsage has no such option; these have it: feddep",
               SOTTO_INVALID},
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
      cmocka_unit_test(the_common_scale_takes_units_and_origin_away),
      cmocka_unit_test(ablations_are_flags),
      cmocka_unit_test(sums_that_hide_each_client_train_the_same_model),
      cmocka_unit_test(small_clients_take_part),
      cmocka_unit_test(a_client_that_drops_is_named_with_the_phase),
      cmocka_unit_test(centres_are_those_of_groups_apart),
      cmocka_unit_test(one_node_moves_noisy_sums_by_no_more_than_is_charged),
      cmocka_unit_test(one_node_moves_tables_with_structure_by_more_than_is_charged),
      cmocka_unit_test(noisy_prototypes_are_charged_before_they_are_sent),
      cmocka_unit_test(prototype_noise_is_refused_where_degrees_would_be_features),
      cmocka_unit_test(a_partition_by_edges_is_stated_as_public),
      cmocka_unit_test(options_that_do_not_fit_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
