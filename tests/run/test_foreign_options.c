/* Options over the registry: what a method has is accepted, and what it lacks is refused by name. */
#include <math.h>

#include "check.h"
#include "inside/base.h"
#include "inside/run.h"
#include "made_run.h"
#include "run/method/method.h"
#include "run/settings/options.h"

static const char *const adjacencies[] = {"none", "transfer", "edge", "k-neighbour", "node", "graph"};
static const char *const accountings[] = {"sound", "paper"};

typedef void visitor(const sotto_i_method *method, const sotto_options *options, void *context);

static bool fits(const sotto_i_variant *v, size_t adjacency, size_t accounting) {
  return (v->adjacencies & 1U << adjacency) != 0 && (v->accountings & 1U << accounting) != 0;
}

static bool has(const sotto_i_method *m, size_t adjacency, size_t accounting) {
  for (size_t v = 0; v < m->variant_count; v++)
    if (fits(&m->variants[v], adjacency, accounting)) return true;
  return false;
}

static bool has_option(const char *method, const char *key) {
  sotto_i_option row;
  const sotto_i_method *m = sotto_i_method_named(method);
  return m != NULL && sotto_i_option_find(&row, &m->options, key);
}

/* Sound options of a variant; NULL: of none. */
static sotto_options options_of(const sotto_i_method *m, const sotto_i_variant *v, size_t adjacency,
                                size_t accounting) {
  const bool node = strcmp(adjacencies[adjacency], "node") == 0, none = adjacency == 0;
  sotto_options o;
  sotto_options_default(&o);
  check_set(&o, "method", m->name);
  check_set(&o, "data", "here");
  check_set(&o, "adjacency", adjacencies[adjacency]);
  if (accounting > 0) check_set(&o, "accounting", accountings[accounting]);
  if (v != NULL && v->key != NULL) check_set(&o, v->key, v->word);
  if (node) check_set_own(&o, (const char *const[]){"max-degree", "9", NULL});
  if (none) check_set_own(&o, (const char *const[]){"epsilon", "inf", NULL});
  return o;
}

static void each_variant(visitor *visit, void *context) {
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++)
    for (size_t v = 0; v < sotto_i_methods()[i]->variant_count; v++)
      for (size_t a = 0; a < sizeof adjacencies / sizeof *adjacencies; a++)
        for (size_t c = 0; c < sizeof accountings / sizeof *accountings; c++) {
          const sotto_i_variant *variant = &sotto_i_methods()[i]->variants[v];
          if (!fits(variant, a, c)) continue;
          const sotto_options o = options_of(sotto_i_methods()[i], variant, a, c);
          visit(sotto_i_methods()[i], &o, context);
        }
}

static sotto_status check(const sotto_options *options, sotto_error *err) {
  sotto_options resolved = *options;
  *err = (sotto_error){.status = SOTTO_OK};
  sotto_options_resolve(&resolved);
  return sotto_options_check(&resolved, err);
}

/* The key's number in the list of all options. */
static size_t number_of(const char *key) {
  size_t number;
  assert_non_null(sotto_i_option_known(key, &number));
  return number;
}

typedef struct seen {
  bool accepted[SOTTO_I_MOST_METHODS][SOTTO_MOST_OPTIONS];
  size_t variants;
} seen;

static size_t place_of(const sotto_i_method *method) {
  size_t place = 0;
  while (sotto_i_methods()[place] != method) place++;
  return place;
}

static void accept_own(const sotto_i_method *m, const sotto_options *o, void *context) {
  seen *s = context;
  size_t count;
  const sotto_option_info *infos = sotto_option_table(&count);
  sotto_options resolved = *o;
  sotto_error err;
  sotto_options_resolve(&resolved);
  s->variants++;
  if (check(o, &err) != SOTTO_OK)
    fail_msg("%s, %s, %s: %s", m->name, sotto_adjacency_name(o->adjacency),
             sotto_accounting_name(o->accounting), err.text);
  for (size_t i = 0; i < count; i++) {
    sotto_i_option row;
    sotto_options given = *o;
    char value[1024];
    if (!sotto_i_option_has(&row, &resolved, infos[i].key)) continue;
    sotto_option_text(&resolved, i, value, sizeof value);
    check_set(&given, infos[i].key, value);
    if (check(&given, &err) != SOTTO_OK)
      fail_msg("%s, %s, %s: %s '%s' was refused: %s", m->name, sotto_adjacency_name(o->adjacency),
               sotto_accounting_name(o->accounting), infos[i].key, value, err.text);
    s->accepted[place_of(m)][i] = true;
  }
}

static void every_option_of_a_method_is_accepted_in_some_variant(void **state) {
  (void)state;
  static seen s;
  each_variant(accept_own, &s);
  assert_true(s.variants > 30);
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++) {
    sotto_option_info infos[SOTTO_MOST_OPTIONS];
    size_t count = sotto_method_options(infos, SOTTO_MOST_OPTIONS, sotto_i_methods()[i]->name);
    assert_true(count > 20 && count <= SOTTO_MOST_OPTIONS);
    for (size_t j = 0; j < count; j++) {
      assert_true(has_option(sotto_i_methods()[i]->name, infos[j].key));
      if (!s.accepted[i][number_of(infos[j].key)])
        fail_msg("%s has %s in its table, and accepts it nowhere", sotto_i_methods()[i]->name, infos[j].key);
    }
  }
}

/* The methods that the message lists have the option, all of them, and `m` is none of them. */
static void check_list(const char *text, const sotto_i_method *m, const char *key) {
  char wanted[200], list[sizeof(sotto_error)], *rest = list;
  size_t named = 0, having = 0;
  (void)snprintf(wanted, sizeof wanted, "%s: method %s has no such option; these have it: ", key, m->name);
  if (strncmp(text, wanted, strlen(wanted)) != 0) fail_msg("'%s' does not begin with '%s'", text, wanted);
  (void)snprintf(list, sizeof list, "%s", text + strlen(wanted));
  for (char *name = strtok_r(list, ", ", &rest); name != NULL; name = strtok_r(NULL, ", ", &rest)) {
    if (!has_option(name, key)) fail_msg("%s: '%s' is named and does not have it", key, name);
    assert_string_not_equal(name, m->name);
    named++;
  }
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++) having += has_option(sotto_i_methods()[i]->name, key);
  assert_true(named > 0);
  assert_int_equal(named, having);
}

static void refuse_others(const sotto_i_method *m, const sotto_options *o, void *context) {
  size_t count, *refused = context;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++) {
    sotto_i_option row;
    sotto_options given = *o;
    sotto_error err;
    char words[100];
    if (sotto_i_option_has(&row, o, infos[i].key)) continue;
    check_set(&given, infos[i].key, infos[i].fallback); /* even its default */
    if (check(&given, &err) != SOTTO_INVALID)
      fail_msg("%s, %s, %s: %s was not refused", m->name, sotto_adjacency_name(o->adjacency),
               sotto_accounting_name(o->accounting), infos[i].key);
    ++*refused;
    if (!has_option(m->name, infos[i].key)) {
      check_list(err.text, m, infos[i].key);
      continue;
    }
    (void)snprintf(words, sizeof words, "%s: has no meaning with ", infos[i].key);
    if (strncmp(err.text, words, strlen(words)) != 0)
      fail_msg("'%s' does not begin with '%s'", err.text, words);
  }
}

static void every_option_of_another_method_is_refused_and_methods_that_have_it_are_named(void **state) {
  (void)state;
  size_t refused = 0;
  each_variant(refuse_others, &refused);
  assert_true(refused > 1000);
}

/* Choices of the method alone; each choice of the others is refused. */
static void narrow(const sotto_i_method *m, const sotto_options *o, void *context) {
  size_t count, *refused = context;
  const sotto_option_info *infos = sotto_option_table(&count);
  for (size_t i = 0; i < count; i++) {
    sotto_i_option row;
    char choices[200], words[200], *rest = choices;
    if (infos[i].type != SOTTO_WORD || strcmp(infos[i].key, "adjacency") == 0) continue;
    if (!sotto_i_option_has(&row, o, infos[i].key)) continue;
    (void)snprintf(choices, sizeof choices, "%s", infos[i].choices);
    (void)snprintf(words, sizeof words, "%s: method %s does not have", row.key, m->name);
    for (char *word = strtok_r(choices, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
      sotto_options given = *o;
      sotto_error err;
      check_set(&given, row.key, word);
      const sotto_status status = check(&given, &err);
      const bool own = sotto_i_word_among(word, row.choices),
                 named = strncmp(err.text, words, strlen(words)) == 0;
      if (strcmp(row.key, "accounting") == 0) continue; /* chooses the variant */
      if (own ? named : status != SOTTO_UNSUPPORTED || !named || strstr(err.text, row.choices) == NULL)
        fail_msg("%s: %s '%s' is%s of '%s', and the check says '%s'", m->name, row.key, word,
                 own ? "" : " not", row.choices, err.text);
      *refused += !own;
    }
  }
}

static void choices_that_a_method_lacks_are_refused_with_those_that_it_has(void **state) {
  (void)state;
  size_t refused = 0;
  each_variant(narrow, &refused);
  assert_true(refused > 30);
}

/* An adjacency or accounting that no variant has is refused, whatever else was given, and nothing breaks. */
static void levels_that_a_method_lacks_are_refused(void **state) {
  (void)state;
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++)
    for (size_t a = 0; a < sizeof adjacencies / sizeof *adjacencies; a++)
      for (size_t c = 0; c < sizeof accountings / sizeof *accountings; c++) {
        if (has(sotto_i_methods()[i], a, c)) continue;
        const sotto_dataset none = {.name = "none"};
        sotto_options o = options_of(sotto_i_methods()[i], NULL, a, c);
        sotto_result result;
        sotto_error err = {0};
        assert_int_equal(check(&o, &err), SOTTO_UNSUPPORTED);
        assert_non_null(strstr(err.text, sotto_i_methods()[i]->name));
        check_set(&o, "out", check_path("levels"));
        assert_int_equal(sotto_train(&result, &o, &none, NULL, NULL, &err), SOTTO_UNSUPPORTED);
      }
}

/* What is set for several methods is dropped where a method lacks it, and nothing else is. */
static void pruned_options_are_accepted(void **state) {
  (void)state;
  static const char *const shared[] = {"encoder-epochs", "7", "hidden", "8", "epsilon", "3",
                                       "rounds",         "9", NULL};
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++) {
    sotto_options o;
    sotto_options_default(&o);
    check_set(&o, "method", sotto_i_methods()[i]->name);
    check_set(&o, "data", "here");
    for (size_t j = 0; shared[j] != NULL; j += 2) check_set(&o, shared[j], shared[j + 1]);
    sotto_options_resolve(&o);
    sotto_options_prune(&o);
    CHECK_OK(sotto_options_check(&o, &err));
    for (size_t j = 0; shared[j] != NULL; j += 2) {
      sotto_i_option row;
      assert_int_equal(sotto_i_option_given(&o, shared[j]), sotto_i_option_has(&row, &o, shared[j]));
    }
    assert_true(o.hidden == (sotto_i_option_given(&o, "hidden") ? 8 : 64));
    assert_true(o.epsilon == (sotto_i_option_given(&o, "epsilon") ? 3 : 4));
  }
}

/* Of a run without noise an epsilon would be a promise that nobody keeps. */
static void epsilon_is_refused_where_nothing_is_protected(void **state) {
  static const char *const values[] = {"4", "0.5", "1e9"};
  size_t refused = 0;
  (void)state;
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++)
    for (size_t v = 0; v < sotto_i_methods()[i]->variant_count; v++)
      for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        const sotto_i_method *m = sotto_i_methods()[i];
        sotto_error err;
        if (!fits(&m->variants[v], 0, 0)) continue;
        sotto_options o = options_of(m, &m->variants[v], 0, 0);
        check_set(&o, "epsilon", values[k]);
        if (check(&o, &err) == SOTTO_OK)
          fail_msg("%s: epsilon %s at adjacency none passed", m->name, values[k]);
        refused++;
      }
  assert_true(refused > 30);
}

/* Weights that are all 0 ask for nothing. */
static void weights_that_are_all_zero_are_refused(void **state) {
  static const char *const values[] = {"0:0:0", "0:0.0:0e3", "-0:0:0"};
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    sotto_options o;
    sotto_error err;
    sotto_options_default(&o);
    check_set(&o, "method", "feddep");
    check_set(&o, "data", "here");
    check_set(&o, "generator-weights", values[k]);
    if (check(&o, &err) != SOTTO_RANGE) fail_msg("generator-weights %s passed", values[k]);
    check_set(&o, "generator-weights", "0:0:1");
    if (check(&o, &err) != SOTTO_OK) fail_msg("generator-weights 0:0:1: %s", err.text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_option_of_a_method_is_accepted_in_some_variant),
      cmocka_unit_test(every_option_of_another_method_is_refused_and_methods_that_have_it_are_named),
      cmocka_unit_test(choices_that_a_method_lacks_are_refused_with_those_that_it_has),
      cmocka_unit_test(levels_that_a_method_lacks_are_refused),
      cmocka_unit_test(pruned_options_are_accepted),
      cmocka_unit_test(epsilon_is_refused_where_nothing_is_protected),
      cmocka_unit_test(weights_that_are_all_zero_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
