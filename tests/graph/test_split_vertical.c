/* One dataset dealt out to several holders. */
#include <math.h>

#include "check.h"
#include "small_graph.h"
#include "sotto/generate.h"
#include "sotto/split.h"

static sotto_dataset make_data(uint64_t nodes, uint32_t features) {
  sotto_dataset data;
  sotto_key key;
  sotto_key_public(&key, 3);
  const sotto_sbm_options sbm = {.nodes = nodes,
                                 .classes = 3,
                                 .features = features,
                                 .degree_inside = 8,
                                 .degree_outside = 4,
                                 .feature_signal = 1};
  CHECK_OK(sotto_generate_sbm(&data, &sbm, &key, &err));
  return data;
}

static void deal(sotto_dataset *out, const sotto_dataset *data, const sotto_vertical *how, uint64_t seed) {
  sotto_key key;
  sotto_key_public(&key, seed);
  CHECK_OK(sotto_split_vertical(out, data, how, &key, &err));
}

static void free_all(sotto_dataset *parts, size_t count) {
  for (size_t i = 0; i < count; i++) sotto_dataset_free(&parts[i]);
}

static bool same_column(const sotto_dataset *a, size_t i, const sotto_dataset *b, size_t j) {
  for (size_t v = 0; v < a->graph.nodes; v++)
    if (a->features.data[v * a->features.cols + i] != b->features.data[v * b->features.cols + j])
      return false;
  return true;
}

static void every_column_and_edge_has_one_holder(void **state) {
  (void)state;
  sotto_dataset data = make_data(120, 20), parts[3];
  const sotto_vertical how = {
      .holders = 3, .share = {0.5, 0.3, 0.2}, .label_holder = 1, .features = true, .edges = true};
  deal(parts, &data, &how, 5);
  assert_int_equal(parts[0].features.cols, 10);
  assert_int_equal(parts[1].features.cols, 6);
  assert_int_equal(parts[2].features.cols, 4);
  for (size_t j = 0; j < 20; j++) {
    int found = 0;
    for (size_t i = 0; i < 3; i++)
      for (size_t k = 0; k < parts[i].features.cols; k++) found += same_column(&parts[i], k, &data, j);
    assert_int_equal(found, 1);
  }
  for (uint32_t u = 0; u < 120; u++)
    for (uint32_t v = 0; v < 120; v++) {
      int found = 0;
      for (size_t i = 0; i < 3; i++) found += u != v && check_has_edge(&parts[i].graph, u, v);
      assert_int_equal(found, u != v && check_has_edge(&data.graph, u, v));
    }
  assert_null(parts[0].labels);
  assert_null(parts[2].labels);
  assert_memory_equal(parts[1].labels, data.labels, 120 * sizeof *data.labels);
  free_all(parts, 3);
  sotto_dataset_free(&data);
}

/* Within five standard deviations, over 20 keys. */
static void edges_are_dealt_by_the_shares(void **state) {
  (void)state;
  sotto_dataset data = make_data(300, 4), parts[2];
  const sotto_vertical how = {.holders = 2, .share = {0.8, 0.2}, .edges = true};
  double edges = (double)data.graph.entries / 2, got = 0;
  for (uint64_t seed = 0; seed < 20; seed++) {
    deal(parts, &data, &how, seed);
    got += (double)parts[0].graph.entries / 2;
    assert_int_equal(parts[0].features.cols, 4);
    assert_int_equal(parts[1].features.cols, 4);
    free_all(parts, 2);
  }
  double off = (got - 20 * edges * 0.8) / sqrt(20 * edges * 0.16);
  if (!(off > -5 && off < 5)) fail_msg("%g standard deviations off", off);
  sotto_dataset_free(&data);
}

/* Neighbouring graphs stay neighbouring when they are dealt: what edge-level privacy rests on. */
static void one_edge_less_changes_one_holder_by_that_edge(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_dataset data = make_data(80, 4), parts[2], less[2];
  const sotto_vertical how = {.holders = 2, .share = {0.5, 0.5}, .edges = true};
  uint32_t *sources = malloc(data.graph.entries * sizeof *sources);
  uint32_t *targets = malloc(data.graph.entries * sizeof *targets);
  uint64_t count = 0, gone = sotto_i_random_below(&random, data.graph.entries), at = 0;
  uint32_t from = 0, to = 0;
  for (uint32_t u = 0; u < 80; u++)
    for (uint64_t e = data.graph.offsets[u]; e < data.graph.offsets[u + 1]; e++)
      if (at++ == gone) {
        from = u;
        to = data.graph.targets[e];
      }
  for (uint32_t u = 0; u < 80; u++)
    for (uint64_t e = data.graph.offsets[u]; e < data.graph.offsets[u + 1]; e++) {
      uint32_t v = data.graph.targets[e];
      if ((u == from && v == to) || (u == to && v == from)) continue;
      sources[count] = u;
      targets[count++] = v;
    }
  sotto_dataset fewer = data;
  CHECK_OK(sotto_graph_from_pairs(&fewer.graph, 80, sources, targets, count, &err));
  deal(parts, &data, &how, 9);
  deal(less, &fewer, &how, 9);
  uint64_t changed = 0;
  for (size_t i = 0; i < 2; i++)
    for (uint32_t u = 0; u < 80; u++)
      for (uint32_t v = u + 1; v < 80; v++)
        changed += check_has_edge(&parts[i].graph, u, v) != check_has_edge(&less[i].graph, u, v);
  assert_int_equal(changed, 1);
  free_all(parts, 2);
  free_all(less, 2);
  sotto_graph_free(&fewer.graph);
  sotto_dataset_free(&data);
  free(sources);
  free(targets);
}

static void proportions_are_read(void **state) {
  (void)state;
  double share[3];
  CHECK_OK(sotto_vertical_shares(share, 3, "2:1:1", &err));
  assert_true(share[0] == 0.5 && share[1] == 0.25 && share[2] == 0.25);
  CHECK_FAILS(SOTTO_INVALID, "is not 2 numbers", sotto_vertical_shares(share, 2, "2:1:1", &err));
  CHECK_FAILS(SOTTO_INVALID, "is not 3 numbers", sotto_vertical_shares(share, 3, "2:1", &err));
  CHECK_FAILS(SOTTO_PARSE, "partition", sotto_vertical_shares(share, 2, "2:x", &err));
  CHECK_FAILS(SOTTO_RANGE, "partition", sotto_vertical_shares(share, 2, "2:0", &err));
}

/* The holders' parts are those of a split with labels at one of them. */
static void labels_can_be_at_a_party_that_has_nothing_else(void **state) {
  (void)state;
  sotto_dataset data = make_data(60, 8), with[2], parts[3];
  sotto_vertical how = {.holders = 2, .share = {0.5, 0.5}, .features = true, .edges = true};
  deal(with, &data, &how, 5);
  how.label_holder = 2;
  deal(parts, &data, &how, 5);
  for (size_t i = 0; i < 2; i++) {
    assert_true(parts[i].labels == NULL && parts[i].classes == 0);
    assert_int_equal(parts[i].features.cols, with[i].features.cols);
    assert_memory_equal(parts[i].features.data, with[i].features.data, 60 * 4 * sizeof(float));
    assert_int_equal(parts[i].graph.entries, with[i].graph.entries);
    assert_memory_equal(parts[i].graph.targets, with[i].graph.targets,
                        parts[i].graph.entries * sizeof *parts[i].graph.targets);
  }
  assert_int_equal(parts[2].graph.nodes, 60);
  assert_int_equal(parts[2].graph.entries, 0);
  assert_int_equal(parts[2].features.cols, 0);
  assert_int_equal(parts[2].classes, data.classes);
  assert_memory_equal(parts[2].labels, data.labels, 60 * sizeof *data.labels);
  free_all(with, 2);
  free_all(parts, 3);
  sotto_dataset_free(&data);
}

static void wrong_requests_and_failing_memory_leave_nothing(void **state) {
  (void)state;
  sotto_dataset data = make_data(30, 3), parts[4];
  sotto_key key, none = {{0}, SOTTO_KEY_NONE};
  sotto_vertical how = {.holders = 4, .share = {0.25, 0.25, 0.25, 0.25}, .features = true, .edges = true};
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_INVALID, "at least one", sotto_split_vertical(parts, &data, &how, &key, &err));
  how.holders = 2;
  CHECK_FAILS(SOTTO_RANGE, "add up to 0.5", sotto_split_vertical(parts, &data, &how, &key, &err));
  how.share[0] = 0.75;
  CHECK_FAILS(SOTTO_INVALID, "empty", sotto_split_vertical(parts, &data, &how, &none, &err));
  how.label_holder = 3;
  CHECK_FAILS(SOTTO_RANGE, "number 4 of 2", sotto_split_vertical(parts, &data, &how, &key, &err));
  how.label_holder = 0;
  how.holders = 1;
  CHECK_FAILS(SOTTO_RANGE, "1 holders", sotto_split_vertical(parts, &data, &how, &key, &err));
  how.holders = 2;
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status == SOTTO_NOMEM; nth++) {
    (void)sotto_i_memory_fail_at(nth);
    status = sotto_split_vertical(parts, &data, &how, &key, NULL);
    assert_true(nth < 200);
  }
  (void)sotto_i_memory_fail_at(0);
  assert_int_equal(status, SOTTO_OK);
  free_all(parts, 2);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_column_and_edge_has_one_holder),
      cmocka_unit_test(edges_are_dealt_by_the_shares),
      cmocka_unit_test(one_edge_less_changes_one_holder_by_that_edge),
      cmocka_unit_test(proportions_are_read),
      cmocka_unit_test(labels_can_be_at_a_party_that_has_nothing_else),
      cmocka_unit_test(wrong_requests_and_failing_memory_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
