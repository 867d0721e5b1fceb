/* Ids and words are compared without blanks around and with composed characters, in every reader. */
#include "base/file.h"
#include "check.h"
#include "graph/formats/elements.h"
#include "graph/tables/tables.h"
#include "sotto/graph.h"
#include "table_texts.h"

/* One name of two ways to write it: composed, and as letters with marks. */
#define COMPOSED "J\xC3\xB6rg"
#define APART    "Jo\xCC\x88rg"

static void a_word_becomes_the_form_in_which_words_are_compared(void **state) {
  (void)state;
  static const char *const table[][2] = {
      {APART, COMPOSED},
      {COMPOSED, COMPOSED},
      {"  a b\t", "a b"},
      {"\xC2\xA0"
       "a\xE2\x80\x89",
       "a"},
      {"\xEF\xBB\xBF"
       "a",
       "a"},
      {"a\r\nb\n\nc", "a b c"},
      {"\n \n", ""},
      {"e\xCC\x81\n" APART, "\xC3\xA9 " COMPOSED},
      {"\xE2\x84\xAB", "\xC3\x85"},                             /* sign of angstrom */
      {"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "\xED\x95\x9C"}, /* Hangul */
      {"\xE0\xA5\x98", "\xE0\xA4\x95\xE0\xA4\xBC"},             /* longer when composed */
      {"\xD0\x98\xCC\x86", "\xD0\x99"},
      {"1\xC2\xA0"
       "000",
       "1\xC2\xA0"
       "000"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    sotto_i_texts texts = {0};
    bool changed = false, again = true;
    sotto_i_field word = {(const uint8_t *)table[i][0], strlen(table[i][0])};
    CHECK_OK(sotto_i_word_settle(&word, &texts, &changed, &err));
    if (word.size != strlen(table[i][1]) || memcmp(word.text, table[i][1], word.size) != 0)
      fail_msg("'%s' became '%.*s'", table[i][0], (int)word.size, (const char *)word.text);
    assert_int_equal(changed, strcmp(table[i][0], table[i][1]) != 0);
    CHECK_OK(sotto_i_word_settle(&word, &texts, &again, &err));
    assert_false(again);
    sotto_i_texts_free(&texts);
  }
}

static void expect_form(const sotto_dataset *data, const char *words) {
  if (strstr(data->reading->form, words) == NULL) fail_msg("'%s' lacks '%s'", data->reading->form, words);
}

static void tables_and_edges_meet_whatever_form_their_ids_have(void **state) {
  (void)state;
  sotto_dataset data;
  CHECK_OK(check_read_texts(
      &data, "ann," APART "\n\" ann\",bob\n",
      "id,city,label\nann,Ko\xCC\x88ln,\" u\"\n" COMPOSED ",K\xC3\xB6ln,u\n\"bob\n\",Ulm,u\n", NULL, &err));
  assert_int_equal(data.reading->pairs, 2);
  assert_int_equal(data.features.cols, 2);
  assert_int_equal(data.class_names.count, 1);
  assert_string_equal(sotto_name(&data.node_ids, 1), COMPOSED);
  assert_string_equal(sotto_name(&data.node_ids, 2), "bob");
  expect_form(&data, "; ids and words trimmed or composed (Unicode NFC): 5");
  sotto_dataset_free(&data);
  CHECK_FAILS(SOTTO_PARSE, "line 3, column 1: 'J??rg' is an id that stands on a line before",
              check_read_texts(&data, NULL, "id,x\n" APART ",1\n" COMPOSED ",2\n", NULL, &err));
  CHECK_OK(check_read_texts(&data, "a,b\nb,c\n", NULL, NULL, &err));
  assert_null(strstr(data.reading->form, "trimmed"));
  sotto_dataset_free(&data);
}

static void a_split_file_names_nodes_in_either_form(void **state) {
  (void)state;
  static const char nodes[] = "id,x\nann,1\n" APART ",2\n",
                    parts_of[] = "id,split\n" APART ",train\nann,test\n";
  const sotto_i_source none = {.file = "none"}, table = {"n.csv", (const uint8_t *)nodes, sizeof nodes - 1};
  const sotto_i_source file = {"parts.csv", (const uint8_t *)parts_of, sizeof parts_of - 1};
  sotto_i_parts parts = {0};
  CHECK_OK(sotto_i_read_edges(&parts, &none, &table, NULL, &err));
  CHECK_OK(sotto_i_read_split(&parts, &file, &err));
  assert_int_equal(parts.split[1], SOTTO_PART_TRAIN);
  sotto_i_parts_free(&parts);
}

static void other_forms_of_graphs_meet_too(void **state) {
  (void)state;
  static const struct {
    const char *file, *text;
  } table[] = {
      {"a.json",
       "{\"nodes\": [{\"id\": \"" APART "\", \"city\": \"Ulm \"}, {\"id\": \"b\", \"city\": \"Ulm\"}], "
       "\"links\": [{\"source\": \"" COMPOSED "\", \"target\": \"b\"}]}"},
      {"a.graphml",
       "<graphml><key id=\"k\" for=\"node\" attr.name=\"city\"/><graph><node id=\"" APART
       "\"><data key=\"k\">\n  Ulm\n</data></node><node id=\"b\"><data key=\"k\">Ulm</data></node>"
       "<edge source=\"" COMPOSED "\" target=\"b\"/></graph></graphml>"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    const char *path = check_path(table[i].file);
    sotto_dataset data;
    CHECK_OK(sotto_i_write_file(path, table[i].text, strlen(table[i].text), &err));
    CHECK_OK(sotto_dataset_open(&data, path, NULL, &err));
    assert_int_equal(data.graph.entries, 2);
    assert_int_equal(data.features.cols, 1);
    assert_string_equal(sotto_name(&data.node_ids, 0), COMPOSED);
    expect_form(&data, "; ids and words trimmed or composed (Unicode NFC): 2");
    sotto_dataset_free(&data);
  }
}

static void options_name_columns_and_words_in_either_form(void **state) {
  (void)state;
  static const char list[] = "source,target\na,b\n", table[] = "id,Gro\xCC\x88\xC3\x9F"
                                                               "e,Sta\xC3\xA4t,x\na,1,u,k.A.\nb,k.A.,v,2\n";
  const sotto_import_options options = {.types = "Sta\xC3\xA4t=drop,Gr\xC3\xB6\xC3\x9F"
                                                 "e=category",
                                        .missing_words = " k.A.",
                                        .missing = SOTTO_MISSING_ZERO,
                                        .nodes_table = check_path("n.csv")};
  sotto_dataset data;
  CHECK_OK(sotto_i_write_file(check_path("n.csv"), table, sizeof table - 1, &err));
  CHECK_OK(sotto_i_write_file(check_path("e.csv"), list, sizeof list - 1, &err));
  CHECK_OK(sotto_dataset_open(&data, check_path("e.csv"), &options, &err));
  assert_int_equal(data.features.cols, 2);
  assert_string_equal(sotto_name(&data.feature_names, 0), "Gr\xC3\xB6\xC3\x9F"
                                                          "e=1");
  sotto_dataset_free(&data);
}

static void a_control_character_in_a_name_is_refused(void **state) {
  (void)state;
  sotto_dataset data;
  CHECK_FAILS(SOTTO_PARSE, "the id: has a control character",
              check_read_texts(&data, "a,b\x1B[1m\n", NULL, NULL, &err));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_word_becomes_the_form_in_which_words_are_compared),
      cmocka_unit_test(tables_and_edges_meet_whatever_form_their_ids_have),
      cmocka_unit_test(a_split_file_names_nodes_in_either_form),
      cmocka_unit_test(other_forms_of_graphs_meet_too),
      cmocka_unit_test(options_name_columns_and_words_in_either_form),
      cmocka_unit_test(a_control_character_in_a_name_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
