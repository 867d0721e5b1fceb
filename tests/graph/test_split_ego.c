/* Surroundings of nodes against a table of hops. */
#include "check.h"
#include "inside/graph.h"
#include "small_graph.h"
#include "sotto/generate.h"
#include "sotto/split.h"

enum { nodes = 30, width = 2 };

static sotto_dataset make(sotto_i_random *random) {
  sotto_dataset data;
  const sotto_sbm_options sbm = {
      .nodes = nodes, .classes = 3, .features = width, .degree_inside = 2, .degree_outside = 0.5};
  sotto_key key;
  sotto_key_public(&key, sotto_i_random_below(random, 1000));
  CHECK_OK(sotto_generate_sbm(&data, &sbm, &key, &err));
  return data;
}

static void measure(uint32_t hops[nodes][nodes], const sotto_graph *graph) {
  for (uint32_t u = 0; u < nodes; u++)
    for (uint32_t v = 0; v < nodes; v++) hops[u][v] = u == v ? 0 : check_has_edge(graph, u, v) ? 1 : 1000;
  for (uint32_t k = 0; k < nodes; k++)
    for (uint32_t u = 0; u < nodes; u++)
      for (uint32_t v = 0; v < nodes; v++)
        if (hops[u][k] + hops[k][v] < hops[u][v]) hops[u][v] = hops[u][k] + hops[k][v];
}

/* Graph number g of `ego` holds exactly what is near `centre`. */
static void check_one(const sotto_dataset *ego, size_t g, const sotto_dataset *data, uint32_t centre,
                      uint32_t reach, uint32_t hops[nodes][nodes]) {
  uint32_t near[nodes], count = 0;
  const uint64_t first = ego->graph_first[g];
  for (uint32_t v = 0; v < nodes; v++)
    if (hops[centre][v] <= reach) near[count++] = v;
  assert_int_equal(ego->graph_first[g + 1] - first, count);
  assert_int_equal(ego->graph_labels[g], data->labels[centre]);
  for (uint32_t i = 0; i < count; i++) {
    assert_int_equal(ego->labels[first + i], data->labels[near[i]]);
    assert_memory_equal(ego->features.data + (first + i) * width,
                        data->features.data + (size_t)near[i] * width, width * sizeof(float));
    uint64_t degree = 0;
    for (uint32_t j = 0; j < count; j++) {
      const bool has = i != j && check_has_edge(&data->graph, near[i], near[j]);
      degree += has;
      if (i != j)
        assert_int_equal(check_has_edge(&ego->graph, (uint32_t)first + i, (uint32_t)first + j), has);
    }
    assert_int_equal(sotto_graph_degree(&ego->graph, first + i), degree);
  }
}

static void every_node_has_its_surroundings(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 10; round++) {
    uint32_t hops[nodes][nodes];
    sotto_dataset data = make(&random), ego;
    sotto_key key;
    sotto_key_public(&key, 1);
    measure(hops, &data.graph);
    for (uint32_t reach = 1; reach <= 3; reach++) {
      CHECK_OK(sotto_split_ego(&ego, &data, reach, 0, &key, &err));
      assert_int_equal(ego.graph_count, nodes);
      assert_int_equal(ego.graph_classes, data.classes);
      CHECK_OK(sotto_graph_check(&ego.graph, &err));
      for (uint32_t v = 0; v < nodes; v++) check_one(&ego, v, &data, v, reach, hops);
      sotto_dataset_free(&ego);
    }
    sotto_dataset_free(&data);
  }
}

static void centres_are_drawn_by_the_key(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_dataset data = make(&random), a, b, c;
  sotto_key key, other;
  sotto_key_public(&key, 1);
  sotto_key_public(&other, 2);
  CHECK_OK(sotto_split_ego(&a, &data, 1, 8, &key, &err));
  CHECK_OK(sotto_split_ego(&b, &data, 1, 8, &key, &err));
  CHECK_OK(sotto_split_ego(&c, &data, 1, 8, &other, &err));
  assert_int_equal(a.graph_count, 8);
  assert_memory_equal(a.digest, b.digest, sizeof a.digest);
  assert_memory_not_equal(a.digest, c.digest, sizeof a.digest);
  sotto_dataset_free(&b);
  CHECK_FAILS(SOTTO_INVALID, "not a single graph", sotto_split_ego(&b, &a, 1, 2, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "31 ego graphs were requested", sotto_split_ego(&b, &data, 1, 31, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "0 hops", sotto_split_ego(&b, &data, 0, 2, &key, &err));
  sotto_dataset_free(&a);
  sotto_dataset_free(&c);
  sotto_dataset_free(&data);
}

static void failed_allocations_are_reported(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_dataset data = make(&random), ego;
  sotto_key key;
  sotto_key_public(&key, 1);
  (void)sotto_i_memory_fail_at(0);
  CHECK_OK(sotto_split_ego(&ego, &data, 1, 5, &key, &err));
  sotto_dataset_free(&ego);
  const uint64_t count = sotto_i_memory_fail_at(0);
  for (uint64_t n = 1; n <= count; n++) {
    (void)sotto_i_memory_fail_at(n);
    CHECK_FAILS(SOTTO_NOMEM, "allocate", sotto_split_ego(&ego, &data, 1, 5, &key, &err));
  }
  (void)sotto_i_memory_fail_at(0);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_node_has_its_surroundings),
                                     cmocka_unit_test(centres_are_drawn_by_the_key),
                                     cmocka_unit_test(failed_allocations_are_reported)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
