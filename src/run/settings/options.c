/* The table of options: defaults, parsing, checks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "methods/layers_then_classify/caribou_paper.h"
#include "methods/vfgnn/vfgnn.h"
#include "options.h"
#include "run/method.h"

typedef struct entry {
  sotto_option_info info;
  size_t offset, size;
  const char *text_default;
  double number_default;
  uint64_t count_default;
} entry;

#define DEFAULT_TEXT(value)   .text_default = (value)
#define DEFAULT_WORD(value)   .text_default = (value)
#define DEFAULT_COUNT(value)  .count_default = (value)
#define DEFAULT_REAL(value)   .number_default = (value)
#define DEFAULT_SWITCH(value) .count_default = (value)
#define ENTRY(field, word, kind, fallback, lowest, highest, words, meaning)                                  \
  {.info = {.key = (word),                                                                                   \
            .type = SOTTO_##kind,                                                                            \
            .least = (lowest),                                                                               \
            .most = (highest),                                                                               \
            .choices = (words),                                                                              \
            .help = (meaning)},                                                                              \
   .offset = offsetof(sotto_options, field),                                                                 \
   .size = sizeof(((sotto_options *)0)->field),                                                              \
   DEFAULT_##kind(fallback)},
static const entry table[] = {SOTTO_OPTION_LIST(ENTRY)};
enum { option_count = sizeof table / sizeof *table };
_Static_assert((int)option_count <= (int)SOTTO_MOST_OPTIONS,
               "sotto_options.given has a place for every option");

static void *field_of(sotto_options *options, const entry *e) {
  return (char *)options + e->offset;
}

static const void *field_in(const sotto_options *options, const entry *e) {
  return (const char *)options + e->offset;
}

const sotto_option_info *sotto_option_table(size_t *count) {
  static sotto_option_info infos[option_count];
  for (size_t i = 0; i < option_count; i++) infos[i] = table[i].info;
  *count = option_count;
  return infos;
}

void sotto_options_default(sotto_options *options) {
  *options = (sotto_options){0};
  for (size_t i = 0; i < option_count; i++) {
    const entry *e = &table[i];
    void *field = field_of(options, e);
    switch (e->info.type) {
    case SOTTO_TEXT:
    case SOTTO_WORD:
      (void)snprintf(field, e->size, "%s", e->text_default);
      break;
    case SOTTO_COUNT:
      memcpy(field, &e->count_default, e->size);
      break;
    case SOTTO_REAL:
      memcpy(field, &e->number_default, e->size);
      break;
    case SOTTO_SWITCH:
      *(bool *)field = e->count_default != 0;
      break;
    }
  }
}

static const entry *find(const char *key, sotto_error *err) {
  const char *names[option_count];
  for (size_t i = 0; i < option_count; i++) {
    if (strcmp(table[i].info.key, key) == 0) return &table[i];
    names[i] = table[i].info.key;
  }
  const char *nearest = sotto_i_nearest(key, names, option_count);
  (void)sotto_i_fail(err, SOTTO_NOT_FOUND, "unknown option '%s'%s%s%s", key,
                     nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                     nearest == NULL ? "" : "'?");
  return NULL;
}

bool sotto_i_word_among(const char *word, const char *choices) {
  size_t length = strlen(word);
  if (strchr(word, ' ') != NULL) return false; /* several of the choices are not one of them */
  for (const char *at = choices; length > 0 && (at = strstr(at, word)) != NULL; at += length)
    if ((at == choices || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return true;
  return false;
}

static sotto_status set_text(void *field, const entry *e, const char *value, sotto_error *err) {
  if (strlen(value) >= e->size)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: the value is longer than %zu bytes", e->info.key, e->size - 1);
  for (const char *at = value; *at != '\0'; at++) /* a run file could not give these back */
    if ((unsigned char)*at < ' ' || *at == 0x7f)
      return sotto_i_fail(err, SOTTO_INVALID, "%s: the value has a control character in it", e->info.key);
  if (e->info.type == SOTTO_WORD && !sotto_i_word_among(value, e->info.choices))
    return sotto_i_fail(err, SOTTO_INVALID, "%s: '%s' is none of: %s", e->info.key, value, e->info.choices);
  (void)snprintf(field, e->size, "%s", value);
  return SOTTO_OK;
}

static sotto_status set_count(uint64_t *field, const entry *e, const char *value, sotto_error *err) {
  uint64_t number;
  sotto_status status = sotto_i_parse_u64(&number, value, e->info.key, err);
  if (status != SOTTO_OK) return status;
  if ((double)number < e->info.least || (double)number > e->info.most)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: %s is outside %.0f to %.0f", e->info.key, value, e->info.least,
                        e->info.most);
  *field = number;
  return SOTTO_OK;
}

static sotto_status set_real(double *field, const entry *e, const char *value, sotto_error *err) {
  double number = INFINITY;
  if (strcmp(value, "inf") != 0 || !isinf(e->info.most)) {
    sotto_status status = sotto_i_parse_double(&number, value, e->info.key, err);
    if (status != SOTTO_OK) return status;
  }
  if (number < e->info.least || number > e->info.most)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: %s is outside %g to %g", e->info.key, value, e->info.least,
                        e->info.most);
  *field = number;
  return SOTTO_OK;
}

static sotto_status set_switch(bool *field, const entry *e, const char *value, sotto_error *err) {
  if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: '%s' is neither true nor false", e->info.key, value);
  *field = value[0] == 't';
  return SOTTO_OK;
}

sotto_status sotto_options_set(sotto_options *options, const char *key, const char *value, sotto_error *err) {
  const entry *e = find(key, err);
  if (e == NULL) return SOTTO_NOT_FOUND;
  void *field = field_of(options, e);
  sotto_status status = SOTTO_OK;
  switch (e->info.type) {
  case SOTTO_TEXT:
  case SOTTO_WORD:
    status = set_text(field, e, value, err);
    break;
  case SOTTO_COUNT:
    status = set_count(field, e, value, err);
    break;
  case SOTTO_REAL:
    status = set_real(field, e, value, err);
    break;
  case SOTTO_SWITCH:
    status = set_switch(field, e, value, err);
    break;
  }
  if (status == SOTTO_OK) options->given[e - table] = true;
  return status;
}

bool sotto_i_option_given(const sotto_options *options, const char *key) {
  const entry *e = find(key, NULL);
  return e != NULL && options->given[e - table];
}

bool sotto_i_option_changed(const sotto_options *options, const char *key) {
  const entry *e = find(key, NULL);
  sotto_options standard;
  char value[1024], usual[1024];
  if (e == NULL || !sotto_i_option_given(options, key)) return false;
  sotto_options_default(&standard);
  sotto_option_text(options, (size_t)(e - table), value, sizeof value);
  sotto_option_text(&standard, (size_t)(e - table), usual, sizeof usual);
  return strcmp(value, usual) != 0;
}

void sotto_option_text(const sotto_options *options, size_t i, char *out, size_t size) {
  const entry *e = &table[i];
  const void *field = field_in(options, e);
  uint64_t count = 0;
  double number;
  switch (e->info.type) {
  case SOTTO_TEXT:
  case SOTTO_WORD:
    (void)snprintf(out, size, "%s", (const char *)field);
    break;
  case SOTTO_COUNT:
    memcpy(&count, field, sizeof count);
    if (count == SOTTO_UNSET)
      (void)snprintf(out, size, "%s", "");
    else
      (void)snprintf(out, size, "%llu", (unsigned long long)count);
    break;
  case SOTTO_REAL:
    memcpy(&number, field, sizeof number);
    (void)snprintf(out, size, "%.17g", number);
    /* The shortest text that reads back the same. */
    for (int digits = 1; digits < 17; digits++) {
      char shorter[32];
      double back;
      (void)snprintf(shorter, sizeof shorter, "%.*g", digits, number);
      if (sscanf(shorter, "%lf", &back) == 1 && back == number) {
        (void)snprintf(out, size, "%s", shorter);
        break;
      }
    }
    break;
  case SOTTO_SWITCH:
    (void)snprintf(out, size, "%s", *(const bool *)field ? "true" : "false");
    break;
  }
}

/* What one method asks of its options, whatever the data. */
static sotto_status check_method(const sotto_options *options, sotto_error *err) {
  if (strcmp(options->aggregator, "gat") == 0 && strcmp(options->method, "vfgnn") != 0)
    return sotto_i_fail(err, SOTTO_UNSUPPORTED, "aggregator: gat is of method vfgnn alone");
  if (!sotto_i_method_find(options->method)->contractive) return SOTTO_OK;
  if (!(options->contraction < 1))
    return sotto_i_fail(err, SOTTO_RANGE, "contraction: must be below 1, or nothing contracts");
  if (strcmp(options->aggregator, "gcn") != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "aggregator: method %s has gcn alone", options->method);
  if (strcmp(options->release_activation, "none") != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "release-activation: method %s has none", options->method);
  return SOTTO_OK;
}

static sotto_status check_floor(const sotto_options *options, sotto_error *err) {
  if (options->degree_floor >= 1 || strcmp(options->aggregator, "gin") == 0 ||
      !sotto_i_method_find(options->method)->noisy || strcmp(options->method, "vfgnn") == 0 ||
      !sotto_i_job_wants_privacy(options) || sotto_i_caribou_as_paper(options))
    return SOTTO_OK;
  return sotto_i_fail(err, SOTTO_RANGE,
                      "degree-floor: must be at least 1 for a private release with %s: without a floor one "
                      "edge may change a row as much as it can change",
                      options->aggregator);
}

sotto_status sotto_options_check(const sotto_options *options, sotto_error *err) {
  sotto_status status = SOTTO_OK;
  if (options->data[0] == '\0')
    return sotto_i_fail(err, SOTTO_INVALID, "data: no dataset was named; give --data PATH");
  if (options->train_share + options->validation_share >= 1)
    return sotto_i_fail(err, SOTTO_RANGE, "train-share and validation-share leave no node to test on");
  SOTTO_TRY(check_method(options, err));
  if (sotto_i_method_find(options->method)->noisy) {
    if (!(options->epsilon > 0)) return sotto_i_fail(err, SOTTO_RANGE, "epsilon: must be above 0, or inf");
    if (!(options->delta > 0 && options->delta < 1))
      return sotto_i_fail(err, SOTTO_RANGE, "delta: must be between 0 and 1");
  }
  SOTTO_TRY(sotto_i_options_check_family(options, err));
  SOTTO_TRY(sotto_i_vfgnn_check_options(options, err));
  SOTTO_TRY(check_floor(options, err));
  if (strcmp(options->split, "kfold") == 0 && options->seeds > options->folds)
    return sotto_i_fail(err, SOTTO_RANGE, "seeds: %llu repeats of %llu folds; at most one a fold",
                        (unsigned long long)options->seeds, (unsigned long long)options->folds);
  if (!(options->learning_rate > 0)) return sotto_i_fail(err, SOTTO_RANGE, "learning-rate: must be above 0");
done:
  return status;
}
