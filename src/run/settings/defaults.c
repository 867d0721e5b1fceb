/* Conditional defaults of a method: the values that a run uses, and their text in the help. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "options.h"

enum { longest_value = 1024, longest_words = 200 };

/* Is the option's value one of the words? */
static bool has_value(const sotto_options *o, const char *key, const char *words) {
  char value[longest_value];
  const sotto_i_option *row = sotto_i_option_known(key, NULL);
  SOTTO_I_CHECK(row != NULL);
  sotto_i_option_value(value, sizeof value, o, row);
  return sotto_i_word_among(value, words);
}

static bool condition_holds(const sotto_i_option_default *d, const sotto_options *o) {
  const bool noise = sotto_i_job_wants_privacy(o);
  if (d->adjacencies != 0 && (d->adjacencies & sotto_i_adjacency_bit(o)) == 0) return false;
  if (d->accountings != 0 && (d->accountings & sotto_i_accounting_bit(o)) == 0) return false;
  if (d->noise != SOTTO_I_ANY_NOISE && noise != (d->noise == SOTTO_I_WITH_NOISE)) return false;
  if (d->below > 0 && !(o->epsilon < d->below)) return false;
  if (d->round_most > 0 && !(o->epsilon / (double)o->layers <= d->round_most)) return false;
  for (size_t i = 0; i < sizeof d->when / sizeof *d->when && d->when[i].key != NULL; i++)
    if (has_value(o, d->when[i].key, d->when[i].words) == d->when[i].differs) return false;
  return true;
}

static void set_default(sotto_options *o, const char *key, const char *value) {
  const sotto_i_option *row = sotto_i_option_known(key, NULL);
  SOTTO_I_CHECK(row != NULL &&
                sotto_i_option_set(sotto_i_option_field(o, row), row, value, NULL) == SOTTO_OK);
}

/* The unconditional default: of the method, else of all that have the option. */
static const char *fallback_of(const sotto_i_method *method, const char *key) {
  sotto_i_option row;
  if (sotto_i_option_find(&row, &method->options, key)) return row.fallback;
  const sotto_i_option *known = sotto_i_option_known(key, NULL);
  SOTTO_I_CHECK(known != NULL);
  return known->fallback;
}

void sotto_i_defaults_settle(sotto_options *o, const sotto_i_method *method) {
  const sotto_i_option_table *table = &method->options;
  for (size_t i = 0; i < table->change_count; i++)
    if (table->changes[i].fallback != NULL && !sotto_i_option_given(o, table->changes[i].key))
      set_default(o, table->changes[i].key, table->changes[i].fallback);
  for (size_t i = 0; i < table->default_count; i++) /* in case an earlier call set them */
    if (!sotto_i_option_given(o, table->defaults[i].key))
      set_default(o, table->defaults[i].key, fallback_of(method, table->defaults[i].key));
  for (size_t i = 0; i < table->default_count; i++) {
    const sotto_i_option_default *d = &table->defaults[i];
    bool settled = sotto_i_option_given(o, d->key);
    for (size_t j = 0; j < i && !settled; j++)
      settled = strcmp(table->defaults[j].key, d->key) == 0 && condition_holds(&table->defaults[j], o);
    if (settled || !condition_holds(d, o)) continue;
    char value[longest_value];
    if (d->value == NULL) sotto_i_option_value(value, sizeof value, o, sotto_i_option_known(d->as, NULL));
    set_default(o, d->key, d->value != NULL ? d->value : value);
  }
}

/* Is the row a value of the method's paper, under the option as-published? */
static bool is_published(const sotto_i_option_default *d) {
  for (size_t i = 0; i < sizeof d->when / sizeof *d->when && d->when[i].key != NULL; i++)
    if (strcmp(d->when[i].key, "as-published") == 0 && !d->when[i].differs) return true;
  return false;
}

bool sotto_i_publishes(const sotto_options *o, const char *key) {
  const sotto_i_option_table *table = &sotto_i_method_of(o)->options;
  for (size_t i = 0; i < table->default_count; i++)
    if (is_published(&table->defaults[i]) && strcmp(table->defaults[i].key, key) == 0 &&
        condition_holds(&table->defaults[i], o))
      return true;
  return false;
}

size_t sotto_i_unpublished(sotto_i_unlike *out, size_t most, const sotto_options *o) {
  const sotto_i_option_table *table = &sotto_i_method_of(o)->options;
  size_t count = 0;
  for (size_t i = 0; i < table->default_count; i++) {
    const sotto_i_option_default *d = &table->defaults[i];
    sotto_options paper = *o;
    sotto_i_option row;
    char published[longest_value], value[longest_value];
    if (!is_published(d) || !condition_holds(d, o) || !sotto_i_option_has(&row, o, d->key)) continue;
    set_default(&paper, d->key, d->value);
    sotto_i_option_value(published, sizeof published, &paper, &row);
    sotto_i_option_value(value, sizeof value, o, &row);
    if (strcmp(published, value) != 0 && count++ < most)
      out[count - 1] = (sotto_i_unlike){.key = row.key, .published = d->value};
  }
  return count;
}

const char *sotto_i_default_of(const sotto_options *settled, const sotto_i_method *method,
                               const sotto_i_option *row) {
  for (size_t i = 0; i < method->options.default_count; i++) {
    const sotto_i_option_default *d = &method->options.defaults[i];
    if (strcmp(d->key, row->key) == 0 && condition_holds(d, settled))
      return d->value != NULL ? d->value : fallback_of(method, d->as);
  }
  return row->fallback;
}

/* A text that grows in a borrowed buffer; a text that does not fit is an error in a table, and is
 * truncated. */
typedef struct text {
  char *at;
  size_t room;
} text;

static void add_text(text *t, const char *words) {
  const size_t length = strlen(words) < t->room ? strlen(words) : t->room - 1;
  memcpy(t->at, words, length);
  t->at[length] = '\0';
  t->at += length;
  t->room -= length;
}

/* Adds one of several joined conditions. */
static void add_condition(text *t, bool *any, const char *words) {
  if (*any) add_text(t, " and ");
  *any = true;
  add_text(t, words);
}

/* Words of a list separated by single spaces, as "a, b or c". */
static void join_words(char *out, size_t size, const char *before, const char *words) {
  text t = {out, size};
  add_text(&t, before);
  for (const char *at = words; *at != '\0';) {
    char word[longest_words];
    const size_t length = strcspn(at, " ");
    (void)snprintf(word, sizeof word, "%.*s", (int)length, at);
    at += length + (at[length] == ' ');
    add_text(&t, word);
    if (*at != '\0') add_text(&t, strchr(at, ' ') == NULL ? " or " : ", ");
  }
}

static void join_levels(char *out, size_t size, unsigned set) {
  text t = {out, size};
  out[0] = '\0';
  for (unsigned i = 0; i <= SOTTO_ADJACENCY_CLIENT; i++) {
    if ((set & 1U << i) == 0) continue;
    if (t.at != out) add_text(&t, " ");
    add_text(&t, sotto_adjacency_name((sotto_adjacency)i));
  }
}

/* The variants of the method that have the option, and those that the default applies to. */
typedef struct reach {
  unsigned all, adjacencies, accountings;
} reach;

static reach reach_of(const sotto_i_method *method, const sotto_i_option *row,
                      const sotto_i_option_default *d) {
  reach r = {0};
  for (size_t i = 0; i < method->variant_count; i++) r.all |= method->variants[i].adjacencies;
  if (row->adjacencies != 0) r.all &= row->adjacencies;
  r.adjacencies = d->adjacencies == 0 ? r.all : r.all & d->adjacencies;
  r.accountings = d->accountings;
  sotto_i_option own;
  if (!sotto_i_option_find(&own, &method->options, "accounting") ||
      (row->accountings != 0 && (row->accountings & ~d->accountings) == 0))
    r.accountings = 0;
  return r;
}

/* Adds the conditions of a default; false: it has none. */
static bool add_conditions(text *t, const reach *r, const sotto_i_option_default *d) {
  char words[longest_words], names[longest_words];
  bool any = false;
  if (r->adjacencies != r->all) {
    join_levels(names, sizeof names, r->adjacencies);
    join_words(words, sizeof words, "adjacency ", names);
    add_condition(t, &any, words);
  }
  if (r->accountings != 0)
    add_condition(t, &any, r->accountings == SOTTO_I_SOUND ? "accounting sound" : "accounting paper");
  for (size_t i = 0; i < sizeof d->when / sizeof *d->when && d->when[i].key != NULL; i++) {
    (void)snprintf(names, sizeof names, "%s %s", d->when[i].key, d->when[i].differs ? "other than " : "");
    join_words(words, sizeof words, names, d->when[i].words);
    add_condition(t, &any, words);
  }
  if (d->noise != SOTTO_I_ANY_NOISE && d->below == 0 && d->round_most == 0)
    add_condition(t, &any, d->noise == SOTTO_I_WITH_NOISE ? "with noise" : "without noise");
  if (d->below > 0) {
    (void)snprintf(words, sizeof words, "noise of epsilon below %g", d->below);
    add_condition(t, &any, words);
  }
  if (d->round_most > 0) {
    (void)snprintf(words, sizeof words, "noise of epsilon / layers at most %g", d->round_most);
    add_condition(t, &any, words);
  }
  return any;
}

void sotto_i_default_rules(char *out, size_t size, const sotto_i_method *method, const sotto_i_option *row) {
  text t = {out, size};
  bool rules = false;
  out[0] = '\0';
  for (size_t i = 0; i < method->options.default_count; i++) {
    const sotto_i_option_default *d = &method->options.defaults[i];
    if (strcmp(d->key, row->key) != 0) continue;
    const reach r = reach_of(method, row, d);
    if (r.adjacencies == 0) continue; /* shared with methods that have other levels */
    if (rules) add_text(&t, "; ");
    const bool any = add_conditions(&t, &r, d);
    if (!any) add_text(&t, "else");
    add_text(&t, ": ");
    if (d->value == NULL) add_text(&t, "the value of ");
    add_text(&t, d->value != NULL ? d->value : d->as);
    if (!any) return;
    rules = true;
  }
  if (!rules) return;
  add_text(&t, "; else: ");
  add_text(&t, row->fallback);
}
