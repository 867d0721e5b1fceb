/* Brings ids and words to the form in which they are compared. */
#include "words.h"

#include <string.h>
#include <utf8proc.h>

#include "base/memory.h"

enum { chunk_size = 1 << 16 };

sotto_status sotto_i_texts_copy(sotto_i_texts *texts, sotto_i_field *out, const void *text, size_t size,
                                sotto_error *err) {
  sotto_status status = SOTTO_OK;
  *out = (sotto_i_field){(const uint8_t *)"", 0};
  if (size == 0) return SOTTO_OK;
  if (size > texts->left) {
    const size_t room = size > chunk_size ? size : chunk_size;
    SOTTO_TRY(sotto_i_grow(&texts->chunks, &texts->room, texts->count + 1, sizeof *texts->chunks, err));
    SOTTO_TRY(sotto_i_new_raw(&texts->chunks[texts->count], room, 1, err));
    texts->count++;
    texts->left = room;
  }
  /* An oversized chunk has no room left; others are filled from the front. */
  uint8_t *chunk = texts->chunks[texts->count - 1];
  uint8_t *at = size > chunk_size ? chunk : chunk + chunk_size - texts->left;
  memcpy(at, text, size);
  texts->left = size > chunk_size ? 0 : texts->left - size;
  *out = (sotto_i_field){at, size};
done:
  return status;
}

void sotto_i_texts_free(sotto_i_texts *texts) {
  for (size_t i = 0; i < texts->count; i++) sotto_i_free(texts->chunks[i]);
  sotto_i_free(texts->chunks);
  *texts = (sotto_i_texts){0};
}

/* The bytes of a blank of any width, a line end or a byte order mark at the front; 0: there is none. */
static size_t blank_at(const uint8_t *text, size_t size) {
  static const char *const wide[] = {"\xC2\xA0", "\xEF\xBB\xBF", "\xE2\x80\xAF", "\xE3\x80\x80"};
  if (size == 0) return 0;
  if (text[0] < 0x80) return text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r') ? 1 : 0;
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
    const size_t length = strlen(wide[i]);
    if (size >= length && memcmp(text, wide[i], length) == 0) return length;
  }
  /* U+2000 to U+200B */
  return size >= 3 && text[0] == 0xE2 && text[1] == 0x80 && text[2] >= 0x80 && text[2] <= 0x8B ? 3 : 0;
}

/* The same, of the blank that ends at the end. */
static size_t blank_before(const uint8_t *text, size_t size) {
  for (size_t length = 1; length <= 3 && length <= size; length++)
    if (blank_at(text + size - length, length) == length) return length;
  return 0;
}

bool sotto_i_word_is_plain(const sotto_i_field *word) {
  uint8_t high = 0;
  bool ends = false;
  for (size_t i = 0; i < word->size; i++) {
    high |= word->text[i];
    ends = ends || word->text[i] == '\n' || word->text[i] == '\r';
  }
  return high < 0x80 && !ends &&
         (word->size == 0 || (blank_at(word->text, 1) == 0 && blank_before(word->text, word->size) == 0));
}

/* Whether a character stays as it is whatever stands beside it: of Latin, Greek and Cyrillic letters without
 * marks of their own, CJK, and syllables of Hangul. */
static bool stays(utf8proc_int32_t code) {
  return code < 0x300 || (code >= 0x388 && code <= 0x482) || (code >= 0x48A && code <= 0x52F) ||
         (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0xAC00 && code <= 0xD7A3);
}

static bool is_composed(const sotto_i_field *word) {
  for (size_t at = 0; at < word->size;) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t size =
        utf8proc_iterate(word->text + at, (utf8proc_ssize_t)(word->size - at), &code);
    if (size <= 0) return true; /* no UTF-8: its reader refuses it */
    if (!stays(code)) return false;
    at += (size_t)size;
  }
  return true;
}

/* Composes the word into the texts; one that is composed stays where it is. */
static sotto_status compose(sotto_i_field *word, sotto_i_texts *texts, sotto_error *err) {
  const utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
  const utf8proc_ssize_t size = (utf8proc_ssize_t)word->size;
  const utf8proc_ssize_t codes = utf8proc_decompose(word->text, size, NULL, 0, how);
  utf8proc_int32_t *buffer = NULL;
  sotto_status status = SOTTO_OK;
  if (codes < 0) return SOTTO_OK;
  SOTTO_TRY(sotto_i_new(&buffer, (size_t)codes + 1, sizeof *buffer, err));
  SOTTO_I_CHECK(utf8proc_decompose(word->text, size, buffer, codes, how) == codes);
  const utf8proc_ssize_t made = utf8proc_reencode(buffer, codes, how);
  SOTTO_I_CHECK(made >= 0);
  if (made != size || memcmp(buffer, word->text, word->size) != 0)
    SOTTO_TRY(sotto_i_texts_copy(texts, word, buffer, (size_t)made, err));
done:
  sotto_i_free(buffer);
  return status;
}

static bool has_line_end(const sotto_i_field *word) {
  return word->size > 0 &&
         (memchr(word->text, '\n', word->size) != NULL || memchr(word->text, '\r', word->size) != NULL);
}

/* Copies the word with one blank for each run of line ends. */
static sotto_status join_lines(sotto_i_field *word, sotto_i_texts *texts, sotto_error *err) {
  uint8_t *text = NULL;
  size_t used = 0;
  sotto_status status = sotto_i_new_raw(&text, word->size, 1, err);
  if (status != SOTTO_OK) return status;
  bool ended = false;
  for (size_t i = 0; i < word->size; i++) {
    const bool end = word->text[i] == '\n' || word->text[i] == '\r';
    if (!end || !ended) text[used++] = end ? ' ' : word->text[i];
    ended = end;
  }
  status = sotto_i_texts_copy(texts, word, text, used, err);
  sotto_i_free(text);
  return status;
}

sotto_status sotto_i_word_settle(sotto_i_field *word, sotto_i_texts *texts, bool *changed, sotto_error *err) {
  const sotto_i_field before = *word;
  sotto_status status = SOTTO_OK;
  for (size_t blank; (blank = blank_at(word->text, word->size)) > 0;)
    word->text += blank, word->size -= blank;
  for (size_t blank; (blank = blank_before(word->text, word->size)) > 0;) word->size -= blank;
  if (has_line_end(word)) SOTTO_TRY(join_lines(word, texts, err));
  if (!is_composed(word)) SOTTO_TRY(compose(word, texts, err));
  *changed = word->text != before.text || word->size != before.size;
done:
  return status;
}

sotto_status sotto_i_text_settle(const char **text, sotto_i_texts *texts, sotto_error *err) {
  sotto_i_field word = {(const uint8_t *)*text, strlen(*text)};
  bool changed = false;
  char *copy = NULL;
  sotto_status status = SOTTO_OK;
  if (sotto_i_word_is_plain(&word)) return SOTTO_OK;
  SOTTO_TRY(sotto_i_word_settle(&word, texts, &changed, err));
  if (!changed) goto done;
  SOTTO_TRY(sotto_i_new(&copy, word.size + 1, 1, err));
  if (word.size > 0) memcpy(copy, word.text, word.size);
  SOTTO_TRY(sotto_i_texts_copy(texts, &word, copy, word.size + 1, err));
  *text = (const char *)word.text;
done:
  sotto_i_free(copy);
  return status;
}

bool sotto_i_word_is_foreign_number(const sotto_i_field *word) {
  if (word->size == 0 || word->text[0] < 0x80) return false;
  for (size_t at = 0; at < word->size;) {
    utf8proc_int32_t code = 0;
    const utf8proc_ssize_t size =
        utf8proc_iterate(word->text + at, (utf8proc_ssize_t)(word->size - at), &code);
    if (size <= 0 || utf8proc_category(code) != UTF8PROC_CATEGORY_ND) return false;
    at += (size_t)size;
  }
  return true;
}

bool sotto_i_word_is_spoilt(const sotto_i_field *word) {
  for (size_t i = 0; i + 2 < word->size; i++) {
    const uint8_t *at = word->text + i;
    if (at[0] == 0xEF && at[1] == 0xBF && at[2] == 0xBD) return true;
    /* U+00C3, then U+0080 to U+00BF: the two bytes of a letter with an accent */
    if (at[0] == 0xC3 && at[1] == 0x83 && at[2] == 0xC2 && i + 3 < word->size) return true;
  }
  return false;
}
