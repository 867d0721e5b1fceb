/* Tables that can be read in two ways: what is decided, and what is asked. */
#include "check.h"
#include "table_texts.h"

/* A column `x` of three cells, between ids and labels. */
static void column(char out[400], const char *cell, const char *second) {
  (void)snprintf(out, 400, "id;x;label\na;%s;u\nb;%s;v\nc;%s;u\n", cell, second, cell);
}

static void numbers_for_people_are_refused_with_the_cell(void **state) {
  static const char *const cells[][2] = {{"1,5", "has a comma"},
                                         {"12%", "per cent"},
                                         {"1 000", "blanks or apostrophes"},
                                         {"1'000", "blanks or apostrophes"},
                                         {"\xE2\x82\xAC"
                                          "12",
                                          "currency"},
                                         {"12 \xE2\x82\xAC", "currency"},
                                         {"$1,200.50", "currency"},
                                         {"(5)", "in brackets"},
                                         {"5-", "sign behind"},
                                         {"inf", "not a finite number"},
                                         {"-Infinity", "not a finite"},
                                         {"1e39", "3.4e38"},
                                         {"1.234.567", "between thousands"},
                                         {"1,234,567", "between thousands"},
                                         {"31.01.2024", "is a date"},
                                         {"1/31/2024", "is a date"},
                                         {"2024/01/31", "is a date"},
                                         {"2024-02-30", "no day of the calendar"},
                                         {"12:30", "time of day"},
                                         {"9:30:05", "time of day"},
                                         {"0x1F", "base 16"},
                                         {"1_000", "underscores"},
                                         {"1.5D+02", "Fortran"},
                                         {"-1.#IND", "not a finite"},
                                         {"#DIV/0!", "error of a spreadsheet"},
                                         {"=A1+B1", "formula of a spreadsheet"},
                                         {"\xD9\xA3\xD9\xA4", "another script"},
                                         {"\xEF\xBC\x91\xEF\xBC\x92", "another script"}};
  (void)state;
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
    for (int later = 0; later < 2; later++) {
      char text[400], where[80];
      sotto_dataset data;
      column(text, later ? "4" : cells[i][0], cells[i][0]);
      (void)snprintf(where, sizeof where, "line %d, column 2: '%s'", 2 + later, cells[i][0]);
      sotto_error error = {0};
      const sotto_status status = check_read_texts(&data, NULL, text, NULL, &error);
      if (status != SOTTO_PARSE || strstr(error.text, where) == NULL ||
          strstr(error.text, cells[i][1]) == NULL)
        fail_msg("'%s': status %d, %s", cells[i][0], (int)status, error.text);
    }
}

static void words_stay_words(void **state) {
  static const char *const cells[] = {"A1", "3-4", "1.2.3.4", "v1", "5x", "a,b", "1 2", "12-34"};
  (void)state;
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    char text[400];
    sotto_dataset data;
    column(text, cells[i], "other");
    CHECK_OK(check_read_texts(&data, NULL, text, NULL, &err));
    assert_int_equal(data.reading->columns[1].kind, SOTTO_COLUMN_CATEGORY);
    assert_int_equal(data.features.cols, 2);
    sotto_dataset_free(&data);
  }
}

static void a_decimal_comma_is_read_when_it_is_said(void **state) {
  static const struct {
    const char *cell;
    float value;
  } good[] = {{"1,5", 1.5F}, {"-2,25", -2.25F}, {"1.234,5", 1234.5F}, {"7", 7}, {"1.000.000", 1e6F}};
  const sotto_import_options comma = {.decimal_comma = true};
  char text[400];
  sotto_dataset data;
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    column(text, good[i].cell, "3");
    CHECK_OK(check_read_texts(&data, NULL, text, &comma, &err));
    assert_true(data.features.data[0] == good[i].value);
    sotto_dataset_free(&data);
  }
  static const char *const bad[] = {"1.5", "0.500", "1234.567", "1.23"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    column(text, bad[i], "3"); /* neither a comma nor a group of three */
    CHECK_FAILS(SOTTO_PARSE, "has a decimal point, and the decimal sign is a comma",
                check_read_texts(&data, NULL, text, &comma, &err));
  }
  column(text, "1.5", "3");
  CHECK_FAILS(SOTTO_PARSE, "column 2: '1.5'", check_read_texts(&data, NULL, text, &comma, &err));
}

static void dates_are_days(void **state) {
  static const struct {
    const char *cell;
    float days;
  } good[] = {{"2000-01-01", 0},
              {"1999-12-31", -1},
              {"2024-02-29", 8825},
              {"1970-01-01", -10957},
              {"2000-01-02T06:00:00Z", 1.25F},
              {"2000-01-01 12:00", 0.5F},
              {"2100-03-01", 36584}};
  char text[400];
  sotto_dataset data;
  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    column(text, good[i].cell, "2001-01-01");
    CHECK_OK(check_read_texts(&data, NULL, text, NULL, &err));
    assert_int_equal(data.reading->columns[1].kind, SOTTO_COLUMN_DATE);
    if (data.features.data[0] != good[i].days)
      fail_msg("%s: %g days", good[i].cell, (double)data.features.data[0]);
    sotto_dataset_free(&data);
  }
  column(text, "2024-01-31", "7");
  CHECK_FAILS(SOTTO_PARSE, "line 3, column 2: '7' is not a date",
              check_read_texts(&data, NULL, text, NULL, &err));
}

/* Labels of four nodes, the first and the last of them the same. */
static sotto_status labels(sotto_dataset *out, const char *first, const char *second, const char *third,
                           const sotto_import_options *options, sotto_error *err) {
  char text[400];
  (void)snprintf(text, sizeof text, "id,x,label\n1,0.5,%s\n2,1,%s\n3,2,%s\n4,4,%s\n", first, second, third,
                 first);
  return check_read_texts(out, NULL, text, options, err);
}

static void a_label_without_a_value_is_no_class(void **state) {
  static const char *const missing[] = {"", "NA", "nan", "NaN", "None", "null", "?", "-1", "unknown", "N/A"};
  const sotto_import_options none = {.missing_words = ""}, other = {.missing_words = "tbd,-"};
  sotto_dataset data;
  (void)state;
  for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
    CHECK_OK(labels(&data, missing[i], "a", "b", NULL, &err));
    assert_int_equal(data.classes, 2);
    assert_int_equal(data.labels[0], -1);
    assert_int_equal(data.labels[3], -1);
    assert_int_equal(data.reading->columns[2].missing, 2);
    if (i > 0) assert_string_equal(data.reading->columns[2].missing_words, missing[i]);
    sotto_dataset_free(&data);
  }
  CHECK_OK(labels(&data, "NA", "a", "b", &none, &err)); /* Namibia */
  assert_int_equal(data.classes, 3);
  sotto_dataset_free(&data);
  CHECK_OK(labels(&data, "tbd", "a", "-", &other, &err));
  assert_int_equal(data.classes, 1);
  sotto_dataset_free(&data);
}

static void labels_that_may_be_two_things_are_asked_about(void **state) {
  const sotto_import_options class = {.missing_words = "NA"}, none = {.missing_words = "-1"};
  char text[4000] = "id,x,label\n";
  sotto_dataset data;
  (void)state;
  CHECK_FAILS(SOTTO_INVALID, "'label' has -1 among its labels", labels(&data, "-1", "1", "1", NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "'label' has -1 among its labels", labels(&data, "-1", "0", "1", NULL, &err));
  CHECK_OK(labels(&data, "-1", "1", "1", &class, &err));
  assert_int_equal(data.classes, 2);
  sotto_dataset_free(&data);
  CHECK_OK(labels(&data, "-1", "0", "1", &none, &err));
  assert_int_equal(data.classes, 2);
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_INVALID, "'label' has real numbers", labels(&data, "0.5", "1.25", "7.75", NULL, &err));
  CHECK_OK(labels(&data, "0.0", "1.0", "NaN", NULL, &err)); /* whole numbers, as pandas writes them */
  assert_int_equal(data.classes, 2);
  sotto_dataset_free(&data);
  for (int i = 0; i < 60; i++) {
    char line[40];
    (void)snprintf(line, sizeof line, "n%d,%d,c%d\n", i, i / 2, i % 30);
    (void)strcat(text, line);
  }
  CHECK_FAILS(SOTTO_INVALID, "'label' has more classes than a tenth",
              check_read_texts(&data, NULL, text, NULL, &err));
  const sotto_import_options said = {.label = "label"}, typed = {.types = "label=label"};
  for (int i = 0; i < 2; i++) {
    CHECK_OK(check_read_texts(&data, NULL, text, i == 0 ? &said : &typed, &err));
    assert_int_equal(data.classes, 30);
    sotto_dataset_free(&data);
  }
}

static void names_that_are_nearly_known_are_asked_about(void **state) {
  static const char *const label[] = {"lable", "labels", "Labl", "label_", "class", "Target", "y"};
  static const char *const split[] = {"splits", "slpit", "spit"};
  const sotto_import_options feature = {.types = "lable=category"}, is_label = {.label = "lable"};
  char text[200];
  sotto_dataset data;
  (void)state;
  for (size_t i = 0; i < sizeof label / sizeof *label; i++) {
    (void)snprintf(text, sizeof text, "id,%s\n1,u\n2,v\n", label[i]);
    CHECK_FAILS(SOTTO_INVALID, "may have the classes, or be a feature",
                check_read_texts(&data, NULL, text, NULL, &err));
    (void)snprintf(text, sizeof text, "id,%s,label\n1,u,a\n2,v,b\n", label[i]);
    CHECK_OK(check_read_texts(&data, NULL, text, NULL, &err));
    sotto_dataset_free(&data);
  }
  for (size_t i = 0; i < sizeof split / sizeof *split; i++) {
    (void)snprintf(text, sizeof text, "id,%s\n1,train\n2,test\n", split[i]);
    CHECK_FAILS(SOTTO_INVALID, "may have the split, or be a feature",
                check_read_texts(&data, NULL, text, NULL, &err));
  }
  CHECK_OK(check_read_texts(&data, NULL, "id,x,y\n1,2,3\n2,4,5\n", NULL, &err)); /* coordinates */
  sotto_dataset_free(&data);
  CHECK_OK(check_read_texts(&data, NULL, "id,lable\n1,u\n2,v\n", &feature, &err));
  assert_int_equal(data.classes, 0);
  sotto_dataset_free(&data);
  CHECK_OK(check_read_texts(&data, NULL, "id,lable\n1,u\n2,v\n", &is_label, &err));
  assert_int_equal(data.classes, 2);
  sotto_dataset_free(&data);
}

static void types_say_what_a_column_is(void **state) {
  const sotto_import_options good = {.types = "k=id,zip=category,t=drop,c=label"},
                             bad = {.types = "zip=colour"}, missing = {.types = "zap=number"};
  static const char text[] = "zip,t,k,c\n10,x,a,u\n20,y,b,v\n";
  sotto_dataset data;
  (void)state;
  CHECK_OK(check_read_texts(&data, "a,b\n", text, &good, &err));
  assert_int_equal(data.features.cols, 2);
  assert_int_equal(data.classes, 2);
  assert_string_equal(sotto_name(&data.node_ids, 1), "b");
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_INVALID, "types: 'zip=colour' is not NAME=TYPE",
              check_read_texts(&data, NULL, text, &bad, &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "has no column 'zap'", check_read_texts(&data, NULL, text, &missing, &err));
}

static void what_options_or_names_say_twice_is_refused(void **state) {
  static const sotto_import_options twice[] = {{.types = "x=number,x=category"},
                                               {.types = "x=number,x=category"},
                                               {.types = "x=drop,x=category"},
                                               {.label = "x", .types = "x=drop"}};
  const sotto_import_options label = {.label = "x"}, ids = {.types = "node_id=id"};
  static const char text[] = "id,x,z\n1,2,3\n2,4,5\n";
  sotto_dataset data;
  (void)state;
  for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
    CHECK_FAILS(SOTTO_INVALID, "column 'x' is named more than once",
                check_read_texts(&data, NULL, text, &twice[i], &err));
  CHECK_FAILS(SOTTO_INVALID, "there is no table of nodes",
              check_read_texts(&data, "a,b\nb,c\n", NULL, &label, &err));
  CHECK_FAILS(SOTTO_PARSE, "columns 2 and 3 have the name 'x'",
              check_read_texts(&data, NULL, "id,x,x\n1,2,3\n", NULL, &err));
  CHECK_FAILS(SOTTO_PARSE, "column 1 has no name",
              check_read_texts(&data, NULL, ",id,x\n0,1,2\n", NULL, &err));
  CHECK_FAILS(SOTTO_INVALID, "'node_id' may have the ids",
              check_read_texts(&data, NULL, "rank,node_id\n1,b\n2,a\n", NULL, &err));
  CHECK_OK(check_read_texts(&data, NULL, "rank,node_id\n1,b\n2,a\n", &ids, &err));
  assert_string_equal(sotto_name(&data.node_ids, 0), "b");
  sotto_dataset_free(&data);
  CHECK_OK(check_read_texts(&data, NULL, ",x\na,2\nb,4\n", NULL, &err)); /* an index that is the ids */
  sotto_dataset_free(&data);
}

static void a_table_of_nodes_is_no_list_of_edges(void **state) {
  const sotto_import_options none = {.missing_words = ""};
  sotto_dataset data;
  (void)state;
  CHECK_FAILS(SOTTO_INVALID, "names of a table of nodes",
              check_read_texts(&data, "id,age,label\n1,30,a\n2,40,b\n", NULL, NULL, &err));
  CHECK_FAILS(SOTTO_PARSE, "line 3, column 2: 'NA' is a word for a missing value",
              check_read_texts(&data, "payer,payee\na,b\na,NA\n", NULL, NULL, &err));
  CHECK_OK(check_read_texts(&data, "payer,payee\na,b\na,NA\n", NULL, &none, &err));
  assert_int_equal(data.graph.nodes, 3);
  sotto_dataset_free(&data);
}

static void a_column_of_texts_is_asked_about(void **state) {
  const sotto_import_options said = {.types = "name=category"};
  char text[2000] = "id,name\n";
  sotto_dataset data;
  (void)state;
  for (int i = 0; i < 30; i++) {
    char line[40];
    (void)snprintf(line, sizeof line, "%d,name %c%c\n", i, 'a' + i % 26, 'a' + i / 26);
    (void)strcat(text, line);
  }
  CHECK_FAILS(SOTTO_INVALID, "'name' has another word in each line",
              check_read_texts(&data, NULL, text, NULL, &err));
  CHECK_OK(check_read_texts(&data, NULL, text, &said, &err));
  assert_int_equal(data.features.cols, 30);
  sotto_dataset_free(&data);
}

/* A table of so many nodes, whose column x has what the function writes. */
static sotto_status of_many(int nodes, void (*write)(char *out, int node), const char *types,
                            sotto_error *why) {
  static char text[1 << 14];
  char cell[40];
  sotto_dataset data;
  const sotto_import_options options = {.types = types};
  size_t used = (size_t)snprintf(text, sizeof text, "id,x\n");
  for (int i = 0; i < nodes; i++) {
    write(cell, i);
    used += (size_t)snprintf(text + used, sizeof text - used, "n%d,%s\n", i, cell);
  }
  const sotto_status status = check_read_texts(&data, NULL, text, &options, why);
  sotto_dataset_free(&data);
  return status;
}

static void shuffled(char *out, int node) {
  (void)sprintf(out, "%d", 7 + node * 29 % 100);
}

static void nearly_shuffled(char *out, int node) {
  (void)sprintf(out, "%d", node == 3 ? 8 : 7 + node * 29 % 100);
}

static void with_a_gap(char *out, int node) {
  (void)sprintf(out, "%d", node * 29 % 100 + (node == 3));
}

static void as_fractions(char *out, int node) {
  (void)sprintf(out, "%d.5", node);
}

static void a_column_that_numbers_the_nodes_is_asked_about(void **state) {
  (void)state;
  static const char words[] = "column 'x' numbers the nodes";
  CHECK_FAILS(SOTTO_INVALID, words, of_many(100, shuffled, NULL, &err));
  CHECK_OK(of_many(100, shuffled, "x=number", &err));
  CHECK_OK(of_many(100, shuffled, "x=drop", &err));
  CHECK_OK(of_many(99, shuffled, NULL, &err));
  CHECK_OK(of_many(20, as_fractions, NULL, &err));
  CHECK_OK(of_many(100, nearly_shuffled, NULL, &err));
  CHECK_OK(of_many(100, with_a_gap, NULL, &err));
  CHECK_OK(of_many(100, as_fractions, NULL, &err));
}

static void numbers_that_may_be_names_are_asked_about_with_their_cell(void **state) {
  (void)state;
  static const struct {
    const char *cell, *words; /* NULL: a number */
  } table[] = {{"01234", "'01234' begins with a zero"},
               {"00", "begins with a zero"},
               {"+049170", "begins with a zero"},
               {"-07", "begins with a zero"},
               {"123456789", "more digits than a feature holds"},
               {"+491701234567", "more digits"},
               {"-16777217", "more digits"},
               {"99999999999999999999999", "more digits"},
               {"0", NULL},
               {"0.5", NULL},
               {"16777216", NULL},
               {"33554432", NULL},
               {"1e9", NULL},
               {"123456789.5", NULL}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int later = 0; later < 2; later++) {
      char text[400], where[80];
      sotto_dataset data;
      column(text, later ? "4" : table[i].cell, table[i].cell);
      (void)snprintf(where, sizeof where, "line %d, column 2: '%s'", 2 + later, table[i].cell);
      if (table[i].words == NULL) {
        CHECK_OK(check_read_texts(&data, NULL, text, NULL, &err));
        sotto_dataset_free(&data);
        continue;
      }
      CHECK_FAILS(SOTTO_INVALID, table[i].words, check_read_texts(&data, NULL, text, NULL, &err));
      CHECK_FAILS(SOTTO_INVALID, where, check_read_texts(&data, NULL, text, NULL, &err));
      for (int k = 0; k < 2; k++) {
        const sotto_import_options options = {.types = k == 0 ? "x=number" : "x=category"};
        CHECK_OK(check_read_texts(&data, NULL, text, &options, &err));
        assert_int_equal(data.features.cols, k == 0 ? 1 : 1 + later);
        sotto_dataset_free(&data);
      }
    }
}

static void words_that_differ_in_capitals_alone_are_asked_about(void **state) {
  (void)state;
  static const char text[] = "id,on,label\na,True,u\nb,TRUE,v\nc,false,u\n",
                    labels_differ[] = "id,x,label\na,1,Yes\nb,2,yes\n";
  const sotto_import_options apart = {.types = "on=category"}, label = {.label = "label"};
  sotto_dataset data;
  CHECK_FAILS(SOTTO_INVALID, "column 'on' has words that differ in their capitals alone",
              check_read_texts(&data, NULL, text, NULL, &err));
  CHECK_OK(check_read_texts(&data, NULL, text, &apart, &err));
  assert_int_equal(data.features.cols, 3);
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_INVALID, "column 'label' has words that differ in their capitals alone",
              check_read_texts(&data, NULL, labels_differ, NULL, &err));
  CHECK_OK(check_read_texts(&data, NULL, labels_differ, &label, &err));
  sotto_dataset_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_column_that_numbers_the_nodes_is_asked_about),
      cmocka_unit_test(numbers_that_may_be_names_are_asked_about_with_their_cell),
      cmocka_unit_test(words_that_differ_in_capitals_alone_are_asked_about),
      cmocka_unit_test(numbers_for_people_are_refused_with_the_cell),
      cmocka_unit_test(words_stay_words),
      cmocka_unit_test(a_decimal_comma_is_read_when_it_is_said),
      cmocka_unit_test(dates_are_days),
      cmocka_unit_test(a_label_without_a_value_is_no_class),
      cmocka_unit_test(labels_that_may_be_two_things_are_asked_about),
      cmocka_unit_test(names_that_are_nearly_known_are_asked_about),
      cmocka_unit_test(types_say_what_a_column_is),
      cmocka_unit_test(what_options_or_names_say_twice_is_refused),
      cmocka_unit_test(a_table_of_nodes_is_no_list_of_edges),
      cmocka_unit_test(a_column_of_texts_is_asked_about),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
