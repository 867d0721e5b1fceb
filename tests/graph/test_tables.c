/* Node tables, edge lists and split files: what each column becomes, and the names that stay. */
#include "graph/tables/tables.h"
#include "samples.h"
#include "table_texts.h"

#include "check.h"
#include "sotto/split.h"

static void expect_names(const sotto_names *names, const char *const *wanted, size_t count) {
  assert_int_equal(names->count, count);
  for (size_t i = 0; i < count; i++) assert_string_equal(sotto_name(names, i), wanted[i]);
}

static void expect_features(const sotto_dataset *data, const float *wanted, size_t count) {
  assert_int_equal(data->graph.nodes * data->features.cols, count);
  for (size_t i = 0; i < count; i++)
    if (data->features.data[i] != wanted[i]) fail_msg("feature %zu is %g", i, (double)data->features.data[i]);
}

static const char people[] = "\xEF\xBB\xBFid,age,colour,zip,label,split\r\n"
                             "ann,4.5,red,10,Theory,train\r\n"
                             "bob,2,\"blue, dark\",20,\"Neural \"\"Nets\"\"\",VAL\r\n"
                             "\"c,d\",3,red,10,,\r\n";

static void columns_become_numbers_categories_labels_and_a_split(void **state) {
  (void)state;
  sotto_dataset data;
  const sotto_import_options options = {.types = "zip=category"};
  CHECK_OK(check_read_texts(&data, "ann,bob\nbob,\"c,d\"\n", people, &options, &err));
  expect_features(&data, (const float[]){4.5F, 0, 1, 1, 0, 2, 1, 0, 0, 1, 3, 0, 1, 1, 0}, 15);
  expect_names(&data.feature_names,
               (const char *[]){"age", "colour=blue, dark", "colour=red", "zip=10", "zip=20"}, 5);
  expect_names(&data.node_ids, (const char *[]){"ann", "bob", "c,d"}, 3);
  expect_names(&data.class_names, (const char *[]){"Neural \"Nets\"", "Theory"}, 2);
  assert_int_equal(data.labels[0], 1);
  assert_int_equal(data.labels[1], 0);
  assert_int_equal(data.labels[2], -1);
  assert_memory_equal(data.split, ((const uint8_t[]){1, 2, 0}), 3);
  assert_int_equal(data.reading->column_count, 6);
  assert_int_equal(data.reading->columns[3].kind, SOTTO_COLUMN_CATEGORY);
  assert_int_equal(data.reading->columns[4].missing, 1);
  sotto_dataset_free(&data);
}

static void numbers_are_one_feature_and_dropped_columns_none(void **state) {
  (void)state;
  sotto_dataset data;
  const sotto_import_options options = {.types = "colour=drop,split=drop"};
  CHECK_OK(check_read_texts(&data, NULL, people, &options, &err));
  expect_features(&data, (const float[]){4.5F, 10, 2, 20, 3, 10}, 6);
  assert_null(data.split);
  sotto_dataset_free(&data);
}

static void missing_values_are_refused_or_filled(void **state) {
  (void)state;
  static const char table[] = "id,x,kind\na,1,u\nb,NA,v\nc,5,\nd,N/A,u\n";
  sotto_dataset data;
  sotto_import_options options = {.missing = SOTTO_MISSING_MEAN};
  CHECK_FAILS(SOTTO_PARSE, "nodes.csv: line 3, column 2: 'NA' is not a value",
              check_read_texts(&data, NULL, table, NULL, &err));
  CHECK_OK(check_read_texts(&data, NULL, table, &options, &err));
  const float third = (float)(1 / 3.0);
  expect_features(&data, (const float[]){1, 1, 0, 3, 0, 1, 5, 2 * third, third, 3, 1, 0}, 12);
  assert_int_equal(data.reading->columns[1].missing, 2);
  sotto_dataset_free(&data);
  options.missing = SOTTO_MISSING_ZERO;
  CHECK_OK(check_read_texts(&data, NULL, table, &options, &err));
  expect_features(&data, (const float[]){1, 1, 0, 0, 0, 1, 5, 0, 0, 0, 1, 0}, 12);
  sotto_dataset_free(&data);
}

static void columns_of_numbers_and_words_are_refused_until_they_are_declared(void **state) {
  (void)state;
  static const char table[] = "id,code\na,7\nb,x\n";
  const sotto_import_options categories = {.types = "code=category"}, wrong = {.types = "cod=drop"};
  sotto_dataset data;
  CHECK_FAILS(SOTTO_PARSE, "line 3, column 2: 'x' is not a finite number",
              check_read_texts(&data, NULL, table, NULL, &err));
  CHECK_FAILS(SOTTO_PARSE, "line 3, column 2: '7' is a number or a date, and the first value",
              check_read_texts(&data, NULL, "id,code\na,x\nb,7\n", NULL, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "has no column 'cod'", check_read_texts(&data, NULL, table, &wrong, &err));
  CHECK_OK(check_read_texts(&data, NULL, table, &categories, &err));
  expect_names(&data.feature_names, (const char *[]){"code=7", "code=x"}, 2);
  sotto_dataset_free(&data);
}

static void a_column_of_a_thousand_words_is_no_category(void **state) {
  (void)state;
  sample table = {0};
  char line[64];
  sotto_dataset data;
  sample_text(&table, "id,text\n");
  for (int i = 0; i < SOTTO_I_MOST_CATEGORIES + 1; i++) {
    (void)snprintf(line, sizeof line, "%d,word %d\n", i, i);
    sample_text(&table, line);
  }
  sample_add(&table, "", 1);
  CHECK_FAILS(SOTTO_RANGE, "line 1002, column 2: 'word 1000' is the 1001st",
              check_read_texts(&data, NULL, (const char *)table.data, NULL, &err));
  sample_free(&table);
}

static void ids_that_are_the_numbers_of_their_nodes_are_not_kept(void **state) {
  (void)state;
  sotto_dataset data;
  CHECK_OK(check_read_texts(&data, "0 1\n1 2\n", NULL, NULL, &err));
  assert_int_equal(data.node_ids.count, 0);
  sotto_dataset_free(&data);
  CHECK_OK(check_read_texts(&data, "2 1\n1 0\n", NULL, NULL, &err));
  expect_names(&data.node_ids, (const char *[]){"2", "1", "0"}, 3);
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_PARSE, "edges.csv: line 1, offset 3: byte 0xe9 is not UTF-8",
              check_read_texts(&data, "a,b\xE9\n", NULL, NULL, &err));
}

static void further_columns_of_edges_are_named_and_not_used(void **state) {
  (void)state;
  sotto_dataset data;
  CHECK_OK(check_read_texts(&data, "w,source,since,target\n1,a,2020,b\n2,b,2021,a\n3,a,2022,a\n", NULL, NULL,
                            &err));
  assert_int_equal(data.graph.entries, 2);
  assert_int_equal(data.reading->pairs, 3);
  assert_int_equal(data.reading->self_loops, 1);
  assert_int_equal(data.reading->repeats, 1);
  assert_int_equal(data.reading->column_count, 2);
  assert_string_equal(data.reading->columns[1].name, "since");
  assert_true(data.reading->columns[1].of_edges);
  assert_int_equal(data.reading->columns[1].kind, SOTTO_COLUMN_UNUSED);
  sotto_dataset_free(&data);
}

static sotto_status split_by(uint8_t split[3], const char *text, sotto_error *why) {
  sotto_i_parts parts = {0};
  const char nodes[] = "id,split\nann,test\nbob,test\neve,test\n";
  const sotto_i_source none = {.file = "none"}, table = {"n.csv", (const uint8_t *)nodes, sizeof nodes - 1};
  const sotto_i_source file = {"parts.csv", (const uint8_t *)text, strlen(text)};
  CHECK_OK(sotto_i_read_edges(&parts, &none, &table, NULL, &err));
  sotto_status status = sotto_i_read_split(&parts, &file, why);
  memcpy(split, parts.split, 3);
  sotto_i_parts_free(&parts);
  return status;
}

static void a_split_file_replaces_the_split_or_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint8_t split[3];
  } good[] = {{"train\nvalidation\nnone\n", {1, 2, 0}},
              {"split,id\nval,eve\ntraining,ann\n", {1, 0, 2}},
              {"id;split\nbob;train\n", {0, 1, 0}}};
  static const struct {
    const char *text;
    sotto_status status;
    const char *words;
  } bad[] = {
      {"train\ntest\n", SOTTO_PARSE, "parts.csv: 2 words for 3 nodes"},
      {"train\ntest\ntest\ntest\n", SOTTO_PARSE, "parts.csv: line 4: there are only 3 nodes"},
      {"train\ntset\n", SOTTO_PARSE, "parts.csv: line 2, column 1: 'tset' is not a part"},
      {"train,x\n", SOTTO_PARSE, "line 1: has 2 fields; the file needs one word per line"},
      {"id,split\nbo,train\n", SOTTO_RANGE, "line 2, column 1: 'bo' is not a node"},
      {"id,split\nbob,train\nbob,test\n", SOTTO_PARSE, "line 3, column 1: 'bob' is a node that stands"},
      {"id,split\nbob\n", SOTTO_PARSE, "line 2: has 1 fields, but the header has 2"}};
  uint8_t split[3];
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    CHECK_OK(split_by(split, good[i].text, &err));
    assert_memory_equal(split, good[i].split, 3);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    CHECK_FAILS(bad[i].status, bad[i].words, split_by(split, bad[i].text, &err));
}

static void holders_have_the_names_of_their_own_columns_and_one_has_classes(void **state) {
  (void)state;
  sotto_dataset data, holders[2], around;
  sotto_key key;
  sotto_key_public(&key, 1);
  const sotto_vertical how = {.holders = 2, .share = {0.5, 0.5}, .label_holder = 1, .features = true};
  CHECK_OK(check_read_texts(&data, "ann,bob\nbob,\"c,d\"\n", people, NULL, &err));
  CHECK_OK(sotto_split_vertical(holders, &data, &how, &key, &err));
  assert_int_equal(holders[0].class_names.count, 0);
  assert_int_equal(holders[1].class_names.count, 2);
  size_t at[2] = {0, 0};
  for (size_t j = 0; j < data.features.cols; j++) {
    const char *name = sotto_name(&data.feature_names, j);
    const char *first = sotto_name(&holders[0].feature_names, at[0]);
    const int owner = first != NULL && strcmp(first, name) == 0 ? 0 : 1;
    assert_string_equal(sotto_name(&holders[owner].feature_names, at[owner]), name);
    for (size_t v = 0; v < 3; v++)
      assert_true(holders[owner].features.data[v * holders[owner].features.cols + at[owner]] ==
                  data.features.data[v * data.features.cols + j]);
    at[owner]++;
  }
  for (int i = 0; i < 2; i++) assert_string_equal(sotto_name(&holders[i].node_ids, 2), "c,d");
  CHECK_OK(sotto_split_ego(&around, &data, 1, 0, &key, &err));
  expect_names(&around.node_ids, (const char *[]){"ann", "bob", "ann", "bob", "c,d"}, 5);
  assert_string_equal(sotto_name(&around.graph_class_names, 1), "Theory");
  for (int i = 0; i < 2; i++) sotto_dataset_free(&holders[i]);
  sotto_dataset_free(&around);
  sotto_dataset_free(&data);
}

static void each_allocation_that_fails_gives_an_error_and_no_leak(void **state) {
  (void)state;
  const sotto_import_options options = {.types = "zip=category", .missing = SOTTO_MISSING_MEAN};
  sotto_status status = SOTTO_NOMEM;
  for (uint64_t nth = 1; status != SOTTO_OK; nth++) {
    sotto_dataset data;
    sotto_i_memory_fail_at(nth);
    status = check_read_texts(&data, "ann,bob,1\nbob,\"c,d\",2\n", people, &options, NULL);
    sotto_i_memory_fail_at(0);
    assert_true(status == SOTTO_OK || status == SOTTO_NOMEM);
    sotto_dataset_free(&data);
  }
  uint8_t split[3];
  CHECK_OK(split_by(split, "train\ntest\nnone\n", &err));
}

static void a_table_in_memory_has_nodes_and_no_edges(void **state) {
  static const char text[] = "id,age,town\nr0,40,bath\nr1,,york\nr2,30,bath\n",
                    twice[] = "id,age\nr0,1\nr0,2\n";
  const sotto_import_options zero = {.missing = SOTTO_MISSING_ZERO};
  sotto_dataset data;
  (void)state;
  CHECK_OK(sotto_dataset_of_table(&data, "rows", text, sizeof text - 1, &zero, &err));
  assert_string_equal(data.name, "rows");
  assert_int_equal(data.graph.nodes, 3);
  assert_int_equal(data.graph.entries, 0);
  expect_features(&data, (const float[]){40, 1, 0, 0, 0, 1, 30, 1, 0}, 9);
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_PARSE, "rows: line 3, column 2: '' is not a value",
              sotto_dataset_of_table(&data, "rows", text, sizeof text - 1, NULL, &err));
  CHECK_FAILS(SOTTO_PARSE, "rows: line 3, column 1: 'r0' is an id that stands on a line before",
              sotto_dataset_of_table(&data, "rows", twice, sizeof twice - 1, NULL, &err));
  CHECK_FAILS(SOTTO_PARSE, "rows: has no header", sotto_dataset_of_table(&data, "rows", "", 0, NULL, &err));
  uint64_t allocations = 0;
  for (uint64_t nth = 1;; nth++) {
    sotto_error err = {0};
    (void)sotto_i_memory_fail_at(nth);
    const sotto_status status = sotto_dataset_of_table(&data, "rows", text, sizeof text - 1, &zero, &err);
    allocations = sotto_i_memory_fail_at(0);
    sotto_dataset_free(&data);
    if (status == SOTTO_OK) break;
    assert_int_equal(status, SOTTO_NOMEM);
  }
  assert_true(allocations > 3);
}

static void a_table_that_changes_between_its_two_readings_is_refused(void **state) {
  (void)state;
  static const char before[] = "id,colour,label\na,red,x\nb,blue,y\n";
  static const char *const after[] = {
      "id,colour,label\na,red,x\nb,pink,y\n", "id,colour,label\na,red,z\nb,blue,y\n",
      "id,colour,label\na,red,x\nb,,,,,,y\n", "id,colour,label\na,red,x\nb,blue y\n"};
  for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
    char text[sizeof before];
    sotto_i_parts parts = {.nodes = 2};
    sotto_i_node_table table;
    sotto_error error = {0};
    memcpy(text, before, sizeof text);
    const sotto_i_source file = {"nodes.csv", (const uint8_t *)text, sizeof before - 1};
    CHECK_OK(sotto_i_node_table_open(&table, &file, NULL, &err));
    assert_int_equal(strlen(after[i]), sizeof before - 1);
    memcpy(text, after[i], sizeof text);
    const sotto_status status = sotto_i_node_table_fill(&table, &parts, &error);
    if (status != SOTTO_CORRUPT) fail_msg("table %zu: status %d, %s", i, (int)status, error.text);
    assert_non_null(strstr(error.text, "the file changed while it was read"));
    sotto_i_node_table_free(&table);
    sotto_i_parts_free(&parts);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_become_numbers_categories_labels_and_a_split),
      cmocka_unit_test(numbers_are_one_feature_and_dropped_columns_none),
      cmocka_unit_test(missing_values_are_refused_or_filled),
      cmocka_unit_test(columns_of_numbers_and_words_are_refused_until_they_are_declared),
      cmocka_unit_test(a_column_of_a_thousand_words_is_no_category),
      cmocka_unit_test(ids_that_are_the_numbers_of_their_nodes_are_not_kept),
      cmocka_unit_test(further_columns_of_edges_are_named_and_not_used),
      cmocka_unit_test(a_split_file_replaces_the_split_or_is_refused),
      cmocka_unit_test(holders_have_the_names_of_their_own_columns_and_one_has_classes),
      cmocka_unit_test(a_table_that_changes_between_its_two_readings_is_refused),
      cmocka_unit_test(a_table_in_memory_has_nodes_and_no_edges),
      cmocka_unit_test(each_allocation_that_fails_gives_an_error_and_no_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
