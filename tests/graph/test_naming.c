/* Names of columns and classes of several owners: their union, and a dataset in its order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "graph/features.h"
#include "graph/tables/naming.h"

/* Names of a text such as "column a\ncolumn b\n". */
static sotto_i_naming read(const char *text) {
  sotto_i_naming out;
  CHECK_OK(sotto_i_naming_read(&out, text, strlen(text), &err));
  return out;
}

static void expect_text(const sotto_i_naming *naming, const char *wanted) {
  char *text = NULL;
  size_t size = 0;
  CHECK_OK(sotto_i_naming_write(&text, &size, naming, &err));
  assert_int_equal(size, strlen(wanted));
  assert_memory_equal(text, wanted, size);
  sotto_i_free(text);
}

static void expect_joined(const char *first, const char *second, const char *wanted) {
  sotto_i_naming known = read(first), said = read(second);
  CHECK_OK(sotto_i_naming_join(&known, "client1", &said, "client2", &err));
  expect_text(&known, wanted);
  sotto_i_naming_free(&known);
  sotto_i_naming_free(&said);
}

static void expect_refused(const char *first, const char *second, const char *words) {
  sotto_i_naming known = read(first), said = read(second);
  sotto_error err = {0};
  assert_int_equal(sotto_i_naming_join(&known, "client1", &said, "client2", &err), SOTTO_INVALID);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
  sotto_i_naming_free(&known);
  sotto_i_naming_free(&said);
}

static void columns_keep_the_order_of_the_first_owner(void **state) {
  (void)state;
  expect_joined("column b\ncolumn a\nclasses 2\n", "column a\ncolumn b\nclasses 2\n",
                "column b\ncolumn a\nclasses 2\n");
}

static void one_declared_scaling_is_needed(void **state) {
  (void)state;
  static const char a[] = "column x\nclasses 2\nsuited\n";
  static const char b[] = "column x\nclasses 2\nscaling "
                          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n";
  static const char c[] = "column x\nclasses 2\nscaling "
                          "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n";
  expect_joined(a, a, a);
  expect_joined(a, "column x\nclasses 2\n", "column x\nclasses 2\n");
  expect_joined(b, b, b);
  expect_refused(a, b, "variances that client2 declares are not those of client1");
  expect_refused(b, c, "Give all the same schema");
}

static void a_column_is_filled_alike(void **state) {
  (void)state;
  static const char none[] = "column age\ncolumn town\nclasses 2\n";
  static const char a[] =
      "column age\ncolumn town\nclasses 2\nfilled age\nfill value 40\nfilled town\nfill value a b\n";
  static const char b[] = "column age\ncolumn town\nclasses 2\nfilled age\nfill value 41\n";
  static const char mean[] = "column age\ncolumn town\nclasses 2\nfilled age\nfill mean\n";
  expect_joined(a, a, a);
  expect_joined(none, a, a);
  expect_joined(a, none, a);
  expect_refused(a, b, "'age' without a value are filled with 41 at client2, and with 40 at another client");
  expect_refused(a, mean, "filled with its own mean at client2, and with 40");
}

static void words_of_a_category_and_classes_become_the_union(void **state) {
  (void)state;
  expect_joined("column age\ncolumn town=b\ncolumn town=d\nclass low\n",
                "column town=a\ncolumn town=d\ncolumn age\nclass high\nclass low\n",
                "column age\ncolumn town=a\ncolumn town=b\ncolumn town=d\nclass high\nclass low\n");
  expect_joined("column size=9\nclass 9\n", "column size=10\nclass 10\n",
                "column size=9\ncolumn size=10\nclass 9\nclass 10\n");
}

static void numbers_from_zero_need_no_names(void **state) {
  (void)state;
  expect_joined("columns 3\nclass 0\nclass 2\n", "columns 3\nclasses 2\n", "columns 3\nclasses 3\n");
  expect_joined("columns 3\nclasses 2\n", "columns 3\nclasses 4\n", "columns 3\nclasses 4\n");
  expect_joined("columns 3\nclasses 0\n", "columns 3\nclass a\nclass b\n", "columns 3\nclass a\nclass b\n");
}

static void what_does_not_fit_is_named(void **state) {
  (void)state;
  expect_refused("column a\ncolumn b\n", "column a\n", "client2 has no 'b', which client1 has");
  expect_refused("column a\n", "column a\ncolumn b\n", "client1 has no 'b', which client2 has");
  expect_refused("column a\ncolumn b\n", "column a\ncolumn c\n",
                 "client2 has no 'b', and client1 has no 'c'");
  expect_refused("column a\n", "column a=1\n", "'a' is a category at client2, and a number at client1");
  expect_refused("column a\n", "columns 1\n", "those of client1 have names, and those of client2 have none");
  expect_refused("columns 2\n", "columns 3\n", "client2 has 3 columns of features, and client1 2");
  expect_refused("columns 1\nclass a\nclass b\n", "columns 1\nclasses 2\n", "client1 are words");
  expect_refused("columns 1\nclasses 3\ndeclared\n", "columns 1\nclasses 4\n",
                 "client2 has 4 classes, and client1 3");
  expect_refused("columns 1\nclasses 3\n", "columns 1\nclasses 2\ndeclared\n",
                 "client2 has 2 classes, and client1 3");
}

static void types_and_capitals_that_differ_are_named(void **state) {
  (void)state;
  expect_refused("column since\ntyped\ndate since\n", "column since\ntyped\n",
                 "'since' is a date at client1, and none at client2");
  expect_refused("column since\ntyped\n", "column since\ntyped\ndate since\n",
                 "'since' is a date at client2, and none at client1");
  expect_joined("column since\ntyped\ndate since\nclasses 0\n", "column since\nclasses 0\n",
                "column since\nclasses 0\ntyped\ndate since\n");
  expect_refused("columns 1\nclass Good\n", "columns 1\nclass good\n",
                 "'Good' and 'good' differ in capitals alone");
  expect_refused("column t=ULM\n", "column t=Ulm\n", "'t=ULM' and 't=Ulm' differ in capitals alone");
}

static void a_text_of_other_things_is_refused(void **state) {
  static const char *const bad[] = {"columns x\n",           "columns \n",          "rows 3\n",
                                    "classes 99999999999\n", "column a\x01\n",      "declared twice\n",
                                    "column a\n\n",          "classes 4294967295\n"};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    sotto_i_naming out;
    sotto_error err = {0};
    assert_int_equal(sotto_i_naming_read(&out, bad[i], strlen(bad[i]), &err), SOTTO_PROTOCOL);
  }
}

enum { nodes = 40, most = 7 };

/* Joined with itself in any order of columns, a table has each value under the name that it had. */
static void arranged_values_stand_under_their_names(void **state) {
  (void)state;
  sotto_i_random random = check_random();
  for (int round = 0; round < 200; round++) {
    uint32_t order[most];
    char theirs[400] = "", own[400] = "";
    float values[nodes * most];
    int32_t labels[nodes];
    const size_t cols = 1 + (size_t)sotto_i_random_below(&random, most),
                 kept = 1 + (size_t)sotto_i_random_below(&random, cols);
    for (size_t j = 0; j < cols; j++) {
      const size_t other = (size_t)sotto_i_random_below(&random, j + 1);
      order[j] = order[other];
      order[other] = (uint32_t)j;
    }
    /* all columns are words of one category, so that a table may lack some */
    for (size_t j = 0; j < cols; j++) (void)snprintf(theirs + strlen(theirs), 30, "column t=%zu\n", j);
    for (size_t j = 0; j < kept; j++)
      (void)snprintf(own + strlen(own), 30, "column t=%u\n", (unsigned)order[j]);
    (void)snprintf(theirs + strlen(theirs), 30, "class a\nclass b\nclass c\n");
    (void)snprintf(own + strlen(own), 30, "class c\nclass a\n");
    for (size_t i = 0; i < nodes * kept; i++) values[i] = (float)sotto_i_random_below(&random, 3);
    for (size_t v = 0; v < nodes; v++) labels[v] = (int32_t)sotto_i_random_below(&random, 3) - 1;
    sotto_i_naming agreed = read(theirs), mine = read(own);
    const sotto_dataset data = {.name = "table",
                                .graph = {.nodes = nodes},
                                .features = {values, nodes, kept},
                                .feature_names = mine.features,
                                .labels = labels,
                                .classes = 2,
                                .class_names = mine.labels};
    sotto_i_arranged now;
    CHECK_OK(sotto_i_dataset_arrange(&now, &data, &agreed, &err));
    assert_int_equal(now.view.features.cols, cols);
    assert_int_equal(now.view.classes, 3);
    for (size_t v = 0; v < nodes; v++) {
      float row[most], wanted[most] = {0};
      sotto_dataset_rows(row, &now.view, v, 1);
      for (size_t j = 0; j < kept; j++) wanted[order[j]] = values[v * kept + j];
      assert_memory_equal(row, wanted, cols * sizeof *row);
      assert_int_equal(now.view.labels[v], labels[v] < 0 ? -1 : labels[v] == 0 ? 2 : 0);
    }
    sotto_i_arranged_free(&now);
    sotto_i_naming_free(&agreed);
    sotto_i_naming_free(&mine);
  }
}

/* An answer of a server that does not know the own names ends the run. */
static void names_that_the_agreement_lacks_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *agreed, *words;
  } rows[] = {{"column a\nclasses 1\n", "column 'b' is not among"},
              {"column a\ncolumn b\nclass x\n", "class '0' is not among"}};
  float values[4] = {1, 2, 3, 4};
  int32_t labels[2] = {0, 0};
  sotto_i_naming mine = read("column a\ncolumn b\n");
  const sotto_dataset data = {.name = "table",
                              .graph = {.nodes = 2},
                              .features = {values, 2, 2},
                              .feature_names = mine.features,
                              .labels = labels,
                              .classes = 1};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_i_naming agreed = read(rows[i].agreed);
    sotto_i_arranged now;
    sotto_error err = {0};
    assert_int_equal(sotto_i_dataset_arrange(&now, &data, &agreed, &err), SOTTO_INVALID);
    if (strstr(err.text, rows[i].words) == NULL) fail_msg("'%s' does not say '%s'", err.text, rows[i].words);
    sotto_i_naming_free(&agreed);
  }
  sotto_i_naming_free(&mine);
}

/* A name that stands twice has two places. */
static void names_that_were_sent_twice_are_refused(void **state) {
  static const struct {
    const char *text, *words;
  } rows[] = {{"column a\ncolumn b\ncolumn a\n", "column 'a' was sent twice"},
              {"column a\nclass x\nclass y\nclass x\n", "class 'x' was sent twice"},
              {"column a\nfilled a\nfill zero\nfilled a\nfill mean\n", "column 'a' was sent twice"}};
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_i_naming out;
    CHECK_FAILS(SOTTO_INVALID, rows[i].words,
                sotto_i_naming_read(&out, rows[i].text, strlen(rows[i].text), &err));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_that_were_sent_twice_are_refused),
      cmocka_unit_test(one_declared_scaling_is_needed),
      cmocka_unit_test(a_column_is_filled_alike),
      cmocka_unit_test(columns_keep_the_order_of_the_first_owner),
      cmocka_unit_test(words_of_a_category_and_classes_become_the_union),
      cmocka_unit_test(numbers_from_zero_need_no_names),
      cmocka_unit_test(what_does_not_fit_is_named),
      cmocka_unit_test(types_and_capitals_that_differ_are_named),
      cmocka_unit_test(a_text_of_other_things_is_refused),
      cmocka_unit_test(arranged_values_stand_under_their_names),
      cmocka_unit_test(names_that_the_agreement_lacks_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
