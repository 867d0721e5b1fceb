/* Lists of mechanisms as text: one a line, a name and key=value words. */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "dp/mechanisms/mechanism.h"
#include "inside/dp.h"

typedef enum field_type { real, whole } field_type;

static const struct {
  const char *name;
  field_type type;
  size_t offset;
} fields[] = {
    {"count", whole, offsetof(sotto_mechanism, count)},
    {"noise", real, offsetof(sotto_mechanism, noise)},
    {"scale", real, offsetof(sotto_mechanism, noise)},
    {"sensitivity", real, offsetof(sotto_mechanism, sensitivity)},
    {"rate", real, offsetof(sotto_mechanism, rate)},
    {"population", whole, offsetof(sotto_mechanism, population)},
    {"batch", whole, offsetof(sotto_mechanism, batch)},
    {"layers", whole, offsetof(sotto_mechanism, layers)},
    {"lipschitz", real, offsetof(sotto_mechanism, lipschitz)},
    {"epsilon", real, offsetof(sotto_mechanism, epsilon)},
    {"choices", whole, offsetof(sotto_mechanism, choices)},
    {"sampled", whole, offsetof(sotto_mechanism, sampled)},
    {"epochs", whole, offsetof(sotto_mechanism, epochs)},
    {"sample", whole, offsetof(sotto_mechanism, sample)},
    {"degree", whole, offsetof(sotto_mechanism, degree)},
    {"slack", real, offsetof(sotto_mechanism, slack)},
};
enum { field_count = sizeof fields / sizeof *fields, longest_word = 127 };

static sotto_status unknown_key(const char *key, sotto_error *err) {
  const char *names[field_count];
  for (size_t i = 0; i < field_count; i++) names[i] = fields[i].name;
  const char *nearest = sotto_i_nearest(key, names, field_count);
  if (nearest == NULL)
    return sotto_i_fail(err, SOTTO_PARSE, "'%.60s' is not a parameter of a mechanism", key);
  return sotto_i_fail(err, SOTTO_PARSE, "'%.60s' is not a parameter of a mechanism; did you mean '%s'?", key,
                      nearest);
}

/* Sets a field from one key=value word. A zero for a number that must not be zero would look like "not
 * given", and is refused here. `seen` has a bit for each field that was set. */
static sotto_status set_field(sotto_mechanism *m, uint64_t *seen, char *word, sotto_error *err) {
  char *value = strchr(word, '=');
  if (value == NULL) return sotto_i_fail(err, SOTTO_PARSE, "'%.60s' is not of the form key=value", word);
  *value++ = '\0';
  size_t i = 0;
  while (i < field_count && strcmp(fields[i].name, word) != 0) i++;
  if (i == field_count) return unknown_key(word, err);
  uint64_t bit = (uint64_t)1 << (fields[i].offset / sizeof(double));
  if (*seen & bit) return sotto_i_fail(err, SOTTO_PARSE, "%s is given twice", word);
  *seen |= bit;
  sotto_status status;
  char *place = (char *)m + fields[i].offset;
  double number = 0;
  uint64_t integer = 0;
  if (fields[i].type == whole) {
    status = sotto_i_parse_count(&integer, value, word, err);
    memcpy(place, &integer, sizeof integer);
  } else {
    status = sotto_i_parse_double(&number, value, word, err);
    memcpy(place, &number, sizeof number);
  }
  if (status == SOTTO_OK && number == 0 && integer == 0 && strcmp(word, "lipschitz") != 0)
    return sotto_i_fail(err, SOTTO_RANGE, "%s is 0; it must be above 0", word);
  return status;
}

/* Copies the next word of [*at, end) into `word`. Returns 1: done, 0: none left, -1: it is too long or
 * contains a zero. */
static int next_word(char word[longest_word + 1], const char **at, const char *end) {
  const char *p = *at;
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r')) p++;
  const char *begin = p;
  while (p < end && *p != ' ' && *p != '\t' && *p != '\r') p++;
  *at = p;
  size_t length = (size_t)(p - begin);
  if (length == 0) return 0;
  if (length > longest_word || memchr(begin, '\0', length) != NULL) return -1;
  memcpy(word, begin, length);
  word[length] = '\0';
  return 1;
}

/* Reads one line; *found: it has a mechanism. */
static sotto_status parse_line(sotto_mechanism *out, bool *found, const char *line, size_t size,
                               sotto_error *err) {
  char word[longest_word + 1];
  const char *comment = memchr(line, '#', size), *end = comment != NULL ? comment : line + size;
  sotto_mechanism_kind kind = SOTTO_MECHANISM_GAUSSIAN;
  uint64_t seen = 0;
  int got = next_word(word, &line, end);
  *found = got != 0;
  if (got == 0) return SOTTO_OK;
  if (got < 0) return sotto_i_fail(err, SOTTO_PARSE, "a word is longer than %d characters", longest_word);
  if (sotto_mechanism_from_name(&kind, word, err) != SOTTO_OK) {
    if (err != NULL) err->status = SOTTO_PARSE;
    return SOTTO_PARSE;
  }
  *out = sotto_mechanism_default(kind);
  while ((got = next_word(word, &line, end)) != 0) {
    if (got < 0) return sotto_i_fail(err, SOTTO_PARSE, "a word is longer than %d characters", longest_word);
    sotto_status status = set_field(out, &seen, word, err);
    if (status != SOTTO_OK) return status;
  }
  return sotto_mechanism_check(out, err);
}

sotto_status sotto_mechanisms_parse(sotto_mechanism **out, size_t *count, const char *text, size_t size,
                                    sotto_error *err) {
  sotto_status status = SOTTO_OK;
  sotto_mechanism *list = NULL, one;
  size_t used = 0, capacity = 0, number = 0, at = 0;
  *out = NULL;
  *count = 0;
  while (at < size) {
    const char *line = text + at, *end = memchr(line, '\n', size - at);
    size_t length = end != NULL ? (size_t)(end - line) : size - at;
    bool found = false;
    at += length + 1;
    number++;
    status = parse_line(&one, &found, line, length, err);
    if (status == SOTTO_OK && found && used == SOTTO_MECHANISMS_MAX)
      status = sotto_i_fail(err, SOTTO_RANGE, "a list has at most %d mechanisms", SOTTO_MECHANISMS_MAX);
    if (status != SOTTO_OK) {
      sotto_i_error_prefix(err, "line %zu", number);
      goto done;
    }
    if (!found) continue;
    SOTTO_TRY(sotto_i_grow(&list, &capacity, used + 1, sizeof *list, err));
    list[used++] = one;
  }
  if (used == 0) {
    status = sotto_i_fail(err, SOTTO_PARSE, "the list names no mechanism");
    goto done;
  }
  *out = list;
  *count = used;
  list = NULL;
done:
  sotto_i_free(list);
  return status;
}

void sotto_mechanisms_free(sotto_mechanism *list) {
  sotto_i_free(list);
}
