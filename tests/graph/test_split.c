/* Splits: shares, coverage, order, repeatability. */
#include "check.h"
#include "inside/graph.h"
#include "sotto/graph.h"
#include "sotto/split.h"

enum { nodes = 1000 };

static int32_t labels[nodes]; /* every tenth node is unlabelled */
static sotto_dataset data = {.graph = {.nodes = nodes}, .labels = labels, .classes = 3};

static int fill(void **state) {
  (void)state;
  for (int i = 0; i < nodes; i++) labels[i] = i % 10 == 9 ? -1 : i % 3;
  return 0;
}

/* Every labelled node is in exactly one part, no other is in any, and rows are ascending. */
static void expect_partition(const sotto_split *split) {
  uint8_t seen[nodes] = {0};
  for (int part = SOTTO_PART_TRAIN; part <= SOTTO_PART_TEST; part++)
    for (size_t i = 0; i < split->count[part]; i++) {
      assert_in_range(split->rows[part][i], 0, nodes - 1);
      seen[split->rows[part][i]]++;
      if (i > 0) assert_true(split->rows[part][i] > split->rows[part][i - 1]);
    }
  for (int v = 0; v < nodes; v++) assert_int_equal(seen[v], labels[v] >= 0);
}

static void a_random_split_has_the_shares_asked_for(void **state) {
  (void)state;
  sotto_key key;
  sotto_split split;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_split_random(&split, &data, 0.7, 0.1, &key, &err));
  expect_partition(&split);
  assert_int_equal(split.count[SOTTO_PART_TRAIN], 630);
  assert_int_equal(split.count[SOTTO_PART_VALIDATION], 90);
  assert_int_equal(split.count[SOTTO_PART_TEST], 180);
  sotto_split_free(&split);
  CHECK_OK(sotto_split_random(&split, &data, 0.9, 0.1, &key, &err));
  expect_partition(&split);
  assert_int_equal(split.count[SOTTO_PART_TEST], 0);
  sotto_split_free(&split);
}

static void the_same_key_gives_the_same_split_and_another_key_another(void **state) {
  (void)state;
  sotto_key key, other;
  sotto_split a, b, c;
  sotto_key_public(&key, 1);
  sotto_key_public(&other, 2);
  CHECK_OK(sotto_split_random(&a, &data, 0.7, 0.1, &key, &err));
  CHECK_OK(sotto_split_random(&b, &data, 0.7, 0.1, &key, &err));
  CHECK_OK(sotto_split_random(&c, &data, 0.7, 0.1, &other, &err));
  assert_memory_equal(a.rows[1], b.rows[1], a.count[1] * sizeof(uint32_t));
  assert_memory_not_equal(a.rows[1], c.rows[1], a.count[1] * sizeof(uint32_t));
  sotto_split_free(&a);
  sotto_split_free(&b);
  sotto_split_free(&c);
}

static void folds_take_turns_and_each_node_is_tested_once(void **state) {
  (void)state;
  enum { folds = 7 };
  sotto_key key;
  uint8_t tested[nodes] = {0}, validated[nodes] = {0};
  sotto_key_public(&key, 3);
  for (uint32_t index = 0; index < folds; index++) {
    sotto_split split;
    CHECK_OK(sotto_split_kfold(&split, &data, folds, index, &key, &err));
    expect_partition(&split);
    assert_in_range(split.count[SOTTO_PART_TEST], 900 / folds, 900 / folds + 1);
    for (size_t i = 0; i < split.count[SOTTO_PART_TEST]; i++) tested[split.rows[SOTTO_PART_TEST][i]]++;
    for (size_t i = 0; i < split.count[SOTTO_PART_VALIDATION]; i++)
      validated[split.rows[SOTTO_PART_VALIDATION][i]]++;
    sotto_split_free(&split);
  }
  for (int v = 0; v < nodes; v++) {
    assert_int_equal(tested[v], labels[v] >= 0);
    assert_int_equal(validated[v], labels[v] >= 0);
  }
}

static void the_public_split_is_read_as_it_stands(void **state) {
  (void)state;
  const uint8_t parts[] = {3, 1, 0, 2, 1};
  const sotto_dataset five = {.graph = {.nodes = 5}, .split = parts};
  sotto_split split;
  CHECK_OK(sotto_split_public(&split, &five, &err));
  assert_int_equal(split.count[SOTTO_PART_NONE], 0);
  assert_int_equal(split.count[SOTTO_PART_TRAIN], 2);
  assert_int_equal(split.rows[SOTTO_PART_TRAIN][0], 1);
  assert_int_equal(split.rows[SOTTO_PART_TRAIN][1], 4);
  assert_int_equal(split.rows[SOTTO_PART_VALIDATION][0], 3);
  assert_int_equal(split.rows[SOTTO_PART_TEST][0], 0);
  sotto_split_free(&split);
}

static void a_collection_with_labelled_graphs_is_split_by_graph(void **state) {
  (void)state;
  const int32_t graph_labels[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  sotto_dataset collection = data;
  sotto_key key;
  sotto_split split;
  collection.graph_count = 10;
  collection.graph_labels = graph_labels;
  sotto_key_public(&key, 1);
  CHECK_OK(sotto_split_random(&split, &collection, 0.7, 0.1, &key, &err));
  assert_int_equal(split.count[1] + split.count[2] + split.count[3], 10);
  assert_int_equal(split.count[SOTTO_PART_TRAIN], 7);
  sotto_split_free(&split);
}

static void what_cannot_be_split_is_refused_with_the_reason(void **state) {
  (void)state;
  sotto_key key, none = {0};
  sotto_split split;
  sotto_dataset bare = {.graph = {.nodes = 4}};
  sotto_key_public(&key, 1);
  CHECK_FAILS(SOTTO_RANGE, "at most 1", sotto_split_random(&split, &data, 0.8, 0.3, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "at least 0", sotto_split_random(&split, &data, -0.1, 0.3, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "shares of nan", sotto_split_random(&split, &data, 0.0 / 0.0, 0, &key, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "no labels", sotto_split_random(&split, &bare, 0.7, 0.1, &key, &err));
  CHECK_FAILS(SOTTO_INVALID, "needs a key", sotto_split_random(&split, &data, 0.7, 0.1, &none, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "no published split", sotto_split_public(&split, &data, &err));
  CHECK_FAILS(SOTTO_RANGE, "at least 3 folds", sotto_split_kfold(&split, &data, 2, 0, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "fold 5 of 5", sotto_split_kfold(&split, &data, 5, 5, &key, &err));
  CHECK_FAILS(SOTTO_RANGE, "901 folds", sotto_split_kfold(&split, &data, 901, 0, &key, &err));
  assert_null(split.rows[1]);
}

static void every_failed_allocation_leaves_an_empty_split(void **state) {
  (void)state;
  sotto_key key;
  sotto_key_public(&key, 1);
  for (int kind = 0; kind < 2; kind++) {
    sotto_status status = SOTTO_NOMEM;
    uint64_t n = 0;
    while (status == SOTTO_NOMEM) {
      sotto_split split;
      sotto_i_memory_fail_at(++n);
      status = kind == 0 ? sotto_split_random(&split, &data, 0.5, 0.5, &key, NULL)
                         : sotto_split_kfold(&split, &data, 5, 1, &key, NULL);
      sotto_i_memory_fail_at(0);
      if (status != SOTTO_OK) assert_null(split.rows[SOTTO_PART_TRAIN]);
      sotto_split_free(&split);
    }
    assert_int_equal(status, SOTTO_OK);
    assert_int_equal(n, 6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_random_split_has_the_shares_asked_for),
      cmocka_unit_test(the_same_key_gives_the_same_split_and_another_key_another),
      cmocka_unit_test(folds_take_turns_and_each_node_is_tested_once),
      cmocka_unit_test(the_public_split_is_read_as_it_stands),
      cmocka_unit_test(a_collection_with_labelled_graphs_is_split_by_graph),
      cmocka_unit_test(what_cannot_be_split_is_refused_with_the_reason),
      cmocka_unit_test(every_failed_allocation_leaves_an_empty_split),
  };
  return cmocka_run_group_tests(tests, fill, NULL);
}
