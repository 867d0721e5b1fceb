/* Edit distance for "did you mean", and strict parsing of numbers. */
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { longest_word = 63 };

static size_t edit_distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  if (n > longest_word || m > longest_word) return SIZE_MAX;
  size_t row[longest_word + 1];
  for (size_t j = 0; j <= m; j++) row[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[m];
}

const char *app_nearest(const char *word, const char *const *names, size_t count) {
  const char *nearest = NULL;
  size_t best = strlen(word) / 3 + 2; /* a larger distance means a different word */
  for (size_t i = 0; i < count; i++) {
    size_t distance = edit_distance(word, names[i]);
    if (distance >= best) continue;
    best = distance;
    nearest = names[i];
  }
  return nearest;
}

sotto_status app_parse_double(double *out, const char *text, const char *what, sotto_error *err) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (end == text || *end != '\0' || strchr(" \t\n\v\f\r", text[0]) != NULL)
    return app_fail(err, SOTTO_PARSE, "%s: '%s' is not a number", what, text);
  if (!isfinite(value)) return app_fail(err, SOTTO_RANGE, "%s: '%s' is not finite", what, text);
  *out = value;
  return SOTTO_OK;
}

sotto_status app_parse_u64(uint64_t *out, const char *text, const char *what, sotto_error *err) {
  if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
    return app_fail(err, SOTTO_PARSE, "%s: '%s' is not a whole number", what, text);
  errno = 0;
  unsigned long long value = strtoull(text, NULL, 10);
  if (errno == ERANGE) return app_fail(err, SOTTO_RANGE, "%s: '%s' is too large", what, text);
  *out = value;
  return SOTTO_OK;
}

void app_hex(char *out, const uint8_t *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    out[2 * i] = digits[bytes[i] >> 4];
    out[2 * i + 1] = digits[bytes[i] & 15];
  }
  out[2 * size] = '\0';
}

static bool begins_word(const char *text, const char *at) {
  return at == text || strchr(" '`\"(=", at[-1]) != NULL;
}

void app_hide_folders(char *text) {
  char *to = text;
  for (const char *at = text; *at != '\0';) {
    const size_t size = *at == '/' && begins_word(text, at) ? strcspn(at, " '`\")") : 0;
    size_t name = size; /* where the last name begins: after a slash, and there is something of it */
    while (name > 0 && (at[name - 1] != '/' || name == size || at[name] == ':')) name--;
    if (name > 1) at += name;
    *to++ = *at++;
  }
  *to = '\0';
}
