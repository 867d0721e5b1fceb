/* Addresses of the server: loopback, others, and Unix sockets. */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"

enum { queue = 128 };
static const char unix_prefix[] = "unix:";

static bool is_loopback(const struct sockaddr *address) {
  if (address->sa_family == AF_INET) {
    struct sockaddr_in v4;
    memcpy(&v4, address, sizeof v4);
    return ntohl(v4.sin_addr.s_addr) >> 24 == 127;
  }
  struct sockaddr_in6 v6;
  memcpy(&v6, address, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

/* Splits HOST:PORT or [HOST]:PORT; the port is 0 (any free one) to 65535. */
static bool split_address(char host[256], char port[8], const char *address) {
  const char *colon = strrchr(address, ':');
  if (colon == NULL || colon == address) return false;
  size_t length = (size_t)(colon - address);
  const bool brackets = address[0] == '[';
  if (brackets && (length < 3 || address[length - 1] != ']')) return false;
  if (!brackets && memchr(address, ':', length) != NULL) return false;
  if (length >= 256 || strlen(colon + 1) >= 8 || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
      colon[1] == '\0' || atoi(colon + 1) > 65535)
    return false;
  (void)snprintf(host, 256, "%.*s", (int)(brackets ? length - 2 : length), address + (brackets ? 1 : 0));
  (void)snprintf(port, 8, "%s", colon + 1);
  return true;
}

static sotto_status listen_at(http_address *out, const struct addrinfo *found, const char *address,
                              sotto_error *err) {
  const int one = 1;
  out->socket = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (out->socket >= 0) {
    (void)setsockopt(out->socket, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    /* bind gives the file of a Unix socket the mode of the socket */
    if (found->ai_family == AF_UNIX) (void)fchmod(out->socket, 0600);
    if (bind(out->socket, found->ai_addr, found->ai_addrlen) == 0 && listen(out->socket, queue) == 0)
      return SOTTO_OK;
  }
  const int why = errno;
  if (out->socket >= 0) (void)close(out->socket);
  out->socket = -1;
  return sotto_i_fail(err, SOTTO_IO, "%s: cannot listen there: %s", address, strerror(why));
}

static sotto_status listen_inet(http_address *out, const char *address, bool may_be_public, const char *flag,
                                sotto_error *err) {
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
  struct addrinfo *found = NULL;
  char host[256], port[8];
  if (!split_address(host, port, address))
    return sotto_i_fail(err, SOTTO_INVALID,
                        "'%s': give HOST:PORT, [HOST]:PORT or unix:PATH, with a port up to 65535", address);
  const int code = getaddrinfo(host, port, &hints, &found);
  if (code != 0)
    return sotto_i_fail(err, SOTTO_INVALID, "%s: no such address: %s", address, gai_strerror(code));
  sotto_status status;
  out->is_loopback = is_loopback(found->ai_addr);
  if (!out->is_loopback && !may_be_public)
    status =
        sotto_i_fail(err, SOTTO_INVALID,
                     "%s: others can reach this address, so a token is needed: give its file with %s, or "
                     "listen on 127.0.0.1 or unix:PATH",
                     address, flag);
  else
    status = listen_at(out, found, address, err);
  freeaddrinfo(found);
  return status;
}

/* Is this a socket without a listener, left by an ended process? */
static bool is_left_over(const struct sockaddr_un *name) {
  struct stat about;
  if (lstat(name->sun_path, &about) != 0 || !S_ISSOCK(about.st_mode)) return false;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool nobody =
      connect(probe, (const struct sockaddr *)name, sizeof *name) != 0 && errno == ECONNREFUSED;
  (void)close(probe);
  return nobody;
}

static sotto_status listen_unix(http_address *out, const char *path, sotto_error *err) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  if (path[0] == '\0' || strlen(path) >= sizeof name.sun_path)
    return sotto_i_fail(err, SOTTO_INVALID, "unix:%s: a path of 1 to %zu bytes is needed", path,
                        sizeof name.sun_path - 1);
  (void)snprintf(name.sun_path, sizeof name.sun_path, "%s", path);
  if (is_left_over(&name)) (void)unlink(path);
  const struct addrinfo where = {
      .ai_family = AF_UNIX, .ai_addr = (struct sockaddr *)&name, .ai_addrlen = sizeof name};
  const sotto_status status = listen_at(out, &where, path, err);
  if (status != SOTTO_OK) return status;
  out->is_loopback = true;
  out->unix_path = path;
  return SOTTO_OK;
}

sotto_status http_address_listen(http_address *out, const char *address, bool may_be_public, const char *flag,
                                 sotto_error *err) {
  *out = (http_address){.socket = -1};
  if (strncmp(address, unix_prefix, sizeof unix_prefix - 1) == 0)
    return listen_unix(out, address + sizeof unix_prefix - 1, err);
  return listen_inet(out, address, may_be_public, flag, err);
}

void http_address_leave(const http_address *address) {
  if (address->unix_path != NULL) (void)unlink(address->unix_path);
}
