/* Tables of a collection. */
#include <math.h>
#include <unistd.h>

#include "check.h"
#include "graph/dataset.h"
#include "inside/base.h"
#include "inside/gw.h"
#include "shapes.h"
#include "sotto/gw.h"

static void tables_are_symmetric_and_zero_for_equal_graphs(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table t;
  make_shapes(&data);
  for (sotto_gw_by by = SOTTO_GW_BY_PATHS; by <= SOTTO_GW_BY_SIZE; by++) {
    const sotto_gw_plan plan = {.by = by, .embeddings = by == SOTTO_GW_BY_EMBEDDINGS ? &data.features : NULL};
    CHECK_OK(sotto_gw_compare(&t, &data, &plan, NULL, &err));
    assert_int_equal(t.count, graphs);
    for (size_t i = 0; i < graphs; i++)
      for (size_t j = 0; j < graphs; j++) {
        assert_true(t.distance[i * graphs + j] == t.distance[j * graphs + i]);
        assert_true(t.distance[i * graphs + j] >= 0 && (i != j || t.distance[i * graphs + i] == 0));
      }
    /* Graphs 0 and 6 have the same shape; only their features, and the noise of the control, differ. */
    if (by == SOTTO_GW_BY_PATHS) assert_true(t.distance[6] < 1e-12 && t.distance[1] > 0.01);
    if (by == SOTTO_GW_BY_SIZE) assert_true(t.distance[6] > 1e-3);
    sotto_gw_table_free(&t);
  }
  sotto_dataset_free(&data);
}

/* Nodes with equal features are one point of a space: distances must be those of the spaces as they are. */
static void points_that_are_alike_count_once(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table t;
  sotto_gw_options options = sotto_gw_defaults();
  double cost[2][81];
  size_t pairs = 0, equal = 0;
  options.starts = 64;
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_FEATURES, .gw = &options};
  make_shapes(&data);
  for (uint64_t v = 0; v < data.graph.nodes; v++) /* four values, in shares that differ from graph to graph */
    data.features.data[v] = (float)((v * v + v / 9) % 7 % 4) + (v % 5 == 0 ? 0.5F : 0);
  CHECK_OK(sotto_gw_compare(&t, &data, &plan, NULL, &err));
  for (size_t i = 0; i < 12; i++)
    for (size_t j = 0; j < i; j++, pairs++) {
      const size_t graph[2] = {i, j};
      sotto_gw_space space[2];
      sotto_gw_result result;
      for (int k = 0; k < 2; k++) {
        const uint64_t first = data.graph_first[graph[k]], n = data.graph_first[graph[k] + 1] - first;
        const sotto_matrix rows = {data.features.data + first, n, 1};
        CHECK_OK(sotto_gw_costs(cost[k], &rows, &rows, SOTTO_GW_EUCLIDEAN, &err));
        space[k] = (sotto_gw_space){.points = n, .distance = cost[k]};
      }
      CHECK_OK(sotto_gw_distance(&result, NULL, &space[0], &space[1], &options, &err));
      equal += fabs(result.value - t.distance[i * graphs + j]) < 1e-9;
    }
  print_message("%zu of %zu pairs have the value of all their nodes\n", equal, pairs);
  assert_true(equal >= pairs * 8 / 10);
  sotto_gw_table_free(&t);
  sotto_dataset_free(&data);
}

/* Asks for a stop at the first report. */
static void stop(void *context, const char *stage, uint64_t done, uint64_t total, const char *note) {
  (void)context, (void)stage, (void)done, (void)total, (void)note;
  sotto_interrupt();
}

static void interrupted_tables_go_on(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table whole, resumed;
  const sotto_observer observer = {.progress = stop};
  char path[512];
  (void)snprintf(path, sizeof path, "%s", check_path("pairs.state"));
  sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS};
  make_shapes(&data);
  CHECK_OK(sotto_gw_compare(&whole, &data, &plan, NULL, &err));
  plan.state = path;
  CHECK_FAILS(SOTTO_INTERRUPTED, "stopped", sotto_gw_compare(&resumed, &data, &plan, &observer, &err));
  sotto_interrupt_clear();
  assert_true(access(path, F_OK) == 0);
  /* Another plan must not take these pairs for its own. */
  sotto_gw_plan other = {.by = SOTTO_GW_BY_SIZE, .state = path};
  CHECK_FAILS(SOTTO_CORRUPT, "other options", sotto_gw_compare(&resumed, &data, &other, NULL, &err));
  assert_true(truncate(path, 48 + 8 * 100 + 3) == 0); /* as a crash leaves it */
  CHECK_OK(sotto_gw_compare(&resumed, &data, &plan, NULL, &err));
  assert_int_equal(resumed.resumed, 100);
  assert_memory_equal(whole.distance, resumed.distance, graphs * graphs * sizeof(double));
  assert_true(access(path, F_OK) != 0);
  sotto_gw_table_free(&whole);
  sotto_gw_table_free(&resumed);
  sotto_dataset_free(&data);
}

static void tables_do_not_depend_on_threads(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table one, four;
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_FUSED};
  make_shapes(&data);
  CHECK_OK(sotto_threads_set(1, &err));
  CHECK_OK(sotto_gw_compare(&one, &data, &plan, NULL, &err));
  CHECK_OK(sotto_threads_set(4, &err));
  CHECK_OK(sotto_gw_compare(&four, &data, &plan, NULL, &err));
  assert_memory_equal(one.distance, four.distance, graphs * graphs * sizeof(double));
  sotto_gw_table_free(&one);
  sotto_gw_table_free(&four);
  sotto_dataset_free(&data);
}

static void tables_are_read_as_written(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table t, back;
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_KERNEL};
  const char *path = check_path("t.npz");
  make_shapes(&data);
  CHECK_OK(sotto_gw_compare(&t, &data, &plan, NULL, &err));
  CHECK_OK(sotto_gw_table_save(&t, path, &err));
  CHECK_OK(sotto_gw_table_save(&t, check_path("t.csv"), &err));
  CHECK_FAILS(SOTTO_INVALID, "must end in", sotto_gw_table_save(&t, check_path("t.txt"), &err));
  CHECK_OK(sotto_gw_table_open(&back, path, &err));
  assert_memory_equal(t.distance, back.distance, graphs * graphs * sizeof(double));
  assert_memory_equal(t.labels, back.labels, graphs * sizeof(int32_t));
  assert_memory_equal(t.sizes, back.sizes, graphs * sizeof(uint32_t));
  sotto_gw_table_free(&back);
  t.distance[1] = -1;
  CHECK_OK(sotto_gw_table_save(&t, path, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "of 0 and 1", sotto_gw_table_open(&back, path, &err));
  t.distance[1] = 0.125;
  CHECK_OK(sotto_gw_table_save(&t, path, &err));
  CHECK_FAILS(SOTTO_CORRUPT, "not symmetric", sotto_gw_table_open(&back, path, &err));
  CHECK_FAILS(SOTTO_PARSE, "not a zip", sotto_gw_table_open(&back, check_path("t.csv"), &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "none.npz", sotto_gw_table_open(&back, check_path("none.npz"), &err));
  sotto_gw_table_free(&t);
  sotto_dataset_free(&data);
}

static double largest_difference(const sotto_gw_table *a, const sotto_gw_table *b) {
  double most = 0;
  for (size_t k = 0; k < a->count * a->count; k++) most = fmax(most, fabs(a->distance[k] - b->distance[k]));
  return most;
}

static void embeddings_take_the_place_of_features(void **state) {
  (void)state;
  sotto_dataset data, bare;
  sotto_gw_table with_features, with_same, with_others;
  sotto_matrix rows;
  make_shapes(&data);
  bare = data;
  bare.features = (sotto_matrix){0}; /* not looked at */
  CHECK_OK(sotto_matrix_new(&rows, data.features.rows, data.features.cols, &err));
  memcpy(rows.data, data.features.data, rows.rows * rows.cols * sizeof(float));
  for (int by = SOTTO_GW_BY_EMBEDDINGS; by <= SOTTO_GW_BY_FUSED; by++) {
    const bool fused = by == SOTTO_GW_BY_FUSED;
    sotto_gw_plan plan = {.by = fused ? SOTTO_GW_BY_FUSED : SOTTO_GW_BY_FEATURES};
    CHECK_OK(sotto_gw_compare(&with_features, &data, &plan, NULL, &err));
    plan = (sotto_gw_plan){.by = (sotto_gw_by)by, .embeddings = &rows};
    CHECK_OK(sotto_gw_compare(&with_same, &bare, &plan, NULL, &err));
    for (size_t v = 0; v < rows.rows; v++) rows.data[v * rows.cols] += (float)(v % 3);
    CHECK_OK(sotto_gw_compare(&with_others, &bare, &plan, NULL, &err));
    for (size_t v = 0; v < rows.rows; v++) rows.data[v * rows.cols] -= (float)(v % 3);
    assert_true(largest_difference(&with_features, &with_same) == 0);
    assert_true(largest_difference(&with_features, &with_others) > 0.01);
    sotto_gw_table_free(&with_features);
    sotto_gw_table_free(&with_same);
    sotto_gw_table_free(&with_others);
  }
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_PATHS, .embeddings = &rows};
  CHECK_FAILS(SOTTO_INVALID, "only when comparing by embeddings or fused",
              sotto_gw_compare(&with_same, &data, &plan, NULL, &err));
  sotto_matrix_free(&rows);
  sotto_dataset_free(&data);
}

static void what_cannot_be_compared_is_said(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table t;
  sotto_matrix few = {(float[]){1, 2}, 2, 1};
  make_shapes(&data);
  sotto_gw_plan plan = {.by = SOTTO_GW_BY_EMBEDDINGS, .embeddings = &few};
  CHECK_FAILS(SOTTO_INVALID, "embeddings of 2", sotto_gw_compare(&t, &data, &plan, NULL, &err));
  plan = (sotto_gw_plan){.by = SOTTO_GW_BY_EDITS, .edit_nodes = 5};
  CHECK_FAILS(SOTTO_RANGE, "at most 5", sotto_gw_compare(&t, &data, &plan, NULL, &err));
  plan.edit_nodes = 33;
  CHECK_FAILS(SOTTO_RANGE, "at most 32", sotto_gw_compare(&t, &data, &plan, NULL, &err));
  sotto_dataset single = data;
  single.graph_count = 0;
  plan = (sotto_gw_plan){.by = SOTTO_GW_BY_PATHS};
  CHECK_FAILS(SOTTO_INVALID, "one graph", sotto_gw_compare(&t, &single, &plan, NULL, &err));
  single = data;
  single.features.cols = 0;
  plan.by = SOTTO_GW_BY_FEATURES;
  CHECK_FAILS(SOTTO_INVALID, "no features", sotto_gw_compare(&t, &single, &plan, NULL, &err));
  /* An empty graph. */
  uint64_t first[3] = {0, 0, 4};
  single = data;
  single.graph_count = 2;
  single.graph_first = first;
  plan.by = SOTTO_GW_BY_PATHS;
  CHECK_FAILS(SOTTO_RANGE, "graph 0", sotto_gw_compare(&t, &single, &plan, NULL, &err));
  sotto_dataset_free(&data);
}

static void failed_allocations_are_reported(void **state) {
  (void)state;
  sotto_dataset data;
  sotto_gw_table t;
  uint64_t first[4] = {0, 7, 14, 22};
  const sotto_gw_plan plan = {.by = SOTTO_GW_BY_FUSED};
  make_shapes(&data);
  sotto_dataset three = data;
  three.graph_count = 3;
  three.graph_first = first;
  CHECK_OK(sotto_threads_set(1, &err));
  (void)sotto_i_memory_fail_at(0);
  CHECK_OK(sotto_gw_compare(&t, &three, &plan, NULL, &err));
  sotto_gw_table_free(&t);
  const uint64_t count = sotto_i_memory_fail_at(0);
  for (uint64_t n = 1; n <= count; n++) {
    (void)sotto_i_memory_fail_at(n);
    CHECK_FAILS(SOTTO_NOMEM, "allocate", sotto_gw_compare(&t, &three, &plan, NULL, &err));
  }
  (void)sotto_i_memory_fail_at(0);
  sotto_dataset_free(&data);
}

static void a_collection_of_molecules_knows_its_copies(void **state) {
  (void)state;
  const char *path = check_shared("data/tu/MUTAG");
  sotto_dataset data;
  if (path == NULL) skip();
  CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
  size_t good = 0;
  sotto_i_random random = check_random();
  for (size_t g = 0; g < data.graph_count; g++) {
    double distance[2][900];
    uint64_t offsets[31];
    uint32_t targets[400], order[30];
    const uint64_t begin = data.graph_first[g], n = data.graph_first[g + 1] - begin;
    for (uint64_t v = 0; v <= n; v++) offsets[v] = data.graph.offsets[begin + v] - data.graph.offsets[begin];
    for (uint64_t e = 0; e < offsets[n]; e++)
      targets[e] = data.graph.targets[data.graph.offsets[begin] + e] - (uint32_t)begin;
    const sotto_graph graph = {n, offsets[n], offsets, targets};
    CHECK_OK(sotto_gw_paths(distance[0], &graph, &err));
    for (uint32_t i = 0; i < n; i++) order[i] = i;
    sotto_i_random_shuffle(&random, order, n);
    for (size_t k = 0; k < n * n; k++) distance[1][k] = distance[0][order[k / n] * n + order[k % n]];
    const sotto_gw_space a = {.points = n, .distance = distance[0]},
                         b = {.points = n, .distance = distance[1]};
    sotto_gw_result self, moved;
    CHECK_OK(sotto_gw_distance(&self, NULL, &a, &a, NULL, &err));
    CHECK_OK(sotto_gw_distance(&moved, NULL, &a, &b, NULL, &err));
    good += self.value < 1e-8 && moved.value < 1e-8;
  }
  print_message("%zu of %llu molecules are at less than 1e-8 from themselves and a copy\n", good,
                (unsigned long long)data.graph_count);
  assert_true((double)good >= 0.95 * (double)data.graph_count);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tables_are_symmetric_and_zero_for_equal_graphs),
                                     cmocka_unit_test(points_that_are_alike_count_once),
                                     cmocka_unit_test(interrupted_tables_go_on),
                                     cmocka_unit_test(tables_do_not_depend_on_threads),
                                     cmocka_unit_test(tables_are_read_as_written),
                                     cmocka_unit_test(embeddings_take_the_place_of_features),
                                     cmocka_unit_test(what_cannot_be_compared_is_said),
                                     cmocka_unit_test(failed_allocations_are_reported),
                                     cmocka_unit_test(a_collection_of_molecules_knows_its_copies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
