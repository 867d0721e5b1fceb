/* Errors, log lines, and broken invariants. */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Removes a UTF-8 character that was truncated at the end of a full buffer. */
static void drop_partial_character(char *text, size_t capacity, int wanted) {
  if (wanted < 0 || (size_t)wanted < capacity) return;
  size_t end = capacity - 1;
  while (end > 0 && ((unsigned char)text[end - 1] & 0xC0U) == 0x80U) end--;
  if (end > 0 && ((unsigned char)text[end - 1] & 0x80U) != 0) end--;
  text[end] = '\0';
}

sotto_status app_fail(sotto_error *err, sotto_status status, const char *format, ...) {
  if (err == NULL || err->status != SOTTO_OK) return status;
  va_list arguments;
  va_start(arguments, format);
  drop_partial_character(err->text, sizeof err->text,
                         vsnprintf(err->text, sizeof err->text, format, arguments));
  va_end(arguments);
  sotto_text_clean(err->text, false);
  err->status = status;
  return status;
}

void app_error_prefix(sotto_error *err, const char *format, ...) {
  if (err == NULL || err->status == SOTTO_OK) return;
  char prefix[SOTTO_ERROR_TEXT];
  sotto_error inner = *err;
  va_list arguments;
  va_start(arguments, format);
  drop_partial_character(prefix, sizeof prefix, vsnprintf(prefix, sizeof prefix, format, arguments));
  va_end(arguments);
  err->status = SOTTO_OK;
  (void)app_fail(err, inner.status, "%s: %s", prefix, inner.text);
}

void app_log(const sotto_observer *observer, sotto_log_level level, const char *format, ...) {
  if (observer == NULL || observer->log == NULL) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  sotto_text_clean(text, false);
  observer->log(observer->context, level, text);
}

_Noreturn void app_broken(const char *file, int line, const char *what) {
  (void)fprintf(stderr, "sotto: broken invariant at %s:%d: %s\n", file, line, what);
  abort();
}
