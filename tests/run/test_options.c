/* Options: defaults, every type, what is refused and how. */
#include <math.h>

#include "check.h"
#include "run/method/method.h"
#include "run/settings/options.h"

static sotto_options fresh(void) {
  sotto_options options;
  sotto_options_default(&options);
  return options;
}

static void text_of(const sotto_options *options, const char *key, char *out, size_t size) {
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++)
    if (strcmp(infos[i].key, key) == 0) {
      sotto_option_text(options, i, out, size);
      return;
    }
  fail_msg("no option is called %s", key);
}

static void check_text(const sotto_options *options, const char *key, const char *wanted) {
  char text[1024];
  text_of(options, key, text, sizeof text);
  assert_string_equal(text, wanted);
}

static void defaults_are_those_of_the_list_and_not_given_by_hand(void **state) {
  (void)state;
  const sotto_options o = fresh();
  assert_string_equal(o.method, "vesper");
  assert_string_equal(o.data, "");
  assert_string_equal(o.target, "");
  assert_true(o.train_share == 0.7 && o.epsilon == 4 && o.delta == 1e-6 && o.layers == 2 && o.seed == 1);
  assert_true(o.insecure_seed == SOTTO_UNSET && !o.resume && o.threads == 0);
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++) assert_false(sotto_i_option_given(&o, infos[i].key));
  assert_false(sotto_i_option_given(&o, "no such option"));
}

static void every_default_can_be_set_from_its_own_text(void **state) {
  (void)state;
  const sotto_options standard = fresh();
  sotto_options o = fresh();
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  assert_true(count > 30 && count <= SOTTO_MOST_OPTIONS);
  for (size_t i = 0; i < count; i++) {
    char text[1024], again[1024];
    assert_true(infos[i].help[0] != '\0');
    sotto_option_text(&standard, i, text, sizeof text);
    if (text[0] == '\0' && infos[i].type != SOTTO_TEXT) continue;
    CHECK_OK(sotto_options_set(&o, infos[i].key, text, &err));
    sotto_option_text(&o, i, again, sizeof again);
    assert_string_equal(text, again);
    assert_true(sotto_i_option_given(&o, infos[i].key));
  }
}

static void every_choice_of_a_word_is_taken_and_no_other(void **state) {
  (void)state;
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++) {
    if (infos[i].type != SOTTO_WORD || infos[i].choices[0] == '\0') continue; /* `method` */
    sotto_options o = fresh();
    char choices[256], *rest = choices;
    (void)snprintf(choices, sizeof choices, "%s", infos[i].choices);
    for (char *word = strtok_r(choices, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
      CHECK_OK(sotto_options_set(&o, infos[i].key, word, &err));
      check_text(&o, infos[i].key, word);
    }
    CHECK_FAILS(SOTTO_INVALID, infos[i].choices, sotto_options_set(&o, infos[i].key, "other", &err));
    CHECK_FAILS(SOTTO_INVALID, infos[i].key, sotto_options_set(&o, infos[i].key, "", &err));
  }
}

static void parts_of_choices_and_several_at_once_are_no_choice(void **state) {
  (void)state;
  assert_true(sotto_i_word_among("gcn", "gin gcn mean"));
  assert_true(sotto_i_word_among("mean", "gin gcn mean"));
  static const char *const others[] = {"gc", "cn",      "mea",      "ean",  "",
                                       " ",  "gin gcn", "gcn mean", "gin ", " gcn"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_false(sotto_i_word_among(others[i], "gin gcn mean"));
  assert_true(sotto_i_word_among("a", "aa a"));
  sotto_options o = fresh();
  CHECK_FAILS(SOTTO_INVALID, "is none of", sotto_options_set(&o, "aggregator", "gin gcn", &err));
  CHECK_FAILS(SOTTO_INVALID, "there is no", sotto_options_set(&o, "method", "vesper gnn", &err));
}

static void every_method_of_the_registry_is_a_value_of_method_and_others_are_refused(void **state) {
  (void)state;
  static const char *const others[][2] = {{"gapp", "did you mean 'gap'?"},
                                          {"fedsage_plus", "did you mean"},
                                          {"Vesper", "did you mean 'vesper'?"},
                                          {"fed-avg", "did you mean 'fedavg'?"},
                                          {"federated", "method: there is no 'federated'"},
                                          {"progressive", "`sotto methods` lists all"},
                                          {"", "method: there is no ''"}};
  sotto_options o = fresh();
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    CHECK_OK(sotto_options_set(&o, "method", sotto_i_methods()[m]->name, &err));
    assert_string_equal(o.method, sotto_i_methods()[m]->name);
    assert_ptr_equal(sotto_i_method_of(&o), sotto_i_methods()[m]);
  }
  const sotto_options before = o;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    CHECK_FAILS(SOTTO_INVALID, others[i][1], sotto_options_set(&o, "method", others[i][0], &err));
  assert_memory_equal(&o, &before, sizeof o);
}

static void numbers_are_parsed_whole_and_kept_in_range(void **state) {
  (void)state;
  sotto_options o = fresh();
  CHECK_OK(sotto_options_set(&o, "layers", "64", &err));
  CHECK_FAILS(SOTTO_RANGE, "layers: 65 is outside 1 to 64", sotto_options_set(&o, "layers", "65", &err));
  CHECK_FAILS(SOTTO_RANGE, "layers", sotto_options_set(&o, "layers", "0", &err));
  CHECK_FAILS(SOTTO_RANGE, "layers", sotto_options_set(&o, "layers", "99999999999999999999", &err));
  static const char *const no_count[] = {"", "-1", "+1", " 1", "1 ", "1.5", "0x10", "two"};
  for (size_t i = 0; i < sizeof no_count / sizeof *no_count; i++)
    CHECK_FAILS(SOTTO_PARSE, "layers", sotto_options_set(&o, "layers", no_count[i], &err));
  assert_int_equal(o.layers, 64);
  CHECK_OK(sotto_options_set(&o, "dropout", "0.99", &err));
  CHECK_OK(sotto_options_set(&o, "dropout", "25e-2", &err));
  CHECK_FAILS(SOTTO_RANGE, "dropout: 1 is outside 0 to 0.99", sotto_options_set(&o, "dropout", "1", &err));
  CHECK_FAILS(SOTTO_RANGE, "dropout", sotto_options_set(&o, "dropout", "-0.1", &err));
  static const char *const no_real[] = {"", "1,5", "0.5x", " 1", "half"};
  for (size_t i = 0; i < sizeof no_real / sizeof *no_real; i++)
    CHECK_FAILS(SOTTO_PARSE, "dropout", sotto_options_set(&o, "dropout", no_real[i], &err));
  assert_true(o.dropout == 0.25);
  CHECK_FAILS(SOTTO_RANGE, "seed", sotto_options_set(&o, "insecure-seed", "18446744073709551615", &err));
}

static void infinity_is_a_number_where_the_range_is_open_alone(void **state) {
  (void)state;
  sotto_options o = fresh();
  CHECK_OK(sotto_options_set(&o, "epsilon", "inf", &err));
  assert_true(isinf(o.epsilon));
  check_text(&o, "epsilon", "inf");
  CHECK_FAILS(SOTTO_RANGE, "dropout", sotto_options_set(&o, "dropout", "inf", &err));
  CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_options_set(&o, "epsilon", "nan", &err));
  CHECK_FAILS(SOTTO_RANGE, "epsilon", sotto_options_set(&o, "epsilon", "-inf", &err));
}

static void numbers_are_written_as_short_as_they_read_back(void **state) {
  (void)state;
  sotto_options o = fresh();
  static const char *const texts[] = {"0.1",   "3",       "600",    "1e-300", "0.30000000000000004",
                                      "1000",  "1234.5",  "0.0001", "1e-5",   "1.7976931348623157e+308",
                                      "1e+15", "31536000"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    CHECK_OK(sotto_options_set(&o, "epsilon", texts[i], &err));
    check_text(&o, "epsilon", texts[i]);
  }
}

static void switches_are_true_or_false(void **state) {
  (void)state;
  sotto_options o = fresh();
  CHECK_OK(sotto_options_set(&o, "resume", "true", &err));
  assert_true(o.resume);
  CHECK_OK(sotto_options_set(&o, "resume", "false", &err));
  assert_false(o.resume);
  CHECK_FAILS(SOTTO_INVALID, "neither true nor false", sotto_options_set(&o, "resume", "yes", &err));
}

static void texts_fit_or_are_refused_and_hold_no_control_characters(void **state) {
  (void)state;
  sotto_options o = fresh();
  char longest[1025];
  memset(longest, 'x', sizeof longest);
  longest[1024] = '\0';
  CHECK_FAILS(SOTTO_RANGE, "longer than 1023", sotto_options_set(&o, "data", longest, &err));
  longest[1023] = '\0';
  CHECK_OK(sotto_options_set(&o, "data", longest, &err));
  check_text(&o, "data", longest);
  CHECK_FAILS(SOTTO_INVALID, "control character", sotto_options_set(&o, "data", "a\nb", &err));
  CHECK_FAILS(SOTTO_INVALID, "control character", sotto_options_set(&o, "data", "a\x7f", &err));
}

static void an_unknown_option_is_refused_with_the_nearest_name(void **state) {
  (void)state;
  sotto_options o = fresh();
  CHECK_FAILS(SOTTO_NOT_FOUND, "unknown option 'epsilom'; did you mean 'epsilon'?",
              sotto_options_set(&o, "epsilom", "1", &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "'learning-rate'?", sotto_options_set(&o, "learning_rate", "1", &err));
  CHECK_FAILS(SOTTO_NOT_FOUND, "unknown option 'zzzzzzzzzzzz'",
              sotto_options_set(&o, "zzzzzzzzzzzz", "1", &err));
}

static void a_refused_value_is_not_given_by_hand(void **state) {
  (void)state;
  sotto_options o = fresh();
  CHECK_FAILS(SOTTO_RANGE, "", sotto_options_set(&o, "layers", "0", &err));
  assert_false(sotto_i_option_given(&o, "layers"));
  assert_int_equal(o.layers, 2);
}

static void options_that_contradict_each_other_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *key, *value, *other_key, *other_value, *words;
    sotto_status status;
  } rows[] = {
      {"data", "", "method", "mlp", "no dataset", SOTTO_INVALID},
      {"train-share", "0.9", "validation-share", "0.1", "train-share and validation-share", SOTTO_RANGE},
      {"epsilon", "0", "method", "vesper", "epsilon", SOTTO_RANGE},
      {"delta", "1", "method", "vesper", "delta", SOTTO_RANGE},
      {"split", "kfold", "seeds", "11", "11 repeats of 10 folds", SOTTO_RANGE},
      {"learning-rate", "0", "method", "gnn", "learning-rate", SOTTO_RANGE},
      {"epsilon", "0", "method", "gnn", "epsilon: method gnn has no such option", SOTTO_INVALID},
      {"epsilon", "0", "method", "gwldp", "epsilon: must be above 0 with publication code", SOTTO_RANGE},
      {"rounds", "5", "method", "gwldp", "rounds: has no meaning with publication code", SOTTO_INVALID},
      {"split", "kfold", "seeds", "10", NULL, SOTTO_OK},
      {"epsilon", "inf", "method", "vesper", NULL, SOTTO_OK},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    sotto_options o = fresh();
    CHECK_OK(sotto_options_set(&o, "data", "here", &err));
    CHECK_OK(sotto_options_set(&o, rows[i].key, rows[i].value, &err));
    CHECK_OK(sotto_options_set(&o, rows[i].other_key, rows[i].other_value, &err));
    sotto_options_resolve(&o);
    CHECK_FAILS(rows[i].status, rows[i].words == NULL ? "" : rows[i].words, sotto_options_check(&o, &err));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(defaults_are_those_of_the_list_and_not_given_by_hand),
      cmocka_unit_test(every_default_can_be_set_from_its_own_text),
      cmocka_unit_test(every_choice_of_a_word_is_taken_and_no_other),
      cmocka_unit_test(parts_of_choices_and_several_at_once_are_no_choice),
      cmocka_unit_test(every_method_of_the_registry_is_a_value_of_method_and_others_are_refused),
      cmocka_unit_test(numbers_are_parsed_whole_and_kept_in_range),
      cmocka_unit_test(infinity_is_a_number_where_the_range_is_open_alone),
      cmocka_unit_test(numbers_are_written_as_short_as_they_read_back),
      cmocka_unit_test(switches_are_true_or_false),
      cmocka_unit_test(texts_fit_or_are_refused_and_hold_no_control_characters),
      cmocka_unit_test(an_unknown_option_is_refused_with_the_nearest_name),
      cmocka_unit_test(a_refused_value_is_not_given_by_hand),
      cmocka_unit_test(options_that_contradict_each_other_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
