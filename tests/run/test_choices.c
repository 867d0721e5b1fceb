/* What options choose among: names, words and numbers agree. */
#include "check.h"
#include "inside/base.h"
#include "run/settings/options.h"

typedef struct naming {
  const char *words, *(*name)(unsigned value);
} naming;

#define NAME_OF(kind)                                                                                        \
  static const char *kind##_of(unsigned value) {                                                             \
    return sotto_##kind##_name(value);                                                                       \
  }
NAME_OF(adjacency)
NAME_OF(accounting)
NAME_OF(layer)
NAME_OF(activation)
NAME_OF(combination)
NAME_OF(wire_format)

static const naming namings[] = {
    {SOTTO_ADJACENCY_WORDS, adjacency_of}, {SOTTO_ACCOUNTING_WORDS, accounting_of},
    {SOTTO_LAYER_WORDS, layer_of},         {SOTTO_ACTIVATION_WORDS, activation_of},
    {SOTTO_COMBINE_WORDS, combination_of}, {SOTTO_FORMAT_WORDS, wire_format_of}};

static void names_are_the_words_in_their_order(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof namings / sizeof *namings; i++) {
    char words[128], *rest = NULL;
    unsigned value = 0;
    (void)snprintf(words, sizeof words, "%s", namings[i].words);
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
      assert_string_equal(namings[i].name(value++), word);
    assert_true(value >= 2);
    assert_string_equal(namings[i].name(value), "unknown");
    assert_string_equal(namings[i].name(~0U), "unknown");
  }
}

/* Enumerations that have no names are in the order of their words, too. */
static void words_become_their_enumerators(void **state) {
  (void)state;
  sotto_options o;
  sotto_options_default(&o);
  static const char *const given[] = {
      "split",    "kfold",         "feature-scale", "none",      "combine",     "gru", "select-by",
      "macro_f1", "release-scale", "raw",           "adjacency", "k-neighbour", NULL};
  for (size_t i = 0; given[i] != NULL; i += 2) CHECK_OK(sotto_options_set(&o, given[i], given[i + 1], &err));
  assert_int_equal(o.split, SOTTO_SPLITTING_KFOLD);
  assert_int_equal(o.feature_scale, SOTTO_FEATURE_SCALE_NONE);
  assert_int_equal(o.combine, SOTTO_COMBINE_GRU);
  assert_int_equal(o.select_by, SOTTO_MEASURE_MACRO_F1);
  assert_int_equal(o.release_scale, SOTTO_RELEASE_RAW);
  assert_int_equal(o.adjacency, SOTTO_ADJACENCY_NEIGHBOURS);
}

/* Every word of every option, and no other: it reads back, its number is its place, and what lies beside it
 * in the settings stays. */
static void every_word_reads_back(void **state) {
  (void)state;
  size_t count, words_seen = 0;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++) {
    if (infos[i].type != SOTTO_WORD) continue;
    char words[256], *rest = NULL, text[64];
    unsigned place = 0, number;
    (void)snprintf(words, sizeof words, "%s", infos[i].choices);
    for (char *word = strtok_r(words, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest), place++) {
      sotto_options usual, o;
      sotto_options_default(&usual);
      sotto_options_default(&o);
      CHECK_OK(sotto_options_set(&o, infos[i].key, word, &err));
      sotto_option_text(&o, i, text, sizeof text);
      assert_string_equal(text, word);
      const sotto_i_option *row = sotto_i_option_known(infos[i].key, NULL);
      memcpy(&number, sotto_i_option_field(&o, row), sizeof number);
      assert_int_equal(number, place);
      memcpy(sotto_i_option_field(&o, row), sotto_i_option_field(&usual, row), row->size);
      o.given[i] = false;
      assert_memory_equal(&o, &usual, sizeof o);
      words_seen++;
    }
  }
  assert_true(words_seen > 40);
}

/* Settings of methods' own lie apart: each option's bytes are its alone. */
static void no_two_options_share_a_byte(void **state) {
  (void)state;
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  sotto_options o;
  bool *taken = calloc(sizeof o, sizeof *taken);
  assert_non_null(taken);
  for (size_t i = 0; i < count; i++) {
    const sotto_i_option *row = sotto_i_option_known(infos[i].key, NULL);
    const size_t at = (size_t)((char *)sotto_i_option_field(&o, row) - (char *)&o);
    if (at + row->size > offsetof(sotto_options, given))
      fail_msg("%s lies at %zu, %zu bytes", infos[i].key, at, row->size);
    for (size_t b = at; b < at + row->size; b++) {
      if (taken[b]) fail_msg("%s lies over another option", infos[i].key);
      taken[b] = true;
    }
  }
  free(taken);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_the_words_in_their_order),
      cmocka_unit_test(words_become_their_enumerators),
      cmocka_unit_test(every_word_reads_back),
      cmocka_unit_test(no_two_options_share_a_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
