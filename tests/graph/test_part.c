/* A graph parted in two by its edges. */
#include "check.h"
#include "graph/csr.h"
#include "inside/graph.h"
#include "sotto/generate.h"

static sotto_dataset make_data(uint64_t seed) {
  sotto_dataset data;
  sotto_key key;
  const sotto_sbm_options options = {
      .nodes = 300, .classes = 3, .features = 2, .degree_inside = 8, .degree_outside = 3};
  sotto_key_public(&key, seed);
  CHECK_OK(sotto_generate_sbm(&data, &options, &key, &err));
  return data;
}

static void every_edge_goes_to_one_of_the_two(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_dataset data = make_data(sotto_i_random_u32(&random));
  sotto_graph parts[2];
  sotto_key key;
  sotto_key_public(&key, 3);
  for (double share = 0; share <= 1; share += 0.25) {
    CHECK_OK(sotto_graph_part(&parts[0], &parts[1], &data.graph, share, &key, &err));
    CHECK_OK(sotto_graph_check(&parts[0], &err));
    CHECK_OK(sotto_graph_check(&parts[1], &err));
    assert_int_equal(parts[0].entries + parts[1].entries, data.graph.entries);
    for (uint64_t v = 0; v < data.graph.nodes; v++)
      for (uint64_t e = data.graph.offsets[v]; e < data.graph.offsets[v + 1]; e++)
        assert_true(sotto_i_graph_has(&parts[0], v, data.graph.targets[e]) !=
                    sotto_i_graph_has(&parts[1], v, data.graph.targets[e]));
    double edges = (double)data.graph.entries / 2, wanted = edges * share;
    double gap = (double)parts[1].entries / 2 - wanted;
    assert_true(gap * gap <= 36 * edges * share * (1 - share)); /* six deviations */
    for (int i = 0; i < 2; i++) sotto_graph_free(&parts[i]);
  }
  sotto_dataset_free(&data);
}

/* Where an edge goes does not depend on the others: what is left of a graph parts as it did. */
static void an_edge_goes_where_it_goes_without_the_others(void **state) {
  (void)state;
  sotto_dataset data = make_data(5);
  sotto_graph parts[2], again[2];
  sotto_key key;
  sotto_key_public(&key, 3);
  CHECK_OK(sotto_graph_part(&parts[0], &parts[1], &data.graph, 0.4, &key, &err));
  CHECK_OK(sotto_graph_part(&again[0], &again[1], &parts[1], 0.4, &key, &err));
  assert_int_equal(again[0].entries, 0);
  assert_int_equal(again[1].entries, parts[1].entries);
  assert_memory_equal(again[1].targets, parts[1].targets, parts[1].entries * sizeof(uint32_t));
  for (int i = 0; i < 2; i++) {
    sotto_graph_free(&parts[i]);
    sotto_graph_free(&again[i]);
  }
  sotto_dataset_free(&data);
}

static void shares_that_are_none_and_empty_keys_are_refused(void **state) {
  (void)state;
  sotto_dataset data = make_data(5);
  sotto_graph parts[2];
  sotto_key key = {{0}, SOTTO_KEY_NONE};
  CHECK_FAILS(SOTTO_INVALID, "empty", sotto_graph_part(&parts[0], &parts[1], &data.graph, 0.4, &key, &err));
  sotto_key_public(&key, 3);
  CHECK_FAILS(SOTTO_RANGE, "must be from 0 to 1",
              sotto_graph_part(&parts[0], &parts[1], &data.graph, 1.5, &key, &err));
  uint64_t nth = 0;
  sotto_status status;
  do {
    (void)sotto_i_memory_fail_at(++nth);
    status = sotto_graph_part(&parts[0], &parts[1], &data.graph, 0.4, &key, NULL);
    (void)sotto_i_memory_fail_at(0);
    assert_true(status == SOTTO_OK || status == SOTTO_NOMEM);
  } while (status != SOTTO_OK);
  assert_true(nth > 4);
  for (int i = 0; i < 2; i++) sotto_graph_free(&parts[i]);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_edge_goes_to_one_of_the_two),
      cmocka_unit_test(an_edge_goes_where_it_goes_without_the_others),
      cmocka_unit_test(shares_that_are_none_and_empty_keys_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
