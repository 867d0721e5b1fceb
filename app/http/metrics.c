/* Metrics in the text format of Prometheus. */
#include "metrics.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

static void add_text(http_metrics *m, const char *format, ...) SOTTO_PRINTF(2, 3);
static void add_text(http_metrics *m, const char *format, ...) {
  va_list arguments;
  char line[512];
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  const size_t size = length < 0 ? 0 : (size_t)length < sizeof line ? (size_t)length : sizeof line - 1;
  if (app_grow(&m->text, &m->capacity, m->size + size + 1, 1, NULL) != SOTTO_OK) {
    m->failed = true;
    return;
  }
  memcpy(m->text + m->size, line, size + 1);
  m->size += size;
}

void http_metrics_begin(http_metrics *m, const char *name, const char *type, const char *help) {
  add_text(m, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Escapes backslash, quote and line feed in a label's value. */
static void escape(char out[200], const char *value) {
  size_t used = 0;
  for (const char *at = value; *at != '\0' && used < 196; at++) {
    if (*at == '\\' || *at == '"' || *at == '\n') out[used++] = '\\';
    out[used++] = *at == '\n' ? 'n' : *at;
  }
  out[used] = '\0';
}

void http_metrics_value(http_metrics *m, const char *name, const char *label, const char *label_value,
                        double value) {
  char number[40], escaped[200];
  if (isnan(value))
    (void)snprintf(number, sizeof number, "NaN");
  else if (isinf(value))
    (void)snprintf(number, sizeof number, value > 0 ? "+Inf" : "-Inf");
  else
    (void)snprintf(number, sizeof number, "%.15g", value);
  if (label == NULL) {
    add_text(m, "%s %s\n", name, number);
    return;
  }
  escape(escaped, label_value);
  add_text(m, "%s{%s=\"%s\"} %s\n", name, label, escaped, number);
}

void http_metrics_one(http_metrics *m, const char *name, const char *type, const char *help, double value) {
  http_metrics_begin(m, name, type, help);
  http_metrics_value(m, name, NULL, NULL, value);
}

char *http_metrics_take(http_metrics *m) {
  char *text = m->text;
  const bool failed = m->failed;
  *m = (http_metrics){NULL, 0, 0, false};
  if (!failed) return text;
  free(text);
  return NULL;
}
