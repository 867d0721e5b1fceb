/* Every method in every variant: an option that it does not have is refused by name, with the methods or
 * levels that have it; each that it has is taken at its own default. */
#include "base/file.h"
#include "check.h"
#include "ledgers.h"
#include "registry_cases.h"
#include "run/settings/options.h"

/* A value that the option takes. */
static void some_value(char out[256], const char *fallback, const char *choices, sotto_option_type type) {
  (void)snprintf(out, 256, "%s", fallback);
  if (fallback[0] != '\0') return;
  (void)snprintf(out, 256, "%s", type == SOTTO_TEXT ? "x" : type == SOTTO_WORD ? choices : "1");
  if (type == SOTTO_WORD) out[strcspn(out, " ")] = '\0';
}

/* Is `name` a whole entry of the list "a, b, c" at the end of the message? */
static bool lists(const char *message, const char *name) {
  const char *list = strstr(message, "these have it: ");
  char text[400], *rest = text;
  if (list == NULL) return false;
  (void)snprintf(text, sizeof text, "%s", list + strlen("these have it: "));
  for (char *word = strtok_r(text, ", ", &rest); word != NULL; word = strtok_r(NULL, ", ", &rest))
    if (strcmp(word, name) == 0) return true;
  return false;
}

/* The message of an option that no variant of the method has. */
static void check_names(const char *message, const check_case *c, const char *key) {
  sotto_i_option row;
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    bool has = sotto_i_option_find(&row, &sotto_i_methods()[m]->options, key);
    if (has != lists(message, sotto_i_methods()[m]->name))
      fail_msg("%s: '%s' is wrong about %s", c->name, message, sotto_i_methods()[m]->name);
  }
}

static void refuse(const check_case *c, const check_case_data *data, const sotto_option_info *info) {
  sotto_error err = {0};
  sotto_i_option row;
  sotto_result none;
  char value[256], beginning[80];
  sotto_options o = check_case_options(c, data, "foreign");
  some_value(value, info->fallback, info->choices, info->type);
  check_set(&o, info->key, value);
  sotto_status status = sotto_train(&none, &o, check_data_of(c, data), NULL, NULL, &err);
  (void)snprintf(beginning, sizeof beginning, "%.60s: ", info->key);
  if (status != SOTTO_INVALID || strncmp(err.text, beginning, strlen(beginning)) != 0)
    fail_msg("%s: %s %s gave '%s' (%s)", c->name, info->key, value, sotto_status_text(status), err.text);
  if (sotto_i_option_find(&row, &c->method->options, info->key)) {
    const bool accounting = row.accountings != 0 && (row.accountings & sotto_i_accounting_bit(&o)) == 0;
    const char *without = c->variant->without;
    const bool unread = without != NULL && sotto_i_word_among(info->key, without);
    if (strstr(err.text, unread ? c->variant->key : accounting ? "accounting" : "adjacency") == NULL)
      fail_msg("%s: '%s' does not say why", c->name, err.text);
  } else {
    check_names(err.text, c, info->key);
  }
  assert_false(sotto_i_is_folder(o.out));
  assert_true(check_ledger_rows(o.ledger) == 0);
}

static void foreign_options_are_refused_by_name(void **state) {
  size_t cases_count, count, refused = 0;
  const check_case *cases = check_cases(&cases_count);
  const sotto_option_info *infos = sotto_option_table(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < cases_count; i++)
    for (size_t k = 0; k < count; k++) {
      if (check_case_has(&cases[i], infos[k].key)) continue;
      refuse(&cases[i], &data, &infos[k]);
      refused++;
    }
  check_seen(refused > 20 * cases_count);
  check_case_data_free(&data);
}

/* What is written into a run file can be read back: each own option, given, is no fault. */
static void own_options_are_taken_at_their_defaults(void **state) {
  size_t cases_count, count;
  const check_case *cases = check_cases(&cases_count);
  const sotto_option_info *infos = sotto_option_table(&count);
  check_case_data data = check_case_data_new();
  (void)state;
  for (size_t i = 0; i < cases_count; i++)
    for (size_t k = 0; k < count; k++) {
      sotto_i_option row;
      sotto_error err = {0};
      char value[1024];
      sotto_options o = check_case_options(&cases[i], &data, "own");
      sotto_options_resolve(&o);
      if (!sotto_i_option_has(&row, &o, infos[k].key)) continue;
      sotto_i_option_value(value, sizeof value, &o, &row);
      if (value[0] == '\0' && row.type != SOTTO_TEXT) continue; /* a count that is not given */
      check_set(&o, infos[k].key, value);
      if (sotto_options_check(&o, &err) != SOTTO_OK)
        fail_msg("%s: %s '%s', its own value, is refused: %s", cases[i].name, infos[k].key, value, err.text);
    }
  check_case_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(foreign_options_are_refused_by_name),
      cmocka_unit_test(own_options_are_taken_at_their_defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
