/* Help of every method, with the words of every variant: it shows what run.yaml of such a run has. */
#include <unistd.h>

#include "check.h"
#include "cli/cli.h"
#include "made_run.h"
#include "run/method/method.h"
#include "run/settings/options.h"

enum { most_words = 12, most_text = 1 << 16 };

/* A run as it is asked for: keys and values in turn. */
typedef struct asked {
  const char *words[most_words];
  size_t count;
} asked;

static asked with(asked a, const char *key, const char *value) {
  assert_true(a.count + 2 <= most_words);
  a.words[a.count++] = key;
  a.words[a.count++] = value;
  return a;
}

static char help[most_text], run_file[most_text];
static size_t compared, conditional;

static void read_file(char *out, const char *path) {
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  const size_t size = fread(out, 1, most_text - 1, file);
  assert_int_equal(fclose(file), 0);
  assert_true(size < most_text - 1);
  out[size] = '\0';
}

/* What `sotto train WORDS --help all` prints, with lines that were wrapped put together. */
static void print_help(const asked *a) {
  char flags[most_words][80], *argv[most_words + 2];
  int argc = 0;
  for (size_t i = 0; i < a->count; i += 2, argc++) {
    (void)snprintf(flags[argc], sizeof flags[argc], "--%s=%s", a->words[i], a->words[i + 1]);
    argv[argc] = flags[argc];
  }
  argv[argc++] = (char[]){"--help"};
  argv[argc++] = (char[]){"all"};
  (void)fflush(stdout);
  const int kept = dup(STDOUT_FILENO);
  assert_non_null(freopen("help", "w", stdout));
  const int code = cli_train(argc, argv);
  (void)fflush(stdout);
  assert_int_equal(dup2(kept, STDOUT_FILENO), STDOUT_FILENO);
  (void)close(kept);
  assert_int_equal(code, 0);
  read_file(help, "help");
  char *to = help;
  for (const char *at = help; *at != '\0';) {
    const size_t gap = *at == '\n' ? strspn(at + 1, " ") : 0;
    if (gap > 6)
      *to++ = ' ', at += 1 + gap;
    else
      *to++ = *at++;
  }
  *to = '\0';
}

/* What stands in brackets at the end of an option's line: the value, and in `rules` its conditions. False: no
 * such line. */
static bool in_help(char value[200], char rules[700], const char *key) {
  char start[100];
  (void)snprintf(start, sizeof start, "\n  --%s ", key);
  const char *line = strstr(help, start);
  value[0] = rules[0] = '\0';
  if (line == NULL) return false;
  const char *end = line + 1 + strcspn(line + 1, "\n"), *open = end;
  if (end[-1] != ']') return true;
  while (*open != '[') open--;
  const size_t length = strcspn(open + 1, ";]");
  (void)snprintf(value, 200, "%.*s", (int)length, open + 1);
  if (open[1 + length] == ';')
    (void)snprintf(rules, 700, "%.*s", (int)(end - 1 - (open + 3 + length)), open + 3 + length);
  return true;
}

static void value_of(char out[1024], const sotto_options *o, const char *key) {
  size_t number;
  assert_non_null(sotto_i_option_known(key, &number));
  sotto_option_text(o, number, out, 1024);
}

/* Reads a condition of help's words, by a reading of its own. */
static bool condition_holds(const char *condition, const sotto_options *o) {
  char key[100], words[300], value[1024];
  double bound;
  const bool noise = o->adjacency != SOTTO_ADJACENCY_NONE && !isinf(o->epsilon);
  if (strcmp(condition, "else") == 0) return true;
  if (strcmp(condition, "with noise") == 0) return noise;
  if (strcmp(condition, "without noise") == 0) return !noise;
  if (sscanf(condition, "noise of epsilon below %lf", &bound) == 1) return noise && o->epsilon < bound;
  if (sscanf(condition, "noise of epsilon / layers at most %lf", &bound) == 1)
    return noise && o->epsilon / (double)o->layers <= bound;
  assert_int_equal(sscanf(condition, "%99s %299[^\n]", key, words), 2);
  static const char other[] = "other than ";
  const bool differs = strncmp(words, other, strlen(other)) == 0;
  const char *at = differs ? words + strlen(other) : words;
  bool among = false;
  value_of(value, o, key);
  while (*at != '\0') {
    const size_t length = strcspn(at, ", ");
    if (strncmp(at, "or ", 3) != 0) among |= strlen(value) == length && strncmp(at, value, length) == 0;
    at += length;
    at += strspn(at, ", ");
  }
  return among != differs;
}

/* The value that the conditions in help lead to. */
static void follow(char out[1024], const char *rules, const sotto_options *o) {
  char copy[700], *more = NULL;
  (void)snprintf(copy, sizeof copy, "%s", rules);
  for (char *rule = strtok_r(copy, ";", &more); rule != NULL; rule = strtok_r(NULL, ";", &more)) {
    char *value = strstr(rule, ": "), *condition = rule + strspn(rule, " ");
    bool all = true;
    assert_non_null(value);
    *value = '\0';
    for (char *next; condition != NULL; condition = next) {
      next = strstr(condition, " and ");
      if (next != NULL) *next = '\0', next += strlen(" and ");
      all &= condition_holds(condition, o);
    }
    if (!all) continue;
    static const char of_another[] = "the value of ";
    value += strlen(": ");
    if (strncmp(value, of_another, strlen(of_another)) == 0)
      value_of(out, o, value + strlen(of_another));
    else
      (void)snprintf(out, 1024, "%s", value);
    return;
  }
  fail_msg("no condition of '%s' holds", rules);
}

static void describe(char out[300], const asked *a) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < a->count; i += 2)
    used += (size_t)snprintf(out + used, 300 - used, " --%s %s", a->words[i], a->words[i + 1]);
}

/* A number as run files have it: 5e-4 and 0.0005 are one. */
static bool same(const char *a, const char *b) {
  char *rest_a, *rest_b;
  const double x = strtod(a, &rest_a), y = strtod(b, &rest_b);
  return strcmp(a, b) == 0 || (*a != '\0' && *b != '\0' && *rest_a == '\0' && *rest_b == '\0' && x == y);
}

/* Compares help and the run file of these words; false: the words are refused. */
static bool compare(const asked *a) {
  sotto_options o;
  char what[300], line[1200];
  sotto_options_default(&o);
  for (size_t i = 0; i < a->count; i += 2)
    if (sotto_options_set(&o, a->words[i], a->words[i + 1], NULL) != SOTTO_OK) return false;
  describe(what, a);
  sotto_options_resolve(&o);
  CHECK_OK(sotto_options_write(&o, "run.yaml", &err));
  read_file(run_file, "run.yaml");
  print_help(a);
  for (const char *at = run_file; sscanf(at, "%1199[^\n]", line) == 1; at += strlen(line) + 1) {
    char *taken = strstr(line, ": "), shown[200], rules[700], led[1024];
    assert_non_null(taken);
    *taken = '\0';
    taken += 2;
    if (strcmp(line, "method") != 0) {
      const size_t quoted = taken[0] == '\'';
      char value[1024];
      (void)snprintf(value, sizeof value, "%.*s", (int)(strlen(taken) - 2 * quoted), taken + quoted);
      if (!in_help(shown, rules, line)) fail_msg("%s: help lacks --%s", what, line);
      const bool is_off = shown[0] == '\0' && strcmp(value, "false") == 0;
      if (!is_off && !same(shown, value))
        fail_msg("%s: --%s is [%s] in help, %s in run.yaml", what, line, shown, value);
      compared++;
      if (rules[0] != '\0' && !sotto_i_option_given(&o, line)) {
        follow(led, rules, &o);
        if (!same(led, value))
          fail_msg("%s: --%s is %s, and help's '%s' leads to %s", what, line, value, rules, led);
        conditional++;
      }
    }
    line[strlen(line)] = ':'; /* as long as it was */
  }
  return true;
}

typedef void visitor(asked a, const sotto_i_method *method);

/* Every level and accounting of the method, with epsilons on both sides of every bound in the tables. */
static void each_variant(const sotto_i_method *method, visitor *visit) {
  static const char *const adjacencies[] = {NULL,          "none", "transfer", "edge",
                                            "k-neighbour", "node", "graph",    "client"},
                           *const epsilons[] = {NULL, "1", "3", "6", "10", "30", "inf"};
  const asked plain = with((asked){0}, "method", method->name);
  for (size_t i = 0; i < sizeof adjacencies / sizeof *adjacencies; i++)
    for (size_t k = 0; k < sizeof epsilons / sizeof *epsilons; k++)
      for (int paper = 0; paper < 2; paper++) {
        sotto_i_option row;
        asked a = plain;
        if (paper == 1 && !sotto_i_option_find(&row, &method->options, "accounting")) continue;
        if (epsilons[k] != NULL && !sotto_i_option_find(&row, &method->options, "epsilon")) continue;
        if (adjacencies[i] != NULL && !sotto_i_option_find(&row, &method->options, "adjacency")) continue;
        if (adjacencies[i] != NULL && !sotto_i_word_among(adjacencies[i], row.choices)) continue;
        if (adjacencies[i] != NULL) a = with(a, "adjacency", adjacencies[i]);
        if (epsilons[k] != NULL) a = with(a, "epsilon", epsilons[k]);
        if (paper == 1) a = with(a, "accounting", "paper");
        visit(a, method);
      }
}

static void compare_as_it_is(asked a, const sotto_i_method *method) {
  (void)method;
  assert_true(compare(&a));
}

/* Is another default's condition about this option? */
static bool decides(const sotto_i_method *method, const char *key) {
  for (size_t i = 0; i < method->options.default_count; i++) {
    const sotto_i_option_default *d = &method->options.defaults[i];
    for (size_t w = 0; w < 2; w++)
      if (d->when[w].key != NULL && strcmp(d->when[w].key, key) == 0) return true;
    if (d->as != NULL && strcmp(d->as, key) == 0) return true;
    if (d->round_most > 0 && strcmp(key, "layers") == 0) return true;
  }
  return false;
}

/* The same with one more option given. */
static void compare_with_one_more(asked a, const sotto_i_method *method) {
  sotto_i_option rows[SOTTO_MOST_OPTIONS];
  const size_t count = sotto_i_option_list(rows, SOTTO_MOST_OPTIONS, &method->options);
  for (size_t w = 0; w < a.count; w += 2) /* beside the default a large epsilon will do */
    if (strcmp(a.words[w], "epsilon") == 0 && strcmp(a.words[w + 1], "30") != 0) return;
  for (size_t i = 0; i < count; i++) {
    char values[300], *more = NULL;
    bool known = false;
    for (size_t w = 0; w < a.count; w += 2) known |= strcmp(a.words[w], rows[i].key) == 0;
    if (known || rows[i].type == SOTTO_TEXT || strcmp(rows[i].key, "resume") == 0) continue;
    if (a.count > 2 && !decides(method, rows[i].key)) continue; /* plain: every option */
    (void)snprintf(values, sizeof values, "%s",
                   rows[i].type == SOTTO_WORD     ? rows[i].choices
                   : rows[i].type == SOTTO_SWITCH ? "true"
                                                  : "0 3");
    for (char *value = strtok_r(values, " ", &more); value != NULL; value = strtok_r(NULL, " ", &more)) {
      const asked b = with(a, rows[i].key, value);
      (void)compare(&b);
    }
  }
}

static void help_shows_what_a_run_of_the_same_words_takes(void **state) {
  (void)state;
  compared = conditional = 0;
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++) each_variant(sotto_i_methods()[i], compare_as_it_is);
  print_message("%zu values in help and in run.yaml, %zu of them by conditions\n", compared, conditional);
  assert_true(compared > 10000 && conditional > 1000);
}

static void an_option_that_decides_about_others_does_so_in_help(void **state) {
  (void)state;
  compared = conditional = 0;
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++)
    each_variant(sotto_i_methods()[i], compare_with_one_more);
  print_message("%zu values in help and in run.yaml, %zu of them by conditions\n", compared, conditional);
  assert_true(compared > 10000 && conditional > 1000);
}

/* Is the option among those that help names last, of other variants? */
static bool is_named(const char *key) {
  static const char head[] = "\nother variants of ";
  char names[2000];
  const char *at = strstr(help, head);
  if (at == NULL) return false;
  at += strlen(head) + strcspn(at + strlen(head), "\n") + 1;
  const size_t length = (size_t)(strstr(at, "\n\n") - at);
  assert_true(length < sizeof names);
  (void)snprintf(names, sizeof names, "%.*s", (int)length, at);
  for (char *word = names; *word != '\0'; word++)
    if (*word == '\n') *word = ' ';
  return sotto_i_word_among(key, names + strspn(names, " "));
}

/* Help lists an option that these words leave out where they take it, and else names it among the others. */
static void compare_refusals(asked a, const sotto_i_method *method) {
  sotto_i_option rows[SOTTO_MOST_OPTIONS];
  const size_t count = sotto_i_option_list(rows, SOTTO_MOST_OPTIONS, &method->options);
  sotto_options plain;
  char what[300];
  for (size_t i = 0; i < a.count; i += 2) /* which options there are goes by noise alone */
    if (strcmp(a.words[i], "epsilon") == 0 && strcmp(a.words[i + 1], "inf") != 0) return;
  sotto_options_default(&plain);
  for (size_t i = 0; i < a.count; i += 2) check_set(&plain, a.words[i], a.words[i + 1]);
  describe(what, &a);
  print_help(&a);
  for (size_t i = 0; i < count; i++) {
    char shown[200], rules[700], refused[100];
    sotto_options o = plain;
    sotto_error err = {0};
    const bool listed = in_help(shown, rules, rows[i].key), named = is_named(rows[i].key);
    if (sotto_i_option_given(&o, rows[i].key) || strcmp(rows[i].key, "method") == 0) continue;
    if (listed == named)
      fail_msg("%s: help %s --%s", what, named ? "both lists and names" : "lacks", rows[i].key);
    if (listed && shown[0] == '\0') continue;
    (void)snprintf(refused, sizeof refused, "%s: has no meaning with", rows[i].key);
    if (sotto_options_set(&o, rows[i].key, named ? rows[i].fallback : shown, &err) != SOTTO_OK && listed)
      fail_msg("%s: --%s %s, as help shows it: %s", what, rows[i].key, shown, err.text);
    sotto_options_resolve(&o);
    const bool fits = sotto_options_check(&o, &err) == SOTTO_OK;
    if (named && fits) fail_msg("%s: help names --%s as refused, and it is taken", what, rows[i].key);
    if (listed && !fits && strncmp(err.text, refused, strlen(refused)) == 0)
      fail_msg("%s: help lists --%s %s: %s", what, rows[i].key, shown, err.text);
    compared++;
    conditional += named;
  }
}

static void help_lists_the_options_that_the_same_words_take_alone(void **state) {
  (void)state;
  compared = conditional = 0;
  for (size_t i = 0; sotto_i_methods()[i] != NULL; i++) each_variant(sotto_i_methods()[i], compare_refusals);
  print_message("%zu options in help, %zu of them refused by its words\n", compared, conditional);
  assert_true(compared > 2000 && conditional > 500);
}

/* Without a method it is the help of the method that such a run trains. */
static void help_without_a_method_shows_a_run_without_one(void **state) {
  (void)state;
  char shown[200], rules[700], value[1024];
  sotto_options o;
  static const char *const keys[] = {"epsilon", "adjacency", "layers", "epochs", "seeds"};
  const asked nothing = {0};
  sotto_options_default(&o);
  sotto_options_resolve(&o);
  print_help(&nothing);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    assert_true(in_help(shown, rules, keys[i]));
    value_of(value, &o, keys[i]);
    assert_string_equal(shown, value);
  }
}

/* What Python and other callers are given is the value of a run without options. */
static void the_list_of_options_has_the_defaults_of_a_plain_run(void **state) {
  (void)state;
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    sotto_option_info infos[SOTTO_MOST_OPTIONS];
    sotto_options o;
    const size_t count = sotto_method_options(infos, SOTTO_MOST_OPTIONS, sotto_i_methods()[m]->name);
    sotto_options_default(&o);
    check_set(&o, "method", sotto_i_methods()[m]->name);
    sotto_options_resolve(&o);
    for (size_t i = 0; i < count; i++) {
      char value[1024];
      value_of(value, &o, infos[i].key);
      if (!same(value, infos[i].fallback))
        fail_msg("%s: %s is %s, not %s", sotto_i_methods()[m]->name, infos[i].key, value, infos[i].fallback);
    }
  }
}

/* A number that stands in a default's conditions and again in words for people would have two sources. */
static void no_text_of_an_option_states_a_default(void **state) {
  (void)state;
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    sotto_i_option rows[SOTTO_MOST_OPTIONS];
    const size_t count = sotto_i_option_list(rows, SOTTO_MOST_OPTIONS, &sotto_i_methods()[m]->options);
    for (size_t i = 0; i < count; i++)
      if (strstr(rows[i].help, "by default") != NULL || strstr(rows[i].help, "the default") != NULL)
        fail_msg("%s: help of %s states a default: %s", sotto_i_methods()[m]->name, rows[i].key,
                 rows[i].help);
  }
}

/* Resolving settles options in the order of the table, so a condition cannot be about one further down. */
static void conditions_are_about_options_that_are_settled_before(void **state) {
  (void)state;
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    const sotto_i_option_table *t = &sotto_i_methods()[m]->options;
    for (size_t i = 0; i < t->default_count; i++)
      for (size_t later = i; later < t->default_count; later++) {
        const sotto_i_option_default *d = &t->defaults[i];
        const char *key = t->defaults[later].key;
        bool about = (d->noise != SOTTO_I_ANY_NOISE || d->below > 0) && strcmp(key, "epsilon") == 0;
        about |= d->round_most > 0 && strcmp(key, "layers") == 0;
        about |= d->as != NULL && strcmp(key, d->as) == 0;
        for (size_t w = 0; w < 2; w++) about |= d->when[w].key != NULL && strcmp(key, d->when[w].key) == 0;
        if (about || ((d->below > 0 || d->round_most > 0) && d->noise != SOTTO_I_WITH_NOISE))
          fail_msg("%s: default %zu, of %s, is about %s", sotto_i_methods()[m]->name, i, d->key, key);
      }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_shows_what_a_run_of_the_same_words_takes),
      cmocka_unit_test(an_option_that_decides_about_others_does_so_in_help),
      cmocka_unit_test(help_lists_the_options_that_the_same_words_take_alone),
      cmocka_unit_test(help_without_a_method_shows_a_run_without_one),
      cmocka_unit_test(the_list_of_options_has_the_defaults_of_a_plain_run),
      cmocka_unit_test(no_text_of_an_option_states_a_default),
      cmocka_unit_test(conditions_are_about_options_that_are_settled_before),
  };
  if (chdir(check_folder()) != 0) return 1;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
