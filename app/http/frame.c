/* The framing of a request: its first line, its body, and headers that must be unique. */
#include "frame.h"

#include <string.h>
#include <strings.h>

/* Visible characters except separators (RFC 9110, section 5.6.2). Servers disagree about a name that ends
 * with a blank. */
static bool is_name(const char *name, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (name[i] <= ' ' || name[i] == 127 || strchr("()<>@,;:\\\"/[]?={}", name[i]) != NULL) return false;
  return size > 0;
}

bool http_frame_is_method(const char *method) {
  return is_name(method, strlen(method));
}

bool http_frame_is_target(const char *target) {
  const char *end = target;
  while (*end > ' ' && *end < 127) end++;
  return end > target && *end == '\0';
}

static bool equals_name(const char *name, size_t size, const char *wanted) {
  return size == strlen(wanted) && strncasecmp(name, wanted, size) == 0;
}

/* 1*DIGIT (RFC 9110), below 2^63. */
static bool read_length(uint64_t *out, const char *value, size_t size) {
  *out = 0;
  if (size == 0 || size > 18) return false;
  for (size_t i = 0; i < size; i++) {
    if (value[i] < '0' || value[i] > '9') return false;
    *out = 10 * *out + (uint64_t)(value[i] - '0');
  }
  return true;
}

void http_frame_follows(http_frame *f, const char *name, const char *value, size_t value_size) {
  const char *expected = f->next;
  if (expected == NULL) return;
  if (expected[-2] != '\0' || expected[-1] != '\0') f->broken = true;
  if (name == NULL) {
    if (expected[0] != '\0' || expected[1] != '\0') f->broken = true; /* the empty line at the end */
    return;
  }
  if (name != expected || value == NULL || value < name) f->broken = true;
  if (!f->broken) f->next = value + value_size + 2;
}

void http_frame_add(http_frame *f, const char *name, size_t name_size, const char *value, size_t value_size) {
  static const char *const judged[] = {"Origin", "Sec-Fetch-Site", "Content-Type", "Authorization"};
  const char *text = value == NULL ? "" : value;
  const size_t size = value == NULL ? 0 : value_size;
  if (!is_name(name, name_size) || memchr(text, '\0', size) != NULL || memchr(text, '\n', size) != NULL ||
      memchr(text, '\r', size) != NULL)
    f->broken = true;
  if (equals_name(name, name_size, "Host")) f->hosts++;
  for (size_t i = 0; i < sizeof judged / sizeof *judged; i++)
    if (equals_name(name, name_size, judged[i])) f->shown[i]++;
  if (equals_name(name, name_size, "Content-Length")) {
    f->lengths++;
    if (!read_length(&f->length, text, size)) f->broken = true;
  }
  if (equals_name(name, name_size, "Transfer-Encoding")) {
    f->encodings++;
    if (!equals_name(text, size, "chunked")) f->broken = true;
  }
}

bool http_frame_holds(const http_frame *f, const char *version) {
  const bool chunks = strcmp(version, "HTTP/1.1") == 0;
  for (size_t i = 0; i < sizeof f->shown / sizeof *f->shown; i++)
    if (f->shown[i] > 1) return false;
  if (chunks && f->hosts == 0) return false; /* RFC 9112, section 3.2 */
  return !f->broken && f->lengths + f->encodings <= 1 && f->hosts <= 1 && (chunks || f->encodings == 0) &&
         (chunks || strcmp(version, "HTTP/1.0") == 0);
}
