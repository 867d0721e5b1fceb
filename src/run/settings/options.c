/* The options of all methods as one list: defaults, values by key, and which were given. */
#include "options.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "run/method/method.h"

static struct {
  sotto_i_option rows[SOTTO_MOST_OPTIONS];
  sotto_option_info infos[SOTTO_MOST_OPTIONS];
  size_t count;
  struct {
    const sotto_i_option_rows *rows;
    size_t at; /* offset in sotto_options.own */
  } own[SOTTO_I_MOST_METHODS];
  size_t own_count;
} known;
static pthread_once_t known_once = PTHREAD_ONCE_INIT;

bool sotto_i_is_method(const sotto_i_option *row) {
  return row->own == NULL && row->offset == offsetof(sotto_options, method);
}

sotto_option_info sotto_i_option_info(const sotto_i_option *row) {
  return (sotto_option_info){.key = row->key,
                             .type = row->type,
                             .least = row->least,
                             .most = row->most,
                             .choices = row->choices,
                             .help = row->help,
                             .fallback = sotto_i_is_method(row) ? sotto_i_methods()[0]->name : row->fallback,
                             .group = row->group,
                             .common = row->common};
}

static bool in_list(const char *key) {
  for (size_t i = 0; i < known.count; i++)
    if (strcmp(known.rows[i].key, key) == 0) return true;
  return false;
}

/* Keeps the rows of a method's own settings, once, in the order of the structs' names. */
static void add_own(const sotto_i_option_rows *rows) {
  size_t at = 0;
  while (at < known.own_count && strcmp(known.own[at].rows->settings, rows->settings) < 0) at++;
  if (at < known.own_count && known.own[at].rows == rows) return;
  SOTTO_I_CHECK(known.own_count < SOTTO_I_MOST_METHODS);
  SOTTO_I_CHECK(at == known.own_count || strcmp(known.own[at].rows->settings, rows->settings) != 0);
  memmove(&known.own[at + 1], &known.own[at], (known.own_count - at) * sizeof *known.own);
  known.own[at].rows = rows;
  known.own_count++;
}

/* Assigns each struct its offset in sotto_options.own, aligned for any number. It follows from which structs
 * there are, not from the order of methods in the registry. */
static void place_own(void) {
  enum { align = sizeof(double) };
  size_t bytes = 0;
  for (size_t i = 0; i < known.own_count; i++) {
    known.own[i].at = bytes;
    bytes += (known.own[i].rows->own_size + align - 1) / align * align;
  }
  SOTTO_I_CHECK(bytes <= SOTTO_OWN_BYTES);
}

/* Is the row a value of the struct that these rows describe? */
static void check_row(const sotto_i_option *row, const sotto_i_option_rows *rows) {
  const size_t size = rows->own_size > 0 ? rows->own_size : offsetof(sotto_options, own);
  SOTTO_I_CHECK(strcmp(row->settings, rows->settings) == 0 && row->offset + row->size <= size);
}

/* Collects each key once, with its row before a method's changes. */
static void collect_rows(void) {
  for (size_t m = 0; sotto_i_methods()[m] != NULL; m++) {
    const sotto_i_option_use *uses = sotto_i_methods()[m]->options.uses;
    for (size_t u = 0; u < SOTTO_I_MOST_USES && uses[u].rows != NULL; u++) {
      if (uses[u].rows->own_size > 0) add_own(uses[u].rows);
      for (size_t i = 0; i < uses[u].rows->count; i++) {
        const sotto_i_option row = sotto_i_option_row(uses[u].rows, i);
        check_row(&row, uses[u].rows);
        if (uses[u].keys != NULL && !sotto_i_word_among(row.key, uses[u].keys)) continue;
        if (in_list(row.key)) continue;
        SOTTO_I_CHECK(known.count < SOTTO_MOST_OPTIONS);
        known.rows[known.count] = row;
        known.infos[known.count++] = sotto_i_option_info(&row);
      }
    }
  }
  place_own();
}

const sotto_option_info *sotto_i_option_infos(size_t *count) {
  (void)pthread_once(&known_once, collect_rows);
  *count = known.count;
  return known.infos;
}

const void *sotto_i_own(const sotto_options *options, const sotto_i_option_rows *rows, const char *settings) {
  (void)pthread_once(&known_once, collect_rows);
  SOTTO_I_CHECK(strcmp(rows->settings, settings) == 0);
  for (size_t i = 0; i < known.own_count; i++)
    if (known.own[i].rows == rows) return options->own.bytes + known.own[i].at;
  sotto_i_broken(__FILE__, __LINE__, "the settings are of a method that is in the registry");
}

/* The struct that has the row's value. */
static const void *base_of(const sotto_options *options, const sotto_i_option *row) {
  return row->own == NULL ? options : sotto_i_own(options, row->own, row->settings);
}

void *sotto_i_option_field(sotto_options *options, const sotto_i_option *row) {
  const void *base = base_of(options, row);
  return (char *)(uintptr_t)base + row->offset;
}

void sotto_i_option_value(char *out, size_t size, const sotto_options *options, const sotto_i_option *row) {
  const void *base = base_of(options, row);
  sotto_i_option_text(out, size, (const char *)base + row->offset, row);
}

const sotto_i_option *sotto_i_option_known(const char *key, size_t *number) {
  (void)pthread_once(&known_once, collect_rows);
  for (size_t i = 0; i < known.count; i++) {
    if (strcmp(known.rows[i].key, key) != 0) continue;
    if (number != NULL) *number = i;
    return &known.rows[i];
  }
  return NULL;
}

void sotto_i_options_default(sotto_options *options) {
  *options = (sotto_options){0};
  (void)pthread_once(&known_once, collect_rows);
  for (size_t i = 0; i < known.count; i++) {
    const sotto_i_option *row = &known.rows[i];
    if (sotto_i_is_method(row))
      (void)snprintf(options->method, sizeof options->method, "%s", sotto_i_methods()[0]->name);
    else
      SOTTO_I_CHECK(sotto_i_option_set(sotto_i_option_field(options, row), row, row->fallback, NULL) ==
                    SOTTO_OK);
  }
}

static sotto_status fail_unknown(const char *key, sotto_error *err) {
  const char *names[SOTTO_MOST_OPTIONS];
  for (size_t i = 0; i < known.count; i++) names[i] = known.rows[i].key;
  const char *nearest = sotto_i_nearest(key, names, known.count);
  return sotto_i_fail(err, SOTTO_NOT_FOUND, "unknown option '%s'%s%s%s", key,
                      nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                      nearest == NULL ? "" : "'?");
}

static sotto_status set_method(sotto_options *options, const char *value, sotto_error *err) {
  const char *names[SOTTO_I_MOST_METHODS];
  size_t count = 0;
  for (; sotto_i_methods()[count] != NULL; count++) {
    names[count] = sotto_i_methods()[count]->name;
    if (strcmp(names[count], value) != 0) continue;
    (void)snprintf(options->method, sizeof options->method, "%s", value);
    return SOTTO_OK;
  }
  const char *nearest = sotto_i_nearest(value, names, count);
  return sotto_i_fail(err, SOTTO_INVALID, "method: there is no '%.60s'%s%s%s", value,
                      nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                      nearest == NULL ? "; `sotto methods` lists all" : "'?");
}

sotto_status sotto_options_set(sotto_options *options, const char *key, const char *value, sotto_error *err) {
  size_t number;
  const sotto_i_option *row = sotto_i_option_known(key, &number);
  if (row == NULL) return fail_unknown(key, err);
  sotto_status status = sotto_i_is_method(row)
                            ? set_method(options, value, err)
                            : sotto_i_option_set(sotto_i_option_field(options, row), row, value, err);
  if (status == SOTTO_OK) options->given[number] = true;
  return status;
}

bool sotto_i_option_given(const sotto_options *options, const char *key) {
  size_t number;
  return sotto_i_option_known(key, &number) != NULL && options->given[number];
}

void sotto_option_text(const sotto_options *options, size_t i, char *out, size_t size) {
  sotto_i_option_value(out, size, options, &known.rows[i]);
}
