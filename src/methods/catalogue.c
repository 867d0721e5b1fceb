/* The list of methods, and the options and defaults of each. */
#include <pthread.h>
#include <stdio.h>

#include "base/error.h"
#include "inside/run.h"
#include "registry.h"
#include "run/settings/options.h"

enum { longest_rules = 600 };

static const sotto_i_method *find_method(const char *method) {
  sotto_i_registry_use();
  return sotto_i_method_named(method);
}

size_t sotto_method_options(sotto_option_info *out, size_t most, const char *method) {
  sotto_i_option rows[SOTTO_MOST_OPTIONS];
  const sotto_i_method *entry = find_method(method);
  if (entry == NULL) return 0;
  sotto_options plain;
  sotto_i_options_default(&plain);
  (void)snprintf(plain.method, sizeof plain.method, "%s", method);
  sotto_i_defaults_settle(&plain, entry);
  size_t count = sotto_i_option_list(rows, SOTTO_MOST_OPTIONS, &entry->options);
  for (size_t i = 0; i < count && i < most; i++) {
    out[i] = sotto_i_option_info(&rows[i]);
    out[i].fallback = sotto_i_is_method(&rows[i]) ? entry->name : sotto_i_default_of(&plain, entry, &rows[i]);
  }
  return count;
}

sotto_status sotto_method_default(char *out, size_t size, const char *method, const char *key,
                                  sotto_error *err) {
  sotto_i_option row;
  char rules[longest_rules];
  const sotto_i_method *entry = find_method(method);
  if (entry == NULL || !sotto_i_option_find(&row, &entry->options, key))
    return sotto_i_fail(err, SOTTO_NOT_FOUND, "there is no method %.60s with the option '%.60s'", method,
                        key);
  sotto_i_default_rules(rules, sizeof rules, entry, &row);
  if ((size_t)snprintf(out, size, "%s", rules) >= size)
    return sotto_i_fail(err, SOTTO_RANGE, "%.60s: its default does not fit %zu bytes", key, size);
  return SOTTO_OK;
}

static struct {
  pthread_once_t once;
  sotto_method_info infos[SOTTO_I_MOST_METHODS];
  size_t count;
} methods = {.once = PTHREAD_ONCE_INIT};

static void collect(void) {
  sotto_i_registry_use();
  for (const sotto_i_method *m; (m = sotto_i_methods()[methods.count]) != NULL; methods.count++)
    methods.infos[methods.count] =
        (sotto_method_info){m->name, m->summary, m->situation, m->source, m->topology};
}

const sotto_method_info *sotto_method_table(size_t *count) {
  (void)pthread_once(&methods.once, collect);
  *count = methods.count;
  return methods.infos;
}
