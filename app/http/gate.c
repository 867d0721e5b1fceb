/* The token, and the names of this machine. */
#include "gate.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/error.h"
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
    status = app_fail(err, SOTTO_INVALID, "%s: others may read this token; chmod 600 it", path);
  else if (!good)
    status = app_fail(err, SOTTO_INVALID,
                      "%s: the first line has to be a token of %d to %d visible characters, for example from "
                      "`openssl rand -hex 32`",
                      path, HTTP_LEAST_TOKEN, HTTP_MOST_TOKEN);
  else
    (void)snprintf(out->token, sizeof out->token, "%.*s", (int)length, text);
  memset(text, 0, size);
  free(text);
  return status;
}

/* Reads both whole, whatever it finds. */
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

/* 127.x.x.x, [::1] or localhost, with or without a port. */
static bool names_this_machine(const char *host) {
  char name[64];
  const size_t length = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
  if (length >= sizeof name) return false;
  (void)snprintf(name, sizeof name, "%.*s", (int)length, host);
  if (strcasecmp(name, "localhost") == 0 || strcmp(name, "[::1]") == 0) return true;
  return strncmp(name, "127.", 4) == 0 && strspn(name, "0123456789.") == length;
}

unsigned http_gate_check(const http_gate *gate, const char *authorization, const char *host) {
  static const char bearer[] = "Bearer ";
  if (gate->token[0] == '\0') return gate->any_host || host == NULL || names_this_machine(host) ? 0 : 403;
  if (authorization == NULL || strncasecmp(authorization, bearer, sizeof bearer - 1) != 0) return 401;
  return is_token(gate->token, authorization + sizeof bearer - 1) ? 0 : 401;
}
