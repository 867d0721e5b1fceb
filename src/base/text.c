/* Edit distance for "did you mean", strict number parsing, and text that is safe to print. */
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

enum { longest_word = 63 };

static char small(char letter) {
  return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Letters left out, added, replaced, or swapped with the next; capitals are as small letters. */
static size_t edit_distance(const char *a, const char *b) {
  const size_t n = strlen(a), m = strlen(b);
  size_t rows[3][longest_word + 1], *before = rows[0], *last = rows[1], *row = rows[2];
  if (n > longest_word || m > longest_word) return SIZE_MAX;
  for (size_t j = 0; j <= m; j++) row[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t *const free_row = before;
    before = last, last = row, row = free_row;
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      const char x = small(a[i - 1]), y = small(b[j - 1]);
      row[j] = least(last[j - 1] + (x != y), least(last[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && x == small(b[j - 2]) && y == small(a[i - 2]))
        row[j] = least(row[j], before[j - 2] + 1);
    }
  }
  return row[m];
}

/* The shortest name that begins with the word, as --eps begins --epsilon; NULL: none, or the word is a
 * letter. */
static const char *shortest_completion(const char *word, const char *const *names, size_t count) {
  const char *shortest = NULL;
  const size_t length = strlen(word);
  for (size_t i = 0; length > 1 && i < count; i++)
    if (strncmp(names[i], word, length) == 0 && (shortest == NULL || strlen(names[i]) < strlen(shortest)))
      shortest = names[i];
  return shortest;
}

const char *sotto_i_nearest(const char *word, const char *const *names, size_t count) {
  const char *nearest = NULL;
  const size_t length = strlen(word);
  size_t best = length < 3 ? 2 : length / 3 + (length > 8 ? 2 : 1); /* from here on it is a different word */
  for (size_t i = 0; i < count; i++) {
    size_t distance = edit_distance(word, names[i]);
    if (distance >= best) continue;
    best = distance;
    nearest = names[i];
  }
  const char *completion = nearest != NULL && best <= 1 ? NULL : shortest_completion(word, names, count);
  return completion != NULL ? completion : nearest;
}

sotto_status sotto_i_parse_double(double *out, const char *text, const char *what, sotto_error *err) {
  char *end;
  errno = 0;
  double value = strtod(text, &end);
  if (end == text || *end != '\0' || strchr(" \t\n\v\f\r", text[0]) != NULL)
    return sotto_i_fail(err, SOTTO_PARSE, "%s: '%s' is not a number", what, text);
  if (errno == ERANGE && value == 0)
    return sotto_i_fail(err, SOTTO_RANGE, "%s: '%s' is nearer to 0 than numbers here can be", what, text);
  if (!isfinite(value)) return sotto_i_fail(err, SOTTO_RANGE, "%s: '%s' is not finite", what, text);
  *out = value;
  return SOTTO_OK;
}

sotto_status sotto_i_parse_doubles(double *out, size_t count, const char *text, const char *what,
                                   sotto_error *err) {
  const char *at = text;
  for (size_t i = 0; i < count; i++) {
    char word[32];
    const size_t length = strcspn(at, ":");
    const bool last = at[length] == '\0';
    if (length >= sizeof word || last != (i + 1 == count))
      return sotto_i_fail(err, SOTTO_INVALID, "%s: '%.80s' is not %zu numbers with ':' between them", what,
                          text, count);
    memcpy(word, at, length);
    word[length] = '\0';
    sotto_status status = sotto_i_parse_double(&out[i], word, what, err);
    if (status != SOTTO_OK) return status;
    at += length + 1;
  }
  return SOTTO_OK;
}

sotto_status sotto_i_parse_u64(uint64_t *out, const char *text, const char *what, sotto_error *err) {
  if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text))
    return sotto_i_fail(err, SOTTO_PARSE, "%s: '%s' is not a whole number", what, text);
  errno = 0;
  unsigned long long value = strtoull(text, NULL, 10);
  if (errno == ERANGE) return sotto_i_fail(err, SOTTO_RANGE, "%s: '%s' is too large", what, text);
  *out = value;
  return SOTTO_OK;
}

/* Reads "2.5e3": digits, perhaps a point and digits, and an exponent of ten. PARSE: it is not so, or not
 * whole. */
static sotto_status parse_power(uint64_t *out, const char *text) {
  uint64_t value = 0, power;
  int shift = 0; /* digits behind the point */
  const size_t digits = strcspn(text, "eE");
  if (text[digits] == '\0' || text[0] < '0' || text[0] > '9') return SOTTO_PARSE;
  for (size_t i = 0; i < digits; i++) {
    const bool point = text[i] == '.' && memchr(text, '.', i) == NULL;
    if (!point && (text[i] < '0' || text[i] > '9')) return SOTTO_PARSE;
    if (value > UINT64_MAX / 10 - 1) return SOTTO_RANGE;
    if (!point) value = value * 10 + (uint64_t)(text[i] - '0');
    shift += memchr(text, '.', i) != NULL;
  }
  if (sotto_i_parse_u64(&power, text + digits + 1, "", NULL) != SOTTO_OK) return SOTTO_PARSE;
  for (; shift > 0 && power > 0; power--) shift--;
  for (; shift > 0; shift--, value /= 10)
    if (value % 10 != 0) return SOTTO_PARSE;
  for (; power > 0 && value > 0; power--, value *= 10)
    if (value > UINT64_MAX / 10) return SOTTO_RANGE;
  *out = value;
  return SOTTO_OK;
}

sotto_status sotto_i_parse_count(uint64_t *out, const char *text, const char *what, sotto_error *err) {
  const sotto_status status = parse_power(out, text);
  if (status == SOTTO_RANGE) return sotto_i_fail(err, SOTTO_RANGE, "%s: '%s' is too large", what, text);
  return status == SOTTO_OK ? SOTTO_OK : sotto_i_parse_u64(out, text, what, err);
}

/* Length in bytes of the valid UTF-8 character at `at`, and its code point; 0: none is valid. */
static size_t character_at(uint32_t *code, const unsigned char *at) {
  const size_t length = at[0] < 0x80   ? 1
                        : at[0] < 0xc2 ? 0
                        : at[0] < 0xe0 ? 2
                        : at[0] < 0xf0 ? 3
                        : at[0] < 0xf5 ? 4
                                       : 0;
  *code = length < 2 ? at[0] : at[0] & (0x7fU >> length);
  for (size_t i = 1; i < length; i++) {
    if ((at[i] & 0xc0U) != 0x80U) return 0;
    *code = *code << 6 | (at[i] & 0x3fU);
  }
  const bool longer_than_needed = (length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000);
  return longer_than_needed || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000) ? 0 : length;
}

size_t sotto_i_utf8_bytes(const uint8_t *text, size_t size) {
  const uint64_t above_ascii = UINT64_C(0x8080808080808080);
  uint64_t words[4];
  size_t at = 0;
  while (at < size) {
    while (size - at >= sizeof words) { /* most texts are ASCII */
      memcpy(words, text + at, sizeof words);
      if (((words[0] | words[1] | words[2] | words[3]) & above_ascii) != 0) break;
      at += sizeof words;
    }
    if (at == size) break;
    unsigned char whole[4] = {0}; /* zeros end a character that the text cuts off */
    uint32_t code;
    memcpy(whole, text + at, size - at < sizeof whole ? size - at : sizeof whole);
    const size_t length = character_at(&code, whole);
    if (length == 0) break;
    at += length;
  }
  return at;
}

int sotto_i_fitting(const char *text, size_t most) {
  size_t size = text != NULL ? strnlen(text, most) : 0;
  if (size == most)
    while (size > 0 && ((unsigned char)text[size] & 0xc0U) == 0x80U) size--;
  return (int)size;
}

/* Control characters (C0, DEL, C1), line separators, and marks that turn the direction of text. */
static bool is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

void sotto_text_clean(char *text, bool lines) {
  for (unsigned char *at = (unsigned char *)text; *at != '\0';) {
    uint32_t code;
    size_t length = character_at(&code, at);
    const bool kept = length > 0 && (!is_control(code) || (lines && (code == '\n' || code == '\t')));
    if (length == 0) length = 1;
    if (!kept) memset(at, '?', length);
    at += length;
  }
}

bool sotto_i_text_is_clean(const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
    uint32_t code;
    if (*at >= 0x20 && *at < 0x7F) {
      at++;
      continue;
    }
    const size_t length = character_at(&code, at);
    if (length == 0 || is_control(code)) return false;
    at += length;
  }
  return true;
}

void sotto_i_hex(char *out, const uint8_t *bytes, size_t size) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < size; i++) {
    out[2 * i] = digits[bytes[i] >> 4];
    out[2 * i + 1] = digits[bytes[i] & 15];
  }
  out[2 * size] = '\0';
}
