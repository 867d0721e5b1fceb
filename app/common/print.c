/* Printing without control characters. */
#include "print.h"

#include <stdlib.h>

void app_vprint(FILE *out, const char *format, va_list arguments) {
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) return;
  sotto_text_clean(text, true);
  (void)fputs(text, out);
  free(text);
}

void app_print(FILE *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  app_vprint(out, format, arguments);
  va_end(arguments);
}
