/* Options as data: find a row, parse a value, write a value. */
#define _POSIX_C_SOURCE 200809L
#include "option.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "text.h"

/* Where the word begins in the list `choices`; NULL: not in it. */
static const char *find_word(const char *word, const char *choices) {
  size_t length = strlen(word);
  if (strchr(word, ' ') != NULL) return NULL; /* a text of several words is no single choice */
  for (const char *at = choices; length > 0 && (at = strstr(at, word)) != NULL; at += length)
    if ((at == choices || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) return at;
  return NULL;
}

bool sotto_i_word_among(const char *word, const char *choices) {
  return find_word(word, choices) != NULL;
}

sotto_i_option sotto_i_option_row(const sotto_i_option_rows *rows, size_t i) {
  sotto_i_option row = rows->rows[i];
  if (rows->own_size > 0) row.own = rows;
  return row;
}

static void apply_changes(sotto_i_option *row, const sotto_i_option_table *table) {
  for (size_t i = 0; i < table->change_count; i++) {
    const sotto_i_option_change *c = &table->changes[i];
    if (strcmp(c->key, row->key) != 0) continue;
    if (c->fallback != NULL) row->fallback = c->fallback;
    if (c->choices != NULL) row->choices = c->choices;
    if (c->help != NULL) row->help = c->help;
    if (c->adjacencies != 0) row->adjacencies = c->adjacencies;
    if (c->accountings != 0) row->accountings = c->accountings;
  }
}

size_t sotto_i_option_list(sotto_i_option *out, size_t most, const sotto_i_option_table *table) {
  size_t count = 0;
  for (size_t u = 0; u < SOTTO_I_MOST_USES && table->uses[u].rows != NULL; u++) {
    const sotto_i_option_use *use = &table->uses[u];
    for (size_t i = 0; i < use->rows->count; i++) {
      if (use->keys != NULL && !sotto_i_word_among(use->rows->rows[i].key, use->keys)) continue;
      if (count < most) {
        out[count] = sotto_i_option_row(use->rows, i);
        apply_changes(&out[count], table);
      }
      count++;
    }
  }
  return count;
}

bool sotto_i_option_find(sotto_i_option *out, const sotto_i_option_table *table, const char *key) {
  for (size_t u = 0; u < SOTTO_I_MOST_USES && table->uses[u].rows != NULL; u++) {
    const sotto_i_option_use *use = &table->uses[u];
    if (use->keys != NULL && !sotto_i_word_among(key, use->keys)) continue;
    for (size_t i = 0; i < use->rows->count; i++) {
      if (strcmp(use->rows->rows[i].key, key) != 0) continue;
      *out = sotto_i_option_row(use->rows, i);
      apply_changes(out, table);
      return true;
    }
  }
  return false;
}

static sotto_status set_text(char *field, const sotto_i_option *row, const char *value, sotto_error *err) {
  if (strlen(value) >= row->size)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: the value is longer than %zu bytes", row->key, row->size - 1);
  for (const char *at = value; *at != '\0'; at++) /* a run file could not hold control characters */
    if ((unsigned char)*at < ' ' || *at == 0x7f)
      return sotto_i_fail(err, SOTTO_INVALID, "%s: the value has a control character in it", row->key);
  (void)snprintf(field, row->size, "%s", value);
  return SOTTO_OK;
}

/* Index of the word that begins at `at` in the list `words`. */
static unsigned word_index(const char *words, const char *at) {
  unsigned number = 0;
  for (; words < at; words++) number += *words == ' ';
  return number;
}

static sotto_status fail_no_choice(const sotto_i_option *row, const char *value, sotto_error *err) {
  enum { most = 64 };
  char text[512], *rest;
  const char *words[most];
  size_t count = 0;
  (void)snprintf(text, sizeof text, "%s", row->choices);
  for (char *word = strtok_r(text, " ", &rest); word != NULL && count < most;
       word = strtok_r(NULL, " ", &rest))
    words[count++] = word;
  const char *nearest = sotto_i_nearest(value, words, count);
  return sotto_i_fail(err, SOTTO_INVALID, "%s: '%s' is none of: %s%s%s%s", row->key, value, row->choices,
                      nearest == NULL ? "" : "; did you mean '", nearest == NULL ? "" : nearest,
                      nearest == NULL ? "" : "'?");
}

static sotto_status set_word(void *field, const sotto_i_option *row, const char *value, sotto_error *err) {
  if (!sotto_i_word_among(value, row->choices)) return fail_no_choice(row, value, err);
  const unsigned number = word_index(row->words, find_word(value, row->words));
  memcpy(field, &number, sizeof number);
  return SOTTO_OK;
}

static sotto_status set_count(void *field, const sotto_i_option *row, const char *value, sotto_error *err) {
  uint64_t number = SOTTO_UNSET;
  if (value[0] != '\0' || row->fallback[0] != '\0') {
    sotto_status status = sotto_i_parse_count(&number, value, row->key, err);
    if (status != SOTTO_OK) return status;
    if ((double)number < row->least || (double)number > row->most)
      return sotto_i_fail(err, SOTTO_RANGE, "%s: %s is outside %.0f to %.0f", row->key, value, row->least,
                          row->most);
  }
  memcpy(field, &number, sizeof number);
  return SOTTO_OK;
}

static sotto_status set_real(void *field, const sotto_i_option *row, const char *value, sotto_error *err) {
  double number = INFINITY;
  if (strcmp(value, "inf") != 0 || !isinf(row->most)) {
    sotto_status status = sotto_i_parse_double(&number, value, row->key, err);
    if (status != SOTTO_OK) return status;
  }
  if (number < row->least || number > row->most)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: %s is outside %g to %g", row->key, value, row->least,
                        row->most);
  memcpy(field, &number, sizeof number);
  return SOTTO_OK;
}

static sotto_status set_switch(bool *field, const sotto_i_option *row, const char *value, sotto_error *err) {
  if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: '%s' is neither true nor false", row->key, value);
  *field = value[0] == 't';
  return SOTTO_OK;
}

sotto_status sotto_i_option_set(void *field, const sotto_i_option *row, const char *text, sotto_error *err) {
  switch (row->type) {
  case SOTTO_TEXT:
    return set_text(field, row, text, err);
  case SOTTO_WORD:
    return set_word(field, row, text, err);
  case SOTTO_COUNT:
    return set_count(field, row, text, err);
  case SOTTO_REAL:
    return set_real(field, row, text, err);
  case SOTTO_SWITCH:
    return set_switch(field, row, text, err);
  }
  sotto_i_broken(__FILE__, __LINE__, "an option has one of five types");
}

/* Writes 1e-07 as 1e-7: no leading zeros in the exponent. */
static void shorten_exponent(char *text) {
  char *e = strchr(text, 'e');
  if (e == NULL) return;
  size_t zeros = strspn(e + 2, "0");
  memmove(e + 2, e + 2 + zeros, strlen(e + 2 + zeros) + 1);
}

/* Whole numbers in full; other numbers with the fewest digits that read back the same. */
static void write_real(char *out, size_t size, double number) {
  if (number == floor(number) && fabs(number) < 1e15) {
    (void)snprintf(out, size, "%.0f", number);
    return;
  }
  for (int digits = 1; digits <= 17; digits++) {
    double back;
    (void)snprintf(out, size, "%.*g", digits, number);
    if (sscanf(out, "%lf", &back) == 1 && back == number) break;
  }
  shorten_exponent(out);
}

/* Writes the word whose index is in the field. */
static void write_word(char *out, size_t size, const char *words, const void *field) {
  unsigned number;
  memcpy(&number, field, sizeof number);
  for (; number > 0 && *words != '\0'; words++) number -= *words == ' ';
  (void)snprintf(out, size, "%.*s", (int)strcspn(words, " "), words);
}

void sotto_i_option_text(char *out, size_t size, const void *field, const sotto_i_option *row) {
  uint64_t count = 0;
  double number;
  switch (row->type) {
  case SOTTO_TEXT:
    (void)snprintf(out, size, "%s", (const char *)field);
    break;
  case SOTTO_WORD:
    write_word(out, size, row->words, field);
    break;
  case SOTTO_COUNT:
    memcpy(&count, field, sizeof count);
    out[0] = '\0';
    if (count != SOTTO_UNSET) (void)snprintf(out, size, "%llu", (unsigned long long)count);
    break;
  case SOTTO_REAL:
    memcpy(&number, field, sizeof number);
    write_real(out, size, number);
    break;
  case SOTTO_SWITCH:
    (void)snprintf(out, size, "%s", *(const bool *)field ? "true" : "false");
    break;
  }
}
