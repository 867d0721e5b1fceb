/* CSR from pairs, and its check. */
#include "check.h"
#include "graph/csr.h"
#include "inside/graph.h"

enum { most_nodes = 60 };

/* The obvious reference: an adjacency matrix. */
static void expect_matches(const sotto_graph *graph, uint64_t nodes, const uint32_t *sources,
                           const uint32_t *targets, size_t count) {
  static bool joined[most_nodes][most_nodes];
  uint64_t entry = 0;
  memset(joined, 0, sizeof joined);
  for (size_t i = 0; i < count; i++)
    if (sources[i] != targets[i]) joined[sources[i]][targets[i]] = joined[targets[i]][sources[i]] = true;
  assert_int_equal(graph->nodes, nodes);
  for (uint64_t v = 0; v < nodes; v++) {
    assert_int_equal(graph->offsets[v], entry);
    for (uint32_t u = 0; u < nodes; u++)
      if (joined[v][u]) assert_int_equal(graph->targets[entry++], u);
  }
  assert_int_equal(graph->offsets[nodes], entry);
  assert_int_equal(graph->entries, entry);
}

static void pairs_in_any_order_give_the_same_rows_as_an_adjacency_matrix(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  static uint32_t sources[4000], targets[4000];
  for (int round = 0; round < 200; round++) {
    uint64_t nodes = 1 + sotto_i_random_below(&random, most_nodes);
    size_t count = sotto_i_random_below(&random, round < 100 ? 40 : 4000);
    for (size_t i = 0; i < count; i++) {
      sources[i] = (uint32_t)sotto_i_random_below(&random, nodes);
      targets[i] = (uint32_t)sotto_i_random_below(&random, 1 + sotto_i_random_below(&random, nodes));
    }
    sotto_graph graph;
    CHECK_OK(sotto_graph_from_pairs(&graph, nodes, sources, targets, count, &err));
    expect_matches(&graph, nodes, sources, targets, count);
    CHECK_OK(sotto_graph_check(&graph, &err));
    sotto_graph_free(&graph);
  }
}

static void a_hub_with_many_neighbours_is_sorted(void **state) {
  (void)state;
  enum { leaves = 200000 };
  uint32_t *sources = calloc(leaves, sizeof *sources), *targets = calloc(leaves, sizeof *targets);
  for (uint32_t i = 0; i < leaves; i++) {
    sources[i] = 7;
    targets[i] = leaves - i;
  }
  sotto_graph graph;
  CHECK_OK(sotto_graph_from_pairs(&graph, leaves + 1, sources, targets, leaves, &err));
  CHECK_OK(sotto_graph_check(&graph, &err));
  assert_int_equal(sotto_graph_degree(&graph, 7), leaves - 1);
  assert_int_equal(sotto_graph_degree(&graph, 8), 1);
  sotto_graph_free(&graph);
  free(sources);
  free(targets);
}

static void the_result_does_not_depend_on_the_number_of_threads(void **state) {
  (void)state;
  enum { nodes = 5000, count = 300000 };
  sotto_i_random random = check_random();
  uint32_t *sources = calloc(count, sizeof *sources), *targets = calloc(count, sizeof *targets);
  for (size_t i = 0; i < count; i++) {
    sources[i] = (uint32_t)sotto_i_random_below(&random, nodes);
    targets[i] = (uint32_t)sotto_i_random_below(&random, 1 + sources[i]);
  }
  sotto_graph one, many;
  CHECK_OK(sotto_threads_set(1, &err));
  CHECK_OK(sotto_graph_from_pairs(&one, nodes, sources, targets, count, &err));
  CHECK_OK(sotto_threads_set(4, &err));
  CHECK_OK(sotto_graph_from_pairs(&many, nodes, sources, targets, count, &err));
  CHECK_OK(sotto_graph_check(&many, &err));
  assert_int_equal(one.entries, many.entries);
  assert_memory_equal(one.offsets, many.offsets, (nodes + 1) * sizeof *one.offsets);
  assert_memory_equal(one.targets, many.targets, one.entries * sizeof *one.targets);
  CHECK_OK(sotto_threads_set(0, &err));
  sotto_graph_free(&one);
  sotto_graph_free(&many);
  free(sources);
  free(targets);
}

typedef struct entry {
  uint32_t row, target;
} entry;

static int compare_entries(const void *left, const void *right) {
  const entry *a = left, *b = right;
  const int by_row = (a->row > b->row) - (a->row < b->row);
  return by_row != 0 ? by_row : (a->target > b->target) - (a->target < b->target);
}

/* Both directions of each pair, sorted and without repeats and loops: the slow way. */
static size_t sorted_entries(entry *out, const uint32_t *sources, const uint32_t *targets, size_t count) {
  size_t all = 0, kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (sources[i] == targets[i]) continue;
    out[all++] = (entry){sources[i], targets[i]};
    out[all++] = (entry){targets[i], sources[i]};
  }
  qsort(out, all, sizeof *out, compare_entries);
  for (size_t i = 0; i < all; i++)
    if (i == 0 || compare_entries(&out[i], &out[kept - 1]) != 0) out[kept++] = out[i];
  return kept;
}

/* Few nodes and many, so that entries have 32 and 64 bits, and buckets few rows and many; many repeats and
 * few.
 */
static void graphs_of_every_size_have_the_sorted_entries_of_their_pairs(void **state) {
  static const uint64_t sizes[] = {1, 2, 3, 300, 70000, (1 << 22) + 1};
  enum { most = 30000 };
  sotto_i_random random = check_random();
  uint32_t *sources = malloc(most * sizeof *sources), *targets = malloc(most * sizeof *targets);
  entry *expected = malloc(2 * most * sizeof *expected);
  (void)state;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    const size_t count = i % 2 == 0 ? most : 900;
    const uint64_t among = sotto_i_random_below(&random, 2) == 0 || sizes[i] < 300 ? sizes[i] : 300;
    for (size_t k = 0; k < count; k++) {
      sources[k] = (uint32_t)(sizes[i] - 1 - sotto_i_random_below(&random, among));
      targets[k] = (uint32_t)sotto_i_random_below(&random, among);
    }
    sotto_graph graph;
    CHECK_OK(sotto_graph_from_pairs(&graph, sizes[i], sources, targets, count, &err));
    CHECK_OK(sotto_graph_check(&graph, &err));
    assert_int_equal(graph.entries, sorted_entries(expected, sources, targets, count));
    for (uint64_t v = 0; v < graph.nodes; v++)
      for (uint64_t e = graph.offsets[v]; e < graph.offsets[v + 1]; e++) {
        assert_int_equal(expected[e].row, v);
        assert_int_equal(expected[e].target, graph.targets[e]);
      }
    sotto_graph_free(&graph);
  }
  free(sources);
  free(targets);
  free(expected);
}

/* An entry of a random graph becomes another one; rows stay in order, so that only the search for reverses
 * can find it. */
static void one_entry_without_a_reverse_is_found(void **state) {
  enum { nodes = 200, count = 900, rounds = 300 };
  sotto_i_random random = check_random();
  uint32_t sources[count], targets[count];
  size_t planted = 0;
  (void)state;
  for (size_t round = 0; round < rounds; round++) {
    sotto_graph graph;
    for (size_t k = 0; k < count; k++) {
      sources[k] = (uint32_t)sotto_i_random_below(&random, nodes);
      targets[k] = (uint32_t)sotto_i_random_below(&random, nodes);
    }
    CHECK_OK(sotto_graph_from_pairs(&graph, nodes, sources, targets, count, &err));
    uint32_t *ids = (uint32_t *)(uintptr_t)graph.targets;
    const uint64_t v = sotto_i_random_below(&random, nodes);
    for (uint64_t e = graph.offsets[v]; e + 1 < graph.offsets[v + 1]; e++) {
      if (ids[e] + 1 >= ids[e + 1] || ids[e] + 1 == v) continue;
      ids[e]++;
      planted++;
      CHECK_FAILS(SOTTO_CORRUPT, "in its row", sotto_graph_check(&graph, &err));
      break;
    }
    sotto_graph_free(&graph);
  }
  assert_in_range(planted, rounds / 2, rounds);
}

/* As many one-way entries go out of each node of a cycle as come in, and the nodes are the corners of a
 * rectangle in the halves of their bits: sums that see less than pairs do not see them. */
static void a_cycle_of_one_way_entries_is_found(void **state) {
  enum { nodes = 16, corners = 4 };
  static const uint32_t cycle[corners] = {0, 1, 5, 4};
  uint64_t offsets[nodes + 1] = {0};
  uint32_t targets[corners];
  (void)state;
  for (uint32_t v = 0; v < nodes; v++) {
    offsets[v + 1] = offsets[v];
    for (size_t k = 0; k < corners; k++)
      if (cycle[k] == v) targets[offsets[v + 1]++] = cycle[(k + 1) % corners];
  }
  const sotto_graph graph = {.nodes = nodes, .entries = corners, .offsets = offsets, .targets = targets};
  CHECK_FAILS(SOTTO_CORRUPT, "node 0, entry 0: neighbour 1 does not have node 0 in its row",
              sotto_graph_check(&graph, &err));
}

static void an_empty_graph_and_one_without_edges_are_graphs(void **state) {
  (void)state;
  for (uint64_t nodes = 0; nodes < 3; nodes++) {
    sotto_graph graph;
    CHECK_OK(sotto_graph_from_pairs(&graph, nodes, NULL, NULL, 0, &err));
    CHECK_OK(sotto_graph_check(&graph, &err));
    assert_int_equal(graph.nodes, nodes);
    assert_int_equal(graph.entries, 0);
    sotto_graph_free(&graph);
  }
}

static void the_first_pair_out_of_range_is_named(void **state) {
  (void)state;
  enum { count = 200000 };
  uint32_t *sources = calloc(count, sizeof *sources), *targets = calloc(count, sizeof *targets);
  sources[150000] = 3;
  targets[140000] = UINT32_MAX;
  sotto_graph graph;
  CHECK_FAILS(SOTTO_RANGE, "pair 140000: node id 4294967295 is not below 3",
              sotto_graph_from_pairs(&graph, 3, sources, targets, count, &err));
  targets[140000] = 2;
  CHECK_FAILS(SOTTO_RANGE, "pair 150000: node id 3 is not below 3",
              sotto_graph_from_pairs(&graph, 3, sources, targets, count, &err));
  CHECK_FAILS(SOTTO_RANGE, "pair 0", sotto_graph_from_pairs(&graph, 0, sources, targets, 1, &err));
  CHECK_FAILS(SOTTO_RANGE, "too many",
              sotto_graph_from_pairs(&graph, UINT64_C(1) << 32, sources, targets, 1, &err));
  assert_null(graph.offsets);
  free(sources);
  free(targets);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  const uint32_t sources[] = {0, 1, 1, 2}, targets[] = {1, 0, 2, 2};
  sotto_status status = SOTTO_NOMEM;
  unsigned failures = 0;
  for (uint64_t n = 1; status == SOTTO_NOMEM; n++) {
    sotto_graph graph;
    sotto_i_memory_fail_at(n);
    status = sotto_graph_from_pairs(&graph, 3, sources, targets, 4, NULL);
    sotto_i_memory_fail_at(0);
    if (status == SOTTO_NOMEM) {
      assert_null(graph.offsets);
      failures++;
    }
    sotto_graph_free(&graph);
  }
  assert_int_equal(status, SOTTO_OK);
  assert_int_equal(failures, 7);
}

/* A path 0 - 1 - 2 - 3, and then one fault planted in it. */
static void each_broken_promise_is_found_and_named(void **state) {
  (void)state;
  static const struct {
    int offset, target; /* which word is replaced; -1 for none */
    uint64_t value;
    const char *words;
  } faults[] = {
      {0, -1, 1, "run from 1"},
      {4, -1, 5, "run from 0 to 5"},
      {2, -1, 9, "row of node 1 spans entries 1 to 9"},
      {1, -1, 4, "row of node 1 spans entries 4 to 3"},
      {-1, 5, 4, "node 3, entry 5: neighbour 4 is not below 4"},
      {-1, 1, 1, "node 1, entry 1: a self-loop"},
      {-1, 2, 0, "node 1, entry 2: neighbour 0 occurs twice"},
      {-1, 1, 3, "node 1, entry 2: neighbour 2 is out of order"},
      {-1, 5, 0, "node 2, entry 4: neighbour 3 does not have node 2"},
  };
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    uint64_t offsets[] = {0, 1, 3, 5, 6};
    uint32_t targets[] = {1, 0, 2, 1, 3, 2};
    const sotto_graph graph = {4, 6, offsets, targets};
    CHECK_OK(sotto_graph_check(&graph, &err));
    if (faults[i].offset >= 0) offsets[faults[i].offset] = faults[i].value;
    if (faults[i].target >= 0) targets[faults[i].target] = (uint32_t)faults[i].value;
    CHECK_FAILS(SOTTO_CORRUPT, faults[i].words, sotto_graph_check(&graph, &err));
  }
}

static void a_graph_without_arrays_is_corrupt(void **state) {
  (void)state;
  const sotto_graph graph = {0};
  CHECK_FAILS(SOTTO_CORRUPT, "no offsets or no targets", sotto_graph_check(&graph, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_in_any_order_give_the_same_rows_as_an_adjacency_matrix),
      cmocka_unit_test(a_hub_with_many_neighbours_is_sorted),
      cmocka_unit_test(the_result_does_not_depend_on_the_number_of_threads),
      cmocka_unit_test(graphs_of_every_size_have_the_sorted_entries_of_their_pairs),
      cmocka_unit_test(one_entry_without_a_reverse_is_found),
      cmocka_unit_test(a_cycle_of_one_way_entries_is_found),
      cmocka_unit_test(an_empty_graph_and_one_without_edges_are_graphs),
      cmocka_unit_test(the_first_pair_out_of_range_is_named),
      cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
      cmocka_unit_test(each_broken_promise_is_found_and_named),
      cmocka_unit_test(a_graph_without_arrays_is_corrupt),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
