/* Windows of time: what is in them, and that nothing after them shows. */
#include "check.h"
#include "plain_files.h"
#include "sotto/generate.h"
#include "sotto/split.h"

static sotto_dataset read_lists(const char *nodes, const char *edges, const sotto_import_options *options) {
  const char *path[2] = {check_path("w.csv"), check_path("w.nodes.csv")}, *text[2] = {edges, nodes};
  sotto_dataset data;
  for (int i = 0; i < 2; i++) {
    FILE *out = fopen(path[i], "w");
    assert_non_null(out);
    (void)fputs(text[i], out);
    assert_int_equal(fclose(out), 0);
  }
  CHECK_OK(sotto_dataset_open(&data, path[0], options, &err));
  return data;
}

#define NODES                                                                                                \
  "id,age,reported,label\na,30,2024-01-10,ok\nb,41,2024-03-02,bad\nc,52,2024-02-15,ok\nd,63,2024-06-01,"     \
  "bad\n"
#define PAST                                                                                                 \
  "source,target,amount,day\na,b,10,2024-01-05\nb,a,3,2024-01-07\nc,a,2.5,2024-02-02\nc,d,4,2024-02-28\n"

static void save(const sotto_dataset *data, const sotto_window *how, const char *name) {
  sotto_dataset window;
  CHECK_OK(sotto_dataset_window(&window, data, how, &err));
  CHECK_OK(sotto_dataset_save(&window, check_path(name), &err));
  sotto_dataset_free(&window);
}

static void what_comes_later_changes_no_byte(void **state) {
  static const sotto_window how = {.before = "2024-03-01", .known = "reported"};
  (void)state;
  sotto_dataset first = read_lists(NODES, PAST, NULL);
  save(&first, &how, "1.sotto");
  sotto_dataset second =
      read_lists(NODES, PAST "a,d,99,2024-03-01\nb,a,7,2024-05-05\nb,c,8,2024-07-01\n", NULL);
  assert_int_equal(second.transfers.count, 7);
  save(&second, &how, "2.sotto");
  check_same_files(check_path("1.sotto"), check_path("2.sotto"));
  sotto_dataset_free(&first);
  sotto_dataset_free(&second);
}

static void a_window_has_its_transfers_their_edges_and_known_labels(void **state) {
  static const sotto_window how = {.since = "2024-01-06", .before = "2024-03-01", .known = "reported"};
  sotto_dataset window;
  (void)state;
  sotto_dataset data = read_lists(NODES, PAST, NULL);
  CHECK_OK(sotto_dataset_window(&window, &data, &how, &err));
  assert_int_equal(window.graph.nodes, 4);
  assert_int_equal(window.transfers.count, 3);
  assert_int_equal(window.graph.entries, 6);
  assert_int_equal(window.transfers.sources[0], 1);
  assert_true(window.transfers.amounts[0] == 3);
  static const int known[] = {1, 0, 1, 0}; /* a and c were reported by then */
  for (int v = 0; v < 4; v++) assert_int_equal(window.labels[v] >= 0, known[v]);
  assert_memory_equal(window.features_digest, data.features_digest, 32);
  sotto_dataset_free(&window);
  sotto_dataset_free(&data);
}

/* Windows that follow each other have each transfer once. */
static void windows_share_out_the_transfers(void **state) {
  static const char *const days[] = {NULL, "2025-02-11", "2025-06-30", "2025-12-01", NULL};
  const sotto_payments_options options = {.nodes = 800, .dial = 1};
  sotto_dataset data, window;
  sotto_key key;
  uint64_t count = 0;
  (void)state;
  sotto_key_public(&key, 4);
  CHECK_OK(sotto_generate_payments(&data, &options, &key, &err));
  for (int i = 0; i < 4; i++) {
    CHECK_OK(sotto_dataset_window(&window, &data, &(sotto_window){days[i], days[i + 1], NULL}, &err));
    assert_true(window.transfers.count > 0 && window.graph.entries < data.graph.entries);
    count += window.transfers.count;
    sotto_dataset_free(&window);
  }
  assert_int_equal(count, data.transfers.count);
  sotto_dataset_free(&data);
}

static void what_is_no_window_is_refused(void **state) {
  static const struct {
    sotto_window how;
    sotto_status status;
    const char *words;
  } rows[] = {{{NULL, NULL, NULL}, SOTTO_INVALID, "needs the day"},
              {{"2024-01-01", NULL, "reported"}, SOTTO_INVALID, "known"},
              {{NULL, "2024-02-30", NULL}, SOTTO_PARSE, "before: '2024-02-30' is no day"},
              {{"1.1.2024", NULL, NULL}, SOTTO_PARSE, "since: '1.1.2024' is no day"},
              {{"2024-02-01", "2024-02-01", NULL}, SOTTO_RANGE, "ends before it begins"},
              {{NULL, "2024-02-01", "age"}, SOTTO_INVALID, "'age' is a number"},
              {{NULL, "2024-02-01", "since"}, SOTTO_NOT_FOUND, "no column 'since'"}};
  sotto_dataset window;
  (void)state;
  sotto_dataset data = read_lists(NODES, PAST, NULL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK_FAILS(rows[i].status, rows[i].words, sotto_dataset_window(&window, &data, &rows[i].how, &err));
  sotto_dataset_free(&data);
  static const sotto_import_options zero = {.missing = SOTTO_MISSING_ZERO};
  static const char words[] = "'reported' without a day may have been filled";
  data = read_lists(
      "id,age,reported,label\na,30,,ok\nb,41,2024-03-02,bad\nc,52,2024-02-15,ok\nd,63,2024-06-01,bad\n", PAST,
      &zero);
  CHECK_FAILS(SOTTO_INVALID, words,
              sotto_dataset_window(&window, &data,
                                   &(sotto_window){.before = "2024-03-01", .known = "reported"}, &err));
  sotto_dataset_free(&data);
  data = read_lists(NODES, "source,target\na,b\nc,a\n", NULL);
  CHECK_FAILS(SOTTO_NOT_FOUND, "no times of transfers",
              sotto_dataset_window(&window, &data, &(sotto_window){.before = "2024-02-01"}, &err));
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_comes_later_changes_no_byte),
      cmocka_unit_test(a_window_has_its_transfers_their_edges_and_known_labels),
      cmocka_unit_test(windows_share_out_the_transfers),
      cmocka_unit_test(what_is_no_window_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
