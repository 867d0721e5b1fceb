/* The audit of a run's releases: faults of a method's own code, and of the file that a run keeps. */
#include <math.h>

#include "attacks/release.h"
#include "check.h"
#include "made_run.h"
#include "recipes/counts.h"
#include "sotto/attack.h"

enum { nodes = 60, clusters = 3 };

typedef enum fault { sound, none, half, one_row, ties_twice, edge_twice } fault;

/* Counts by a method that is at fault. */
typedef struct method {
  sotto_i_counts counts;
  sotto_i_job job;
  sotto_cost cost;
  sotto_dataset data;
  sotto_matrix scores;
  uint8_t levels[nodes];
  sotto_laplace_grid grid, half;
  fault fault;
} method;

/* Equal levels count twice each, so that an edge between them moves the counts by 4. */
static void count_ties_again(sotto_matrix *table, const method *m) {
  const sotto_graph *g = &m->data.graph;
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
      const uint32_t u = g->targets[e];
      if (m->fault == edge_twice || m->levels[u] == m->levels[v])
        table->data[(size_t)u * clusters + sotto_i_counts_cluster(&m->scores, v)]++;
    }
}

static sotto_status make(void *context, sotto_graph *unused, sotto_matrix *table, const sotto_key *key,
                         sotto_error *err) {
  method *m = context;
  sotto_i_counts counts = m->counts;
  const sotto_laplace_grid grid = m->half;
  float first[clusters];
  if (m->fault == none) counts.noise = NULL;
  if (m->fault == half) counts.noise = &grid;
  sotto_status status = sotto_i_counts_make(&counts, unused, table, key, err);
  if (status == SOTTO_OK && m->fault == one_row) {
    sotto_matrix exact = {0};
    counts.noise = NULL;
    status = sotto_i_counts_make(&counts, unused, &exact, key, err);
    for (size_t j = 0; j < clusters; j++) first[j] = exact.data[j];
    for (size_t j = 0; j < clusters; j++) table->data[j] = first[j];
    sotto_matrix_free(&exact);
  }
  if (status == SOTTO_OK && m->fault >= ties_twice) count_ties_again(table, m);
  return status;
}

static void begin(method *m) {
  uint32_t from[4 * nodes], to[4 * nodes], count = 0;
  *m = (method){.data = {.name = "made"}};
  for (uint32_t v = 0; v < nodes; v++) {
    m->levels[v] = (uint8_t)(v % 4);
    for (uint32_t hop = 1; hop <= 3; hop++) {
      from[count] = v;
      to[count++] = (v + hop * hop) % nodes;
    }
  }
  CHECK_OK(sotto_graph_from_pairs(&m->data.graph, nodes, from, to, count, &err));
  CHECK_OK(sotto_matrix_new(&m->scores, nodes, clusters, &err));
  for (uint32_t v = 0; v < nodes; v++) m->scores.data[v * clusters + v % clusters] = 1;
  CHECK_OK(sotto_i_counts_grid_of(&m->grid, 4, &err));
  CHECK_OK(sotto_laplace_grid_whole(&m->half, m->grid.scale / 2, &err));
  m->cost = (sotto_cost){.count = 1, .adjacency = "edge"};
  m->cost.items[0] = (sotto_cost_item){.mechanism = sotto_laplace_grid_mechanism(&m->grid, 2, 0),
                                       .epsilon = 4,
                                       .adjacency = "edge",
                                       .times = 1};
  m->job = (sotto_i_job){.data = &m->data, .cost = &m->cost};
  m->counts = (sotto_i_counts){.job = &m->job, .scores = &m->scores, .levels = m->levels, .noise = &m->grid};
}

static void end(method *m) {
  sotto_graph_free(&m->data.graph);
  sotto_matrix_free(&m->scores);
}

/* What the method keeps in its folder, made with one fault, looked at with another one in the code. */
static sotto_i_looked looked(method *m, fault kept, fault now) {
  const sotto_i_artifact artifact = {
      .job = &m->job, .file = "counts", .context = m, .show = make, .is_table = true};
  const char *path = check_path("counts.sotto");
  sotto_graph graph = {0};
  sotto_matrix table = {0};
  sotto_key key;
  sotto_i_looked out;
  bool seen;
  sotto_key_system(&key);
  m->fault = kept;
  CHECK_OK(make(m, &graph, &table, &key, &err));
  CHECK_OK(sotto_graph_from_pairs(&graph, nodes, NULL, NULL, 0, &err));
  const sotto_dataset file = {.name = "counts", .graph = graph, .features = table};
  CHECK_OK(sotto_dataset_save(&file, path, &err));
  sotto_graph_free(&graph);
  sotto_matrix_free(&table);
  m->fault = now;
  CHECK_OK(sotto_i_look_at(&out, &seen, &artifact, path, &m->data, log(1e11), &err));
  assert_true(seen);
  sotto_i_residual_free(&out.residual);
  return out;
}

static void each_fault_of_the_methods_own_code_is_seen(void **state) {
  (void)state;
  method m;
  begin(&m);
  sotto_i_looked l = looked(&m, sound, sound);
  assert_true(l.evidence < log(1e11) && l.edges > 100);
  CHECK_NEAR(l.moved, 1, 1e-6);
  for (fault f = none; f <= one_row; f++) assert_true(looked(&m, f, f).evidence >= log(1e11));
  CHECK_NEAR(looked(&m, ties_twice, ties_twice).moved, 2, 1e-6);
  assert_true(looked(&m, edge_twice, edge_twice).moved > 1.5);
  end(&m);
}

/* A program that is sound now sees the release of one that was not. */
static void a_kept_release_without_noise_or_with_half_of_it_is_seen(void **state) {
  (void)state;
  method m;
  begin(&m);
  assert_true(looked(&m, none, sound).evidence >= log(1e11));
  end(&m);
}

/* The graph is as it was, whatever was put in or taken out. */
static void the_data_is_left_as_it_was(void **state) {
  (void)state;
  method m;
  begin(&m);
  const sotto_graph before = m.data.graph;
  (void)looked(&m, sound, sound);
  assert_true(before.offsets == m.data.graph.offsets && before.targets == m.data.graph.targets &&
              before.entries == m.data.graph.entries);
  end(&m);
}

static void perturbed_graphs_that_show_too_much_are_told(void **state) {
  (void)state;
  const sotto_sbm_options sbm = {
      .nodes = 400, .classes = 2, .features = 2, .degree_inside = 6, .degree_outside = 2};
  sotto_dataset data = check_communities(&sbm);
  sotto_edge_response response;
  sotto_graph shown;
  sotto_key key;
  sotto_key_system(&key);
  CHECK_OK(sotto_edge_response_asymmetric(&response, 400, data.graph.entries / 2, 3, &err));
  CHECK_OK(sotto_edge_response_apply(&shown, &data.graph, &response, &key, 0, &err));
  assert_false(sotto_i_shows_pairs(&shown, &data.graph, 3, 1e-9));
  sotto_graph_free(&shown);
  response.keep = UINT64_MAX;
  response.add = 1;
  CHECK_OK(sotto_edge_response_apply(&shown, &data.graph, &response, &key, 0, &err));
  assert_true(sotto_i_shows_pairs(&shown, &data.graph, 3, 1e-9));
  sotto_graph_free(&shown);
  sotto_dataset_free(&data);
}

/* The attack on whole runs: what it looked at, and that nothing of the run changed. */
static void a_run_is_looked_at_with_the_releases_that_it_keeps(void **state) {
  (void)state;
  static const char *const small[] = {"epsilon",        "4", "hidden", "8", "epochs", "4",
                                      "encoder-epochs", "4", "layers", "2", NULL};
  static const char *const methods[] = {"best", "gap", "lpgnet"};
  const sotto_sbm_options sbm = {
      .nodes = 200, .classes = 3, .features = 8, .degree_inside = 6, .degree_outside = 2};
  sotto_dataset data = check_communities(&sbm);
  for (size_t i = 0; i < 3; i++) {
    sotto_options o = check_options(methods[i], methods[i]);
    check_set_own(&o, small);
    sotto_result result = check_run(&o, &data);
    static sotto_findings f;
    sotto_audit_ask ask = sotto_audit_ask_default();
    f = (sotto_findings){0};
    CHECK_OK(sotto_attack(&f, o.out, &data, "release", &ask, NULL, &err));
    const sotto_release_result *r = &f.items[0].release;
    assert_true(f.count == 1 && f.items[0].is_release && f.items[0].decides && f.items[0].holds);
    assert_true(r->kept && r->noise_holds && r->edges_hold && r->releases >= 1 && r->edges > 0);
    assert_true(r->draws > r->releases && r->false_alarm <= 1e-9);
    sotto_result_free(&result);
  }
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_fault_of_the_methods_own_code_is_seen),
      cmocka_unit_test(a_kept_release_without_noise_or_with_half_of_it_is_seen),
      cmocka_unit_test(the_data_is_left_as_it_was),
      cmocka_unit_test(perturbed_graphs_that_show_too_much_are_told),
      cmocka_unit_test(a_run_is_looked_at_with_the_releases_that_it_keeps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
