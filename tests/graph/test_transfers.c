/* Transfers of datasets: order, files, subsets, and columns of lists of edges. */
#include "graph/transfers.h"

#include <math.h>

#include "check.h"
#include "inside/graph.h"
#include "table_texts.h"

static bool is_after(const sotto_transfers *t, uint64_t i) {
  uint32_t low[2], high[2];
  for (uint64_t k = 0; k < 2; k++) {
    const uint32_t a = t->sources[i - 1 + k], b = t->targets[i - 1 + k];
    low[k] = a < b ? a : b;
    high[k] = a < b ? b : a;
  }
  if (low[0] != low[1]) return low[1] > low[0];
  if (high[0] != high[1]) return high[1] > high[0];
  return t->times[i] >= t->times[i - 1];
}

/* Every row of one list stands in the other as often. */
static bool is_same_kind(const sotto_transfers *a, uint64_t i, const sotto_transfers *b, uint64_t j) {
  return a->kinds == NULL || b->kinds == NULL ? a->kinds == b->kinds : a->kinds[i] == b->kinds[j];
}

static void check_same_rows(const sotto_transfers *a, const sotto_transfers *b) {
  assert_int_equal(a->count, b->count);
  for (uint64_t i = 0; i < a->count; i++) {
    int balance = 0;
    for (uint64_t j = 0; j < a->count; j++) {
      balance += a->sources[i] == a->sources[j] && a->targets[i] == a->targets[j] &&
                 a->amounts[i] == a->amounts[j] && a->times[i] == a->times[j] && is_same_kind(a, i, a, j);
      balance -= a->sources[i] == b->sources[j] && a->targets[i] == b->targets[j] &&
                 a->amounts[i] == b->amounts[j] && a->times[i] == b->times[j] && is_same_kind(a, i, b, j);
    }
    assert_int_equal(balance, 0);
  }
}

static const uint64_t three_starts[] = {0, 5, 10, 15};
static const sotto_names three = {3, three_starts, "cash\0card\0wire"};

static void rows_are_sorted_and_saved(void **state) {
  enum { nodes = 9, most = 60 };
  sotto_i_random random = check_random();
  (void)state;
  for (int round = 0; round < 60; round++) {
    uint32_t ends[2][most];
    float amounts[most];
    double times[most];
    uint8_t kinds[most];
    sotto_transfers listed = {.sources = ends[0],
                              .targets = ends[1],
                              .amounts = amounts,
                              .times = times,
                              .kinds = round % 2 == 0 ? kinds : NULL};
    const uint64_t count = sotto_i_random_below(&random, most + 1);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < count; i++) {
      for (int k = 0; k < 2; k++) ends[k][kept] = (uint32_t)sotto_i_random_below(&random, nodes);
      amounts[kept] = (float)sotto_i_random_below(&random, 5);
      kinds[kept] = (uint8_t)sotto_i_random_below(&random, 3);
      times[kept] = (double)sotto_i_random_below(&random, 7) - 3.25;
      kept += ends[0][kept] != ends[1][kept];
    }
    listed.count = kept;
    const sotto_arrays arrays = {.nodes = nodes,
                                 .sources = {ends[0], kept, SOTTO_INDEX_U32},
                                 .targets = {ends[1], kept, SOTTO_INDEX_U32},
                                 .amounts = amounts,
                                 .times = times,
                                 .kinds = listed.kinds,
                                 .kind_names = &three};
    sotto_dataset data, read;
    CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
    check_same_rows(&listed, &data.transfers);
    for (uint64_t i = 1; i < data.transfers.count; i++) assert_true(is_after(&data.transfers, i));
    CHECK_OK(sotto_dataset_save(&data, check_path("t.sotto"), &err));
    CHECK_OK(sotto_dataset_open(&read, check_path("t.sotto"), NULL, &err));
    check_same_rows(&data.transfers, &read.transfers);
    assert_int_equal(read.transfers.kind_names.count, round % 2 == 0 ? 3 : 0);
    if (round % 2 == 0) assert_string_equal(sotto_name(&read.transfers.kind_names, 2), "wire");
    assert_memory_equal(data.digest, read.digest, 32);
    assert_memory_equal(data.account, read.account, 32);
    sotto_dataset_free(&read);
    sotto_dataset_free(&data);
  }
}

/* That there are transfers does not follow from how many: a graph may have no edge. */
static void no_rows_are_transfers_too(void **state) {
  const uint32_t loop[] = {1};
  const float amounts[] = {5};
  const sotto_arrays arrays = {.nodes = 3,
                               .sources = {loop, 1, SOTTO_INDEX_U32},
                               .targets = {loop, 1, SOTTO_INDEX_U32},
                               .amounts = amounts};
  sotto_dataset data, read, some;
  const uint32_t items[] = {0, 2};
  (void)state;
  CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path("none.sotto"), &err));
  CHECK_OK(sotto_dataset_open(&read, check_path("none.sotto"), NULL, &err));
  CHECK_OK(sotto_dataset_take(&some, &read, items, 2, "some", &err));
  assert_int_equal(read.transfers.count, 0);
  assert_true(read.transfers.sources != NULL && read.transfers.amounts != NULL &&
              read.transfers.times == NULL);
  assert_true(some.transfers.sources != NULL && some.transfers.amounts != NULL);
  sotto_dataset_free(&some);
  sotto_dataset_free(&read);
  sotto_dataset_free(&data);
}

/* The account follows from the edges, the digest from their transfers too. */
static void amounts_change_the_digest_alone(void **state) {
  const uint32_t from[] = {0, 1}, to[] = {1, 2};
  const float amounts[] = {1, 2}, others[] = {1, 3};
  sotto_arrays arrays = {
      .nodes = 3, .sources = {from, 2, SOTTO_INDEX_U32}, .targets = {to, 2, SOTTO_INDEX_U32}};
  sotto_dataset plain, first, second;
  (void)state;
  CHECK_OK(sotto_dataset_from_arrays(&plain, &arrays, &err));
  arrays.amounts = amounts;
  CHECK_OK(sotto_dataset_from_arrays(&first, &arrays, &err));
  arrays.amounts = others;
  CHECK_OK(sotto_dataset_from_arrays(&second, &arrays, &err));
  assert_memory_not_equal(plain.digest, first.digest, 32);
  assert_memory_not_equal(first.digest, second.digest, 32);
  assert_memory_equal(plain.account, second.account, 32);
  sotto_dataset_free(&plain);
  sotto_dataset_free(&first);
  sotto_dataset_free(&second);
}

/* So do kinds, and the names that say what their numbers mean. */
static void kinds_change_the_digest_alone(void **state) {
  static const uint64_t starts[] = {0, 5, 10, 15};
  static const sotto_names renamed = {3, starts, "cash\0wire\0card"};
  const uint32_t from[] = {0, 1}, to[] = {1, 2};
  const uint8_t kinds[] = {1, 2}, others[] = {2, 1}, unknown[] = {0, 3};
  sotto_arrays arrays = {.nodes = 3,
                         .sources = {from, 2, SOTTO_INDEX_U32},
                         .targets = {to, 2, SOTTO_INDEX_U32},
                         .directed = true};
  sotto_dataset all[4], none;
  (void)state;
  CHECK_OK(sotto_dataset_from_arrays(&all[0], &arrays, &err));
  arrays.kinds = kinds;
  CHECK_FAILS(SOTTO_INVALID, "kinds: have no names", sotto_dataset_from_arrays(&none, &arrays, &err));
  arrays.kind_names = &three;
  CHECK_OK(sotto_dataset_from_arrays(&all[1], &arrays, &err));
  arrays.kinds = others;
  CHECK_OK(sotto_dataset_from_arrays(&all[2], &arrays, &err));
  arrays.kind_names = &renamed;
  CHECK_OK(sotto_dataset_from_arrays(&all[3], &arrays, &err));
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) {
      assert_memory_not_equal(all[i].digest, all[j].digest, 32);
      assert_memory_equal(all[i].account, all[j].account, 32);
    }
  arrays.kinds = unknown;
  CHECK_FAILS(SOTTO_RANGE, "transfer 1 is of a kind without a name",
              sotto_dataset_from_arrays(&none, &arrays, &err));
  for (int i = 0; i < 4; i++) sotto_dataset_free(&all[i]);
}

static void subsets_have_those_among_their_nodes(void **state) {
  const uint32_t from[] = {3, 0, 1, 1}, to[] = {1, 1, 3, 2}, items[] = {3, 1};
  const float amounts[] = {5, 6, 7, 8};
  const uint8_t kinds[] = {2, 1, 0, 1};
  const sotto_arrays arrays = {.nodes = 4,
                               .sources = {from, 4, SOTTO_INDEX_U32},
                               .targets = {to, 4, SOTTO_INDEX_U32},
                               .amounts = amounts,
                               .kinds = kinds,
                               .kind_names = &three};
  sotto_dataset data, some;
  (void)state;
  CHECK_OK(sotto_dataset_from_arrays(&data, &arrays, &err));
  CHECK_OK(sotto_dataset_take(&some, &data, items, 2, "some", &err));
  assert_int_equal(some.transfers.count, 2);
  assert_true(some.transfers.kinds[0] == 2 && some.transfers.kinds[1] == 0);
  assert_int_equal(some.transfers.kind_names.count, 3);
  assert_true(some.transfers.sources[0] == 0 && some.transfers.amounts[0] == 5);
  assert_true(some.transfers.sources[1] == 1 && some.transfers.amounts[1] == 7);
  sotto_dataset_free(&some);
  sotto_dataset_free(&data);
}

static void wrong_rows_are_refused(void **state) {
  static const uint64_t offsets[] = {0, 1, 3, 4};
  static const uint32_t neighbours[] = {1, 0, 2, 1};
  const sotto_graph graph = {.nodes = 3, .entries = 4, .offsets = offsets, .targets = neighbours};
  const struct {
    uint32_t from[3], to[3];
    float amounts[3];
    double times[3];
    const char *words;
  } wrong[] = {{{0, 1, 0}, {1, 2, 1}, {1, 1, 1}, {0, 0, 0}, "transfer 2 is out of order"},
               {{0, 0, 1}, {1, 1, 2}, {1, 1, 1}, {2, 1, 0}, "transfer 1 is out of order"},
               {{0, 1, 1}, {1, 2, 1}, {1, 1, 1}, {0, 0, 0}, "does not join two nodes"},
               {{0, 0, 1}, {1, 1, 0}, {1, 1, 1}, {0, 0, 0}, "is not of the next edge"},
               {{0, 0, 1}, {1, 2, 2}, {1, 1, 1}, {0, 0, 0}, "is not of the next edge"},
               {{0, 1, 1}, {1, 2, 2}, {1, -1, 1}, {0, 0, 0}, "below 0"},
               {{0, 1, 1}, {1, 2, 2}, {1, NAN, 1}, {0, 0, 0}, "not finite"},
               {{0, 1, 1}, {1, 2, 2}, {1, 1, 1}, {0, INFINITY, INFINITY}, "no day of the years"},
               {{0, 1, 1}, {1, 2, 2}, {1, 1, 1}, {0, 0, 730001}, "no day of the years"}};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const sotto_transfers t = {.count = 3,
                               .sources = wrong[i].from,
                               .targets = wrong[i].to,
                               .amounts = wrong[i].amounts,
                               .times = wrong[i].times};
    sotto_error error = {0};
    assert_int_not_equal(sotto_i_transfers_check(&t, &graph, &error), SOTTO_OK);
    if (strstr(error.text, wrong[i].words) == NULL) fail_msg("%zu: %s", i, error.text);
  }
}

/* What is read of a list, or the words of the refusal. */
static void columns_are_known_by_name_and_value(void **state) {
  static const struct {
    const char *text;
    sotto_import_options options;
    uint64_t count;
    bool amounts, times;
    double amount, time; /* of the first row */
    const char *words;
  } lists[] = {
      {"from,to,amount\na,b,5\nb,a,7\n", {0}, 2, true, false, 5, 0, NULL},
      {"from;to;amount\na;b;1.005,50\nb;a;7\n", {.decimal_comma = true}, 2, true, false, 1005.5, 0, NULL},
      {"from,to,amount,date\na,b,5,2000-01-03\nb,c,1,2000-01-02\n", {0}, 2, true, true, 5, 2, NULL},
      {"from,to,timestamp\na,b,946771200\nb,c,946684800\n", {0}, 2, false, true, 0, 1, NULL},
      {"from,to,timestamp\na,b,946771200000\nb,c,946684800000\n", {0}, 2, false, true, 0, 1, NULL},
      {"from,to,day\na,b,17\nb,c,18\n", {0}, 0, false, false, 0, 0, "name the column (time) if it counts"},
      {"from,to,day\na,b,17\nb,c,18\n", {.time = "day"}, 2, false, true, 0, 17, NULL},
      {"from,to,eur\na,b,17\nb,c,18\n", {.amount = "eur"}, 2, true, false, 17, 0, NULL},
      {"from,to\na,b\nb,a\n", {0}, 0, false, false, 0, 0, NULL},
      {"from,to\na,b\nb,a\n", {.directed = true}, 2, false, false, 0, 0, NULL},
      {"from,to,amount\na,b,5\n", {.undirected = true}, 0, false, false, 0, 0, NULL},
      {"from,to,amount,amount_currency\na,b,5,EUR\nb,c,7,EUR\n", {0}, 2, true, false, 5, 0, NULL},
      {"from,to,amount,value_date\na,b,5,2000-01-03\nb,c,7,2000-01-03\n", {0}, 2, true, true, 5, 2, NULL},
      {"from,to,amount\na,b,high\nb,c,low\n", {0}, 0, false, false, 0, 0, "is no amount"},
      {"from,to,amount,amount_usd\na,b,5,6\n", {0}, 0, false, false, 0, 0, "may be in column 'amount' or in"},
      {"from,to,amount\na,b,5\nb,c,\n", {0}, 0, false, false, 0, 0, "is no amount"},
      {"from,to,amount\na,b,5\nb,c,-3\n", {0}, 0, false, false, 0, 0, "below 0"},
      {"from,to,date\na,b,2000-01-03\nb,c,946684800\n", {0}, 0, false, false, 0, 0, "no time like those"},
      {"from,to,date\na,b,2000-01-03\nb,c,NA\n", {0}, 0, false, false, 0, 0, "no time like those"},
      {"from,to\na,b\n", {.amount = "eur"}, 0, false, false, 0, 0, "no column 'eur' for the amount"},
      {"from,to,x\na,b,1\n", {.amount = "x", .undirected = true}, 0, false, false, 0, 0, "leave one of"}};
  (void)state;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    sotto_dataset data;
    sotto_error error = {0};
    const sotto_status status = check_read_texts(&data, lists[i].text, NULL, &lists[i].options, &error);
    if (lists[i].words != NULL) {
      if (status == SOTTO_OK || strstr(error.text, lists[i].words) == NULL)
        fail_msg("%zu: %s", i, error.text);
      continue;
    }
    if (status != SOTTO_OK) fail_msg("%zu: %s", i, error.text);
    const sotto_transfers *t = &data.transfers;
    if (t->count != lists[i].count || (t->amounts != NULL) != lists[i].amounts ||
        (t->times != NULL) != lists[i].times)
      fail_msg("%zu: %d rows", i, (int)t->count);
    if (lists[i].amounts) CHECK_NEAR((double)t->amounts[0], lists[i].amount, 1e-3);
    if (lists[i].times) CHECK_NEAR(t->times[0], lists[i].time, 1e-9);
    sotto_dataset_free(&data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_sorted_and_saved),
      cmocka_unit_test(no_rows_are_transfers_too),
      cmocka_unit_test(amounts_change_the_digest_alone),
      cmocka_unit_test(kinds_change_the_digest_alone),
      cmocka_unit_test(subsets_have_those_among_their_nodes),
      cmocka_unit_test(wrong_rows_are_refused),
      cmocka_unit_test(columns_are_known_by_name_and_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
