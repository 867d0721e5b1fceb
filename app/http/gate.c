/* The token, and the host names of this machine. */
#include "gate.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "common/file.h"
#include "common/memory.h"

sotto_status http_gate_read(http_gate *out, const char *path, sotto_error *err) {
  struct stat about;
  char *text = NULL;
  size_t size;
  sotto_status status = app_read_file(&text, &size, path, err);
  if (status != SOTTO_OK) return status;
  const size_t length = strcspn(text, "\r\n");
  bool good = length >= HTTP_LEAST_TOKEN && length <= HTTP_MOST_TOKEN;
  for (size_t i = 0; good && i < length; i++) good = text[i] > ' ' && text[i] < 127;
  if (stat(path, &about) != 0 || (about.st_mode & 077) != 0)
    status = sotto_i_fail(err, SOTTO_INVALID, "%s: others may read this token; chmod 600 it", path);
  else if (!good)
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "%s: the first line has to be a token of %d to %d visible characters, for example from "
                     "`openssl rand -hex 32`",
                     path, HTTP_LEAST_TOKEN, HTTP_MOST_TOKEN);
  else
    (void)snprintf(out->token, sizeof out->token, "%.*s", (int)length, text);
  memset(text, 0, size);
  free(text);
  return status;
}

/* Compares in constant time: reads both texts whole. */
static bool is_token(const char *token, const char *shown) {
  const size_t length = strlen(token), other = strlen(shown);
  volatile unsigned char difference = length != other;
  for (size_t i = 0; i < HTTP_MOST_TOKEN; i++) {
    const unsigned char a = (unsigned char)token[i < length ? i : length];
    const unsigned char b = (unsigned char)shown[i < other ? i : other];
    difference = (unsigned char)(difference | (a ^ b));
  }
  return difference == 0;
}

/* Is it "", or ":" and a port? */
static bool is_port(const char *text) {
  if (text[0] == '\0') return true;
  const size_t digits = strspn(text + 1, "0123456789");
  return text[0] == ':' && digits >= 1 && digits <= 5 && text[1 + digits] == '\0' && atoi(text + 1) <= 65535;
}

/* Is it 127.x.x.x, [::1] or localhost, with or without a port? */
static bool names_this_machine(const char *host) {
  char name[64];
  struct in_addr v4;
  const bool brackets = host[0] == '[';
  const size_t length = brackets ? strcspn(host, "]") + 1 : strcspn(host, ":");
  if (length >= sizeof name || length > strlen(host) || !is_port(host + length)) return false;
  (void)snprintf(name, sizeof name, "%.*s", (int)length, host);
  if (brackets) return strcmp(name, "[::1]") == 0;
  return strcasecmp(name, "localhost") == 0 ||
         (inet_pton(AF_INET, name, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127);
}

/* Is it the origin of a page from this server: http:// or (behind a proxy) https://, and the name in Host? */
static bool is_own_origin(const char *origin, const char *host) {
  static const char *const schemes[] = {"http://", "https://"};
  for (size_t i = 0; host != NULL && i < sizeof schemes / sizeof *schemes; i++) {
    const size_t length = strlen(schemes[i]);
    if (strncasecmp(origin, schemes[i], length) == 0 && strcasecmp(origin + length, host) == 0) return true;
  }
  return false;
}

/* Does the request come from a page of another origin? Browsers report the origin, or its relation to this
 * server. "none": the user typed the address. */
static bool is_foreign(const http_shown *s) {
  if (s->origin != NULL && !is_own_origin(s->origin, s->host)) return true;
  return s->site != NULL && strcasecmp(s->site, "same-origin") != 0 && strcasecmp(s->site, "none") != 0;
}

/* Is it application/json, with or without parameters? */
static bool is_json(const char *type) {
  static const char json[] = "application/json";
  const size_t length = sizeof json - 1;
  if (type == NULL || strncasecmp(type, json, length) != 0) return false;
  return type[length + strspn(type + length, " \t")] == '\0' ||
         type[length + strspn(type + length, " \t")] == ';';
}

unsigned http_gate_check(const http_gate *gate, const http_shown *s) {
  static const char bearer[] = "Bearer ";
  const char *shown = s->authorization;
  if (gate->token[0] == '\0') {
    if (!gate->any_host && s->host != NULL && !names_this_machine(s->host)) return 403;
  } else if (shown == NULL || strncasecmp(shown, bearer, sizeof bearer - 1) != 0 ||
             !is_token(gate->token, shown + sizeof bearer - 1)) {
    return 401;
  }
  if (is_foreign(s)) return 403;
  return strcmp(s->method, "POST") == 0 && !is_json(s->type) ? 415 : 0;
}
