/* Parts of one size with few edges between them: sizes, planted parts, a slow search for a better cut. */
#include "check.h"
#include "graph/partition/cut_parts.h"
#include "inside/graph.h"
#include "small_graph.h"
#include "sotto/split.h"

/* Edges between clients, each once, from the definition. */
static uint64_t slow_cut(const sotto_graph *g, const uint32_t *owner) {
  uint64_t count = 0;
  for (uint32_t v = 0; v < g->nodes; v++)
    for (uint32_t u = 0; u < v; u++) count += owner[v] != owner[u] && check_has_edge(g, v, u);
  return count;
}

static uint64_t most_allowed(uint64_t nodes, uint32_t clients) {
  uint64_t share = (nodes + clients - 1) / clients, more = (nodes + nodes / 20) / clients;
  return more > share ? more : share;
}

static void check_sizes(const uint32_t *owner, uint64_t nodes, uint32_t clients) {
  static uint64_t got[3000];
  memset(got, 0, sizeof got);
  for (uint64_t v = 0; v < nodes; v++) {
    assert_true(owner[v] < clients);
    got[owner[v]]++;
  }
  for (uint32_t c = 0; c < clients; c++)
    if (got[c] < 1 || got[c] > most_allowed(nodes, clients))
      fail_msg("client %u of %u has %llu of %llu nodes", c, clients, (unsigned long long)got[c],
               (unsigned long long)nodes);
}

static void every_client_has_nodes_and_none_more_than_a_twentieth_above_its_share(void **state) {
  (void)state;
  static uint32_t owner[3000];
  sotto_i_random random = check_random();
  sotto_key key;
  for (int i = 0; i < 60; i++) {
    uint64_t nodes = 2 + sotto_i_random_below(&random, i % 20 == 0 ? 2500 : 120);
    uint32_t clients = 2 + (uint32_t)sotto_i_random_below(&random, nodes - 1 < 40 ? nodes - 1 : 40);
    sotto_dataset data = {.name = "hubs"};
    data.graph =
        check_hub_graph(&random, (uint32_t)nodes, (uint32_t)sotto_i_random_below(&random, 3 * nodes));
    sotto_key_public(&key, sotto_i_random_u64(&random));
    CHECK_OK(sotto_deal_cut(owner, &data, clients, &key, &err));
    check_sizes(owner, nodes, clients);
    sotto_graph_free(&data.graph);
  }
}

static void planted_parts_are_found(void **state) {
  (void)state;
  static uint32_t owner[400], random[400];
  sotto_key key;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    sotto_dataset data = check_plain_blocks(400, 8, 14, 1, seed);
    uint64_t planted = 0;
    for (uint32_t v = 0; v < 400; v++)
      for (uint64_t e = data.graph.offsets[v]; e < data.graph.offsets[v + 1]; e++)
        planted += data.labels[v] != data.labels[data.graph.targets[e]];
    sotto_key_public(&key, seed);
    CHECK_OK(sotto_deal_cut(owner, &data, 8, &key, &err));
    CHECK_OK(sotto_deal_iid(random, &data, 8, &key, &err));
    uint64_t found = slow_cut(&data.graph, owner);
    print_message("  cut %llu, planted %llu, at random %llu\n", (unsigned long long)found,
                  (unsigned long long)planted / 2, (unsigned long long)slow_cut(&data.graph, random));
    assert_true(found <= (planted / 2) * 11 / 10);
    sotto_dataset_free(&data);
  }
}

/* Where communities are far larger than a client's share, pieces of them are grown with fewer edges between
 * them than the walk of sotto_deal_communities leaves. */
static void many_clients_lose_fewer_edges_than_by_communities(void **state) {
  (void)state;
  static uint32_t cut[900], communities[900];
  sotto_key key;
  sotto_key_public(&key, 3);
  sotto_dataset data = check_plain_blocks(900, 3, 8, 1, 9);
  CHECK_OK(sotto_deal_cut(cut, &data, 30, &key, &err));
  CHECK_OK(sotto_deal_communities(communities, &data, 30, &key, &err));
  assert_true(slow_cut(&data.graph, cut) < slow_cut(&data.graph, communities));
  sotto_dataset_free(&data);
}

/* Of every single move that the sizes allow, none takes an edge out of the cut. */
static void no_single_move_gains(void **state) {
  (void)state;
  static uint32_t owner[300];
  sotto_i_random random = check_random();
  sotto_key key;
  for (int i = 0; i < 10; i++) {
    uint32_t clients = 2 + (uint32_t)sotto_i_random_below(&random, 6);
    uint64_t got[8] = {0};
    sotto_dataset data = check_plain_blocks(300, 4, 4, 2, sotto_i_random_u32(&random));
    sotto_key_public(&key, sotto_i_random_u64(&random));
    CHECK_OK(sotto_deal_cut(owner, &data, clients, &key, &err));
    for (int v = 0; v < 300; v++) got[owner[v]]++;
    uint64_t before = slow_cut(&data.graph, owner);
    for (uint32_t v = 0; v < 300; v++)
      for (uint32_t c = 0; c < clients; c++) {
        uint32_t home = owner[v];
        if (c == home || got[home] == 1 || got[c] + 1 > most_allowed(300, clients)) continue;
        uint64_t lost = 0, won = 0;
        for (uint64_t e = data.graph.offsets[v]; e < data.graph.offsets[v + 1]; e++) {
          lost += owner[data.graph.targets[e]] == home;
          won += owner[data.graph.targets[e]] == c;
        }
        assert_true(won <= lost);
      }
    assert_true(before <= data.graph.entries / 2);
    sotto_dataset_free(&data);
  }
}

static void the_weight_of_a_cut_is_that_of_its_edges(void **state) {
  (void)state;
  uint32_t part[90];
  sotto_i_random random = check_random();
  for (int i = 0; i < 10; i++) {
    sotto_dataset data = check_plain_blocks(90, 3, 5, 2, sotto_i_random_u32(&random));
    sotto_i_coarse level;
    for (int v = 0; v < 90; v++) part[v] = (uint32_t)sotto_i_random_below(&random, 4);
    CHECK_OK(sotto_i_coarse_of(&level, &data.graph, &err));
    assert_int_equal(sotto_i_cut_weight(part, &level), slow_cut(&data.graph, part));
    sotto_i_coarse_free(&level);
    sotto_dataset_free(&data);
  }
}

static void the_same_key_gives_the_same_parts(void **state) {
  (void)state;
  static uint32_t a[500], b[500];
  sotto_dataset data = check_plain_blocks(500, 5, 6, 2, 4);
  sotto_key key;
  sotto_key_public(&key, 7);
  CHECK_OK(sotto_deal_cut(a, &data, 6, &key, &err));
  CHECK_OK(sotto_threads_set(2, &err));
  CHECK_OK(sotto_deal_cut(b, &data, 6, &key, &err));
  CHECK_OK(sotto_threads_set(0, &err));
  assert_memory_equal(a, b, sizeof a);
  sotto_dataset_free(&data);
}

static void what_cannot_be_partitioned_is_refused(void **state) {
  (void)state;
  uint32_t owner[8];
  sotto_dataset data = check_plain_blocks(8, 1, 0, 0, 1); /* no edge at all */
  sotto_key key, empty = {.origin = SOTTO_KEY_NONE};
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_deal_cut(owner, &data, 8, &key, &err));
  check_sizes(owner, 8, 8);
  CHECK_FAILS(SOTTO_RANGE, "9 clients", sotto_deal_cut(owner, &data, 9, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "1 clients", sotto_deal_cut(owner, &data, 1, &key, &err));
  CHECK_FAILS(SOTTO_INVALID, "empty", sotto_deal_cut(owner, &data, 2, &empty, &err));
  data.graph_count = 2;
  CHECK_FAILS(SOTTO_UNSUPPORTED, "collection", sotto_deal_cut(owner, &data, 2, &key, &err));
  data.graph_count = 0;
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_client_has_nodes_and_none_more_than_a_twentieth_above_its_share),
      cmocka_unit_test(planted_parts_are_found),
      cmocka_unit_test(many_clients_lose_fewer_edges_than_by_communities),
      cmocka_unit_test(no_single_move_gains),
      cmocka_unit_test(the_weight_of_a_cut_is_that_of_its_edges),
      cmocka_unit_test(the_same_key_gives_the_same_parts),
      cmocka_unit_test(what_cannot_be_partitioned_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
