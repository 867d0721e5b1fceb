/* Version, status texts, and functions that fill a sotto_error. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *sotto_version(void) {
  return SOTTO_VERSION;
}

const char *sotto_status_text(sotto_status status) {
  static const char *const texts[] = {
#define SOTTO_STATUS_TEXT(name, text) text,
      SOTTO_STATUS_LIST(SOTTO_STATUS_TEXT)
#undef SOTTO_STATUS_TEXT
  };
  size_t index = (size_t)status;
  return index < sizeof texts / sizeof *texts ? texts[index] : "unknown status";
}

/* Ends a truncated `text` after its last whole UTF-8 character. `wanted` is the untruncated length in
 * bytes, as snprintf returns it. */
static void end_at_character(char *text, size_t capacity, int wanted) {
  if (wanted < 0) {
    text[0] = '\0';
    return;
  }
  if ((size_t)wanted < capacity) return;
  size_t end = capacity - 1;
  while (end > 0 && ((unsigned char)text[end - 1] & 0xC0U) == 0x80U) end--;
  if (end > 0 && ((unsigned char)text[end - 1] & 0x80U) != 0) end--;
  text[end] = '\0';
}

sotto_status sotto_i_fail(sotto_error *err, sotto_status status, const char *format, ...) {
  if (err == NULL || err->status != SOTTO_OK) return status;
  va_list arguments;
  va_start(arguments, format);
  int wanted = vsnprintf(err->text, sizeof err->text, format, arguments);
  va_end(arguments);
  end_at_character(err->text, sizeof err->text, wanted);
  sotto_text_clean(err->text, false); /* the text may quote file names, data or messages of peers */
  err->status = status;
  return status;
}

void sotto_i_error_prefix(sotto_error *err, const char *format, ...) {
  if (err == NULL || err->status == SOTTO_OK) return;
  sotto_error inner = *err;
  va_list arguments;
  va_start(arguments, format);
  int used = vsnprintf(err->text, sizeof err->text, format, arguments);
  va_end(arguments);
  if (used < 0 || (size_t)used >= sizeof err->text) used = 0;
  int wanted = snprintf(err->text + used, sizeof err->text - (size_t)used, ": %s", inner.text);
  end_at_character(err->text + used, sizeof err->text - (size_t)used, wanted);
  sotto_text_clean(err->text, false);
}

_Noreturn void sotto_i_broken(const char *file, int line, const char *what) {
  fprintf(stderr, "sotto: broken invariant at %s:%d: %s\n", file, line, what);
  abort();
}
