/* The audit of a run's releases: faults of a method's own code, and of the file that a run keeps. */
#include <math.h>

#include "audit/release.h"
#include "check.h"
#include "inside/dp.h"
#include "inside/pmp.h"
#include "made_run.h"
#include "protocols/counts.h"
#include "sotto/attack.h"

enum { nodes = 60, clusters = 3 };

typedef enum fault { sound, none, half, one_row, ties_twice, edge_twice } fault;

/* Counts by a method that is at fault. */
typedef struct method {
  sotto_i_counts counts;
  sotto_i_job job;
  sotto_cost cost;
  sotto_dataset data;
  sotto_i_clusters of;
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
        table->data[(size_t)u * clusters + m->of.of[v]]++;
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
  CHECK_OK(sotto_i_clusters_new(&m->of, nodes, clusters, &err));
  for (uint32_t v = 0; v < nodes; v++) m->of.of[v] = (uint16_t)(v % clusters);
  CHECK_OK(sotto_i_counts_grid_of(&m->grid, 4, &err));
  CHECK_OK(sotto_laplace_grid_whole(&m->half, m->grid.scale / 2, &err));
  m->cost = (sotto_cost){.count = 1, .adjacency = "edge"};
  m->cost.items[0] = (sotto_cost_item){.mechanism = sotto_laplace_grid_mechanism(&m->grid, 2, 0),
                                       .epsilon = 4,
                                       .adjacency = "edge",
                                       .times = 1};
  static const sotto_options options = {.adjacency = SOTTO_ADJACENCY_EDGE};
  m->job = (sotto_i_job){.options = &options, .data = &m->data, .cost = &m->cost};
  m->counts = (sotto_i_counts){.job = &m->job, .clusters = &m->of, .levels = m->levels, .noise = &m->grid};
}

static void end(method *m) {
  sotto_graph_free(&m->data.graph);
  sotto_i_clusters_free(&m->of);
}

/* What the method keeps in its folder, made with one fault, looked at with another one in the code. */
static sotto_i_looked looked(method *m, fault kept, fault now) {
  const sotto_i_artifact artifact = {
      .owner = sotto_i_job_owner(&m->job), .file = "counts", .context = m, .show = make, .is_table = true};
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
  CHECK_OK(sotto_i_look_at(&out, &seen, &artifact, path, &m->data, SOTTO_I_LOOKED_DRAWS, log(1e11), &err));
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

static size_t read_all(char *out, size_t room, const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t size = fread(out, 1, room, file);
  assert_true(size < room);
  (void)fclose(file);
  return size;
}

static void write_all(const char *path, const char *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_true(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

/* Where the third line ends: after the nonce and the digest, before what the release was made with. */
static size_t after_digest(const char *made, size_t size) {
  size_t at = 0;
  for (int line = 0; line < 3; line++) {
    while (at < size && made[at] != '\n') at++;
    at++;
  }
  return at;
}

/* Puts a release of another run in its place; `vouched`: as if a program that is at fault had made it so. */
static void put_in_place(const sotto_options *run, const sotto_options *other, const char *file,
                         bool vouched) {
  enum { room = 1 << 20, most = 4096 };
  static char data[room];
  char path[1100], from[1100], made[2][most], whole[2 * most];
  (void)snprintf(path, sizeof path, "%s/%s", run->out, file);
  (void)snprintf(from, sizeof from, "%s/%s", other->out, file);
  write_all(path, data, read_all(data, room, from));
  if (!vouched) return;
  (void)snprintf(path, sizeof path, "%s/%s.made", run->out, file);
  (void)snprintf(from, sizeof from, "%s/%s.made", other->out, file);
  const size_t own = read_all(made[0], most, path), theirs = read_all(made[1], most, from);
  const size_t head = after_digest(made[1], theirs), tail = after_digest(made[0], own);
  memcpy(whole, made[1], head);
  memcpy(whole + head, made[0] + tail, own - tail);
  write_all(path, whole, head + own - tail);
}

static const sotto_release_result *audited(const sotto_options *o, const sotto_dataset *data, bool holds) {
  static sotto_findings f;
  const sotto_audit_ask ask = sotto_audit_ask_default();
  f = (sotto_findings){0};
  CHECK_OK(sotto_attack(&f, o->out, data, "release", &ask, NULL, &err));
  assert_true(f.count == 1 && f.items[0].is_release && f.items[0].holds == holds);
  return &f.items[0].release;
}

/* One release of a method, of a run that states epsilon 4 and of one that states 1000. */
typedef struct placed {
  const char *method, *file;
  uint64_t seeds;
} placed;

static const placed placed_rows[] = {{"best", "seed-2/counts-0.sotto", 2},
                                     {"gap", "seed-1/release.bin", 1},
                                     {"dpdgc", "seed-1/sums.sotto", 1}};

static sotto_options placed_options(const placed *row, const char *folder, const char *epsilon) {
  const char *const settings[] = {"epsilon", epsilon,          "hidden", "8", "epochs",
                                  "4",       "encoder-epochs", "4",      NULL};
  sotto_options o = check_options(row->method, folder);
  check_set_own(&o, settings);
  o.seeds = row->seeds;
  return o;
}

/* All seeds are looked at, and all rows, those that are kept at norm 1 too. */
static void a_release_of_less_noise_in_any_seed_is_seen(void **state) {
  (void)state;
  const sotto_sbm_options sbm = {
      .nodes = 80, .classes = 3, .features = 8, .degree_inside = 6, .degree_outside = 2};
  sotto_dataset data = check_communities(&sbm);
  for (size_t i = 0; i < sizeof placed_rows / sizeof *placed_rows; i++) {
    const placed *row = &placed_rows[i];
    char own[32], other[32];
    (void)snprintf(own, sizeof own, "own-%zu", i);
    (void)snprintf(other, sizeof other, "other-%zu", i);
    sotto_options stated = placed_options(row, own, "4"), loud = placed_options(row, other, "1000");
    sotto_result one = check_run(&stated, &data), two = check_run(&loud, &data);
    const sotto_release_result *r = audited(&stated, &data, true);
    const uint64_t releases = r->releases;
    (void)printf("  %s: %llu releases of %llu seeds, %llu compared\n", row->method,
                 (unsigned long long)releases, (unsigned long long)r->seeds, (unsigned long long)r->compared);
    assert_true(releases >= row->seeds && r->compared == releases && r->seeds == row->seeds);
    put_in_place(&stated, &loud, row->file, false);
    r = audited(&stated, &data, false);
    assert_true(r->noise_holds && r->compared == releases - 1);
    put_in_place(&stated, &loud, row->file, true);
    r = audited(&stated, &data, false);
    assert_false(r->noise_holds);
    sotto_result_free(&one);
    sotto_result_free(&two);
  }
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

/* A round of a federation: parts in steps, and the sum that comes out with noise of `width` times what is
 * stated. */
static sotto_i_looked_rounds rounds_of(double width, bool one_round_without) {
  enum { count = 500, parties = 3, rounds = 12 };
  const double step = 0x1p-10, sigma = 0.25;
  sotto_i_random random = check_random();
  sotto_i_looked_rounds looked = {.rounds = 0};
  for (uint64_t round = 1; round <= rounds && !looked.all; round++) {
    double whole[count] = {0};
    sotto_i_round_sum sum = {.round = round, .rounds = rounds, .count = count, .step = step, .sigma = sigma};
    for (int party = 0; party < parties; party++) {
      int64_t part[count];
      for (int j = 0; j < count; j++) {
        part[j] = (int64_t)sotto_i_random_below(&random, 1 << 12);
        whole[j] += (double)part[j] * step;
      }
      sum.part = part;
      CHECK_OK(sotto_i_look_at_sum(&looked, &sum, &err));
    }
    const double used = one_round_without && round == 2 ? 0 : width;
    for (int j = 0; j < count; j++) whole[j] += used * sigma * sotto_i_random_normal(&random);
    sum.part = NULL;
    sum.whole = whole;
    CHECK_OK(sotto_i_look_at_sum(&looked, &sum, &err));
  }
  assert_true(looked.all && looked.rounds == SOTTO_I_LOOKED_ROUNDS);
  return looked;
}

static void sums_of_rounds_are_looked_at_less_what_the_parties_put_in(void **state) {
  static const double widths[] = {1, 1.5, 0.5, 0};
  (void)state;
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
    sotto_i_looked_rounds looked = rounds_of(widths[i], false);
    assert_true((looked.evidence > log(1e12)) == (widths[i] < 1));
    sotto_i_looked_rounds_free(&looked);
  }
  sotto_i_looked_rounds looked = rounds_of(1, true);
  assert_true(looked.evidence > log(1e12));
  sotto_i_looked_rounds_free(&looked);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_fault_of_the_methods_own_code_is_seen),
      cmocka_unit_test(a_kept_release_without_noise_or_with_half_of_it_is_seen),
      cmocka_unit_test(the_data_is_left_as_it_was),
      cmocka_unit_test(perturbed_graphs_that_show_too_much_are_told),
      cmocka_unit_test(a_release_of_less_noise_in_any_seed_is_seen),
      cmocka_unit_test(a_run_is_looked_at_with_the_releases_that_it_keeps),
      cmocka_unit_test(sums_of_rounds_are_looked_at_less_what_the_parties_put_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
