/* Printing without control characters. */
#include "print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void app_print(FILE *out, const char *format, ...) {
  char *text = NULL;
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  sotto_text_clean(text, true);
  (void)fputs(text, out);
  free(text);
}

bool app_has_colours(FILE *out) {
  const char *plain = getenv("NO_COLOR");
  return isatty(fileno(out)) != 0 && (plain == NULL || plain[0] == '\0');
}

void app_print_line(FILE *out, const char *colour, const char *line) {
  static const char *const codes[][2] = {{"green", "\033[32m"}, {"amber", "\033[33m"}, {"red", "\033[31m"}};
  const char *code = NULL;
  for (size_t i = 0; colour != NULL && i < sizeof codes / sizeof *codes; i++)
    if (strcmp(codes[i][0], colour) == 0) code = codes[i][1];
  const bool shown = code != NULL && app_has_colours(out);
  if (shown) (void)fputs(code, out);
  app_print(out, "%s", line);
  (void)fputs(shown ? "\033[0m\n" : "\n", out);
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
