/* Where pilots choose by what holders of vfgnn count: how far one edge moves all that a holder releases,
 * which noise its releases have, and what it refuses. */
#include <math.h>

#include "check.h"
#include "faults/counted_again.h"
#include "inside/party.h"
#include "ledgers.h"
#include "made_run.h"
#include "methods/vfgnn/vfgnn_choice.h"
#include "methods/vfgnn/vfgnn_counts.h"
#include "protocols/counts.h"
#include "protocols/unsure.h"
#include "release/plan.h"
#include "sotto/generate.h"

enum { nodes = 1500, columns = 6, classes = 3, most_stages = 3 };

/* A holder of nodes and columns that are always the same. Its graph is each world's own. */
typedef struct bench {
  sotto_options options;
  sotto_dataset data;
  sotto_split split;
  sotto_cost cost;
  sotto_ledger *ledger;
  sotto_i_job job;
  sotto_i_vfgnn shared;
  sotto_i_vfgnn_holder holder;
  sotto_link *server;
  sotto_i_told told;
  char folder[32], run[48];
} bench;

static void bench_new(bench *b, size_t index) {
  static unsigned folders;
  const sotto_sbm_options sbm = {.nodes = nodes,
                                 .classes = classes,
                                 .features = columns,
                                 .degree_inside = 4,
                                 .degree_outside = 2,
                                 .feature_signal = 1.5};
  const size_t cols[2] = {columns, columns};
  sotto_key key;
  *b = (bench){.data = check_communities(&sbm)};
  (void)snprintf(b->folder, sizeof b->folder, "bench-%u", folders++);
  (void)snprintf(b->run, sizeof b->run, "run %s", b->folder);
  b->options = check_options("vfgnn", b->folder);
  check_set(&b->options, "insecure-seed", "5");
  check_set(&b->options, "epsilon", "0.5");
  check_set(&b->options, "layers", "1");
  sotto_options_resolve(&b->options);
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_split_random(&b->split, &b->data, 0.8, 0.1, &key, &err));
  b->job = (sotto_i_job){.options = &b->options, .data = &b->data, .seed = 1};
  CHECK_OK(sotto_i_counts_price(&b->cost, &b->job, &err));
  sotto_i_cost_account(&b->cost, SOTTO_ACCOUNT_DATA, b->data.account, b->data.name);
  sotto_i_cost_complete(&b->cost);
  b->ledger = check_ledger_at(b->options.ledger);
  b->job.cost = &b->cost;
  b->job.ledger = b->ledger;
  b->job.folder = b->options.out;
  b->job.run_id = b->run;
  b->shared = (sotto_i_vfgnn){
      .job = &b->job, .holders = 2, .nodes = nodes, .classes = classes, .counts = true, .together = true};
  b->holder = (sotto_i_vfgnn_holder){
      .shared = &b->shared, .index = index, .data = &b->data, .peers = {.self = index, .count = 2}};
  CHECK_OK(sotto_i_scaled_features(&b->holder.features, &b->options, &b->data, &err));
  CHECK_OK(sotto_i_vfgnn_cells_draw(&b->holder, cols, &b->split, &err));
  CHECK_OK(sotto_i_vfgnn_cells_fit(&b->holder, &err));
  CHECK_OK(sotto_link_pair(&b->holder.peers.dealer, &b->server, &err));
  CHECK_OK(sotto_i_told_new(&b->told, &b->shared, &err));
  for (size_t v = 0; v < nodes; v++) {
    b->told.clusters.of[v] = (uint16_t)(v * 7 % classes);
    b->told.levels[v] = (uint8_t)(v % 4);
  }
}

static void bench_free(bench *b) {
  sotto_i_told_free(&b->told);
  sotto_link_free(b->holder.peers.dealer);
  sotto_link_free(b->server);
  sotto_i_vfgnn_holder_free(&b->holder);
  sotto_ledger_close(b->ledger);
  sotto_split_free(&b->split);
  sotto_dataset_free(&b->data);
}

/* All that a holder releases, in the order of its stages. */
typedef struct releases {
  sotto_matrix of[most_stages];
} releases;

static void releases_free(releases *r) {
  for (size_t i = 0; i < most_stages; i++) sotto_matrix_free(&r->of[i]);
}

/* Of a graph with these edges; `kind` is that of the last stage. */
static releases release(size_t index, const uint32_t *from, const uint32_t *to, size_t edges,
                        sotto_i_cluster_kind kind) {
  sotto_i_vfgnn_stage stages[SOTTO_I_STAGES];
  sotto_graph graph;
  releases out = {0};
  bench b;
  bench_new(&b, index);
  CHECK_OK(sotto_graph_from_pairs(&graph, nodes, from, to, edges, &err));
  sotto_dataset mine = b.data;
  mine.graph = graph;
  b.holder.data = &mine;
  const size_t count = sotto_i_vfgnn_stages(stages, &b.holder.cells, 0);
  assert_int_equal(count, most_stages);
  for (size_t i = 0; i < count; i++) {
    if (stages[i].after_pilots) stages[i].kind = kind;
    const sotto_expectation want = {.name = SOTTO_I_COUNTS_NAME,
                                    .kind = SOTTO_WIRE_RELEASE,
                                    .rows = sotto_i_vfgnn_stage_rows(&stages[i], &b.shared, &b.holder.cells),
                                    .cols = sotto_i_vfgnn_kind_cols(stages[i].kind, &b.shared)};
    CHECK_OK(sotto_matrix_new(&out.of[i], want.rows, want.cols, &err));
    CHECK_OK(sotto_i_vfgnn_counts_publish(&b.holder, &b.told, &stages[i], &err));
    CHECK_OK(sotto_link_receive(b.server, &out.of[i], &want, &err));
  }
  sotto_graph_free(&graph);
  bench_free(&b);
  return out;
}

static double moved(const releases *a, const releases *b) {
  double sum = 0;
  for (size_t i = 0; i < most_stages; i++) {
    assert_true(a->of[i].rows == b->of[i].rows && a->of[i].cols == b->of[i].cols);
    for (size_t j = 0; j < a->of[i].rows * a->of[i].cols; j++)
      sum += fabs((double)a->of[i].data[j] - (double)b->of[i].data[j]);
  }
  return sum;
}

/* The most that one edge between nodes of any two groups moves all releases. Their noise is the same in both
 * worlds, and all else that the holder hears. */
static double largest_move(sotto_i_cluster_kind kind) {
  static uint32_t from[nodes], to[nodes];
  uint32_t ends[most_stages];
  double most = 0;
  bench b;
  bench_new(&b, 0);
  const sotto_i_pilots *p = &b.holder.cells.pilots;
  ends[0] = p->nodes[SOTTO_I_STAGE_CLASS][0];
  ends[1] = p->nodes[SOTTO_I_STAGE_FEATURES][0];
  for (ends[2] = 0; p->group[ends[2]] != 0 || b.told.levels[ends[2]] == SOTTO_I_DEAF;) ends[2]++;
  bench_free(&b);
  for (uint32_t v = 0; v + 1 < nodes; v++) {
    from[v] = v;
    to[v] = v + 1;
  }
  releases without = release(0, from, to, nodes - 1, kind);
  for (int i = 0; i < most_stages; i++)
    for (int j = i; j < most_stages; j++) {
      from[nodes - 1] = ends[i];
      to[nodes - 1] = j == i ? (ends[i] + nodes / 2) % nodes : ends[j];
      releases with = release(0, from, to, nodes, kind);
      most = fmax(most, moved(&with, &without));
      releases_free(&with);
    }
  releases_free(&without);
  return most;
}

static void an_edge_moves_all_releases_of_a_holder_by_two(void **state) {
  (void)state;
  for (sotto_i_cluster_kind kind = SOTTO_I_BY_CLASS; kind <= SOTTO_I_BY_FEATURES; kind++)
    assert_true(largest_move(kind) == 2);
}

/* The same search sees a holder that counts its pilots again. */
static void pilots_that_are_counted_again_are_found(void **state) {
  (void)state;
  sotto_i_counted_again = true;
  const double most = largest_move(SOTTO_I_BY_FEATURES);
  sotto_i_counted_again = false;
  if (!(most > 2)) fail_msg("pilots are counted again, and an edge moves %g", most);
}

/* Without edges a release is its noise: those of two holders, or of two stages, must differ. */
static void each_release_has_noise_of_its_own(void **state) {
  const uint32_t none[1] = {0};
  size_t same = 0, all = 0;
  (void)state;
  releases one = release(0, none, none, 0, SOTTO_I_BY_FEATURES);
  releases again = release(0, none, none, 0, SOTTO_I_BY_FEATURES);
  releases two = release(1, none, none, 0, SOTTO_I_BY_FEATURES);
  assert_true(moved(&one, &again) == 0);
  for (size_t i = 0; i < most_stages; i++)
    for (size_t j = 0; j < one.of[i].rows * one.of[i].cols; j++, all++)
      same += one.of[i].data[j] == two.of[i].data[j];
  assert_true(same < all / 2);
  const size_t rows = one.of[1].rows < one.of[2].rows ? one.of[1].rows : one.of[2].rows;
  for (size_t j = same = 0; j < rows * one.of[1].cols; j++) same += one.of[1].data[j] == one.of[2].data[j];
  assert_true(same < rows * one.of[1].cols / 2);
  releases_free(&one);
  releases_free(&again);
  releases_free(&two);
}

static void a_holder_hears_of_two_kinds_alone(void **state) {
  static const uint32_t wrong[] = {2, 3, 4, 77};
  bench b;
  (void)state;
  bench_new(&b, 0);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    sotto_i_vfgnn_stage stage = {.number = SOTTO_I_STAGE_OTHERS, .after_pilots = true};
    const sotto_words words = {SOTTO_I_KIND_NAME, SOTTO_WIRE_EXPOSED, "a test", &wrong[i], 1, 1};
    CHECK_OK(sotto_link_send_words(b.server, &words, &err));
    CHECK_FAILS(SOTTO_PROTOCOL, "it must be 0 for classes or 1 for features",
                sotto_i_vfgnn_receive_kind(&stage, &b.holder.cells, b.holder.peers.dealer, &err));
    assert_true(b.holder.cells.kind == SOTTO_I_BY_CLASS);
  }
  bench_free(&b);
}

/* Numbers of columns and of training nodes decide, which all parties know. */
static void there_is_a_choice_where_columns_are_few_and_nodes_many(void **state) {
  const sotto_i_vfgnn shared = {.holders = 2, .counts = true}, rows = {.holders = 2};
  const size_t few[2] = {5, SOTTO_I_MOST_CLUSTER_COLUMNS}, many[2] = {5, SOTTO_I_MOST_CLUSTER_COLUMNS + 1};
  (void)state;
  assert_true(sotto_i_vfgnn_choice(&shared, few, 1000).features);
  assert_false(sotto_i_vfgnn_choice(&shared, few, 999).features);
  assert_false(sotto_i_vfgnn_choice(&shared, many, 5000).features);
  assert_false(sotto_i_vfgnn_choice(&rows, few, 5000).features);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_edge_moves_all_releases_of_a_holder_by_two),
      cmocka_unit_test(pilots_that_are_counted_again_are_found),
      cmocka_unit_test(each_release_has_noise_of_its_own),
      cmocka_unit_test(a_holder_hears_of_two_kinds_alone),
      cmocka_unit_test(there_is_a_choice_where_columns_are_few_and_nodes_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
