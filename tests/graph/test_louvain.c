/* Communities: planted groups found, parts of similar size. */
#include <math.h>

#include "check.h"
#include "inside/graph.h"
#include "small_graph.h"
#include "sotto/split.h"

/* Newman and Girvan 2004: the double sum of the definition. */
static double modularity(const sotto_graph *g, const uint32_t *community) {
  double total = 0, all = (double)g->entries;
  for (uint64_t v = 0; v < g->nodes; v++)
    for (uint64_t u = 0; u < g->nodes; u++) {
      if (community[v] != community[u]) continue;
      double expected = (double)sotto_graph_degree(g, v) * (double)sotto_graph_degree(g, u) / all;
      total += (check_has_edge(g, (uint32_t)v, (uint32_t)u) ? 1 : 0) - expected;
    }
  return total / all;
}

static void planted_communities_are_found(void **state) {
  (void)state;
  static uint32_t community[600];
  sotto_dataset data = check_plain_blocks(600, 4, 20, 1, 3);
  uint32_t count, most_common[8] = {0};
  sotto_key key;
  sotto_key_public(&key, 5);
  CHECK_OK(sotto_graph_communities(community, &count, &data.graph, &key, &err));
  assert_int_equal(count, 4);
  for (uint32_t v = 0; v < 600; v++)
    if (v % 150 == 75) most_common[data.labels[v]] = community[v];
  uint32_t right = 0;
  for (uint32_t v = 0; v < 600; v++) right += community[v] == most_common[data.labels[v]];
  assert_true(right > 590);
  const double planted = modularity(&data.graph, (const uint32_t *)data.labels);
  assert_true(modularity(&data.graph, community) >= planted - 1e-3);
  sotto_dataset_free(&data);
}

/* No node gains by going to another community, as far as the first level can tell. */
static void no_single_move_gains(void **state) {
  (void)state;
  uint32_t community[60], count;
  sotto_dataset data = check_plain_blocks(60, 3, 8, 1, 9);
  sotto_key key;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_graph_communities(community, &count, &data.graph, &key, &err));
  const double settled = modularity(&data.graph, community);
  for (int v = 0; v < 60; v++) {
    uint32_t home = community[v];
    for (community[v] = 0; community[v] < count; community[v]++)
      assert_true(modularity(&data.graph, community) <= settled + 1e-12);
    community[v] = home;
  }
  sotto_dataset_free(&data);
}

static void the_same_key_gives_the_same_communities(void **state) {
  (void)state;
  static uint32_t a[500], b[500];
  uint32_t count_a, count_b;
  sotto_dataset data = check_plain_blocks(500, 5, 6, 2, 4);
  sotto_key key;
  sotto_key_public(&key, 7);
  CHECK_OK(sotto_graph_communities(a, &count_a, &data.graph, &key, &err));
  CHECK_OK(sotto_threads_set(2, &err));
  CHECK_OK(sotto_graph_communities(b, &count_b, &data.graph, &key, &err));
  CHECK_OK(sotto_threads_set(0, &err));
  assert_int_equal(count_a, count_b);
  assert_memory_equal(a, b, sizeof a);
  sotto_dataset_free(&data);
}

static uint64_t inner_edges(const sotto_graph *g, const uint32_t *owner) {
  uint64_t count = 0;
  for (uint64_t v = 0; v < g->nodes; v++)
    for (uint64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) count += owner[v] == owner[g->targets[e]];
  return count;
}

static void parts_are_of_similar_size_and_keep_more_edges_than_random_ones(void **state) {
  (void)state;
  static uint32_t owner[601], random[601];
  sotto_dataset data = check_plain_blocks(601, 7, 12, 1, 11);
  sotto_key key;
  sotto_key_public(&key, 2);
  for (uint32_t clients = 2; clients <= 20; clients += 6) {
    uint64_t got[20] = {0};
    CHECK_OK(sotto_deal_communities(owner, &data, clients, &key, &err));
    CHECK_OK(sotto_deal_iid(random, &data, clients, &key, &err));
    for (int v = 0; v < 601; v++) got[owner[v]]++;
    for (uint32_t c = 0; c < clients; c++) assert_true(got[c] >= 1 && got[c] <= 2 * 601 / clients);
    assert_true(inner_edges(&data.graph, owner) > 3 * inner_edges(&data.graph, random) / 2);
  }
  sotto_dataset_free(&data);
}

static void what_cannot_be_dealt_is_refused(void **state) {
  (void)state;
  uint32_t owner[8], count;
  sotto_dataset data = check_plain_blocks(8, 1, 0, 0, 1); /* no edge at all */
  sotto_key key, empty = {.origin = SOTTO_KEY_NONE};
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_deal_communities(owner, &data, 8, &key, &err));
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < v; u++) assert_true(owner[v] != owner[u]);
  CHECK_FAILS(SOTTO_RANGE, "9 clients", sotto_deal_communities(owner, &data, 9, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "1 clients", sotto_deal_communities(owner, &data, 1, &key, &err));
  CHECK_FAILS(SOTTO_INVALID, "empty", sotto_deal_communities(owner, &data, 2, &empty, &err));
  CHECK_FAILS(SOTTO_INVALID, "empty", sotto_graph_communities(owner, &count, &data.graph, &empty, &err));
  data.graph_count = 2;
  CHECK_FAILS(SOTTO_UNSUPPORTED, "collection", sotto_deal_communities(owner, &data, 2, &key, &err));
  data.graph_count = 0;
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_communities_are_found),
      cmocka_unit_test(no_single_move_gains),
      cmocka_unit_test(the_same_key_gives_the_same_communities),
      cmocka_unit_test(parts_are_of_similar_size_and_keep_more_edges_than_random_ones),
      cmocka_unit_test(what_cannot_be_dealt_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
