/* Network addresses: parsing, listening, connecting. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "wire.h"

static sotto_status split_address(char host[256], char port[16], const char *address, sotto_error *err) {
  const char *colon = strrchr(address, ':');
  size_t length = colon == NULL ? 0 : (size_t)(colon - address);
  uint64_t number = 0;
  if (length > 0 && length < 256 && sotto_i_parse_u64(&number, colon + 1, "port", NULL) == SOTTO_OK &&
      number <= 65535) {
    bool bracketed = address[0] == '[' && address[length - 1] == ']';
    (void)snprintf(host, 256, "%.*s", (int)(bracketed ? length - 2 : length), address + (bracketed ? 1 : 0));
    (void)snprintf(port, 16, "%llu", (unsigned long long)number);
    if (host[0] != '\0' && (bracketed || strchr(host, ':') == NULL)) return SOTTO_OK;
  }
  return sotto_i_fail(err, SOTTO_INVALID, "'%.100s' is not an address; HOST:PORT or [HOST]:PORT is", address);
}

static bool is_loopback(const struct sockaddr *address) {
  if (address->sa_family == AF_INET)
    return ntohl(((const struct sockaddr_in *)(const void *)address)->sin_addr.s_addr) >> 24 == 127;
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

/* Resolves an address; with `loopback`, refuses all but addresses of this machine. */
static sotto_status resolve_address(struct addrinfo **out, const char *address, bool passive, bool loopback,
                                    sotto_error *err) {
  char host[256], port[16];
  const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                 .ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)};
  sotto_status status = split_address(host, port, address, err);
  if (status != SOTTO_OK) return status;
  int code = getaddrinfo(host, port, &hints, out);
  if (code != 0) return sotto_i_fail(err, SOTTO_IO, "%s: %s", address, gai_strerror(code));
  for (const struct addrinfo *at = *out; loopback && at != NULL; at = at->ai_next) {
    if (is_loopback(at->ai_addr)) continue;
    freeaddrinfo(*out);
    return sotto_i_fail(err, SOTTO_INVALID,
                        "%s: is not a loopback address, and without TLS no other is allowed", address);
  }
  return SOTTO_OK;
}

sotto_status sotto_i_address_check(const char *address, bool loopback, sotto_error *err) {
  struct addrinfo *list;
  char host[256], port[16];
  sotto_status status = split_address(host, port, address, err);
  if (status != SOTTO_OK || !loopback) return status;
  status = resolve_address(&list, address, false, true, err);
  if (status == SOTTO_OK) freeaddrinfo(list);
  return status;
}

sotto_status sotto_i_address_listen(int *out, const char *address, bool loopback, sotto_error *err) {
  struct addrinfo *list;
  const int one = 1;
  sotto_status status = resolve_address(&list, address, true, loopback, err);
  if (status != SOTTO_OK) return status;
  int fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd >= 0) (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (fd < 0 || bind(fd, list->ai_addr, list->ai_addrlen) != 0 || listen(fd, SOMAXCONN) != 0) {
    status = sotto_i_fail(err, SOTTO_IO, "%s: could not listen there: %s", address, strerror(errno));
    if (fd >= 0) (void)close(fd);
    fd = -1;
  }
  freeaddrinfo(list);
  *out = fd;
  return status;
}

static void set_no_delay(int fd) {
  const int one = 1;
  (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

sotto_status sotto_i_address_dial(int *out, sotto_trouble *trouble, const char *address, bool loopback,
                                  sotto_error *err) {
  struct addrinfo *list;
  *trouble = SOTTO_TROUBLE_ADDRESS;
  sotto_status status = resolve_address(&list, address, false, loopback, err);
  if (status != SOTTO_OK) return status;
  int problem = 0;
  *out = -1;
  for (const struct addrinfo *at = list; *out < 0 && at != NULL; at = at->ai_next) {
    int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (connect(fd, at->ai_addr, at->ai_addrlen) == 0 || errno == EINPROGRESS)) {
      set_no_delay(fd);
      *out = fd;
      break;
    }
    problem = errno;
    if (fd >= 0) (void)close(fd);
  }
  freeaddrinfo(list);
  *trouble = *out >= 0 ? SOTTO_TROUBLE_NONE : sotto_i_trouble_of_connect(problem);
  return *out >= 0 ? SOTTO_OK : sotto_i_fail(err, SOTTO_IO, "%s: %s", address, strerror(problem));
}

static void find_source(sotto_i_origin *out, const struct sockaddr_storage *from) {
  *out = (sotto_i_origin){{0}};
  if (from->ss_family == AF_INET) {
    const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)from;
    memcpy(out->bytes + 12, &in->sin_addr, 4);
  } else if (from->ss_family == AF_INET6) {
    const struct sockaddr_in6 *in = (const struct sockaddr_in6 *)(const void *)from;
    bool mapped = IN6_IS_ADDR_V4MAPPED(&in->sin6_addr);
    if (mapped)
      memcpy(out->bytes + 12, in->sin6_addr.s6_addr + 12, 4);
    else
      memcpy(out->bytes, in->sin6_addr.s6_addr, 8);
  }
}

int sotto_i_address_accept(int listener, char with[80], sotto_i_origin *from) {
  struct sockaddr_storage name = {0};
  socklen_t size = sizeof name;
  char host[64] = "?", port[16] = "?";
  int fd = accept4(listener, (struct sockaddr *)&name, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) return -1;
  set_no_delay(fd);
  find_source(from, &name);
  (void)getnameinfo((struct sockaddr *)&name, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
  (void)snprintf(with, 80, strchr(host, ':') != NULL ? "[%s]:%s" : "%s:%s", host, port);
  return fd;
}

void sotto_i_address_reject(int fd) {
  const struct linger now = {.l_onoff = 1, .l_linger = 0};
  (void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  (void)close(fd);
}
