/* Schemas: of tables, as YAML and back, in native files, and data put in the order of another one. */
#include "graph/schema_match.h"
#include "graph/tables/tables.h"
#include "samples.h"
#include "table_texts.h"

#include "check.h"

static const char edges[] = "from,to\nann,bob\nbob,cem\n";
static const char people[] = "id,age,city,born,label\n"
                             "ann,41,Paris,1990-01-31,high\n"
                             "bob,23,Rome,2000-01-02,low\n"
                             "cem,35,Paris,1999-12-31,high\n";
static const char yaml[] =
    "sotto-schema: 1\n"
    "edges: {source: \"from\", target: \"to\"}\n"
    "classes: [\"high\", \"low\"]\n"
    "columns:\n"
    "- {name: \"id\", type: id}\n"
    "- {name: \"age\", type: number, missing: refuse}\n"
    "- {name: \"city\", type: category, missing: refuse, words: [\"Paris\", \"Rome\"]}\n"
    "- {name: \"born\", type: date, missing: refuse, since: 2000-01-01}\n"
    "- {name: \"label\", type: label}\n";

static sotto_dataset read_people(const char *table, const sotto_import_options *options) {
  sotto_dataset out;
  CHECK_OK(check_read_texts(&out, NULL, table, options, &err));
  return out;
}

static sotto_schema *schema_of(const sotto_dataset *data) {
  sotto_schema *out;
  CHECK_OK(sotto_schema_of(&out, data, &err));
  return out;
}

static sotto_schema *parsed(const char *text) {
  sotto_schema *out;
  CHECK_OK(sotto_schema_parse(&out, "schema.yaml", text, strlen(text), &err));
  return out;
}

static void expect_yaml(const sotto_schema *schema, const char *wanted) {
  char *text;
  CHECK_OK(sotto_schema_yaml(&text, schema, &err));
  assert_string_equal(text, wanted);
  sotto_text_free(text);
}

/* libyaml refuses U+FFFE and U+FFFF as they are: the file of such a table could not be opened. */
static void words_that_yaml_refuses_are_escaped(void **state) {
  (void)state;
  sotto_dataset data, again;
  CHECK_OK(
      check_read_texts(&data, edges, "id,city\nann,x\xEF\xBF\xBEy\nbob,\xEF\xBF\xBF\ncem,z\n", NULL, &err));
  CHECK_OK(sotto_dataset_save(&data, check_path("escaped.sotto"), &err));
  CHECK_OK(sotto_dataset_open(&again, check_path("escaped.sotto"), NULL, &err));
  assert_string_equal(sotto_name(&again.schema->columns[1].words, 0), "x\xEF\xBF\xBEy");
  assert_string_equal(sotto_name(&again.schema->columns[1].words, 2), "\xEF\xBF\xBF");
  sotto_dataset_free(&again);
  sotto_dataset_free(&data);
}

/* An editor may write two characters for one, or a blank too many. */
static void words_of_a_schema_have_the_form_of_cells(void **state) {
  static const char edited[] = "sotto-schema: 1\n"
                               "classes: [\"high \", \"Ko\xCC\x88ln\"]\n"
                               "columns:\n"
                               "- {name: \" a\", type: category, words: [\"Mu\xCC\x88nchen\", \"Ulm \"]}\n",
                    wanted[] = "sotto-schema: 1\n"
                               "classes: [\"high\", \"K\xC3\xB6ln\"]\n"
                               "columns:\n"
                               "- {name: \"a\", type: category, missing: refuse, words: [\"M\xC3\xBCnchen\", "
                               "\"Ulm\"]}\n",
                    twice[] = "sotto-schema: 1\ncolumns:\n"
                              "- {name: \"a\", type: category, words: [\"Ulm\", \"Bonn\", \"Ulm \"]}\n";
  sotto_schema *schema = parsed(edited);
  (void)state;
  expect_yaml(schema, wanted);
  sotto_schema_free(schema);
  CHECK_FAILS(SOTTO_PARSE, "s.yaml: line 3: a word stands twice",
              sotto_schema_parse(&schema, "s.yaml", twice, strlen(twice), &err));
}

static void a_table_has_a_schema_that_native_files_keep(void **state) {
  (void)state;
  sotto_dataset data, again;
  CHECK_OK(check_read_texts(&data, edges, people, NULL, &err));
  for (int round = 0; round < 2; round++) {
    sotto_schema *schema = schema_of(&data);
    expect_yaml(schema, yaml);
    sotto_schema_free(schema);
    CHECK_OK(sotto_dataset_save(&data, check_path("people.sotto"), &err));
    CHECK_OK(sotto_dataset_open(&again, check_path("people.sotto"), NULL, &err));
    assert_memory_equal(again.digest, data.digest, sizeof data.digest);
    sotto_dataset_free(&data);
    data = again;
  }
  sotto_dataset_free(&data);
}

static void yaml_comes_back_as_it_was_written(void **state) {
  (void)state;
  static const char odd[] =
      "sotto-schema: 1\n"
      "columns:\n"
      "- {name: \"a \\\"b\\\" \\\\ c, d: #\", type: flag, missing: zero}\n"
      "- {name: \"=\", type: category, missing: mean, words: [\"\", \"null\", \"\xc3\xa9\"]}\n"
      "- {name: \"x\", type: drop}\n";
  static const char *const texts[] = {yaml, odd, "sotto-schema: 1\ncolumns: []\n",
                                      "sotto-schema: 1\nstated: no\ncolumns: []\n"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    sotto_schema *schema = parsed(texts[i]), *copy;
    CHECK_OK(sotto_i_schema_copy(&copy, schema, &err));
    expect_yaml(copy, texts[i]);
    sotto_schema_free(schema);
    sotto_schema_free(copy);
  }
}

static void yaml_that_is_no_schema_is_refused_with_its_line(void **state) {
  (void)state;
  static const struct {
    const char *text, *words;
  } table[] = {
      {"", "is empty"},
      {"a: [", "line"},
      {"- 1\n", "line 1: is not a mapping"},
      {"columns: []\n", "is not sotto-schema: 1"},
      {"sotto-schema: 2\ncolumns: []\n", "line 1: is not sotto-schema: 1"},
      {"sotto-schema: 1\n", "columns is a list"},
      {"sotto-schema: 1\nstated: perhaps\ncolumns: []\n", "line 2: stated is yes or no"},
      {"sotto-schema: 1\ncolums: []\n", "line 2: 'colums' is no key"},
      {"sotto-schema: 1\ncolumns: []\ncolumns: []\n", "line 3: a key stands twice"},
      {"sotto-schema: 1\ncolumns:\n- {name: a}\n", "line 3: a column needs a name and a type"},
      {"sotto-schema: 1\ncolumns:\n- {name: a, type: real}\n", "line 3: type is number, date"},
      {"sotto-schema: 1\ncolumns:\n- {name: a, type: number}\n- {name: a, type: date}\n",
       "line 4: a column stands twice"},
      {"sotto-schema: 1\ncolumns:\n- {name: a, type: id}\n- {name: b, type: id}\n", "line 4: is a second"},
      {"sotto-schema: 1\ncolumns:\n- {name: a, type: category}\n", "line 3: a category has words"},
      {"sotto-schema: 1\ncolumns:\n- {name: a, type: number, words: [b]}\n", "line 3: a category has words"},
      {"sotto-schema: 1\ncolumns:\n- {name: a, type: category, words: [b, c, b]}\n", "stands twice"},
      {"sotto-schema: 1\ncolumns:\n- {name: a, type: number, missing: often}\n", "missing is refuse"},
      {"sotto-schema: 1\ncolumns:\n- {name: a, type: date, since: 1970-01-01}\n", "since is for dates"},
      {"sotto-schema: 1\ncolumns:\n- {name: \"a\\x07b\", type: date}\n",
       "line 3: a name: has a control character"},
      {"sotto-schema: 1\nclasses: [a, [b]]\ncolumns: []\n", "line 2: is not a word"},
      {"sotto-schema: 1\nedges: {source: a}\ncolumns: []\n", "a source and a target"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    sotto_schema *schema;
    sotto_error err = {0};
    const sotto_status status =
        sotto_schema_parse(&schema, "schema.yaml", table[i].text, strlen(table[i].text), &err);
    if (status != SOTTO_PARSE || strstr(err.text, table[i].words) == NULL || schema != NULL)
      fail_msg("row %zu: status %d: %s", i, (int)status, err.text);
  }
}

/* people in another order of columns, words and classes, with new ones, is put in that of the first table. */
static void data_is_put_in_the_order_of_a_schema(void **state) {
  (void)state;
  static const char other[] = "label,born,id,city,age\n"
                              "low,2000-01-02,bob,Rome,23\n"
                              "alone,2000-01-03,eve,Oslo,50\n"
                              "high,1999-12-31,cem,Paris,35\n";
  sotto_dataset data = read_people(people, NULL), new = read_people(other, NULL), out;
  sotto_schema *model = schema_of(&data);
  sotto_unseen unseen;
  bool changed;
  CHECK_OK(sotto_i_schema_apply(&out, &changed, &unseen, model, 2, &new, &err));
  assert_true(changed);
  assert_int_equal(out.features.cols, data.features.cols);
  assert_memory_equal(out.features.data, data.features.data + 4, 4 * sizeof(float)); /* bob */
  assert_memory_equal(out.features.data + 8, data.features.data + 8, 4 * sizeof(float));
  assert_memory_equal(out.features.data + 4, ((const float[]){50, 0, 0, 2}), 4 * sizeof(float));
  assert_memory_equal(out.labels, ((const int32_t[]){1, -1, 0}), sizeof(int32_t[3]));
  assert_string_equal(sotto_name(&out.class_names, 1), "low");
  assert_string_equal(sotto_name(&out.node_ids, 1), "eve");
  assert_int_equal(unseen.nodes, 1);
  assert_int_equal(unseen.labels, 1);
  assert_int_equal(unseen.count, 2);
  assert_string_equal(unseen.words, "city=Oslo, alone");
  sotto_dataset_free(&out);
  CHECK_OK(sotto_i_schema_apply(&out, &changed, &unseen, model, 2, &data, &err));
  assert_false(changed);
  sotto_schema_free(model);
  sotto_dataset_free(&new);
  sotto_dataset_free(&data);
}

/* Any order of columns, sparse or dense, gives the same bytes and the same digest. */
static void any_order_of_columns_gives_the_same_data(void **state) {
  (void)state;
  static const char *const cells[4][4] = {{"age", "41", "23", "35"},
                                          {"city", "Paris", "Rome", "Paris"},
                                          {"born", "1990-01-31", "2000-01-02", "1999-12-31"},
                                          {"label", "high", "low", "high"}};
  static const char *const ids[] = {"id", "ann", "bob", "cem"};
  sotto_i_random random = check_random();
  for (int round = 0; round < 24; round++) {
    size_t order[4] = {0, 1, 2, 3};
    char text[400] = "";
    sotto_i_features_sparse_always(round % 2 == 1);
    for (size_t j = 3; j > 0; j--) {
      const size_t k = (size_t)sotto_i_random_below(&random, j + 1), held = order[j];
      order[j] = order[k];
      order[k] = held;
    }
    for (size_t i = 0; i < 4; i++) {
      (void)strcat(text, ids[i]);
      for (size_t j = 0; j < 4; j++) (void)strcat(strcat(text, ","), cells[order[j]][i]);
      (void)strcat(text, "\n");
    }
    sotto_dataset data = read_people(people, NULL), new = read_people(text, NULL), out = {0};
    sotto_schema *model = schema_of(&data);
    sotto_unseen unseen;
    bool changed;
    CHECK_OK(sotto_i_schema_apply(&out, &changed, &unseen, model, 2, &new, &err));
    assert_memory_equal(changed ? out.digest : new.digest, data.digest, sizeof data.digest);
    assert_memory_equal(changed ? out.account : new.account, data.account, sizeof data.account);
    assert_int_equal(unseen.count, 0);
    sotto_dataset_free(&out);
    sotto_schema_free(model);
    sotto_dataset_free(&new);
    sotto_dataset_free(&data);
  }
  sotto_i_features_sparse_always(false);
}

static void columns_that_do_not_fit_are_named_on_both_sides(void **state) {
  (void)state;
  static const struct {
    const char *table, *words;
  } rows[] = {
      {"id,age,city\na,1,Rome\n", "Missing: born. Rename"},
      {"id,years,city,born,note\na,1,Rome,2000-01-01,3\n", "Missing: age. Not in the model: years, note."},
      {"id,age,city,born\na,1,7,2000-01-01\n", "Of another type: city (category in the model, number here)"},
      {"id,age,city,born\na,1,Rome,12\n", "Of another type: born (date in the model, number here)"},
  };
  sotto_dataset data = read_people(people, NULL);
  sotto_schema *model = schema_of(&data);
  sotto_unseen unseen;
  bool changed;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_dataset new = read_people(rows[i].table, NULL), out;
    CHECK_FAILS(SOTTO_INVALID, rows[i].words,
                sotto_i_schema_apply(&out, &changed, &unseen, model, 2, &new, &err));
    sotto_dataset_free(&new);
  }
  sotto_schema_free(model);
  sotto_dataset_free(&data);
}

static void names_on_one_side_alone_are_refused(void **state) {
  (void)state;
  static const float cells[] = {1, 2, 3, 4};
  const sotto_arrays arrays = {.nodes = 2, .features = cells, .feature_columns = 2};
  sotto_dataset named = read_people("id,age,size\na,1,2\nb,3,4\n", NULL), bare, out;
  sotto_schema *model = schema_of(&named), *nothing = parsed("sotto-schema: 1\ncolumns: []\n");
  sotto_unseen unseen;
  bool changed;
  CHECK_OK(sotto_dataset_from_arrays(&bare, &arrays, &err));
  CHECK_FAILS(SOTTO_INVALID, "The model reads: age, size.",
              sotto_i_schema_apply(&out, &changed, &unseen, model, 0, &bare, &err));
  CHECK_FAILS(SOTTO_INVALID, "The data has: age, size.",
              sotto_i_schema_apply(&out, &changed, &unseen, nothing, 0, &named, &err));
  CHECK_OK(sotto_i_schema_apply(&out, &changed, &unseen, nothing, 0, &bare, &err));
  assert_false(changed);
  sotto_schema_free(model);
  sotto_schema_free(nothing);
  sotto_dataset_free(&bare);
  sotto_dataset_free(&named);
}

/* Classes 0, 1, 2 have no names; a table with 1 and 2 alone has, and its first class is 1. */
static void classes_that_are_numbers_keep_their_numbers(void **state) {
  (void)state;
  sotto_dataset data = read_people("id,x,label\na,1,0\nb,3,1\nc,4,2\n", NULL), out;
  sotto_dataset new = read_people("id,x,label\na,1,2\nb,3,1\nc,4,7\n", NULL);
  sotto_schema *model = schema_of(&data);
  sotto_unseen unseen;
  bool changed;
  CHECK_OK(sotto_i_schema_apply(&out, &changed, &unseen, model, 3, &new, &err));
  assert_true(changed);
  assert_memory_equal(out.labels, ((const int32_t[]){2, 1, -1}), sizeof(int32_t[3]));
  assert_int_equal(out.classes, 3);
  assert_string_equal(unseen.words, "7");
  sotto_dataset_free(&out);
  sotto_schema_free(model);
  sotto_dataset_free(&new);
  sotto_dataset_free(&data);
}

static void a_stated_schema_decides_types_words_and_classes(void **state) {
  (void)state;
  static const char stated[] = "sotto-schema: 1\n"
                               "classes: [low, high, none]\n"
                               "columns:\n"
                               "- {name: key, type: id}\n"
                               "- {name: zip, type: category, words: [\"20\", \"10\", NA]}\n"
                               "- {name: paid, type: flag}\n"
                               "- {name: x, type: number, missing: zero}\n"
                               "- {name: grade, type: label}\n"
                               "- {name: note, type: drop}\n";
  sotto_schema *schema = parsed(stated);
  const sotto_import_options options = {.schema = schema};
  sotto_dataset data =
      read_people("note,paid,key,x,zip,grade\nn,Yes,ann,,10,high\nn,0,bob,3,NA,low\n", &options);
  assert_int_equal(data.features.cols, 5);
  assert_memory_equal(data.features.data, ((const float[]){1, 0, 0, 1, 0, 0, 3, 0, 0, 1}), sizeof(float[10]));
  assert_memory_equal(data.labels, ((const int32_t[]){1, 0}), sizeof(int32_t[2]));
  assert_int_equal(data.classes, 3);
  assert_int_equal(data.classes_from, SOTTO_CLASSES_DECLARED);
  assert_string_equal(sotto_name(&data.node_ids, 1), "bob");
  sotto_dataset_free(&data);
  static const struct {
    const char *table, *words;
    sotto_status status;
  } rows[] = {
      {"key,zip,paid,x,grade\na,10,1,2,high\nb,30,1,2,high\n",
       "line 3, column 2: '30' is none of the words that the schema states", SOTTO_PARSE},
      {"key,zip,paid,x,grade\na,10,1,2,higher\n", "line 2, column 5: 'higher' is none of the words",
       SOTTO_PARSE},
      {"key,zip,paid,x\na,10,maybe,2\n", "line 2, column 3: 'maybe' is no flag", SOTTO_PARSE},
      {"key,zip,paid,x\na,10,1,much\n", "line 2, column 4: 'much' is not a finite number", SOTTO_PARSE},
      {"key,zip,paid\na,10,1\n", "has no column 'x'", SOTTO_NOT_FOUND},
      {"key,zip,paid,x,y\na,10,1,2,3\n", "has a column 'y', and the schema none", SOTTO_INVALID},
      {"id,zip,paid,x\na,10,1,2\n", "has a column 'id', and the schema none", SOTTO_INVALID},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CHECK_FAILS(rows[i].status, rows[i].words, check_read_texts(&data, NULL, rows[i].table, &options, &err));
  sotto_schema_free(schema);
}

/* As predict reads a table of the next day. */
static void further_words_follow_the_stated_ones(void **state) {
  (void)state;
  sotto_schema *schema = parsed("sotto-schema: 1\nclasses: [b, a]\ncolumns:\n- {name: id, type: id}\n"
                                "- {name: code, type: category, words: [\"7\", \"5\"]}\n"
                                "- {name: label, type: label}\n");
  const sotto_import_options options = {.schema = schema, .others = true};
  sotto_dataset data = read_people("label,id,code\na,x,9\nc,y,5\n0,z,1\n", &options);
  assert_int_equal(data.features.cols, 4);
  assert_string_equal(sotto_name(&data.feature_names, 0), "code=7");
  assert_string_equal(sotto_name(&data.feature_names, 2), "code=1");
  assert_memory_equal(data.labels, ((const int32_t[]){1, 3, 2}), sizeof(int32_t[3]));
  sotto_dataset_free(&data);
  sotto_schema_free(schema);
}

static void statistics_are_kept_to_the_last_bit_and_for_all_features(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  sotto_schema *schema = parsed(yaml), *again;
  double moments[8];
  char *text;
  for (size_t i = 0; i < 8; i++) moments[i] = sotto_i_random_double(&random) * (i % 2 == 0 ? 1e9 : 1e-9);
  CHECK_OK(sotto_i_schema_set_moments(schema, moments, &err));
  CHECK_OK(sotto_schema_yaml(&text, schema, &err));
  again = parsed(text);
  assert_memory_equal(again->moments, moments, sizeof moments);
  char *one = strstr(text, ", mean");
  memset(one, ' ', (size_t)(strchr(one, '}') - one)); /* the first column has none any more */
  sotto_schema_free(again);
  CHECK_FAILS(SOTTO_PARSE, "some features have a mean and a variance, and others have not",
              sotto_schema_parse(&again, "schema.yaml", text, strlen(text), &err));
  sotto_text_free(text);
  sotto_schema_free(schema);
}

/* Reads, matches and saves the new table; 0 or a failure. */
static sotto_status match_once(const sotto_dataset *data, const sotto_dataset *new, sotto_error *err) {
  sotto_schema *model = NULL, *again = NULL;
  sotto_dataset out = {0};
  sotto_unseen unseen;
  char *text = NULL;
  bool changed;
  sotto_status status;
  SOTTO_TRY(sotto_schema_of(&model, data, err));
  SOTTO_TRY(sotto_i_schema_set_moments(model, (const double[8]){1}, err));
  SOTTO_TRY(sotto_i_schema_apply(&out, &changed, &unseen, model, 2, new, err));
  SOTTO_TRY(sotto_schema_yaml(&text, model, err));
  SOTTO_TRY(sotto_schema_parse(&again, "again.yaml", text, strlen(text), err));
  assert_memory_equal(again->moments, model->moments, sizeof(double[8]));
done:
  sotto_dataset_free(&out);
  sotto_text_free(text);
  sotto_schema_free(model);
  sotto_schema_free(again);
  return status;
}

static void each_allocation_that_fails_gives_an_error_and_no_leak(void **state) {
  (void)state;
  sotto_dataset data = read_people(people, NULL);
  sotto_dataset new = read_people("label,born,id,city,age\nlow,2000-01-02,bob,Oslo,23\n", NULL);
  CHECK_OK(match_once(&data, &new, &err));
  for (uint64_t n = 1;; n++) {
    sotto_error err = {0};
    (void)sotto_i_memory_fail_at(n);
    const sotto_status status = match_once(&data, &new, &err);
    const bool reached = sotto_i_memory_fail_at(0) >= n;
    if (!reached) {
      assert_int_equal(status, SOTTO_OK);
      break;
    }
    if (status != SOTTO_NOMEM || err.text[0] == '\0') fail_msg("allocation %d: %s", (int)n, err.text);
  }
  sotto_dataset_free(&new);
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(words_of_a_schema_have_the_form_of_cells),
      cmocka_unit_test(a_table_has_a_schema_that_native_files_keep),
      cmocka_unit_test(words_that_yaml_refuses_are_escaped),
      cmocka_unit_test(yaml_comes_back_as_it_was_written),
      cmocka_unit_test(yaml_that_is_no_schema_is_refused_with_its_line),
      cmocka_unit_test(data_is_put_in_the_order_of_a_schema),
      cmocka_unit_test(any_order_of_columns_gives_the_same_data),
      cmocka_unit_test(columns_that_do_not_fit_are_named_on_both_sides),
      cmocka_unit_test(names_on_one_side_alone_are_refused),
      cmocka_unit_test(classes_that_are_numbers_keep_their_numbers),
      cmocka_unit_test(a_stated_schema_decides_types_words_and_classes),
      cmocka_unit_test(further_words_follow_the_stated_ones),
      cmocka_unit_test(statistics_are_kept_to_the_last_bit_and_for_all_features),
      cmocka_unit_test(each_allocation_that_fails_gives_an_error_and_no_leak),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
