/* A split by time: which node is in which part, and that nothing of the test part's days is in the past. */
#include "check.h"
#include "inside/graph.h"
#include "plain_files.h"
#include "sotto/split.h"

enum { nodes = 40, days = 28, room = 1 << 14 };
static const double train = 0.5, validation = 0.2;

/* Node v is dated by day v / 2 of 2024, in March from node 28 on, when the test part begins. Every third is
 * bad. */
static void write_nodes(char *text, const char *more, const char *cells) {
  size_t used = (size_t)snprintf(text, room, "id,size,joined%s,label\n", more);
  for (int v = 0; v < nodes; v++) {
    const bool later = v >= days;
    used += (size_t)snprintf(text + used, room - used, "n%d,%d,2024-%02d-%02d%s,%s\n", v, 3 * v,
                             later ? 3 : 2, 1 + (later ? v - days : v) / 2, cells, v % 3 == 0 ? "bad" : "ok");
  }
}

/* A ring in January. With a leak, from the first day of March on, node 1 pays each bad node. */
static void write_edges(char *text, bool leak) {
  size_t used = (size_t)snprintf(text, room, "source,target,amount,day\n");
  for (int v = 0; v < nodes; v++)
    used += (size_t)snprintf(text + used, room - used, "n%d,n%d,%d,2024-01-%02d\n", v, (v + 1) % nodes, v + 1,
                             1 + v % 30);
  for (int v = 0; v < nodes && leak; v += 3)
    used += (size_t)snprintf(text + used, room - used, "n1,n%d,999,2024-03-%02d\n", v, 1 + v % 30);
}

static sotto_dataset read_made(const char *more, const char *cells, bool leak) {
  static char text[2][room];
  const char *path[2] = {check_path("t.csv"), check_path("t.nodes.csv")};
  sotto_dataset data;
  write_edges(text[0], leak);
  write_nodes(text[1], more, cells);
  for (int i = 0; i < 2; i++) {
    FILE *out = fopen(path[i], "w");
    assert_non_null(out);
    (void)fputs(text[i], out);
    assert_int_equal(fclose(out), 0);
  }
  CHECK_OK(sotto_dataset_open(&data, path[0], NULL, &err));
  return data;
}

static void nodes_are_divided_by_their_days(void **state) {
  sotto_dataset past, again, data = read_made("", "", true);
  (void)state;
  CHECK_OK(sotto_split_time(&past, &data, train, validation, &err));
  for (int v = 0; v < nodes; v++)
    assert_int_equal(past.split[v], v < 20     ? SOTTO_PART_TRAIN
                                    : v < days ? SOTTO_PART_VALIDATION
                                               : SOTTO_PART_TEST);
  CHECK_OK(sotto_split_time(&again, &past, train, validation, &err));
  assert_memory_equal(again.split, past.split, nodes);
  assert_int_equal(again.transfers.count, past.transfers.count);
  sotto_dataset_free(&again);
  sotto_dataset_free(&past);
  sotto_dataset_free(&data);
}

/* Edges of the test part's days that tell every label change no byte of what is trained on. */
static void a_planted_leak_is_not_in_the_past(void **state) {
  static const char *const names[] = {"without.sotto", "with.sotto"};
  (void)state;
  for (int leak = 0; leak < 2; leak++) {
    sotto_dataset past, data = read_made("", "", leak == 1);
    assert_int_equal(data.transfers.count, nodes + (leak == 1 ? (nodes + 2) / 3 : 0));
    CHECK_OK(sotto_split_time(&past, &data, train, validation, &err));
    assert_int_equal(past.transfers.count, nodes);
    CHECK_OK(sotto_split_time_check(&past, train, validation, &err));
    CHECK_OK(sotto_dataset_save(&past, check_path(names[leak]), &err));
    sotto_dataset_free(&past);
    sotto_dataset_free(&data);
  }
  check_same_files(check_path(names[0]), check_path(names[1]));
}

/* A whole table does not pass for its past. */
static void a_run_finds_what_is_no_past(void **state) {
  static const char words[] = "some since the test part begins";
  sotto_dataset past, data = read_made("", "", true);
  (void)state;
  CHECK_FAILS(SOTTO_INVALID, words, sotto_split_time_check(&data, train, validation, &err));
  CHECK_OK(sotto_split_time(&past, &data, train, validation, &err));
  const sotto_transfers earlier = past.transfers;
  past.transfers = data.transfers;
  CHECK_FAILS(SOTTO_INVALID, words, sotto_split_time_check(&past, train, validation, &err));
  past.transfers = earlier;
  sotto_dataset_free(&past);
  sotto_dataset_free(&data);
}

static void what_has_no_time_is_refused(void **state) {
  static const struct {
    const char *more, *cells, *words;
    sotto_status status;
    double train;
  } rows[] = {{"", "", "leave a part empty", SOTTO_RANGE, 0.01},
              {"", "", "shares of", SOTTO_RANGE, 0.9},
              {",left", ",2025-01-01", "the columns of dates 'joined' and 'left'", SOTTO_INVALID, 0.5}};
  sotto_dataset past;
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_dataset data = read_made(rows[i].more, rows[i].cells, false);
    CHECK_FAILS(rows[i].status, rows[i].words,
                sotto_split_time(&past, &data, rows[i].train, validation, &err));
    sotto_dataset_free(&data);
  }
  sotto_dataset data = read_made("", "", false);
  const sotto_transfers whole = data.transfers;
  data.transfers.times = NULL;
  CHECK_FAILS(SOTTO_NOT_FOUND, "has no times of transfers",
              sotto_split_time(&past, &data, train, validation, &err));
  data.transfers = whole;
  const sotto_schema *schema = data.schema;
  data.schema = NULL;
  CHECK_FAILS(SOTTO_NOT_FOUND, "has no column of dates",
              sotto_split_time(&past, &data, train, validation, &err));
  data.schema = schema;
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_are_divided_by_their_days),
      cmocka_unit_test(a_planted_leak_is_not_in_the_past),
      cmocka_unit_test(a_run_finds_what_is_no_past),
      cmocka_unit_test(what_has_no_time_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
